"""examples/adapters/pydantic_ai_gate.py, against the installed pydantic-ai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .adapters import LONGEST, Watched, lines, load

if TYPE_CHECKING:
    from pydantic_ai.models.function import AgentInfo


@pytest.fixture(scope="module")
def gate() -> Any:
    """The example, with the library that it imports: a second, which no other worker needs."""
    return load("pydantic_ai_gate")


def calling(model: Any) -> Any:
    """A model of the library that is this function."""
    from pydantic_ai.models.function import FunctionModel

    return FunctionModel(model)


async def test_the_structured_reply_says_whether_the_wake_was_useful(gate: Any) -> None:
    watched, told = Watched(gate), list[str]()
    agent = gate.build_agent(calling(gate.scripted))
    async with gate.gated(watched.registry, agent, told.append):
        watched.push("bill-1.pdf", "notes.txt", "menu.pdf")
    assert watched.labels() == {"bill-1.pdf": 1.0, "menu.pdf": 0.0}
    assert told == ["Filed the bill."]


async def test_the_model_is_asked_the_question_and_nothing_else_for_each_wake(gate: Any) -> None:
    asked: list[str] = []

    def model(messages: list[Any], info: AgentInfo) -> Any:
        asked.extend(part.content for part in messages[-1].parts if part.part_kind == "user-prompt")
        return gate.scripted(messages, info)

    watched = Watched(gate)
    async with gate.gated(watched.registry, gate.build_agent(calling(model)), len):
        watched.push("bill-1.pdf", "notes.txt")
    assert asked == ["Is /srv/inbox/bill-1.pdf an invoice to file?"]


@pytest.mark.parametrize("useful", [True, False])
async def test_any_model_of_the_library_will_do(gate: Any, useful: bool) -> None:
    from pydantic_ai.models.test import TestModel

    model = TestModel(custom_output_args={"useful": useful, "text": "done"})
    watched = Watched(gate)
    async with gate.gated(watched.registry, gate.build_agent(model), len):
        watched.push("bill-1.pdf")
    assert watched.labels() == {"bill-1.pdf": float(useful)}


async def test_a_model_that_fails_teaches_nothing(
    gate: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def model(messages: list[Any], info: AgentInfo) -> Any:
        raise TimeoutError("no answer")

    watched = Watched(gate)
    async with gate.gated(watched.registry, gate.build_agent(calling(model))):
        watched.push("bill-1.pdf")
    assert watched.labels() == {"bill-1.pdf": None}
    assert "no answer" in caplog.text


async def test_the_program_runs_as_it_is(gate: Any, capsys: pytest.CaptureFixture[str]) -> None:
    await gate.main()
    assert capsys.readouterr().out.splitlines()[0] == "Filed the bill."
    assert lines("pydantic_ai_gate") <= LONGEST
