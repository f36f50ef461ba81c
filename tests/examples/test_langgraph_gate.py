"""examples/adapters/langgraph_gate.py, against the installed LangGraph."""

from __future__ import annotations

import runpy
from typing import Any

import pytest

from .adapters import FOLDER, LONGEST, Watched, lines, load


@pytest.fixture(scope="module")
def gate() -> Any:
    """The example, with the library that it imports: seconds, which no other worker needs."""
    return load("langgraph_gate")


def run(gate: Any, watched: Watched, model: Any, told: list[str], *names: str) -> None:
    """Let the graph answer for these files, to the end."""
    end = gate.wake_with(gate.build_graph(model, told.append), watched.registry)
    watched.registry.start()
    watched.push(*names)
    assert watched.registry.stop(20.0)
    end()


def test_the_run_says_whether_the_wake_was_useful(gate: Any) -> None:
    from langchain_core.runnables import RunnableLambda

    watched, told = Watched(gate), list[str]()
    model = RunnableLambda(gate.scripted)
    run(gate, watched, model, told, "bill-1.pdf", "notes.txt", "menu.pdf")
    assert watched.labels() == {"bill-1.pdf": 1.0, "menu.pdf": 0.0}
    assert told == ["Filed the bill."]


@pytest.mark.parametrize(("reply", "label"), [("Filed.", 1.0), ("nothing.", 0.0), ("", 0.0)])
def test_any_chat_model_of_the_library_will_do(gate: Any, reply: str, label: float) -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    watched, told = Watched(gate), list[str]()
    run(gate, watched, FakeListChatModel(responses=[reply]), told, "bill-1.pdf")
    assert watched.labels() == {"bill-1.pdf": label}
    assert told == [reply] * int(label)


def test_a_run_that_raises_teaches_nothing(gate: Any, caplog: pytest.LogCaptureFixture) -> None:
    from langchain_core.runnables import RunnableLambda

    def fail(messages: Any) -> Any:
        raise TimeoutError("no answer")

    watched = Watched(gate)
    run(gate, watched, RunnableLambda(fail), [], "bill-1.pdf")
    assert watched.labels() == {"bill-1.pdf": None}
    assert "no answer" in caplog.text


def test_the_program_runs_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(FOLDER / "langgraph_gate.py"), run_name="__main__")
    assert capsys.readouterr().out.splitlines()[0] == "Filed the bill."
    assert lines("langgraph_gate") <= LONGEST
