from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from prefrontal.runtime.channels.terminal import TerminalChannel
from prefrontal.testing import ScriptedLLM

from ..agents import Watcher, agent
from ..running_agents import Pipes, running, until


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    made.close()


def channel(pipes: Pipes, **options: str) -> TerminalChannel:
    return TerminalChannel(stdin=pipes.stdin, stdout=pipes.stdout, **options)


async def test_a_line_is_a_message_of_the_operator_and_its_answer_is_shown(pipes: Pipes) -> None:
    watcher = Watcher()
    async with running(agent(ScriptedLLM(["Hi!"]), channel(pipes, agent="Alpha"), watcher)):
        pipes.write("hello there\n")
        await until(lambda: "Hi!" in pipes.text and pipes.text.endswith("> "))
        assert pipes.text == "> Alpha: Hi!\n> "
    arrived = watcher.ctx("on_message")
    assert (arrived["message"], arrived["sender_id"]) == ("hello there", "operator")
    assert arrived["channel_type"] == "terminal"


@pytest.mark.parametrize("farewell", ["/quit\n", "/exit\n", ""])
async def test_a_farewell_or_the_end_of_the_input_ends_the_agent(
    pipes: Pipes, farewell: str
) -> None:
    model = ScriptedLLM()
    async with running(agent(model, channel(pipes))) as task:
        pipes.write(f"hello\n{farewell}")
        if not farewell:
            pipes.end()
        assert await task is None
    assert "agent: ok" in pipes.text
    assert len(model.calls) == 1


async def test_what_stands_behind_a_farewell_is_not_answered(pipes: Pipes) -> None:
    model = ScriptedLLM()
    async with running(agent(model, channel(pipes))) as task:
        pipes.write("hello\n/quit\nmore\n")
        await task
    assert [call.messages[-1]["content"] for call in model.calls] == ["hello"]


async def test_an_empty_line_is_no_message(pipes: Pipes) -> None:
    model = ScriptedLLM()
    async with running(agent(model, channel(pipes))) as task:
        pipes.write("\n  \n/quit\n")
        await task
    assert model.calls == []
    assert pipes.text == "> > > "


async def test_an_answer_cannot_steer_the_terminal(pipes: Pipes) -> None:
    model = ScriptedLLM(["clear\x1b[2J\nsecond \x07line"])
    async with running(agent(model, channel(pipes, prompt=""))) as task:
        pipes.write("hi\n/quit\n")
        await task
    assert pipes.text == "agent: clear[2J\nsecond line\n"


async def test_bytes_that_are_no_text_are_taken_for_what_they_can_be(pipes: Pipes) -> None:
    import os

    watcher = Watcher()
    async with running(agent(ScriptedLLM(), channel(pipes), watcher)) as task:
        os.write(pipes._to, b"caf\xe9\n/quit\n")
        await task
    assert watcher.ctx("on_message")["message"] == "caf\N{REPLACEMENT CHARACTER}"


async def test_a_terminal_that_is_gone_ends_the_agent(pipes: Pipes) -> None:
    os.close(pipes._from)
    pipes._from = -1
    runtime = agent(ScriptedLLM(), channel(pipes))
    async with running(runtime) as task:
        assert await task is None
    assert any("output cannot be written" in line[2] for line in runtime.logs)
