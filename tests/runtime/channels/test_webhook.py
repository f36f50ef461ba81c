from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.plugin import PluginError
from prefrontal.runtime import Runtime
from prefrontal.runtime.channels.webhook import WebhookChannel, WebhookSettings
from prefrontal.runtime.channels.webhook_server import WebhookServer
from prefrontal.runtime.threads import in_thread
from prefrontal.testing import ManualClock, Reply, ScriptedLLM

from ..agents import Watcher, agent
from ..running_agents import running, until

TOKEN = "a-token-that-is-long"
HELLO = {"sender_id": "alice", "content": "hi", "id": "m1"}
Answer = tuple[int, Any]


class Client:
    """Sends requests to a channel, each in a thread of its own."""

    def __init__(self, runtime: Runtime, channel: WebhookChannel) -> None:
        self.runtime = runtime
        self.channel = channel

    def advance(self, seconds: float = 1000) -> None:
        """Unless told otherwise, let the model that hangs be given up."""
        clock = self.runtime.registry.clock
        assert isinstance(clock, ManualClock)
        clock.advance(seconds)

    async def post(self, document: Any, **headers: str) -> Answer:
        return await self.ask("POST", "/messages", json.dumps(document), **headers)

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        given = {"Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        return await in_thread(self._ask, method, path, body, given)

    def _ask(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.channel.port, timeout=20)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


@asynccontextmanager
async def served(model: Any = None, *plugins: Any, **settings: Any) -> AsyncIterator[Client]:
    channel = WebhookChannel(WebhookSettings(port=0, **settings))
    runtime = agent(model or ScriptedLLM(), channel, *plugins)
    async with running(runtime):
        await until(lambda: runtime.registry.is_started("loop"))
        yield Client(runtime, channel)


async def test_a_message_is_accepted_at_once_and_what_is_said_can_be_asked_for() -> None:
    async with served(ScriptedLLM(["fine"])) as client:
        assert await client.post(HELLO) == (202, {"accepted": "m1"})
        await until(lambda: client.runtime.sent)
        status, said = await client.ask("GET", "/messages?channel_id=alice")
        assert status == 200
        assert [(each["number"], each["content"]) for each in said["messages"]] == [(1, "fine")]
        assert (await client.ask("GET", "/messages?after=1"))[1] == {"messages": []}
        assert (await client.ask("GET", "/messages?channel_id=bob"))[1] == {"messages": []}


async def test_a_request_that_waits_gets_the_answer() -> None:
    async with served(ScriptedLLM(["fine"])) as client:
        answer = await client.post({**HELLO, "wait": True})
        assert answer == (200, {"reply_to": "m1", "content": "fine"})


async def test_a_request_that_waits_for_a_dropped_message_is_told_there_is_none() -> None:
    async with served(None, Watcher({"on_message": {"abort": True}})) as client:
        answer = await client.post({**HELLO, "wait": True})
        assert answer == (200, {"reply_to": "m1", "content": None})


async def test_a_request_waits_only_so_long() -> None:
    model = ScriptedLLM([Reply(hangs=True)])
    async with served(model, reply_timeout_seconds=0.05) as client:
        status, told = await client.post({**HELLO, "wait": True})
        assert status == 504
        assert "no answer within 0.05 seconds" in told["error"]
        client.advance()


async def test_an_agent_that_stops_lets_nobody_wait() -> None:
    async with served(ScriptedLLM([Reply(hangs=True)])) as client:
        asked = asyncio.create_task(client.post({**HELLO, "wait": True}))
        await until(lambda: client.channel._mailbox._waiting)
        await client.channel.stop()
        status, told = await asked
        assert (status, told["error"]) == (503, "the agent is stopping")
        client.advance()


async def test_two_requests_cannot_wait_for_one_id() -> None:
    clocked = ScriptedLLM([Reply(hangs=True)])
    async with served(clocked, reply_timeout_seconds=0.2) as client:
        first = asyncio.create_task(client.post({**HELLO, "wait": True}))
        await until(lambda: client.channel._mailbox._waiting)
        status, told = await client.post({**HELLO, "wait": True})
        assert status == 409
        assert "is being answered" in told["error"]
        assert (await first)[0] == 504
        client.advance()


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("{", 400, "message must be JSON"),
        ("[" * 60_000, 400, "message must be JSON"),
        ("[]", 400, "message must be a JSON object"),
        ('{"sender_id": "system", "content": "x"}', 400, "must not be the agent's own"),
        ('{"sender_id": "a", "content": "x", "wait": "yes"}', 400, "wait must be true or false"),
        ("x" * 70_000, 413, "at most 65536 bytes, got 70000"),
    ],
)
async def test_what_is_no_message_is_refused_with_a_sentence(
    body: str, status: int, words: str
) -> None:
    async with served() as client:
        answer = await client.ask("POST", "/messages", body)
        assert answer[0] == status
        assert words in answer[1]["error"]


