"""A tool that a person rejected for a prompt is not found for it, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode

from ..project import layout_of, write
from ..routes import Script, routed
from ..tool_files import tool

PROMPT = "sort the rows of a table"
ONE = {"ranker": {"candidates": 1}}
"""One candidate, so that nothing but the rejection brings the tool among them."""
SAID = "sort_rows was rejected for a prompt like this (history.jsonl)"


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    layout = layout_of(tmp_path)
    for place, doc in (
        ("data/sort/sort_rows", "Sort the rows of a table."),
        ("text/count/count_words", "Count the words of a text."),
        ("text/find/find_dates", "Find dates in a letter."),
        ("office/send/send_mail", "Send a mail to somebody."),
    ):
        write(layout.domains / f"{place}.py", tool(doc, "text: str = 'x'"))
    return layout


def test_why_a_rejected_tool_is_not_found_is_said(project: Layout) -> None:
    assert routed(project, PROMPT, operator=Script(yes=False)).exit_code == 4
    for mode in (Mode(interactive=False), Mode(plan_only=True)):
        again = routed(project, PROMPT, mode, settings=ONE)
        assert (again.exit_code, again.decision.policy) == (3, "generate")
        assert SAID in again.sentence


def test_where_nobody_rejected_a_tool_nothing_is_said(project: Layout) -> None:
    for mode in (Mode(interactive=False), Mode(plan_only=True)):
        assert "rejected" not in routed(project, "order a pizza", mode).sentence
    assert routed(project, PROMPT, operator=Script(yes=False)).exit_code == 4
    assert "rejected" not in routed(project, "order a pizza").sentence
