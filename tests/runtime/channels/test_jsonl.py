from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import PluginError, ToolCall
from prefrontal.runtime.channels.jsonl import JsonLinesChannel
from prefrontal.runtime.channels.line_reader import LineReader
from prefrontal.testing import Reply, ScriptedLLM

from ..agents import Watcher, agent
from ..running_agents import Pipes, running
from ..sample_plugins import plugin_class


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    made.close()


async def conversation(pipes: Pipes, text: str, *plugins: Any, model: Any = None) -> list[Any]:
    """What came out after all of the text went in and the input ended."""
    pipes.write(text)
    pipes.end()
    channel = JsonLinesChannel(pipes.stdin, pipes.stdout)
    runtime = agent(
        model or ScriptedLLM(lambda call: call.messages[-1]["content"]), channel, *plugins
    )
    async with running(runtime) as task:
        assert await task is None
    return pipes.documents


async def test_for_each_line_in_a_reply_comes_out_and_the_end_ends_the_agent(pipes: Pipes) -> None:
    lines = '{"sender_id": "a", "content": "one", "id": 1}\n{"sender_id":"b","content":"two"}'
    out = await conversation(pipes, lines)
    assert {each["content"] for each in out} == {"one", "two"}
    assert {each["type"] for each in out} == {"reply"}
    first = next(each for each in out if each["content"] == "one")
    assert (first["reply_to"], first["recipient"], first["channel_id"]) == ("1", "a", "a")


async def test_replies_to_one_sender_come_in_order(pipes: Pipes) -> None:
    lines = "".join(f'{{"sender_id": "a", "content": "{n}"}}\n' for n in range(20))
    assert [each["content"] for each in await conversation(pipes, lines)] == [
        str(n) for n in range(20)
    ]


async def test_a_line_that_is_no_message_gets_an_error_line_and_the_next_is_answered(
    pipes: Pipes,
) -> None:
    out = await conversation(pipes, 'hello\n\n{"sender_id": "a", "content": "x"}\n{"a": 1}\n')
    errors = [each for each in out if each["type"] == "error"]
    assert [each["line"] for each in errors] == [1, 4]
    assert "must be a JSON object" in errors[0]["error"]
    assert [each["content"] for each in out if each["type"] == "reply"] == ["x"]


async def test_in_a_room_nothing_is_told_of_what_a_member_said_in_private(pipes: Pipes) -> None:
    model = ScriptedLLM(["Noted."] * 4)
    room = {"channel_id": "team", "metadata": {"group": True}}
    lines = [
        {"sender_id": "ann", "content": "I live in Lisbon.", "id": 1},
        {"sender_id": "ann", "content": "The venue of Apollo is Porto.", "id": 2, **room},
        {"sender_id": "ann", "content": "Hello", "id": 3, **room},
        {"sender_id": "ann", "content": "Hello again", "id": 4},
    ]
    await conversation(pipes, "".join(f"{json.dumps(each)}\n" for each in lines), model=model)
    shown = {str(call.messages[-1]["content"]): json.dumps(call.messages) for call in model.calls}
    in_room = next(text for said, text in shown.items() if said.endswith("Hello"))
    assert "Lisbon" not in in_room
    assert "Porto" in in_room
    assert "Porto" not in shown["Hello again"]
    assert "Lisbon" in shown["Hello again"]


async def test_a_message_that_gets_no_answer_gets_a_line_that_says_so(pipes: Pipes) -> None:
    dropping = Watcher({"on_message": {"abort": True}})
    out = await conversation(pipes, '{"sender_id": "a", "content": "x", "id": "m"}\n', dropping)
    assert [(each["reply_to"], each["content"]) for each in out] == [("m", None)]


async def test_a_message_that_comes_twice_is_answered_once_and_gets_two_lines(pipes: Pipes) -> None:
    line = '{"sender_id": "a", "content": "x", "id": "m"}\n'
    out = await conversation(pipes, line + line)
    assert sorted(str(each["content"]) for each in out) == ["None", "x"]


