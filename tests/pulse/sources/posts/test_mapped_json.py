"""JSON of any shape, posted to /hooks/NAME; Slack is played as it documents itself."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources.posts.http_events import HttpDoor
from prefrontal.pulse.sources.posts.mapped_json import HookPath, mapped_events
from prefrontal.settings.json_mapping import JsonMapping
from prefrontal.settings.loading import parse_settings

from .ed25519_signing import public_key, signature
from .test_http_events import JSON, Listening

NOW = 7.0
SLACK_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
SLACK = JsonMapping(
    location="event.channel",
    delta_type="event.type",
    text="event.text",
    actor="event.user",
    timestamp="event.event_ts",
    id="event_id",
    features={"thread": "event.thread_ts", "bot": "event.is_bot"},
    slack_secret_env="SLACK_SECRET",
)
MESSAGE = {
    "type": "event_callback",
    "event_id": "Ev1",
    "event": {
        "type": "message",
        "channel": "C024BE91L",
        "user": "U2147483697",
        "text": "The gate is stuck",
        "event_ts": "1355517523.000005",
        "is_bot": False,
    },
}
ALERTS = JsonMapping(each="alerts", location="labels.host", text="lines.0", timestamp="at")


@pytest.fixture
def server() -> Iterator[Listening]:
    hooks = (HookPath("slack", SLACK, SLACK_SECRET), HookPath("alerts", ALERTS))
    listening = Listening(HttpDoor(port=0, hooks=hooks))
    yield listening
    listening.source.stop()


def signed(document: object, at: int = 7, secret: str = SLACK_SECRET) -> tuple[bytes, Any]:
    """The body of a request of Slack, and its headers."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    base = b"v0:%d:" % at + body
    signature = "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return body, JSON | {"X-Slack-Request-Timestamp": str(at), "X-Slack-Signature": signature}


def slack(server: Listening, *request: Any, **more: Any) -> tuple[int, Any]:
    return server.ask("/hooks/slack", *signed(*request, **more))


def test_paths_lead_to_the_fields_of_a_signal(server: Listening) -> None:
    assert slack(server, MESSAGE) == (202, {"accepted": 1})
    [event] = server.receiver.rest()
    assert (event.source, event.location, event.delta_type) == ("slack", "C024BE91L", "message")
    assert event.timestamp == 1355517523.000005
    assert event.features == {"text": "The gate is stuck", "actor": "U2147483697", "bot": False}


def test_slack_repeats_an_event_and_it_counts_once(server: Listening) -> None:
    assert slack(server, MESSAGE) == (202, {"accepted": 1})
    assert slack(server, MESSAGE, 8) == (200, {"accepted": 0})
    assert slack(server, MESSAGE | {"event_id": "Ev2"}) == (202, {"accepted": 1})
    assert len(server.receiver.rest()) == 2


def test_slack_gets_its_challenge_back(server: Listening) -> None:
    asked = {"type": "url_verification", "token": "x", "challenge": "3eZbrw1a"}
    assert slack(server, asked) == (200, {"challenge": "3eZbrw1a"})
    assert server.receiver.rest() == []
    status, answer = slack(server, asked | {"challenge": 7})
    assert (status, answer["error"]) == (400, "challenge must be text, got 7")


@pytest.mark.parametrize(
    ("at", "secret", "changes"),
    [
        (7, "another", {}),
        (7 + 301, SLACK_SECRET, {}),
        (7, SLACK_SECRET, {"X-Slack-Request-Timestamp": "8"}),
        (7, SLACK_SECRET, {"X-Slack-Request-Timestamp": "now"}),
        (7, SLACK_SECRET, {"X-Slack-Signature": ""}),
    ],
)
def test_what_slack_did_not_sign_just_now_is_refused(
    server: Listening, at: int, secret: str, changes: dict[str, str]
) -> None:
    body, headers = signed(MESSAGE, at, secret)
    status, answer = server.ask("/hooks/slack", body, headers | changes)
    assert (status, answer["error"]) == (
        401,
        "X-Slack-Signature must be the signature of the body, made just now",
    )
    assert server.receiver.rest() == []


