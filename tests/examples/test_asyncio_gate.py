"""examples/adapters/asyncio_gate.py: a coroutine that is asked only when it matters."""

from __future__ import annotations

import asyncio

import pytest

from .adapters import LONGEST, Watched, lines, load

gate = load("asyncio_gate")


async def test_the_reply_says_whether_the_wake_was_useful() -> None:
    watched, told = Watched(gate), list[str]()
    async with gate.gated(watched.registry, gate.scripted, told.append):
        watched.push("bill-1.pdf", "notes.txt", "menu.pdf")
    assert watched.labels() == {"bill-1.pdf": 1.0, "menu.pdf": 0.0}
    assert told == ["Filed the bill."]


async def test_the_agent_stays_in_its_own_loop() -> None:
    loops = []

    async def agent(question: str) -> str:
        loops.append(asyncio.get_running_loop())
        return ""

    watched = Watched(gate)
    async with gate.gated(watched.registry, agent):
        watched.push("bill-1.pdf")
    assert loops == [asyncio.get_running_loop()]


async def test_an_agent_that_raises_teaches_nothing_and_is_asked_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def agent(question: str) -> str:
        if "bill-1" in question:
            raise TimeoutError("no answer")
        return "Filed."

    watched = Watched(gate)
    async with gate.gated(watched.registry, agent, len):
        watched.push("bill-1.pdf", "bill-2.pdf")
    assert watched.labels() == {"bill-1.pdf": None, "bill-2.pdf": 1.0}
    assert "no answer" in caplog.text


async def test_what_was_useless_is_asked_less_and_less() -> None:
    watched = Watched(gate)
    for number in range(20):
        async with gate.gated(watched.registry, gate.scripted, len):
            watched.push(f"menu-{number}.pdf", f"bill-{number}.pdf")
    names = list(watched.labels())
    assert names[:2] == ["menu-0.pdf", "bill-0.pdf"]
    assert len([each for each in names if each.startswith("bill")]) == 20
    assert len([each for each in names if each.startswith("menu")]) <= 10


@pytest.mark.parametrize("reply", ["", " ", "NOTHING", "nothing.\n"])
def test_nothing_is_useless_however_it_is_written(reply: str) -> None:
    assert not gate.is_useful(reply)
    assert gate.is_useful("Nothing was filed, but the printer burns.")


async def test_the_program_runs_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    await gate.main()
    assert capsys.readouterr().out.splitlines()[0] == "Filed the bill."
    assert lines("asyncio_gate") <= LONGEST