async def test_other_paths_and_kinds_are_refused() -> None:
    async with served() as client:
        assert (await client.ask("GET", "/health")) == (200, {"status": "ok"})
        assert (await client.ask("POST", "/elsewhere", "{}"))[0] == 404
        assert (await client.ask("GET", "/messages?after=x"))[0] == 400
        assert (await client.ask("POST", "/messages", "a=b", Content_Type="text/plain"))[0] == 415
        chunks = iter([b"{}"])
        assert (await client.ask("POST", "/messages", chunks))[0] == 411


@pytest.mark.parametrize("given", [None, "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer é"])
async def test_with_a_token_nobody_gets_in_without_it(given: str | None) -> None:
    async with served(token=TOKEN) as client:
        headers = {} if given is None else {"Authorization": given}
        status, told = await client.post(HELLO, **headers)
        assert status == 401
        assert TOKEN not in told["error"]
        assert (await client.ask("GET", "/messages", **headers))[0] == 401
        assert client.runtime.sent == []


async def test_with_the_token_a_message_is_taken() -> None:
    async with served(token=TOKEN) as client:
        assert (await client.post(HELLO, Authorization=f"Bearer {TOKEN}"))[0] == 202
        assert TOKEN not in repr(client.runtime.logs)


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example:8765"}, {"Origin": "https://evil.example"}, {"Host": ""}]
)
async def test_without_a_token_a_web_page_cannot_speak_through_a_browser(
    headers: dict[str, str],
) -> None:
    async with served() as client:
        assert (await client.post(HELLO, **headers))[0] == 403


async def test_a_flood_is_told_to_come_back_later() -> None:
    async with served() as client:
        client.channel._mailbox.inbox._capacity = 0
        status, told = await client.post(HELLO)
        assert (status, told["error"]) == (503, "too many messages are waiting")


async def test_a_client_that_goes_away_costs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    async with served() as client:
        with socket.create_connection(("127.0.0.1", client.channel.port)) as connection:
            connection.sendall(b"POST /messages HTTP/1.1\r\nHost: localhost\r\n")
        assert (await client.post(HELLO))[0] == 202
    assert capfd.readouterr().err == ""


async def test_a_port_that_is_taken_is_told_when_the_agent_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        runtime = agent(ScriptedLLM(), WebhookChannel(WebhookSettings(port=port)))
        with pytest.raises(
            PluginError,
            match=f"webhook cannot listen on 127.0.0.1:{port}: port {port} is in use; `--port 0`",
        ):
            await runtime.run()


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            {"host": "0.0.0.0"},
            "token must be set unless .*; channels.webhook.token_env names the env",
        ),
        ({"token": "short"}, "token must have at least 16 characters"),
        ({"port": 70000}, "port must be 0..65535, got 70000"),
        ({"port": "x"}, "port must be 0..65535, got 'x'"),
        ({"max_bytes": 1}, "max_bytes must be"),
        ({"reply_timeout_seconds": 0}, "reply_timeout_seconds must be"),
        ({"token_env": "NOT_SET"}, "token_env must name a variable that is set, got 'NOT_SET'"),
        ({"prot": 1}, r"got 'prot' \(did you mean 'port'\?\); known are host, "),
    ],
)
def test_settings_that_cannot_be_used_are_refused(told: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        WebhookSettings.of(told, {})


def test_the_token_comes_from_the_environment_and_is_never_shown() -> None:
    settings = WebhookSettings.of({"host": "0.0.0.0", "token_env": "HOOK"}, {"HOOK": TOKEN})
    assert settings.token == TOKEN
    assert TOKEN not in repr(settings)
    with pytest.raises(InputError) as caught:
        WebhookSettings.of({"token_env": "HOOK"}, {"HOOK": "tooshort"})
    assert "tooshort" not in str(caught.value)


async def test_a_request_that_never_comes_in_whole_does_not_hold_up_the_end() -> None:
    async with served() as client:
        slow = socket.create_connection(("127.0.0.1", client.channel.port))
        slow.sendall(b"POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n")
        assert (await client.ask("GET", "/health"))[0] == 200
    assert await in_thread(slow.recv, 1) == b""
    slow.close()


async def test_a_request_that_dawdles_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WebhookServer, "reading_s", 0.01)
    async with served() as client:
        with socket.create_connection(("127.0.0.1", client.channel.port)) as slow:
            slow.sendall(b"POST /messages HTTP/1.1\r\n")
            assert await in_thread(slow.recv, 1) == b""


