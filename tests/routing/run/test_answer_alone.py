"""A prompt that only answers a question is told how a route is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.routing.run.request import ANSWER_ALONE, Mode

from ..project import layout_of, write
from ..routes import Script, Writer, example_project, phases, routed
from ..tool_files import tool


@pytest.mark.parametrize("prompt", ["accept", "Reject", "yes.", "no", " ok "])
def test_an_answer_alone_is_told_how_a_route_is_answered(prompt: str, tmp_path: Path) -> None:
    project = example_project(tmp_path)
    script, writer = Script(), Writer()
    route = routed(project, prompt, operator=script, model=writer)
    assert (route.exit_code, route.sentence) == (3, ANSWER_ALONE)
    assert (script.asked, script.offered, writer.asked) == ([], [], [])
    assert phases(route)[-1] == "end"
    planned = routed(project, prompt, Mode(plan_only=True))
    assert (planned.exit_code, planned.sentence) == (3, ANSWER_ALONE)


def test_a_longer_prompt_is_no_answer(tmp_path: Path) -> None:
    route = routed(example_project(tmp_path), "accept cookies", operator=Script(yes=False))
    assert route.sentence != ANSWER_ALONE


def test_a_tool_of_that_name_is_meant(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    write(layout.domains / "bills/approve/approve.py", tool("Approve a bill.", "text: str = 'x'"))
    write(layout.domains / "bills/pay/pay_all.py", tool("Pay all bills.", "text: str = 'x'"))
    route = routed(layout, "approve", Mode(plan_only=True))
    assert [spec.path.stem for spec in route.decision.selected] == ["approve"]


def test_a_tool_that_has_the_word_is_offered(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    write(layout.domains / "bills/pay/pay_all.py", tool("Pay bills that we approve."))
    route = routed(layout, "approve", Mode(plan_only=True))
    assert route.sentence != ANSWER_ALONE
