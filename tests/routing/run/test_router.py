"""The state machine: which phases a mode takes, what is told of them, resuming, interruptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.pending import pending_file, pending_routes
from prefrontal.routing.records import read_records
from prefrontal.routing.run.request import Mode
from prefrontal.settings.routing import Routing

from ...exhaustive import first
from ..project import layout_of
from ..routes import (
    COMPOSE,
    SUMMARIZE,
    UNKNOWN,
    WRITTEN,
    QuickRunner,
    Script,
    Writer,
    event,
    events,
    example_project,
    files,
    phases,
    routed,
    router_of,
)

READING = ["parse", "discover", "rank"]
TRIED = ["validate"] * 4
KEPT = ["approve", "promote"]
FAILING = WRITTEN.replace('return "hello"', "return greeting")

MATRIX: dict[str, tuple[Mode, list[str], list[str]]] = {
    "--dry-run": (Mode(dry_run=True), TRIED, []),
    "--non-interactive": (Mode(interactive=False), TRIED, KEPT),
    "--explain": (Mode(), TRIED, KEPT),
    "--plan": (Mode(plan_only=True), [], []),
    "--dry-run --non-interactive": (Mode(dry_run=True, interactive=False), TRIED, []),
}
"""Flags -> mode, the phases of validation, those of promotion."""


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


@pytest.mark.parametrize(
    ("prompt", "policy"), first(1, [(COMPOSE, "compose"), (SUMMARIZE, "select")])
)
@pytest.mark.parametrize("flags", first(2, MATRIX))
def test_each_mode_takes_the_phases_of_its_row(
    flags: str, prompt: str, policy: str, project: Layout
) -> None:
    mode, tried, kept = MATRIX[flags]
    before = files(project.root)
    route = routed(project, prompt, mode, operator=Script())
    assert phases(route) == [*READING, policy, *tried, *kept, "end"]
    assert route.exit_code == 0
    assert (route.promoted is not None) == bool(kept)
    assert (files(project.root) != before) == bool(kept and mode != Mode(plan_only=True))


@pytest.mark.parametrize("mode", first(1, [Mode(plan_only=True), Mode(dry_run=True), Mode()]))
def test_a_generated_module_takes_the_same_way(mode: Mode, project: Layout) -> None:
    route = routed(project, UNKNOWN, mode, operator=Script(), model=Writer())
    middle = [] if mode.plan_only else ["generate", *TRIED]
    end = [] if mode.plan_only or mode.dry_run else KEPT
    assert phases(route) == ["parse", "clarify", *READING[1:], "generate", *middle, *end, "end"]
    assert route.exit_code == (3 if mode.plan_only else 0)


def test_a_plan_needs_no_runner_and_runs_nothing(project: Layout) -> None:
    router = router_of(project)
    router.bench.runner = None
    route = router.route(COMPOSE, Mode(plan_only=True))
    assert route.exit_code == 0
    assert route.decision.plan is not None


def test_the_plan_of_a_selected_tool_is_its_one_call(project: Layout) -> None:
    route = routed(project, SUMMARIZE, Mode(plan_only=True))
    plan = route.decision.plan
    assert plan is not None
    assert plan["plan"]["steps"] == [
        {
            "id": "s1",
            "tool": "summarize_matrix.py::run",
            "inputs": {"df": "{{input.df}}"},
            "outputs": {"summary": "summary"},
        }
    ]
    assert plan["io"] == {"params": ["df"], "returns": ["summary"]}


def test_every_event_is_told_once_and_is_what_the_log_holds(project: Layout) -> None:
    told: list[dict[str, Any]] = []
    route = routed(project, SUMMARIZE, Mode(interactive=False), show=told.append)
    assert told == events(route) == route.trace.events
    fields = ["ts", "run_id", "route_id", "phase", "candidates", "features", "weights", "top_score"]
    for one in told:
        assert list(one) == [*fields, "policy", "decision", "artifacts", "detail"]
        assert (one["ts"], one["route_id"]) == ("2025-10-31T12:00:00+04:00", "route-001")


def test_logs_lie_only_where_they_belong(project: Layout) -> None:
    routed(project, SUMMARIZE, Mode(interactive=False))
    assert {path.name for path in project.logs.iterdir()} <= {
        "app",
        "runs",
        "validation",
        "metrics",
    }
    names = {path.name for path in project.validation_logs("2025-10-31").iterdir()}
    steps = ("ruff", "mypy", "import", "dry-run")
    assert names == {f"route-001-{n}-{step}.log" for n, step in enumerate(steps, 1)}


def test_the_same_prompt_in_the_same_state_is_decided_the_same(tmp_path: Path) -> None:
    logs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        project = example_project(tmp_path / name)
        route = routed(project, COMPOSE, Mode(plan_only=True))
        logs.append(route.trace.path.read_text().replace(str(tmp_path / name), ""))
    assert logs[0] == logs[1]


def test_embeddings_without_an_embedder_are_refused(project: Layout) -> None:
    with pytest.raises(InputError, match="embeddings_enabled must be false without an embedder"):
        router_of(project, settings={"embeddings_enabled": True})


@pytest.mark.parametrize("prompt", ["", "  \n ", "?!", "\0\x1b", "no \ud800 text"])
def test_a_prompt_without_a_word_is_refused(prompt: str, project: Layout) -> None:
    with pytest.raises(InputError, match="prompt must"):
        routed(project, prompt)


def test_without_any_tool_that_is_said(tmp_path: Path) -> None:
    route = routed(layout_of(tmp_path), SUMMARIZE, operator=Script())
    assert route.exit_code == 3
    assert route.sentence == (
        "no tool fits and no model is configured to write one; there are no tools yet."
    )


def test_a_broken_file_is_a_finding_and_the_others_work(project: Layout) -> None:
    broken = project.action("analysis", "summarise") / "broken.py"
    broken.write_text('"""Broken."""\ndef run(:\n', encoding="utf-8")
    route = routed(project, SUMMARIZE, Mode(dry_run=True))
    assert route.exit_code == 0
    [finding] = event(route, "discover")["detail"]["findings"]
    assert f"{broken}:2:" in finding


@pytest.mark.exhaustive
@pytest.mark.parametrize("phase", ["answer", "agree"])
def test_an_interruption_leaves_nothing_half_written(phase: str, project: Layout) -> None:
    class Leaving(Script):
        def answer(self, question: str) -> str:
            raise KeyboardInterrupt

        def agree(self, question: str) -> bool:
            raise KeyboardInterrupt

    before = files(project.root)
    prompt = UNKNOWN if phase == "answer" else COMPOSE
    with pytest.raises(KeyboardInterrupt):
        routed(project, prompt, operator=Leaving(), model=Writer())
    assert files(project.root) == before
    [log] = project.logs.glob("runs/*/steps.log")
    for line in log.read_bytes().splitlines(keepends=True):
        assert line.endswith(b"\n")
        json.loads(line)
    again = routed(project, COMPOSE, operator=Script())
    assert (again.exit_code, again.route_id) == (0, "route-002")


@pytest.mark.exhaustive
def test_a_rejected_route_waits_and_can_be_taken_up(project: Layout) -> None:
    rejected = routed(project, COMPOSE, operator=Script(yes=False))
    assert (rejected.exit_code, rejected.promoted) == (4, None)
    [waiting] = pending_routes(project).routes
    assert (waiting.route_id, waiting.why) == (rejected.route_id, "rejected")

    still = router_of(project, operator=Script(yes=False)).resume(waiting)
    assert (still.exit_code, len(pending_routes(project).routes)) == (4, 1)

    route = router_of(project, operator=Script()).resume(waiting)
    assert phases(route) == [*TRIED, *KEPT, "end"]
    assert (route.exit_code, route.route_id) == (0, rejected.route_id)
    assert route.run_id != rejected.run_id
    assert route.promoted is not None and route.promoted.is_file()
    assert pending_routes(project).routes == ()
    last = json.loads(pending_file(project).read_text().splitlines()[-1])
    assert (last["state"], last["route_id"]) == ("closed", rejected.route_id)


@pytest.mark.exhaustive
def test_a_failed_module_can_be_mended_and_taken_up(project: Layout) -> None:
    failed = routed(project, UNKNOWN, operator=Script(), model=Writer(FAILING))
    assert failed.exit_code == 5
    assert "greeting" in failed.sentence
    [waiting] = pending_routes(project).routes
    assert waiting.why == "invalid"
    router = router_of(project, operator=Script())
    assert router.resume(waiting).exit_code == 5

    module = project.root / waiting.module
    module.write_text(module.read_text().replace("return greeting", 'return "hi"'))
    route = router.resume(waiting)
    assert route.exit_code == 0
    assert route.promoted is not None
    assert 'return "hi"' in route.promoted.read_text()


def test_the_log_of_the_program_has_a_line_when_a_run_starts_and_ends(project: Layout) -> None:
    route = routed(project, UNKNOWN, operator=None)
    [path] = (project.logs / "app").glob("*/app.log")
    rows = read_records(path).rows
    assert [row["event"] for row in rows] == ["start", "end"]
    assert rows[1]["detail"] == {
        "run_id": route.run_id,
        "route_id": route.route_id,
        "exit_code": route.exit_code,
    }
    [timer] = read_records(project.metrics / "route_ms.jsonl").rows
    assert timer["name"] == "route_ms"
    assert timer["value"] >= 0


def test_the_guardrails_look_at_an_edited_generated_module_again(project: Layout) -> None:
    routed(project, UNKNOWN, operator=Script(), model=Writer(FAILING))
    [waiting] = pending_routes(project).routes
    module = project.root / waiting.module
    module.write_text(module.read_text() + "\nimport socket\n")
    route = router_of(project, operator=Script()).resume(waiting)
    assert route.exit_code == 6
    assert route.report is None
    assert "imports must be among" in str(route.trace.events[0]["detail"]["reasons"])


def test_a_route_whose_module_is_gone_cannot_be_taken_up(project: Layout) -> None:
    routed(project, COMPOSE, operator=Script(yes=False))
    [waiting] = pending_routes(project).routes
    (project.root / waiting.module).unlink()
    with pytest.raises(InputError, match=r"module of route-001 must be there still"):
        router_of(project, operator=Script()).resume(waiting)
    assert pending_routes(project).routes == ()


def test_a_module_that_a_waiting_route_names_outside_the_root_is_refused(
    project: Layout, tmp_path: Path
) -> None:
    routed(project, COMPOSE, operator=Script(yes=False))
    [waiting] = pending_routes(project).routes
    outside = tmp_path / "outside.py"
    outside.write_text(WRITTEN)
    object.__setattr__(waiting, "module", "../outside.py")
    with pytest.raises(InputError, match="must be there still"):
        router_of(project, operator=Script()).resume(waiting)


def test_a_question_is_never_asked_where_nobody_is(project: Layout) -> None:
    operator = Script()
    for mode in (Mode(interactive=False), Mode(plan_only=True)):
        route = routed(project, UNKNOWN, mode, operator=operator)
        clarified = event(route, "clarify")
        assert (clarified["decision"], clarified["detail"]["answer"]) == ("skipped", None)
    assert operator.asked == operator.offered == []


def test_a_sandbox_that_cannot_start_is_a_failed_report_not_an_exception(project: Layout) -> None:
    route = routed(project, SUMMARIZE, operator=Script(), runner=QuickRunner(broken=True))
    assert route.exit_code in {5, 7}
    assert "no sandbox here" in route.sentence or "sandbox" in route.sentence


def test_the_settings_of_a_router_are_those_it_was_given(project: Layout) -> None:
    assert router_of(project).bench.settings == Routing()