def test_each_item_of_a_list_is_a_signal(server: Listening) -> None:
    alerts = [
        {"labels": {"host": "db1"}, "lines": ["full", "x"], "at": 1355517523000},
        {"labels": {"host": 2}, "lines": [], "at": "2026-01-02T03:04:05Z"},
        {"labels": {"host": "db3"}},
    ]
    assert server.ask("/hooks/alerts", {"alerts": alerts}) == (202, {"accepted": 3})
    first, second, third = server.receiver.rest()
    assert (first.location, first.delta_type, first.features) == ("db1", "posted", {"text": "full"})
    assert first.timestamp == 1355517523.0
    assert (second.location, second.features, second.timestamp) == ("2", {}, 1767323045.0)
    assert third.timestamp == NOW


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "event must be JSON (Expecting property name"),
        (b"[" * 100_000, "event must be JSON ("),
        (b"[1]", "each must be a list at alerts, got nothing"),
        (b'{"alerts": {}}', "each must be a list at alerts, got {}"),
        (b'{"alerts": [7]}', "event must be a JSON object, got 7"),
        (b'{"alerts": [{}]}', "location must be text that is not blank at labels.host, got noth"),
        (
            b'{"alerts": [{"labels": {"host": " "}}]}',
            "location must be text that is not blank at labels.host, got ' '",
        ),
        (
            b'{"alerts": [{"labels": {"host": "a"}, "lines": [[]]}]}',
            "text must be text at lines.0, got []",
        ),
        (
            b'{"alerts": [{"labels": {"host": "a"}, "at": "soon"}]}',
            "timestamp must be seconds, milliseconds or ISO 8601 at at, got 'soon'",
        ),
        (
            b'{"alerts": [{"labels": {"host": "a"}, "at": 1e300}]}',
            "timestamp must be seconds, milliseconds or ISO 8601 at at, got 1e+300",
        ),
    ],
)
def test_what_the_mapping_does_not_fit_is_refused_with_a_sentence(
    server: Listening, body: bytes, sentence: str
) -> None:
    whole = {"alerts": [{"labels": {"host": "fine"}}]}
    status, answer = server.ask("/hooks/alerts", body)
    assert (status, answer["error"][: len(sentence)]) == (400, sentence)
    assert server.receiver.rest() == []
    assert server.ask("/hooks/alerts", whole) == (202, {"accepted": 1})


def test_a_feature_that_is_no_plain_value_is_refused() -> None:
    mapping = JsonMapping(features={"labels": "labels"})
    with pytest.raises(InputError, match=r"features.labels must be text, a number, true or false"):
        list(mapped_events("x", mapping, b'{"labels": {}}', NOW))
    [(mark, event)] = mapped_events("x", mapping, b'{"labels": "a"}', NOW)
    assert (mark, event.location, event.features) == ("", "x", {"labels": "a"})


def test_a_hook_without_a_secret_is_behind_the_token_and_others_are_not_there() -> None:
    token = "0123456789abcdef"
    hooks = (HookPath("alerts", ALERTS),)
    listening = Listening(HttpDoor(port=0, token=token, hooks=hooks))
    try:
        body = b'{"alerts": []}'
        assert listening.ask("/hooks/alerts", body)[0] == 401
        with_token = JSON | {"Authorization": f"Bearer {token}"}
        assert listening.ask("/hooks/alerts", body, with_token) == (200, {"accepted": 0})
        status, answer = listening.ask("/hooks/others", body, with_token)
        assert (status, answer["error"]) == (
            404,
            "there are only /cloudevents, /events, /github, /hooks/alerts and /health",
        )
        text = with_token | {"Content-Type": "text/plain"}
        assert listening.ask("/hooks/alerts", body, text)[0] == 415
        assert listening.ask("/hooks/alerts", body, with_token, "GET")[0] == 405
    finally:
        listening.source.stop()


