"""Who may ask: this machine alone, no other site through its browser, or who has the token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from prefrontal.http_door import Door
from prefrontal.web.app import build_dash
from prefrontal.web.guard import HEADERS, POLICY

from .dash_samples import INVOICES, shown_in, wake

TOKEN = "a token that is long enough"
HERE = "http://127.0.0.1:8768"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    yield from clients(tmp_path, Door())


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    yield from clients(tmp_path, Door(host="0.0.0.0", token=TOKEN))


def clients(folder: Path, door: Door) -> Iterator[TestClient]:
    with shown_in(folder, INVOICES) as context:
        context.log.append(wake(id="abcd1234"))
        dash = build_dash(context, door)
        with TestClient(dash.app, base_url=HERE, follow_redirects=False) as found:
            found.key = dash.key  # type: ignore[attr-defined]
            yield found


def post(client: TestClient, **headers: str) -> int:
    key = {"X-Prefrontal-Key": client.key}  # type: ignore[attr-defined]
    body = {"decision": "abcd1234", "answer": "accept"}
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.post("/questions/answer", data=body, headers={**key, **told})
    return answer.status_code


@pytest.mark.parametrize(
    "path", ["/", "/state", "/static/dash.js", "/modules/curve", "/none", "/static/none"]
)
def test_every_answer_carries_the_headers(client: TestClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    assert answer.headers["content-type"].startswith("text/") or path in (
        "/state",
        "/modules/curve",
    )


def test_the_policy_allows_nothing_inline_and_nothing_from_outside() -> None:
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "frame-ancestors 'none'" in POLICY


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8768", 200),
        ("localhost:1", 200),
        ("[::1]:8768", 200),
        ("LOCALHOST", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:8768", 403),
        ("192.0.2.7:8768", 403),
        ("[", 403),
        ("", 403),
    ],
)
def test_a_name_that_somebody_points_at_this_machine_is_refused(
    client: TestClient, host: str, expected: int
) -> None:
    assert client.get("/", headers={"Host": host}).status_code == expected


def test_a_change_needs_the_key_of_the_page(client: TestClient) -> None:
    assert client.post("/questions/answer", data={}).status_code == 403
    assert post(client, X_Prefrontal_Key="wrong") == 403
    assert post(client) == 200


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Origin": HERE, "Sec_Fetch_Site": "same-origin"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}, 403),
    ],
)
def test_a_change_from_another_site_is_refused_even_with_the_key(
    client: TestClient, headers: dict[str, str], expected: int
) -> None:
    assert post(client, **headers) == expected


def test_another_site_may_open_the_page_and_read_nothing(client: TestClient) -> None:
    away = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=away).status_code == 200
    assert client.get("/state", headers=away).status_code == 403
    assert client.get("/state", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_a_body_is_not_read_past_its_limit(client: TestClient) -> None:
    key = client.key  # type: ignore[attr-defined]
    answer = client.post("/beliefs", content=b"x" * 70_000, headers={"X-Prefrontal-Key": key})
    assert answer.status_code == 413


def test_nothing_is_changed_by_get(client: TestClient) -> None:
    for path in ("/questions/answer", "/modules/threshold", "/beliefs"):
        assert client.get(path).status_code == 405


@pytest.mark.parametrize("path", ["/", "/state", "/events", "/static/dash.css"])
def test_without_the_token_nothing_is_told(guarded: TestClient, path: str) -> None:
    for header in (
        b"Authorization: Bearer wrong",
        b"Authorization: bearer " + TOKEN.encode(),
        b"Cookie: prefrontal-dash=0",
        b"Cookie: prefrontal-dash=\xe9; x=\xff",
        b"X-Nothing: 1",
    ):
        name, _, value = header.partition(b": ")
        answer = guarded.get(path, headers={name: value})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "prefrontal dash" in answer.text
    assert guarded.get("/?token=wrong").status_code == 401


def test_the_token_is_taken_as_bearer(guarded: TestClient) -> None:
    assert guarded.get("/state", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_link_with_the_token_sets_a_cookie_that_no_script_and_no_other_site_gets(
    guarded: TestClient,
) -> None:
    answer = guarded.get("/", params={"token": TOKEN})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly; SameSite=Strict" in cookie
    assert "Path=/" in cookie
    assert TOKEN not in cookie
    assert TOKEN not in answer.text
    assert guarded.get("/").status_code == 200
    assert post(guarded) == 200
    assert guarded.post("/questions/answer", data={}).status_code == 403


def test_the_cookie_is_found_beside_those_of_other_programs(guarded: TestClient) -> None:
    cookie = guarded.get("/", params={"token": TOKEN}).headers["set-cookie"].partition(";")[0]
    guarded.cookies.clear()
    beside = f'theme={{"dark": [1, "a"]}}; =; x; {cookie};;'
    assert guarded.get("/state", headers={"Cookie": beside}).status_code == 200
    other = beside.replace("prefrontal-dash", "not-prefrontal-dash")
    assert guarded.get("/state", headers={"Cookie": other}).status_code == 401


def test_a_name_of_a_proxy_is_one_that_was_told(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        dash = build_dash(context, Door(), ["Dash.Example.org"])
        with TestClient(dash.app, base_url="https://dash.example.org") as client:
            assert client.get("/").status_code == 200
            assert client.get("/", headers={"Host": "dash.example.org:8443"}).status_code == 200
            assert client.get("/", headers={"Host": "other.example.org"}).status_code == 403
            headers = {"X-Prefrontal-Key": dash.key, "Origin": "https://dash.example.org"}
            assert client.post("/beliefs", headers=headers).status_code == 422


def test_a_machine_in_the_network_is_asked_by_its_address(guarded: TestClient) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/", headers={**bearer, "Host": "192.0.2.7:8768"}).status_code == 200
    assert guarded.get("/", headers={**bearer, "Host": "evil.example"}).status_code == 403
