"""Validate, approve, promote: who may keep what, with which exit code, and what is learned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import SourceError
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.pending import pending_routes
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.route import Route
from prefrontal.routing.trials import static_checks

from ...exhaustive import first
from ..project import write
from ..routes import (
    COMPOSE,
    SUMMARIZE,
    UNKNOWN,
    QuickRunner,
    Script,
    Writer,
    event,
    example_project,
    files,
    phases,
    routed,
    router_of,
)
from ..tool_files import tool

ALONE = Mode(interactive=False)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


def summarize(project: Layout) -> Path:
    return project.action("analysis", "summarise") / "summarize_matrix.py"


def plant(path: Path) -> None:
    path.write_text(path.read_text() + "\nPLANTED = 1\n")


def routed_while_a_tool_changes(project: Layout, prompt: str) -> Route:
    """It changes after it was found; nothing of it is tried."""

    @contextmanager
    def meanwhile(word: str) -> Iterator[None]:
        plant(summarize(project))
        yield

    runner = QuickRunner()
    router = router_of(project, operator=Script(), runner=runner)
    router.bench.waiting = meanwhile
    route = router.route(prompt)
    assert (route.exit_code, runner.asked) == (5, [])
    return route


def records(folder: Path, name: str = "metadata.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def broken(project: Layout) -> None:
    path = summarize(project)
    path.write_text(path.read_text().replace("widths.pop()", "width.pop()"))


def shared_by_rule(project: Layout) -> dict[str, object]:
    """Settings where one step of the composition lies between the margin and tau."""
    plan = routed(project, COMPOSE, Mode(plan_only=True))
    return {"ranker": {"threshold": min(one.score for one in plan.decision.selected) + 0.01}}


ENDINGS: dict[str, tuple[int, str, Mode, dict[str, Any]]] = {
    "everything is good enough": (0, SUMMARIZE, ALONE, {}),
    "confidence is too low": (3, SUMMARIZE, ALONE, {"settings": {"parser": {"threshold": 1.0}}}),
    "nothing fits and no model": (3, UNKNOWN, ALONE, {}),
    "generated code": (4, UNKNOWN, ALONE, {"model": Writer()}),
    "a person says no": (4, SUMMARIZE, Mode(), {"operator": Script(yes=False)}),
    "guardrails": (6, UNKNOWN, Mode(dry_run=True), {"model": Writer('"""Doc."""\nimport os\n')}),
    "weak sandbox": (7, SUMMARIZE, ALONE, {"runner": QuickRunner(enforced=False)}),
    "weak sandbox, person": (
        7,
        SUMMARIZE,
        Mode(),
        {"runner": QuickRunner(enforced=False), "operator": Script()},
    ),
    "weak sandbox allowed, nobody there": (
        7,
        SUMMARIZE,
        Mode(interactive=False, allow_weak_sandbox=True),
        {"runner": QuickRunner(enforced=False)},
    ),
    "weak sandbox allowed by a person": (
        0,
        SUMMARIZE,
        Mode(allow_weak_sandbox=True),
        {"runner": QuickRunner(enforced=False), "operator": Script()},
    ),
}


@pytest.mark.parametrize("ending", first(3, ENDINGS))
def test_each_ending_has_its_exit_code_and_keeps_only_what_may_be_kept(
    ending: str, project: Layout
) -> None:
    code, prompt, mode, options = ENDINGS[ending]
    before = {name for name in files(project.root) if not name.endswith("history.jsonl")}
    route = routed(project, prompt, mode, **options)
    assert (route.exit_code, route.promoted is not None) == (code, code == 0)
    assert event(route, "end")["detail"]["exit_code"] == code
    after = {name for name in files(project.root) if not name.endswith("history.jsonl")}
    assert (after > before) == (code == 0)
    assert route.sentence
    learned = summarize(project).parent / "history.jsonl"
    assert learned.exists() == (prompt == SUMMARIZE and (route.report is None or route.report.ok))


def test_a_tool_that_fails_is_code_5_with_its_reason_and_its_log(project: Layout) -> None:
    broken(project)
    route = routed(project, SUMMARIZE, ALONE)
    assert route.exit_code == 5
    assert "Undefined name `width`" in route.sentence
    assert "see logs/validation/2025-10-31/route-001-1-ruff.log" in route.sentence
    assert "approve" not in phases(route)
    assert [one["event"] for one in records(summarize(project).parent, "history.jsonl")] == [
        "failed"
    ]


def test_a_check_that_is_not_installed_is_not_held_against_the_tool(
    project: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_checks, "_ruff", lambda: None)
    route = routed(project, SUMMARIZE, ALONE)
    assert route.exit_code == 5
    assert "pip install 'prefrontal[validate]'" in route.sentence
    learned = summarize(project).parent / "history.jsonl"
    assert not learned.exists()


@pytest.mark.exhaustive
def test_a_step_below_tau_composes_but_needs_a_person(project: Layout) -> None:
    settings = shared_by_rule(project)
    alone = routed(project, COMPOSE, ALONE, settings=settings)
    assert (alone.decision.policy, alone.exit_code) == ("compose", 3)
    assert "below tau" in alone.sentence
    person = routed(project, COMPOSE, operator=Script(), settings=settings)
    assert person.exit_code == 0


@pytest.mark.exhaustive
def test_an_accepted_tool_gets_a_record_once(project: Layout) -> None:
    folder = summarize(project).parent
    first = routed(project, SUMMARIZE, operator=Script())
    second = routed(project, SUMMARIZE, operator=Script())
    assert [event(one, "promote")["decision"] for one in (first, second)] == ["new", "same"]
    [record] = records(folder)
    keys = ["id", "run_id", "route_id", "name", "domain", "action", "description", "status"]
    keys += ["created_by", "created_at", "version", "tool_hash", "tokens_estimate", "model", "rag"]
    assert list(record) == keys
    assert (record["id"], record["version"]) == ("rev-20251031-001", "1.0.0")
    accepted = [one for one in records(folder, "history.jsonl") if one["event"] == "accepted"]
    assert [one["intent"] for one in accepted] == [SUMMARIZE, SUMMARIZE]


@pytest.mark.exhaustive
def test_a_composition_is_kept_in_the_place_of_the_prompt(project: Layout) -> None:
    route = routed(project, COMPOSE, operator=Script())
    place = project.action("analysis", "visualise") / "summarize_matrix_then_plot_matrix.py"
    assert route.promoted == place
    assert (
        "summarize_matrix_then_plot_matrix"
        in (project.domains / "analysis" / "CHANGELOG.md").read_text()
    )
    assert route.module is not None and not route.module.exists()


@pytest.mark.exhaustive
def test_a_shared_tool_stays_where_it_is(project: Layout) -> None:
    source = tool("Frobnicate invoices.", "month: int = 1")
    path = write(project.shared_action("letters") / "frobnicate_invoices.py", source)
    before = files(project.root)
    route = routed(project, "frobnicate invoices", operator=Script())
    assert (route.exit_code, route.promoted) == (0, path)
    assert event(route, "promote")["detail"]["was"] == "accepted"
    assert set(files(project.root)) - set(before) == {"shared_tools/letters/history.jsonl"}


def test_a_file_that_changed_after_it_was_found_is_not_tried(project: Layout) -> None:
    route = routed_while_a_tool_changes(project, SUMMARIZE)
    assert "has changed since it was found" in route.sentence


def test_a_file_that_changed_after_it_was_validated_is_not_kept(project: Layout) -> None:
    def edit(question: str) -> None:
        plant(summarize(project))

    with pytest.raises(SourceError, match="has changed since it was validated"):
        routed(project, SUMMARIZE, operator=Script(before=edit))
    assert not (summarize(project).parent / "metadata.jsonl").exists()


@pytest.mark.exhaustive
def test_a_step_that_changed_after_it_was_validated_is_not_kept(project: Layout) -> None:
    def edit(question: str) -> None:
        plant(summarize(project))

    with pytest.raises(SourceError, match=r"_matrix.py has changed since it was validated"):
        routed(project, COMPOSE, operator=Script(before=edit))
    rejected = routed(project, COMPOSE, operator=Script(yes=False))
    [waiting] = pending_routes(project).routes
    with pytest.raises(SourceError, match=r"_matrix.py has changed since it was validated"):
        router_of(project, operator=Script(before=edit)).resume(waiting)
    assert router_of(project, operator=Script()).resume(waiting).route_id == rejected.route_id


def test_a_step_that_changed_after_it_was_found_is_not_tried(project: Layout) -> None:
    route = routed_while_a_tool_changes(project, COMPOSE)
    assert "summarize_matrix.py has changed since it was found" in route.sentence


@pytest.mark.exhaustive
def test_a_composition_that_changed_after_it_was_validated_is_not_kept(project: Layout) -> None:
    def edit(question: str) -> None:
        [module] = project.tmp.glob("route-*/*.py")
        plant(module)

    before = set(files(project.root))
    with pytest.raises(SourceError, match="has changed since it was validated"):
        routed(project, COMPOSE, operator=Script(before=edit))
    assert set(files(project.root)) == before


@pytest.mark.exhaustive
def test_what_was_refused_is_learned_and_the_tool_stays(project: Layout) -> None:
    before = summarize(project).read_bytes()
    route = routed(project, SUMMARIZE, operator=Script(yes=False))
    assert route.sentence == (
        "not approved by a person; prefrontal route resume route-001 asks again."
    )
    told = [
        (one["event"], one["intent"]) for one in records(summarize(project).parent, "history.jsonl")
    ]
    assert told == [("validation_ok", None), ("rejected", SUMMARIZE)]
    assert summarize(project).read_bytes() == before
    assert pending_routes(project).routes == ()


@pytest.mark.exhaustive
def test_a_dry_run_leaves_no_trace_in_the_project_but_its_logs(project: Layout) -> None:
    before = files(project.root)
    for prompt in (SUMMARIZE, COMPOSE, UNKNOWN):
        routed(project, prompt, Mode(dry_run=True), operator=Script(), model=Writer())
    assert files(project.root) == before
    assert pending_routes(project).routes == ()


def test_acceptance_raises_later_scores_and_refusal_lowers_them(project: Layout) -> None:
    similar = "a short overview of the columns of my table"
    plan = Mode(plan_only=True)

    def score() -> float:
        ranked = routed(project, similar, plan).candidates
        return next(one.score for one in ranked if one.tool.name == "summarize_matrix")

    cold = score()
    asked = "an overview of the columns of this table"
    history = summarize(project).parent / "history.jsonl"
    line: dict[str, Any] = {"ts": "2025-10-31T11:00:00+04:00", "name": "summarize_matrix"}
    line["intent"] = asked
    line |= {"hash": "sha256:0", "run_id": "", "route_id": "", "signature": None}
    history.write_text(json.dumps(line | {"event": "accepted"}) + "\n")
    accepted = score()
    history.write_text(json.dumps(line | {"event": "rejected"}) + "\n")
    rejected = score()
    assert accepted > cold > rejected


def test_a_rejected_route_is_listed_for_the_next_run_with_its_reason(project: Layout) -> None:
    routed(project, COMPOSE, operator=Script(yes=False))
    [waiting] = pending_routes(project).routes
    assert (waiting.prompt, waiting.policy) == (COMPOSE, "compose")
    assert waiting.plan is not None
    assert waiting.summary == "not approved by a person."