async def test_one_connection_more_takes_the_place_of_the_slowest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(WebhookServer, "most_at_once", 1)
    async with served() as client:
        where = ("127.0.0.1", client.channel.port)
        with socket.create_connection(where) as first, socket.create_connection(where):
            assert await in_thread(first.recv, 1) == b""


async def test_an_answer_never_goes_to_another_conversation_with_the_same_id() -> None:
    model = ScriptedLLM([Reply("for bob", delay=9), Reply("for ann", delay=9)])
    async with served(model) as client:
        model.clock = client.runtime.registry.clock
        assert (await client.post({"sender_id": "bob", "content": "bob", "id": "1"}))[0] == 202
        await until(lambda: model.running)
        ann = {"sender_id": "ann", "content": "ann", "id": "1", "wait": True}
        asked = asyncio.create_task(client.post(ann))
        await until(lambda: model.running == 2)
        client.advance(9)
        assert await asked == (200, {"reply_to": "1", "content": "for ann"})


async def test_a_text_that_is_no_unicode_is_answered_and_does_not_spoil_what_was_said() -> None:
    async with served(ScriptedLLM(lambda call: call.messages[-1]["content"])) as client:
        answer = await client.post({**HELLO, "content": "a\ud800b", "wait": True})
        assert answer == (200, {"reply_to": "m1", "content": "a?b"})
        status, said = await client.ask("GET", "/messages")
        assert (status, said["messages"][0]["content"]) == (200, "a?b")


async def test_half_an_address_as_host_is_refused() -> None:
    async with served() as client:
        status, told = await client.ask("GET", "/messages", Host="[::")
        assert (status, told["error"]) == (403, "without a token only this machine may ask")


@pytest.mark.parametrize(
    ("method", "header", "status"), [("PUT", "x", 501), ("GET", "x" * 70_000, 431)]
)
async def test_what_the_server_itself_refuses_is_told_as_json(
    method: str, header: str, status: int
) -> None:
    async with served() as client:
        told = await client.ask(method, "/messages", X=header)
        assert told[0] == status
        assert told[1]["error"]


def test_a_start_in_a_new_event_loop_finds_it_listening() -> None:
    channel = WebhookChannel(WebhookSettings(port=0))
    runtime = agent(ScriptedLLM(), channel)
    asyncio.run(runtime.start())
    port = channel.port

    async def again() -> int:
        await runtime.registry.restart_all()
        kept = channel.port
        await runtime.stop()
        return kept

    assert asyncio.run(again()) == port
    assert not any(each.name == "prefrontal-webhook" for each in threading.enumerate())


def test_settings_that_are_no_mapping_are_refused() -> None:
    with pytest.raises(PluginError, match="channels.webhook must be a mapping, got 3"):
        agent(ScriptedLLM(), WebhookChannel(), channels={"webhook": 3})


async def test_what_was_accepted_and_comes_too_late_is_told_in_the_log() -> None:
    channel = WebhookChannel(WebhookSettings(port=0))
    runtime = agent(ScriptedLLM(), channel)
    await runtime.start()
    channel.accept(dict(HELLO))
    await runtime.stop()
    assert runtime.logs[-1] == ("warn", "webhook", "Accepted and not answered before the end: 1")
