"""Between a decision and its trial: the nearest tool, the composition, the generated module."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from prefrontal.routing.catalog.mcp_tools import import_mcp
from prefrontal.routing.exit_codes import NEEDS_APPROVAL
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.tool_choice import single_step
from prefrontal.routing.run.transcript import Transcript

from ..project import layout_of, write
from ..routes import (
    COMPOSE,
    SUMMARIZE,
    UNKNOWN,
    WRITTEN,
    Script,
    Writer,
    event,
    example_project,
    files,
    phases,
    routed,
)
from ..sample_tools import tool

DRY = Mode(dry_run=True)
ALONE = Mode(interactive=False)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


def just_below(project: Layout, points: float = 0.01) -> dict[str, object]:
    """Settings whose tau is that much above the score of the tool that fits."""
    route = routed(project, SUMMARIZE, Mode(plan_only=True), settings={"ranker": HARD})
    return {"ranker": {**HARD, "threshold": route.candidates[0].score + points}}


HARD = {"calibration": {"slope": 11.0, "cold": 0.9, "learned": 0.9}}
"""A map that leaves room above every score."""
TIGHT = {"ranker": {"threshold": 0.99, "compose_margin": 0.5}}


def test_a_tool_just_below_tau_is_offered_and_taken_when_a_person_says_so(project: Layout) -> None:
    operator = Script()
    route = routed(project, SUMMARIZE, DRY, operator=operator, settings=just_below(project))
    [offer] = operator.offered
    assert offer.startswith("nearest: summarize_matrix 0.")
    assert offer.endswith(". Take it?")
    assert (route.decision.policy, route.exit_code) == ("select", 0)
    assert "because a person said so" in route.decision.reason


def test_who_declines_the_nearest_tool_gets_the_nearest_misses(project: Layout) -> None:
    settings = just_below(project)
    route = routed(project, SUMMARIZE, DRY, operator=Script(yes=False), settings=settings)
    assert (route.decision.policy, route.exit_code) == ("generate", 3)
    assert "nearest misses: summarize_matrix 0." in route.sentence


def test_what_fits_a_part_of_the_prompt_is_named(project: Layout) -> None:
    route = routed(project, "count the words, then order a pizza", ALONE)
    tight = routed(project, "count the words, then order a pizza", ALONE, settings=TIGHT)
    assert "fits" not in route.sentence
    assert "count_words 0." in tight.sentence and "fits 'count the words' alone" in tight.sentence


def test_a_tool_well_below_tau_is_not_offered(project: Layout) -> None:
    operator = Script()
    settings = just_below(project, points=0.06)
    assert routed(project, SUMMARIZE, DRY, operator=operator, settings=settings).exit_code == 3
    assert operator.offered == []


def test_nobody_there_takes_no_tool_below_tau(project: Layout) -> None:
    operator = Script()
    route = routed(project, SUMMARIZE, ALONE, operator=operator, settings=just_below(project))
    assert (route.exit_code, operator.offered) == (3, [])


def test_without_a_model_that_is_said_and_nothing_pretends(project: Layout) -> None:
    for mode in (Mode(), DRY, ALONE):
        route = routed(project, "delete every file", mode, operator=Script())
        assert route.exit_code == 3
        assert route.sentence.startswith(
            "no tool fits and no model is configured to write one; nearest misses: "
        )
        assert phases(route)[-2:] == ["generate", "end"]


@pytest.mark.exhaustive
def test_a_composition_runs_what_its_plan_says(project: Layout, tmp_path: Path) -> None:
    route = routed(project, COMPOSE, ALONE)
    plan = route.decision.plan
    assert plan is not None
    assert [step["tool"] for step in plan["plan"]["steps"]] == [
        "summarize_matrix.py::run",
        "plot_matrix.py::run",
    ]
    assert plan["plan"]["steps"][1]["inputs"] == {"summary": "{{steps.s1.outputs.summary}}"}
    assert plan["io"] == {"params": ["df"], "returns": ["figure_path"]}
    assert route.promoted == project.action("analysis", "visualise") / (
        "summarize_matrix_then_plot_matrix.py"
    )


@pytest.mark.exhaustive
def test_the_promoted_composition_can_be_called(
    project: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    route = routed(project, COMPOSE, ALONE)
    monkeypatch.chdir(tmp_path)
    result = runpy.run_path(str(route.promoted))["run"](df=[[1.0, 2.0], [3.0, 6.0]])
    assert (tmp_path / "matrix.svg").read_text().startswith("<svg")
    assert result == {"figure_path": str(tmp_path / "matrix.svg")}


def test_a_generated_module_is_kept_only_where_it_may_be(project: Layout) -> None:
    model = Writer()
    prompt = "visualise the sea"
    refused = routed(project, prompt, ALONE, model=model)
    assert (refused.exit_code, model.asked) == (4, [])
    assert "generated code needs a person's approval" in refused.sentence

    allowed = routed(project, prompt, Mode(interactive=False, allow_generated=True), model=model)
    assert allowed.exit_code == 0
    assert allowed.promoted is not None
    assert allowed.promoted.parent == project.action("analysis", "visualise")
    assert allowed.promoted.read_text() == WRITTEN
    record = json.loads((allowed.promoted.parent / "metadata.jsonl").read_text())
    assert record["model"] == {"provider": "test", "name": "writer", "temperature": 0.0}
    assert record["status"] == "experimental"


def test_a_place_nobody_named_is_no_place_without_a_person(project: Layout) -> None:
    mode = Mode(interactive=False, allow_generated=True)
    route = routed(project, UNKNOWN, mode, model=Writer())
    assert route.exit_code == 3
    assert "no domain was found" in route.sentence


def test_the_guardrails_refuse_before_anything_runs_and_give_every_reason(project: Layout) -> None:
    bad = WRITTEN.replace("def run", "import socket\nimport os\n\n\ndef run")
    before = files(project.root)
    route = routed(project, UNKNOWN, operator=Script(), model=Writer(bad))
    assert route.exit_code == 6
    assert "refused the generated module for 2 reasons" in route.sentence
    assert "validate" not in phases(route)
    told = event(route, "generate")
    assert told["decision"] == "refused"
    assert len(told["detail"]["reasons"]) == 2
    assert all((project.root.parent / path).is_file() for path in told["artifacts"])
    assert files(project.root) == before


def test_a_model_that_says_nothing_useful_is_a_refusal(project: Layout) -> None:
    class Mute(Writer):
        def complete(self, prompt: str) -> str:
            return "I would rather not."

    route = routed(project, UNKNOWN, operator=Script(), model=Mute())
    assert route.exit_code == 6


def imported(project: Layout, tmp_path: Path) -> None:
    listed = {
        "tools": [
            {
                "name": "search_flights",
                "description": "Search flights between two cities.",
                "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
            }
        ]
    }
    import_mcp(project, write(tmp_path / "travel.json", json.dumps(listed)))


def test_a_tool_of_a_server_is_chosen_but_not_run(project: Layout, tmp_path: Path) -> None:
    imported(project, tmp_path)
    prompt = "search flights between the cities"
    dry = routed(project, prompt, DRY, operator=Script())
    assert (dry.exit_code, dry.decision.policy) == (0, "select")
    assert "cannot be run here" in dry.sentence
    assert "validate" not in phases(dry)

    alone = routed(project, prompt, ALONE)
    assert alone.exit_code == NEEDS_APPROVAL

    operator = Script()
    taken = routed(project, prompt, operator=operator)
    assert (taken.exit_code, operator.offered) == (0, ["Use search_flights?"])
    assert taken.sentence == "search_flights is the tool; it runs on its server."
    history = (project.root / "mcp" / "history.jsonl").read_text()
    assert json.loads(history)["event"] == "accepted"


def test_tools_of_a_server_that_differ_by_name_alone_are_told_apart(tmp_path: Path) -> None:
    names = ["alpha_beta", "gamma_delta", "merge/lists"]
    listed = write(tmp_path / "same.json", json.dumps([{"name": name} for name in names]))
    project = layout_of(tmp_path)
    import_mcp(project, listed)
    for name in names:
        route = routed(project, f"use {name}", Mode(plan_only=True))
        told = event(route, "select")
        assert told["detail"]["selected"][0]["tool"] == f"mcp/same.json#{name}"
        assert route.decision.plan is not None
        assert route.decision.plan["plan"]["steps"][0]["tool"] == f"same.json#{name}::run"
        assert f"select {name} of same.json score=0." in "\n".join(Transcript().take(told))


def test_where_no_tool_lies_in_a_folder_none_is_said_to_be_beyond_it(tmp_path: Path) -> None:
    project = layout_of(tmp_path)
    imported(project, tmp_path)
    route = routed(project, "search flights between two cities", Mode(plan_only=True))
    told = event(route, "discover")
    assert (told["decision"], told["detail"]["unsure"]) == ("everywhere", False)
    assert Transcript().take(told) == []


def test_who_took_a_servers_tool_below_tau_is_not_asked_for_it_again(
    project: Layout, tmp_path: Path
) -> None:
    imported(project, tmp_path)
    prompt = "search flights between the cities"
    plan = routed(project, prompt, Mode(plan_only=True), settings={"ranker": HARD})
    below = {"ranker": {**HARD, "threshold": plan.candidates[0].score + 0.01}}
    operator = Script()
    route = routed(project, prompt, operator=operator, settings=below)
    [offer] = operator.offered
    assert offer.endswith(". Take it?")
    assert (route.exit_code, route.approval is None) == (0, False)


def test_the_call_of_a_tool_whose_outputs_are_unknown_passes_all_of_it() -> None:
    one = tool("domains/a/b/c.py", ["x: int", "y: int = 2"])
    plan = single_step(one, "do it")
    assert plan.steps[0].inputs == {"x": "{{input.x}}"}
    assert plan.steps[0].outputs == {"result": "*"}
    assert (plan.params, plan.returns) == (("x",), ("result",))
