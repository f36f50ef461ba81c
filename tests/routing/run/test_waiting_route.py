"""A no to an existing tool is taken back by taking its route up again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.waiting_route import waiting_route

from ..routes import COMPOSE, SUMMARIZE, Script, example_project, routed, router_of

NOBODY = Mode(interactive=False)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


def refused(project: Layout, prompt: str = SUMMARIZE) -> str:
    """The id of a route whose tool a person did not want."""
    return routed(project, prompt, operator=Script(yes=False)).route_id


def test_a_rejected_tool_is_offered_again_and_found_after_a_yes(project: Layout) -> None:
    route_id = refused(project)
    assert routed(project, SUMMARIZE, NOBODY).exit_code == 3
    person = Script()
    again = router_of(project, operator=person).resume(waiting_route(project, route_id))
    assert person.offered == ["Use summarize_matrix?"]
    assert (again.exit_code, again.route_id, again.decision.policy) == (0, route_id, "select")
    assert routed(project, SUMMARIZE, NOBODY).exit_code == 0


def test_after_another_no_it_may_be_taken_up_still(project: Layout) -> None:
    route_id = refused(project)
    again = router_of(project, operator=Script(yes=False)).resume(waiting_route(project, route_id))
    assert again.exit_code == 4
    assert again.sentence.endswith(f"; prefrontal route resume {route_id} asks again.")
    assert waiting_route(project, route_id).prompt == SUMMARIZE


def test_what_was_taken_back_does_not_wait(project: Layout) -> None:
    route_id = refused(project)
    router_of(project, operator=Script()).resume(waiting_route(project, route_id))
    for name in (route_id, "route-077"):
        with pytest.raises(InputError, match=r"that waits \(none\), got 'route-0"):
            waiting_route(project, name)


def test_a_composition_that_waits_comes_first(project: Layout) -> None:
    assert waiting_route(project, refused(project, COMPOSE)).policy == "compose"


def test_of_a_servers_tool_it_is_said_how_a_no_is_taken_back(project: Layout) -> None:
    listed = [{"name": "fetch_page", "description": "Fetch a web page.", "inputSchema": {}}]
    (project.root / "mcp").mkdir()
    (project.root / "mcp/web.json").write_text(json.dumps({"tools": listed}), encoding="utf-8")
    route_id = refused(project, "use fetch_page")
    with pytest.raises(InputError, match=rf"take your no to fetch_page back, delete the line of "
                       rf"{route_id} in .*history\.jsonl, got"):  # fmt: skip
        waiting_route(project, route_id)