async def test_what_the_agent_says_of_its_own_accord_is_a_message(pipes: Pipes) -> None:
    call = ToolCall("1", "send_message", {"peer_id": "a", "text": "by the way"})
    model = ScriptedLLM([Reply("", tool_calls=[call]), "done"])
    out = await conversation(pipes, '{"sender_id": "a", "content": "x"}\n', model=model)
    assert [(each["type"], each["content"]) for each in out] == [
        *(("message", "by the way"), ("reply", "done")),
    ]


async def test_letters_of_all_languages_come_out_as_they_are(pipes: Pipes) -> None:
    await conversation(pipes, '{"sender_id": "a", "content": "žluťoučký 🐎"}\n')
    assert "žluťoučký 🐎" in pipes.text


async def test_an_agent_whose_reader_is_gone_ends(pipes: Pipes) -> None:
    os.close(pipes._from)
    pipes._from = -1
    pipes.write('{"sender_id": "a", "content": "x"}\n')
    channel = JsonLinesChannel(pipes.stdin, pipes.stdout)
    runtime = agent(ScriptedLLM(), channel)
    async with running(runtime) as task:
        assert await task is None
    assert any("output cannot be written" in line[2] for line in runtime.logs)


@pytest.mark.exhaustive
async def test_more_lines_than_fit_at_once_are_all_answered(pipes: Pipes, tmp_path: Path) -> None:
    lines = "".join(f'{{"sender_id": "p{n % 50}", "content": "{n}"}}\n' for n in range(3000))
    path = tmp_path / "lines"
    path.write_text(lines, encoding="utf-8")
    out = (tmp_path / "out").open("w+b")
    with path.open("rb") as file, out:
        channel = JsonLinesChannel(file.fileno(), out.fileno())
        async with running(agent(ScriptedLLM(), channel)) as task:
            await task
        out.seek(0)
        documents = [json.loads(line) for line in out]
    assert len(documents) == 3000
    assert {each["content"] for each in documents} == {"ok"}


async def test_two_conversations_may_use_the_same_id(pipes: Pipes) -> None:
    """One answer is on its way out when the other message is dropped."""
    bob_is_dropped = asyncio.Event()

    async def drop_bob(self: Any, ctx: dict[str, Any]) -> dict[str, Any]:
        return {"abort": ctx["sender_id"] == "bob"}

    async def hold_ann(self: Any, ctx: dict[str, Any]) -> None:
        await bob_is_dropped.wait()

    def dropped(self: Any, ctx: dict[str, Any]) -> None:
        if ctx["message"].sender_id == "bob":
            bob_is_dropped.set()

    hooks = {"loop.on_message": drop_bob, "loop.after_send": hold_ann, "session.handled": dropped}
    lines = "".join(
        f'{{"sender_id": "{who}", "content": "x", "id": 1}}\n' for who in ("ann", "bob")
    )
    out = await conversation(pipes, lines, plugin_class("p", hooks, priority=99)())
    assert sorted((each["recipient"], each["content"]) for each in out if each["content"]) == [
        ("ann", "x")
    ]
    assert [each["recipient"] for each in out if each["content"] is None] == ["bob"]


def test_a_start_in_a_new_event_loop_finds_it_reading(pipes: Pipes) -> None:
    runtime = agent(ScriptedLLM(), JsonLinesChannel(pipes.stdin, pipes.stdout))
    before = set(threading.enumerate())
    asyncio.run(runtime.start())
    asyncio.run(runtime.registry.restart_all())
    assert len(set(threading.enumerate()) - before) == 1
    asyncio.run(runtime.stop())
    assert set(threading.enumerate()) == before


async def test_without_a_standard_input_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(PluginError, match="standard input must be open, it is closed"):
        await agent(ScriptedLLM(), JsonLinesChannel()).start()


async def test_a_line_that_is_too_long_gets_an_error_line(
    pipes: Pipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LineReader.__init__, "__defaults__", (40,))
    line = '{"sender_id": "a", "content": "x"}\n'
    out = await conversation(pipes, "x" * 41 + "\n" + line)
    assert [each["type"] for each in out] == ["error", "reply"]
    assert out[0] == {
        "type": "error",
        "line": 1,
        "error": "a line must have at most 1,048,576 bytes",
    }
