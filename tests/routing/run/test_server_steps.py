"""Prompts that need a tool of a server and one that runs here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prefrontal.routing.catalog.mcp_tools import import_mcp
from prefrontal.routing.exit_codes import NEEDS_APPROVAL, OK, UNSURE
from prefrontal.routing.layout import Layout
from prefrontal.routing.plans.steps import server_notes
from prefrontal.routing.run.request import Mode, RouteRequest
from prefrontal.routing.run.transcript import Transcript

from ..project import write
from ..routes import COMPOSE, SUMMARIZE, Script, event, example_project, phases, routed, router_of

BOTH = "fetch the page with fetch_page and then count the words of the text"
PLAN = Mode(plan_only=True)
ALONE = Mode(interactive=False)
SERVED = [
    {
        "name": "fetch_page",
        "description": "Fetch a web page and return its text.",
        "inputSchema": {
            "type": "object",
            "properties": {"url": {"type": "string"}, "max-bytes": {"type": "integer"}},
            "required": ["url"],
        },
        "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
    {"name": "plot_numbers", "description": "Plot numbers."},
    {
        "name": "fetch_feed",
        "description": "Fetch a news feed.",
        "inputSchema": {
            "type": "object",
            "properties": {
                name: {"type": "string"} for name in ("max-items", "max_items", "class")
            },
            "required": ["max-items", "max_items", "class"],
        },
    },
]


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    made = example_project(tmp_path)
    import_mcp(made, write(tmp_path / "web.json", json.dumps(SERVED)))
    return made


def steps_of(plan: dict[str, Any] | None) -> list[tuple[str, str | None]]:
    assert plan is not None
    return [(step["tool"], step.get("server")) for step in plan["plan"]["steps"]]


def test_a_plan_names_the_step_of_the_server_and_wires_what_it_gives(project: Layout) -> None:
    route = routed(project, BOTH, PLAN)
    assert (route.exit_code, route.decision.policy) == (OK, "compose")
    plan = route.decision.plan
    assert steps_of(plan) == [("web.json#fetch_page::run", "web"), ("count_words.py::run", None)]
    assert plan is not None and plan["io"]["params"] == ["url"]
    assert plan["plan"]["steps"][1]["inputs"] == {"text": "{{steps.s1.outputs.text}}"}
    note = "s1 fetch_page of the server web: your agent calls it there, it does not run here"
    assert server_notes(plan) == [note]
    told = "\n".join(Transcript().take(event(route, "compose")))
    assert "s1 fetch_page of the server web -> s2 count_words.py::run" in told


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        (ALONE, NEEDS_APPROVAL),
        (Mode(dry_run=True), OK),
        (Mode(dry_run=True, interactive=False), OK),
        (Mode(), OK),
    ],
)
def test_it_is_not_tried_or_kept_and_that_is_said(project: Layout, mode: Mode, code: int) -> None:
    operator = Script()
    route = routed(project, BOTH, mode, operator=operator)
    assert route.exit_code == code
    assert "your agent calls it there" in route.sentence
    assert "nothing was tried or kept" in route.sentence
    assert not {"validate", "approve", "promote"} & set(phases(route))
    assert operator.offered == []


def test_where_the_tools_here_do_it_all_no_server_is_asked(project: Layout) -> None:
    for prompt in (COMPOSE, SUMMARIZE):
        plan = routed(project, prompt, PLAN).decision.plan
        assert all(server is None for _, server in steps_of(plan))


def test_a_servers_tool_that_is_called_by_name_comes_before_ones_own(project: Layout) -> None:
    prompt = "plot the matrix with plot_numbers and then count the words of the text"
    plan = routed(project, prompt, PLAN).decision.plan
    assert steps_of(plan) == [("web.json#plot_numbers::run", "web"), ("count_words.py::run", None)]


def test_a_clause_that_nothing_serves_brings_no_server_in(project: Layout) -> None:
    prompt = "summarize a matrix, plot the numbers and more numbers of the matrix,"
    prompt += " then juggle the oranges"
    route = routed(project, prompt, PLAN)
    scores = {one.tool.name: one.clauses[1] for one in route.candidates}
    assert scores["plot_numbers"] > scores["plot_matrix"] + 0.05
    assert steps_of(route.decision.plan) == [
        ("summarize_matrix.py::run", None),
        ("plot_matrix.py::run", None),
    ]


def test_ones_own_tool_is_taken_where_a_servers_is_hardly_better(tmp_path: Path) -> None:
    project = example_project(tmp_path)
    alike = {"name": "count_words_fast", "description": "Count the words of a text."}
    import_mcp(project, write(tmp_path / "web.json", json.dumps([SERVED[0], alike])))
    route = routed(project, BOTH, PLAN)
    scores = {one.tool.name: one.clauses[1] for one in route.candidates}
    assert 0 < scores["count_words_fast"] - scores["count_words"] < 0.05
    assert steps_of(route.decision.plan)[1] == ("count_words.py::run", None)


def test_a_servers_arguments_get_names_that_a_plan_can_refer_to(project: Layout) -> None:
    inputs = {
        "max-items": "{{input.max_items}}",
        "max_items": "{{input.max_items_2}}",
        "class": "{{input.input_class}}",
    }
    for prompt in (
        "fetch the news feed",
        "fetch the news feed and then count the words of the text",
    ):
        plan = routed(project, prompt, PLAN).decision.plan
        assert plan is not None and plan["plan"]["steps"][0]["inputs"] == inputs
        assert plan["io"]["params"][:3] == ["max_items", "max_items_2", "input_class"]


def test_one_tool_of_a_server_for_two_clauses_is_no_composition(project: Layout) -> None:
    prompt = "fetch a web page, then juggle the oranges, then fetch a web page"
    decision = routed(project, prompt, PLAN).decision
    assert (decision.policy, steps_of(decision.plan)) == (
        "select",
        [("web.json#fetch_page::run", "web")],
    )


def test_ones_own_tool_that_no_plan_can_call_is_no_step_beside_a_servers(project: Layout) -> None:
    source = '"""Shout a text aloud."""\n\n\ndef run(größe: str) -> str:\n    return größe\n'
    write(project.domains / "text/shout/shout_text.py", source)
    prompt = "fetch the page with fetch_page and then shout the text aloud"
    decision = routed(project, prompt, PLAN).decision
    assert decision.policy == "select"


def test_one_tool_of_a_server_is_named_with_its_server(project: Layout) -> None:
    plan = routed(project, "fetch the text of a web page", PLAN).decision.plan
    assert steps_of(plan) == [("web.json#fetch_page::run", "web")]


def test_without_a_person_a_servers_tool_waits_for_one(project: Layout) -> None:
    route = routed(project, "fetch the text of a web page", ALONE)
    assert route.exit_code == NEEDS_APPROVAL
    assert "fetch_page runs on the server web" in route.sentence
    unsure = routed(project, "order a pizza", ALONE)
    assert unsure.exit_code == UNSURE


def test_whoever_runs_the_tools_gets_no_step_of_a_server(project: Layout) -> None:
    router = router_of(project)
    request = RouteRequest(BOTH, PLAN, router._trace())
    decision = router.choose(request).decision
    assert decision.policy == "select"
    assert [spec.path.stem for spec in decision.selected] != []