@pytest.mark.parametrize(
    ("hooks", "words"),
    [
        ({"a b": {}}, "must be letters, digits, - and _"),
        ({"slack": {"text": "a..b"}}, "text must be names and numbers with points between them"),
        ({"slack": {"txt": "a"}}, "did you mean 'text'"),
        ({"slack": {"features": {"a": ""}}}, "must be names and numbers with points between them"),
    ],
)
def test_a_mapping_with_a_mistake_is_refused(hooks: Any, words: str) -> None:
    with pytest.raises(InputError, match="sources.http.hooks") as refused:
        parse_settings({"sources": {"http": {"hooks": hooks}}})
    assert words in str(refused.value)


def test_the_secret_is_in_no_status_and_no_representation(server: Listening) -> None:
    assert SLACK_SECRET not in repr(server.source.door) + repr(server.source.status())


KEY = public_key(SLACK_SECRET.encode())
DISCORD = JsonMapping(location="event.type", text="event.data.name", discord_key=KEY.hex())
SIGNED = {
    b'{"version":1,"application_id":"1","type":0}': "ping",
    b'{"type":1,"token":"x","id":"1"}': "interaction",
    b'{"version":1,"type":1,"event":{"type":"ENTITLEMENT_CREATE","data":{"name":"gold"}}}': "event",
}


@pytest.fixture
def discord() -> Iterator[Listening]:
    listening = Listening(HttpDoor(port=0, hooks=(HookPath("discord", DISCORD, "", KEY),)))
    yield listening
    listening.source.stop()


def posted(server: Listening, body: bytes, at: str = "7", **changes: str) -> tuple[int, Any]:
    signed_by = signature(SLACK_SECRET.encode(), at.encode() + body).hex()
    headers = {"X-Signature-Ed25519": signed_by, "X-Signature-Timestamp": at} | changes
    return server.ask("/hooks/discord", body, JSON | headers)


def test_discord_gets_its_pings_back_and_204_for_events(discord: Listening) -> None:
    answers = {name: posted(discord, body) for body, name in SIGNED.items()}
    assert answers == {"ping": (204, None), "interaction": (200, {"type": 1}), "event": (204, None)}
    [event] = discord.receiver.rest()
    assert (event.location, event.features["text"]) == ("ENTITLEMENT_CREATE", "gold")


def test_what_discord_repeats_counts_once(discord: Listening) -> None:
    *_, body = SIGNED
    assert [posted(discord, body)[0] for _ in range(2)] == [204, 204]
    assert posted(discord, body, "8")[0] == 204
    assert len(discord.receiver.rest()) == 2


@pytest.mark.parametrize(
    ("at", "changes"),
    [
        ("908", {}),
        ("now", {}),
        ("7", {"X-Signature-Timestamp": "8"}),
        ("7", {"X-Signature-Ed25519": ""}),
        ("7", {"X-Signature-Ed25519": "no digits"}),
    ],
)
def test_what_discord_did_not_sign_lately_is_refused(
    discord: Listening, at: str, changes: dict[str, str]
) -> None:
    status, answer = posted(discord, next(iter(SIGNED)), at, **changes)
    sentence = "X-Signature-Ed25519 must be the signature of the body, made just now"
    assert (status, answer["error"]) == (401, sentence)


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        ({"discord_key": "12"}, "discord_key must be the 64 hexadecimal digits of a public key"),
        ({"discord_key": "0" * 64, "slack_secret_env": "S"}, "must have slack_secret_env or disc"),
    ],
)
def test_what_is_no_discord_key_is_refused(mapping: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse_settings({"sources": {"http": {"hooks": {"discord": mapping}}}})
