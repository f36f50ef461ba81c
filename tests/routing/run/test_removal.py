"""Imported tools that create, read, update and delete: what removes is asked about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.routing.catalog.mcp_tools import import_mcp
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode

from ..project import layout_of
from ..routes import Script, routed

DOCS = {
    "create_meeting": "Create a meeting in the calendar.",
    "delete_meeting": "Delete a meeting from the calendar.",
    "get_meeting": "Get a meeting from the calendar.",
    "update_meeting": "Update a meeting in the calendar.",
}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    tools = [{"name": name, "description": doc} for name, doc in DOCS.items()]
    (tmp_path / "calendar.json").write_text(json.dumps({"tools": tools}))
    made = layout_of(tmp_path)
    import_mcp(made, tmp_path / "calendar.json")
    return made


def test_cancelling_asks_between_delete_and_update(layout: Layout) -> None:
    person = Script(yes=False)
    route = routed(layout, "cancel the meeting in the calendar", operator=person)
    assert (route.decision.policy, route.exit_code) == ("generate", 3)
    offers = [offer.partition(", below τ 0.60. ") for offer in person.offered]
    assert [last for *_, last in offers] == ["Take delete_meeting?", "Take update_meeting?"]
    assert offers[0][0].startswith("nearest: delete_meeting 0.")
    assert " or update_meeting 0." in offers[0][0]


def test_the_one_that_a_person_takes_is_selected(layout: Layout) -> None:
    route = routed(layout, "cancel the meeting in the calendar", operator=Script())
    assert route.decision.policy == "select"
    assert route.decision.reason.startswith("delete_meeting has 0.")


def test_nobody_is_asked_where_nobody_is(layout: Layout) -> None:
    route = routed(layout, "cancel the meeting", Mode(interactive=False))
    assert (route.decision.policy, route.exit_code) == ("generate", 3)
    assert "nearest: delete_meeting 0." in route.decision.reason
