"""Events that are posted: by our own form, as CloudEvents, by GitHub; over a real connection."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.sources.posts import seen_deliveries
from prefrontal.pulse.sources.posts.github_events import is_signed
from prefrontal.pulse.sources.posts.http_events import HttpDoor, HttpEventsSource
from prefrontal.testing import ManualClock

from ..receiver import Receiver

RECIPES = Path(__file__).parents[4] / "docs" / "recipes.md"
SECRET = "It's a Secret to Everybody"
JSON = {"Content-Type": "application/json"}
CLOUD = {
    "specversion": "1.0",
    "id": "A-1",
    "source": "/orders",
    "type": "org.example.paid",
    "subject": "17",
    "time": "2026-01-02T03:04:05Z",
    "data": {"message": "Order 17 is paid"},
}


class Listening:
    """A source that listens, and requests to it."""

    def __init__(self, door: HttpDoor) -> None:
        self.source = HttpEventsSource(door, ManualClock(7.0))
        self.receiver = Receiver()
        self.source.start(self.receiver)

    def ask(
        self, path: str, body: object = b"", headers: dict[str, str] = JSON, method: str = "POST"
    ) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = HTTPConnection("127.0.0.1", self.source.port, timeout=10)
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        finally:
            connection.close()

    def deliver(self, kind: str, document: object, **changed: str) -> tuple[int, Any]:
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        signature = hmac.new(SECRET.encode(), data, hashlib.sha256).hexdigest()
        headers = {
            "X-GitHub-Event": kind,
            "X-GitHub-Delivery": "d-1",
            "X-Hub-Signature-256": f"sha256={signature}",
        }
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        return self.ask("/github", data, headers)


@pytest.fixture
def server() -> Iterator[Listening]:
    listening = Listening(HttpDoor(port=0, github_secret=SECRET))
    yield listening
    listening.source.stop()


def test_one_event_or_a_list_is_taken_whole_or_not_at_all(server: Listening) -> None:
    event = {"source": "mail", "location": "inbox", "delta_type": "created"}
    assert server.ask("/events", event) == (202, {"accepted": 1})
    assert server.ask("/events", [event, event | {"magnitude": 0.5}]) == (202, {"accepted": 2})
    status, answer = server.ask("/events", [event, {"source": "mail"}])
    assert (status, answer["error"][:31]) == (400, "location must be text that is n")
    told = server.receiver.rest()
    assert [(one.location, one.magnitude, one.timestamp) for one in told] == [
        ("inbox", 1.0, 7.0),
        ("inbox", 1.0, 7.0),
        ("inbox", 0.5, 7.0),
    ]


def test_the_post_of_the_recipe_is_taken_with_its_text(server: Listening) -> None:
    command = r"curl -s http://127\.0\.0\.1:8766/events .*?\n +-d '(.*)'"
    [body] = re.findall(command, RECIPES.read_text(encoding="utf-8"))
    assert server.ask("/events", body.encode()) == (202, {"accepted": 1})
    [event] = server.receiver.rest()
    assert (event.source, event.features["text"]) == ("ci", "test_reader failed")


def test_a_structured_event_becomes_a_signal(server: Listening) -> None:
    kind = {"Content-Type": "application/cloudevents+json; charset=utf-8"}
    assert server.ask("/cloudevents", CLOUD, kind) == (202, {"accepted": 1})
    [event] = server.receiver.rest()
    assert (event.source, event.location, event.delta_type) == (
        "cloudevent",
        "/orders#17",
        "org.example.paid",
    )
    assert event.timestamp == 1767323045.0
    assert event.features == {
        "id": "A-1",
        "type": "org.example.paid",
        "subject": "17",
        "text": "Order 17 is paid",
    }


def test_binary_and_batched_events_say_the_same(server: Listening) -> None:
    binary = {
        "Content-Type": "application/json",
        **{f"ce-{name}": str(CLOUD[name]) for name in CLOUD if name != "data"},
        "ce-type": "org.example%2Epaid",
    }
    server.ask("/cloudevents", CLOUD["data"], binary)
    batch = {"Content-Type": "application/cloudevents-batch+json"}
    second = CLOUD | {"id": "A-2"}
    assert server.ask("/cloudevents", [CLOUD, second], batch) == (202, {"accepted": 1})
    first, other = server.receiver.rest()
    assert first.features | {"id": "A-2"} == other.features
    assert (first.location, first.timestamp) == (other.location, other.timestamp)


def test_an_event_that_comes_again_is_told_once(server: Listening) -> None:
    kind = {"Content-Type": "application/cloudevents+json"}
    assert server.ask("/cloudevents", CLOUD, kind)[0] == 202
    assert server.ask("/cloudevents", CLOUD, kind) == (200, {"accepted": 0})
    assert server.ask("/cloudevents", CLOUD | {"source": "/other"}, kind)[0] == 202
    assert len(server.receiver.rest()) == 2
    assert server.source.status()["repeated"] == 1


def test_the_oldest_deliveries_are_forgotten(
    server: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen_deliveries, "REMEMBERED", 1)
    kind = {"Content-Type": "application/cloudevents+json"}
    for id_ in ("A-1", "A-2", "A-1"):
        server.ask("/cloudevents", CLOUD | {"id": id_}, kind)
    assert len(server.receiver.rest()) == 3


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"specversion": "0.3"}, "specversion must be '1.0', got '0.3'"),
        ({"id": ""}, "id must be text that is not blank, got ''"),
        ({"type": 3}, "type must be text that is not blank, got 3"),
        ({"time": "yesterday"}, "time must be RFC 3339, got 'yesterday'"),
        ({"subject": 1}, "subject must be text that is not blank, got 1"),
    ],
)
def test_an_event_that_breaks_the_rules_is_refused(
    server: Listening, changed: dict[str, Any], sentence: str
) -> None:
    kind = {"Content-Type": "application/cloudevents+json"}
    assert server.ask("/cloudevents", CLOUD | changed, kind) == (400, {"error": sentence})
    assert server.receiver.rest() == []


@pytest.mark.parametrize(
    ("kind", "body", "sentence"),
    [
        ("application/cloudevents+json", b"[", "event must be JSON"),
        ("application/cloudevents+json", b"[]", "event must be an object, got []"),
        ("application/cloudevents-batch+json", b"{}", "batch must be a list, got {}"),
        ("text/plain", b"hello", "event must come as application/cloudevents+json, "),
    ],
)
def test_what_is_no_event_is_refused(
    server: Listening, kind: str, body: bytes, sentence: str
) -> None:
    status, answer = server.ask("/cloudevents", body, {"Content-Type": kind})
    assert status == 400 and answer["error"].startswith(sentence)


PULL = {
    "action": "opened",
    "pull_request": {"title": "Mend the gate", "number": 7, "html_url": "https://h/a/b/pull/7"},
    "repository": {"full_name": "a/b", "html_url": "https://h/a/b"},
    "sender": {"login": "jane"},
}


def test_a_signed_delivery_becomes_a_signal(server: Listening) -> None:
    assert server.deliver("pull_request", PULL) == (202, {"accepted": 1})
    [event] = server.receiver.rest()
    assert (event.source, event.location, event.delta_type) == (
        "github",
        "https://h/a/b/pull/7",
        "pull_request.opened",
    )
    assert event.features == {
        "actor": "jane",
        "text": "Mend the gate",
        "repository": "a/b",
        "number": 7,
    }
    assert server.deliver("pull_request", PULL) == (200, {"accepted": 0})


def test_a_push_tells_its_newest_commit_and_a_comment_itself(server: Listening) -> None:
    push = {"ref": "refs/heads/main", "compare": "https://h/c", "head_commit": {"message": "Fix"}}
    server.deliver("push", push, X_GitHub_Delivery="1")
    comment = PULL | {"action": "created", "comment": {"body": "Looks wrong"}}
    server.deliver("issue_comment", comment, X_GitHub_Delivery="2")
    pushed, commented = server.receiver.rest()
    assert (pushed.delta_type, pushed.location) == ("push", "https://h/c")
    assert pushed.features == {"text": "Fix", "ref": "refs/heads/main"}
    assert (commented.delta_type, commented.features["text"]) == (
        "issue_comment.created",
        "Looks wrong",
    )


def test_a_ping_is_answered_and_is_no_event(server: Listening) -> None:
    assert server.deliver("ping", {"zen": "Keep it simple"}) == (200, {"accepted": 0})
    assert server.receiver.rest() == []


@pytest.mark.parametrize("signature", ["", "sha256=" + "0" * 64, "sha1=abc", "ä"])
def test_a_delivery_without_the_right_signature_is_refused(
    server: Listening, signature: str
) -> None:
    headers = {"X-GitHub-Event": "push", "X-Hub-Signature-256": signature.encode().decode("latin1")}
    status, answer = server.ask("/github", PULL, headers)
    assert status == 401 and "must be the signature" in answer["error"]
    assert server.receiver.rest() == []
    assert server.source.status()["refused_requests"] == 1


def test_the_signature_of_the_documentation_is_the_right_one() -> None:
    told = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert is_signed(SECRET, told, b"Hello, World!")
    assert not is_signed(SECRET, told, b"Hello, World?")
    assert not is_signed(SECRET, told[:-1] + "8", b"Hello, World!")


def test_a_signed_delivery_that_is_none_is_refused(server: Listening) -> None:
    assert server.deliver("push", b"{")[0] == 400
    assert server.deliver("push", [])[0] == 400
    assert server.deliver("no event", PULL)[0] == 400
    assert server.receiver.rest() == []


def test_without_a_secret_there_is_no_such_place() -> None:
    listening = Listening(HttpDoor(port=0))
    try:
        assert listening.deliver("push", PULL)[0] == 404
    finally:
        listening.source.stop()


def test_who_asks_must_know_the_token() -> None:
    listening = Listening(HttpDoor(port=0, token="t" * 16))
    event = {"source": "mail", "location": "inbox", "delta_type": "created"}
    try:
        assert listening.ask("/events", event)[0] == 401
        told = JSON | {"Authorization": f"Bearer {'t' * 16}"}
        assert listening.ask("/events", event, told)[0] == 202
    finally:
        listening.source.stop()


def test_a_web_page_cannot_post_through_a_browser(server: Listening) -> None:
    event = {"source": "mail", "location": "inbox", "delta_type": "created"}
    assert server.ask("/events", event, JSON | {"Origin": "https://evil.example"})[0] == 403
    assert server.ask("/events", event, {"Content-Type": "text/plain"})[0] == 415
    assert server.receiver.rest() == []


def test_other_places_and_methods_are_told_of(server: Listening) -> None:
    assert server.ask("/health", method="GET") == (200, {"status": "ok"})
    assert server.ask("/else")[0] == 404
    assert server.ask("/events", method="GET")[0] == 405


def test_too_much_is_refused() -> None:
    listening = Listening(HttpDoor(port=0, max_bytes=64))
    try:
        assert listening.ask("/events", b"x" * 65)[0] == 413
    finally:
        listening.source.stop()


def test_a_port_that_is_taken_is_told_and_a_stopped_source_frees_it(server: Listening) -> None:
    door = HttpDoor(port=server.source.port)
    with pytest.raises(
        SourceError, match=r"cannot listen on 127.0.0.1:.* is in use; sources\.http\.port: 0"
    ):
        HttpEventsSource(door).start(Receiver())
    server.source.stop()
    again = HttpEventsSource(door)
    again.start(Receiver())
    again.stop()
    assert again.status()["running"] is False


def test_other_machines_are_let_in_only_with_a_token() -> None:
    with pytest.raises(
        InputError, match=r"token must be set unless .*; sources\.http\.token_env names"
    ):
        HttpDoor(host="0.0.0.0")


def test_what_could_not_be_handed_on_may_be_sent_again(server: Listening) -> None:
    outlet, room = server.source._outlet, False
    receive = outlet.push
    outlet.push = lambda event: room and receive(event)
    kind = {"Content-Type": "application/cloudevents+json"}
    full = (503, {"error": "1 of 1 events could not be taken: send them again"})
    assert server.ask("/cloudevents", CLOUD, kind) == full
    assert server.deliver("issues", {"action": "opened"}) == full
    room = True
    assert server.ask("/cloudevents", CLOUD, kind) == (202, {"accepted": 1})
    assert server.deliver("issues", {"action": "opened"}) == (202, {"accepted": 1})
    assert len(server.receiver.rest()) == 2


def test_a_signed_delivery_that_was_caught_cannot_be_sent_again_under_another_name(
    server: Listening,
) -> None:
    assert server.deliver("issues", {"action": "opened"}) == (202, {"accepted": 1})
    again = server.deliver("issues", {"action": "opened"}, X_GitHub_Delivery="d-2")
    assert again == (200, {"accepted": 0})
    other = server.deliver("push", {"action": "opened"}, X_GitHub_Delivery="d-3")
    assert other == (200, {"accepted": 0})


def test_long_names_of_deliveries_are_not_kept(server: Listening) -> None:
    kind = {"Content-Type": "application/cloudevents+json"}
    assert server.ask("/cloudevents", CLOUD | {"id": "x" * 100_000}, kind)[0] == 202
    assert server.ask("/cloudevents", CLOUD | {"id": "\ud800"}, kind)[0] == 202
    assert max(map(len, server.source._seen._unsigned)) < 100


def test_a_flood_of_refusals_is_counted_but_does_not_fill_the_log(
    server: Listening, caplog: pytest.LogCaptureFixture
) -> None:
    clock = server.source.clock
    assert isinstance(clock, ManualClock)
    for _ in range(3):
        assert server.ask("/events", "no event")[0] == 400
    clock.advance(1.0)
    assert server.ask("/nowhere")[0] == 404
    said = [record.getMessage()[:36] for record in caplog.records]
    assert said == ["prefrontal-http: event must be a JSO", "prefrontal-http: there are only /clo"]
    assert server.source.status()["refused_requests"] == 4


def test_a_feature_that_the_gate_could_not_read_is_refused_at_the_door(server: Listening) -> None:
    event = {"source": "mail", "location": "inbox", "delta_type": "created"}
    said = server.ask("/events", event | {"features": {"actor": ["a", "b"]}})
    assert said == (400, {"error": "event.features['actor'] must be a str, got ['a', 'b']"})
    assert server.receiver.rest() == []
