from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal._core import routing as core
from prefrontal.routing.ranking.siblings import sibling_is_meant
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.routing.types import Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool


def told(name: str, doc: str) -> Tool:
    one = tool(f"domains/d/x/{name}.py")
    return replace(one, spec=replace(one.spec, doc=doc))


OBJECTS = {"ticket": "support ticket", "meeting": "meeting in the calendar", "note": "note"}
DOCS = {
    "create_{}": "Create a new {}.",
    "get_{}": "Get one {} by its id.",
    "list_{}s": "List all {}s.",
    "update_{}": "Update an existing {}.",
    "delete_{}": "Delete a {}.",
}
TOOLS = [
    told(name.format(one), doc.format(text))
    for one, text in OBJECTS.items()
    for name, doc in DOCS.items()
]
NAMES = {tuple(core.tokens(one.name)) for one in TOOLS}
READS, READS_ONE = "it only reads", "it reads one"


@pytest.mark.parametrize(
    ("prompt", "name", "why"),
    [
        ("close the ticket", "get_ticket", READS),
        ("please reschedule the meeting to tuesday", "get_meeting", READS),
        ("make a note of this", "get_note", READS),
        ("close the ticket", "list_tickets", READS),
        ("show all tickets", "get_ticket", READS_ONE),
        ("what meetings do i have", "get_meeting", READS_ONE),
        ("show all tickets", "list_tickets", ""),
        ("show the ticket", "get_ticket", ""),
        ("close the ticket", "update_ticket", ""),
        ("what is in ticket 12", "get_ticket", ""),
        ("", "get_ticket", ""),
    ],
)
def test_a_tool_that_reads_gives_way_to_one_that_makes_changes_or_lists(
    prompt: str, name: str, why: str
) -> None:
    [one] = [one for one in TOOLS if one.name == name]
    assert sibling_is_meant(prompt, one, NAMES) == why


def test_where_no_other_tool_has_the_object_it_may_be_meant() -> None:
    one = told("get_ticket", "Get one ticket.")
    assert sibling_is_meant("close the tickets", one, {("get", "ticket")}) == ""
    closing = told("get_ticket", "Get one ticket, and close it.")
    assert sibling_is_meant("close the ticket", closing, NAMES) == ""


@pytest.mark.parametrize(
    "prompt", ["close the ticket", "move the meeting to tuesday", "what meetings do i have"]
)
def test_what_reads_is_not_selected_for_what_is_to_be_changed(prompt: str) -> None:
    best = ToolRanker(TOOLS, {}, Ranker(), 0.0).candidates(prompt)[0]
    assert best.score < 0.6 and not best.tool.name.startswith("get_")
