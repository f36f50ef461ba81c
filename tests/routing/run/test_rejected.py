"""A tool that a person rejected for a prompt is not found for it, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.layout import Layout
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.routing.run.parsed_prompt import read_histories
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.waiting_route import waiting_route
from prefrontal.routing.types import Candidate
from prefrontal.settings.routing import Ranker

from ..project import layout_of, noon, write
from ..routes import Script, event, routed, router_of
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


@pytest.fixture
def calendar(tmp_path: Path) -> Layout:
    """Two tools that share most words, of which one is meant, and others beside."""
    layout = layout_of(tmp_path)
    for place, doc in (
        ("calendar/list/list_events", "List the events of a day in the calendar."),
        ("calendar/create/create_event", "Create an event in the calendar on a day."),
        ("text/count/count_words", "Count the words of a text."),
        ("text/find/find_dates", "Find dates in a letter."),
        ("office/send/send_mail", "Send a mail to somebody."),
        ("files/list/list_files", "List the files of a folder."),
        ("files/copy/copy_file", "Copy a file."),
    ):
        write(layout.domains / f"{place}.py", tool(doc, "text: str = 'x'"))
    return layout


EVENTS = "list the events of the day"
NOT_BY_ITSELF = "list_events was rejected for a prompt like this (history.jsonl)"


def test_what_only_follows_a_rejected_tool_is_never_taken_unasked(calendar: Layout) -> None:
    assert routed(calendar, EVENTS, operator=Script(yes=False)).exit_code == 4
    for mode in (Mode(interactive=False), Mode(plan_only=True)):
        after = routed(calendar, EVENTS, mode)
        assert (after.exit_code, after.decision.policy) == (3, "generate")
        assert after.candidates[0].tool.name == "create_event"
        assert after.candidates[0].score >= 0.6
        assert "create_event" in after.sentence and NOT_BY_ITSELF in after.sentence


def test_who_is_asked_may_take_it_all_the_same(calendar: Layout) -> None:
    routed(calendar, EVENTS, operator=Script(yes=False))
    person = Script()
    after = routed(calendar, EVENTS, operator=person)
    offer = person.offered[0]
    assert offer.startswith("nearest: create_event 0.")
    assert offer.endswith(f", but {NOT_BY_ITSELF}. Take it?")
    assert (after.exit_code, after.decision.policy) == (0, "select")
    assert "taken because a person said so" in after.decision.reason
    again = routed(calendar, EVENTS, Mode(interactive=False))
    assert [spec.path.stem for spec in again.decision.selected] == ["create_event"]


def test_a_no_raises_no_other_tool(calendar: Layout) -> None:
    first = {one.tool.name: one.score for one in everywhere(calendar)}
    routed(calendar, EVENTS, operator=Script(yes=False))
    second = {one.tool.name: one.score for one in everywhere(calendar)}
    assert second["list_events"] < first["list_events"]
    assert all(second[name] <= first[name] + 1e-9 for name in first)


def everywhere(layout: Layout) -> list[Candidate]:
    """The tools for the prompt, wherever they lie."""
    tools = discover_all(layout).tools
    return ToolRanker(tools, read_histories(tools)[0], Ranker(), noon().now()).candidates(EVENTS)


def test_a_no_to_a_tool_that_was_offered_is_remembered(project: Layout) -> None:
    settings = just_below(project)
    first, second = Script(yes=False), Script(yes=False)
    route = routed(project, PROMPT, operator=first, settings=settings)
    assert first.offered[0].startswith("nearest: sort_rows 0.") and route.exit_code == 3
    taken_back = f"prefrontal route resume {route.trace.route_id} asks again."
    assert event(route, "approve")["detail"]["sentence"] == (
        f"sort_rows: not approved by a person; {taken_back}"
    )
    again = routed(project, PROMPT, operator=second, settings=settings)
    assert not any("sort_rows 0." in offer for offer in second.offered)
    assert SAID in again.sentence
    person = Script()
    waiting = waiting_route(project, route.trace.route_id)
    assert router_of(project, operator=person, settings=settings).resume(waiting).exit_code == 0
    assert person.offered == ["Use sort_rows?"]


def test_neither_a_dry_run_nor_silence_is_a_no(project: Layout) -> None:
    settings = just_below(project)
    routed(project, PROMPT, Mode(dry_run=True), operator=Script(yes=False), settings=settings)
    routed(project, PROMPT, operator=Silent(), settings=settings)
    person = Script(yes=False)
    routed(project, PROMPT, operator=person, settings=settings)
    assert person.offered[0].startswith("nearest: sort_rows 0.")


def just_below(layout: Layout) -> dict[str, object]:
    """Settings whose tau is a little above the score of the tool that fits."""
    plan = routed(layout, PROMPT, Mode(plan_only=True), settings={"ranker": HARD})
    return {"ranker": {**HARD, "threshold": plan.candidates[0].score + 0.01}}


HARD = {"calibration": {"slope": 11.0, "cold": 0.9, "learned": 0.9}}
"""A map that leaves room above every score."""


class Silent(Script):
    """Somebody who does not answer."""

    def agree(self, question: str) -> None:  # type: ignore[override]
        return None


def test_where_nobody_rejected_a_tool_nothing_is_said(project: Layout) -> None:
    for mode in (Mode(interactive=False), Mode(plan_only=True)):
        assert "rejected" not in routed(project, "order a pizza", mode).sentence
    assert routed(project, PROMPT, operator=Script(yes=False)).exit_code == 4
    assert "rejected" not in routed(project, "order a pizza").sentence
