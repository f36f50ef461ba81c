"""The wake hook of an OpenClaw gateway, as its documentation describes it, on loopback."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sinks import DeliveryOutcome, OpenClawSink

from .test_http_sink import Server
from .wakes import wake

TOKEN = "a-hook-token"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def sent(server: Server, **told: Any) -> tuple[dict[str, str], dict[str, str]]:
    """What the gateway got of one wake."""
    gateway = server.url.removesuffix("wake")
    assert OpenClawSink(gateway, TOKEN, **told).deliver(wake()) == DeliveryOutcome(True, "HTTP 200")
    headers, body = server.got[-1]
    return headers, body


def test_the_hook_gets_text_and_mode_and_the_token_as_bearer() -> None:
    with Server([200]) as server:
        headers, body = sent(server)
    assert server.paths == ["/hooks/wake"]
    assert body == {"text": f"New: /in/a b.pdf? [prefrontal inv, id {'f' * 32}]", "mode": "now"}
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"] == "f" * 32


def test_a_question_may_wait_for_the_next_heartbeat() -> None:
    with Server([200]) as server:
        assert sent(server, mode="next-heartbeat")[1]["mode"] == "next-heartbeat"


def test_a_gateway_with_another_path_is_named_with_it() -> None:
    with Server([200]) as server:
        sink = OpenClawSink(server.url, TOKEN)
        assert sink.deliver(wake()).ok
    assert server.paths == ["/wake"]


def test_an_audit_says_so_and_a_long_question_is_cut_but_not_its_id() -> None:
    with Server([200]) as server:
        sink = OpenClawSink(server.url, TOKEN)
        assert sink.deliver(replace(wake(question="q" * 10**6), reason="audit")).ok
    text = server.got[0][1]["text"]
    assert len(text) == 8000
    assert text.endswith(f"q [prefrontal inv, audit, id {'f' * 32}]")


def test_a_gateway_that_refuses_the_token_is_not_pressed() -> None:
    with Server([401]) as server:
        outcome = OpenClawSink(server.url, TOKEN).deliver(wake())
    assert (outcome, outcome.down_for_s) == (DeliveryOutcome(False, "HTTP 401"), None)
    assert len(server.got) == 1


def test_a_gateway_that_wants_to_be_left_alone_is() -> None:
    with Server([429], {"Retry-After": "60"}) as server:
        outcome = OpenClawSink(server.url, TOKEN, retries=0).deliver(wake())
    assert (outcome, outcome.down_for_s) == (DeliveryOutcome(False, "HTTP 429"), 60.0)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"url": "localhost:18789"}, "address must start with http"),
        ({"url": "http://a/?token=b"}, "address must end with its path"),
        ({"url": "http://a/#b"}, "address must end with its path"),
        ({"mode": "later"}, "mode must be now or next-heartbeat, got 'later'"),
        ({"token": "geheim\n"}, "header Authorization must be printable ASCII$"),
    ],
)
def test_what_cannot_be_used_is_refused_at_once(told: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        OpenClawSink(**{"url": "http://127.0.0.1:1", "token": TOKEN} | told)
