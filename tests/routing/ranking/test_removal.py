"""What asks to remove, and what removes, must agree before a tool is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.ranking.removal import disagreement
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool


def told(name: str, doc: str) -> Tool:
    one = tool(f"domains/office/meetings/{name}.py")
    return replace(one, spec=replace(one.spec, doc=doc))


CREATE = told("create_meeting", "Create a meeting in the calendar.")
DELETE = told("delete_meeting", "Delete a meeting from the calendar.")
GET = told("get_meeting", "Get a meeting from the calendar.")
UPDATE = told("update_meeting", "Update a meeting in the calendar.")
SORT = told("sort_list", "Sort a list of things in order.")
TOOLS = (CREATE, DELETE, GET, UPDATE, SORT)


def best(prompt: str, accepted: tuple[str, Tool] | None = None) -> dict[str, float]:
    """The scores, best first."""
    histories = {}
    if accepted is not None:
        intent, one = accepted
        histories[key_of(one)] = [PastEvent(one.name, "accepted", 0.0, "0" * 64, intent)]
    ranker = ToolRanker(TOOLS, histories, Ranker(), 0.0)
    return {one.tool.name: one.score for one in ranker.candidates(prompt)}


@pytest.mark.parametrize(
    ("prompt", "one", "why"),
    [
        ("cancel the meeting", GET, "it does not remove"),
        ("please delete my meeting", CREATE, "it does not remove"),
        ("get rid of the meeting", GET, "it does not remove"),
        ("Get rid of the meeting", DELETE, ""),
        ("throw the meeting away", CREATE, "it does not remove"),
        ("throw the meeting away", DELETE, ""),
        ("cancel the meeting", DELETE, ""),
        ("cancel the meeting", UPDATE, ""),
        ("create a meeting", DELETE, "it removes, which was not asked for"),
        ("create a meeting, then delete it", DELETE, ""),
        ("create a meeting", CREATE, ""),
        ("show what was deleted", GET, ""),
        ("delete delete", DELETE, "the prompt does not say what to remove"),
        ("delete everything", DELETE, "the prompt does not say what to remove"),
        ("delete every meeting", DELETE, ""),
        ("delete", told("delete", "Delete a file."), ""),
        ("", DELETE, "it removes, which was not asked for"),
    ],
)
def test_prompt_and_tool_agree_on_removing(prompt: str, one: Tool, why: str) -> None:
    assert disagreement(prompt, one) == why


@pytest.mark.parametrize(
    ("prompt", "agrees"),
    [
        ("delete the file notes.txt", False),
        ("delete notes.txt", False),
        ("delete the list", False),
        ("delete the meeting in notes.txt", True),
        ("delete the appointment", True),  # which is near a meeting
        ("delete my account", False),
        ("delete it in docs/", False),
        ("", False),
    ],
)
def test_what_removes_something_else_is_not_meant(prompt: str, agrees: bool) -> None:
    near = [("remove", "delet"), *[("appointment", "meet")] * ("appointment" in prompt)]
    assert (disagreement(prompt, DELETE, near) == "") == agrees
    assert prompt == "" or disagreement(prompt, told("delete", "Delete it."), near) == ""


def test_a_file_is_a_path() -> None:
    for place in ("notes.txt", "docs/"):
        assert disagreement(f"delete {place}", told("remove_path", "Remove a path.")) == ""


def test_a_tool_that_removes_something_else_reaches_no_tau() -> None:
    read = told("read_file", "Read a file.")
    ranker = ToolRanker([*TOOLS, read], {}, Ranker(), 0.0)
    prompt = "delete the file notes.txt"
    assert all(one.score < 0.55 for one in ranker.candidates(prompt))
    flags = {one.tool.name: one.flags for one in ranker.candidates(prompt)}
    assert any("other things" in flag for flag in flags["delete_meeting"])


@pytest.mark.parametrize("prompt", ["cancel the meeting", "cancel the meeting in the calendar"])
def test_who_wants_to_cancel_is_not_given_a_tool_that_makes_or_reads(prompt: str) -> None:
    scores = best(prompt)
    first, second, *others = scores.values()
    assert set(list(scores)[:2]) == {"delete_meeting", "update_meeting"}
    assert first < 0.65 and first - second < 0.1 and max(others) < 0.2  # so a person is asked


def test_a_removal_that_is_said_in_the_tools_own_words_is_selected() -> None:
    scores = best("delete the meeting")
    assert next(iter(scores)) == "delete_meeting" and scores["delete_meeting"] >= 0.6


@pytest.mark.parametrize(
    "prompt", ["delete delete delete", "delete", "delete everything", "order a pizza"]
)
def test_what_says_nothing_of_the_object_reaches_no_tool(prompt: str) -> None:
    assert max(best(prompt).values()) < 0.55


def test_what_was_accepted_says_more_than_the_words() -> None:
    prompt = "cancel the appointment with Ann"
    assert best(prompt, (prompt, CREATE))["create_meeting"] > best(prompt)["create_meeting"] + 0.3
