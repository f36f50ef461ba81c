"""Events as lines for people: nothing hidden reaches a terminal, nothing below tau looks above."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.plain_text import one_line
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.route import Route
from prefrontal.routing.run.transcript import PREFIX, Transcript, two_places

from ...exhaustive import first
from ..project import layout_of, write
from ..routes import (
    COMPOSE,
    SUMMARIZE,
    UNKNOWN,
    VAGUE,
    WRITTEN,
    Script,
    Writer,
    events,
    example_project,
    routed,
    router_of,
)
from ..tool_files import tool

ALONE = Mode(interactive=False)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


def lines(route: Route, **options: Any) -> list[str]:
    """All lines of a run, from its log, the prefix left out."""
    transcript = Transcript(**options)
    shown = [line for event in events(route) for line in transcript.take(event)]
    assert all(line.startswith(f"{PREFIX} ") for line in shown)
    return [line.removeprefix(f"{PREFIX} ") for line in shown]


def starting(shown: list[str], *beginnings: str) -> bool:
    """Whether these lines follow one another, others between them."""
    rest = iter(shown)
    return all(any(line.startswith(beginning) for line in rest) for beginning in beginnings)


def test_the_first_three_lines_are_place_candidates_and_choice(project: Layout) -> None:
    shown = lines(routed(project, SUMMARIZE, ALONE))
    assert starting(shown[:1], "domain=analysis action=summarise (confidence=0.")
    assert starting(shown[1:2], "candidates: summarize_matrix(0.")
    assert starting(shown[2:3], "select summarize_matrix.py::run score=0.")
    assert shown[2].endswith("  τ=0.60")
    assert starting(shown, "policy=select  validation=OK  route_id=route-001")


def test_five_candidates_have_one_for_each_clause() -> None:
    names, scores = "abcdef", (0.9, 0.8, 0.7, 0.6, 0.5, 0.1)
    clauses = [(0.9, 0.0)] * 5 + [(0.0, 0.9)]
    ranked = [
        {"name": name, "score": score, "clauses": own}
        for name, score, own in zip(names, scores, clauses, strict=True)
    ]
    event = {"route_id": "", "phase": "rank", "detail": {"ranked": ranked, "findings": []}}
    assert Transcript().take(event) == [
        f"{PREFIX} candidates: a(0.90), b(0.90), c(0.90), f(0.90), d(0.90)"
    ]


@pytest.mark.exhaustive
def test_a_selection_is_told_down_to_its_revision(project: Layout) -> None:
    shown = lines(routed(project, SUMMARIZE, ALONE))
    assert starting(
        shown,
        "validation OK (ruff,mypy,import,dry-run=",
        "approval: approved: ",
        "promote → workflows/domains/analysis/summarise/summarize_matrix.py (new)",
        "revision=rev-20251031-001 version=1.0.0  route_id=route-001",
    )
    again = lines(routed(project, SUMMARIZE, ALONE))
    assert any(line.endswith("(already kept, no new record)") for line in again)


@pytest.mark.exhaustive
def test_a_person_reads_what_the_trial_found_before_being_asked(project: Layout) -> None:
    told, transcript = list[str](), Transcript()
    router_of(
        project,
        operator=Script(before=told.append),
        show=lambda event: told.extend(transcript.take(event)),
    ).route(SUMMARIZE)
    asked = told.index("Use summarize_matrix?")
    assert "validation OK (ruff,mypy,import,dry-run=" in told[asked - 1]
    assert "approval: approved by a person." in told[asked + 1]


@pytest.mark.exhaustive
def test_a_composition_names_its_steps(project: Layout) -> None:
    shown = lines(routed(project, COMPOSE, ALONE))
    steps = "(s1 summarize_matrix.py::run -> s2 plot_matrix.py::run)"
    assert starting(shown, f"compose plan=2 steps {steps} scores 0.")
    assert starting(shown, "policy=compose plan=2 steps  validation=OK  route_id=route-001")


def test_a_question_without_an_answer_is_told_as_such(project: Layout) -> None:
    shown = lines(routed(project, VAGUE, Mode(dry_run=True), operator=Script(reply=" ")))
    [asked] = [line for line in shown if line.startswith("question: ")]
    assert asked.endswith("? (no answer; best guess)")


def test_a_step_that_hands_nothing_on_is_told(project: Layout) -> None:
    chained = routed(project, COMPOSE, Mode(plan_only=True))
    assert not any("hands nothing on" in line for line in lines(chained))
    loose = routed(project, "summarize a matrix and count the words", Mode(plan_only=True))
    assert starting(lines(loose), "  s1 hands nothing on to another step")


def test_a_refusal_of_the_guardrails_gives_its_reasons_and_a_file(project: Layout) -> None:
    bad = WRITTEN.replace("def run", "import socket\n\n\ndef run")
    shown = lines(routed(project, UNKNOWN, operator=Script(), model=Writer(bad)))
    assert starting(
        shown,
        "No candidates above threshold; falling back to generator",
        "generated by test writer: REFUSED by the guardrails; see workflows/_tmp/route-001/",
        "  line 9: ",
        "policy=generate  validation=none  route_id=route-001",
        "the guardrails refused the generated module for one reason; nearest misses: ",
    )


def test_no_generator_is_told_of_where_no_model_is_asked(project: Layout) -> None:
    none = "No candidates above threshold; no model is configured to write one"
    for mode in (Mode(), Mode(dry_run=True), ALONE):
        assert none in lines(routed(project, UNKNOWN, mode))
    writer = Writer()
    plan = routed(project, UNKNOWN, Mode(plan_only=True), model=writer)
    refused = routed(project, UNKNOWN, ALONE, model=writer)
    for route in (plan, refused):
        assert "No candidates above threshold" in lines(route)
    assert "generated code needs a person's approval" in refused.sentence
    assert writer.asked == []


def test_an_event_of_an_earlier_version_falls_back_to_the_generator() -> None:
    detail = {"threshold": 0.6}
    event = {"route_id": "", "phase": "generate", "decision": "", "top_score": 0.1}
    assert Transcript().take({**event, "detail": detail}) == [
        f"{PREFIX} No candidates above threshold; falling back to generator (allowlist: stdlib)"
    ]


def test_a_failed_validation_names_the_step_and_its_log(project: Layout) -> None:
    bad = WRITTEN.replace('return "hello"', "return greeting")
    shown = lines(routed(project, UNKNOWN, operator=Script(), model=Writer(bad)))
    failed = next(line for line in shown if line.startswith("validation FAILED: ruff failed: "))
    assert failed.endswith("see logs/validation/2025-10-31/route-001-1-ruff.log")
    assert starting(shown, "policy=generate  validation=FAILED  route_id=route-001")
    assert not any(line.startswith("validation OK") for line in shown)


def test_a_dry_run_shows_each_step(project: Layout) -> None:
    shown = lines(routed(project, SUMMARIZE, Mode(dry_run=True)), steps=True)
    assert starting(shown, "  ruff: ok (", "  mypy: ok (", "  import: ok (", "  dry-run: ok (")
    assert starting(shown, "policy=select  validation=OK", "dry run: nothing was kept.")


def test_explained_are_features_weights_map_threshold_scores_and_ties(project: Layout) -> None:
    path = project.action("analysis", "summarise") / "summarize_matrix.py"
    write(path.with_name("summarize_matrix_too.py"), path.read_text())
    write(path.with_name("another.py"), '"""Nothing of the kind."""\n\n\ndef run():\n    pass\n')
    write(path.with_name("some_other.py"), '"""Nothing of the kind."""\n\n\ndef run():\n    pass\n')
    route = routed(project, SUMMARIZE, Mode(dry_run=True))
    shown = lines(route, explained=True)
    assert starting(
        shown,
        "  clauses: summarize this matrix for me; threshold of confidence 0.55",
        "  score = map(0.4 name + 0.4 doc + 0.2 history), τ=0.60, steps of a composition from 0.55",
        "  map: logistic, slope 11, 0.60 where the sum is 0.",
        "  is any tool needed: 0.",
        "  domains/analysis/summarise/summarize_matrix.py 0.",
        "    history is the prior; matched summarize, matrix",
        "  tie: domains/analysis/summarise/another.py before"
        " domains/analysis/summarise/some_other.py by file name",
        "  because ",
        "  ruff: ok",
    )
    for one in route.candidates:
        features = " ".join(f"{name}={value:.2f}" for name, value in one.features.items())
        assert f"  {one.tool.relative} {one.score:.6f}: {features}" in shown


def test_without_ties_that_is_said(project: Layout) -> None:
    route = routed(project, SUMMARIZE, Mode(plan_only=True))
    assert "  ties: none" in lines(route, explained=True)


def test_one_tool_is_one(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    write(layout.domains / "text/count/count_words.py", tool("Count the words of a text."))
    shown = lines(routed(layout, "count the words of a text", Mode(plan_only=True)), explained=True)
    assert "  looked at 1 tool" in shown


def test_three_findings_are_shown_and_the_rest_counted(project: Layout) -> None:
    for number in range(5):
        write(project.action("analysis", "summarise") / f"bad{number}.py", "def run(:\n")
    route = routed(project, SUMMARIZE, Mode(plan_only=True))
    warnings = [line for line in lines(route) if line.startswith("warning: ")]
    assert len(warnings) == 4
    assert warnings[-1] == "warning: 2 more files are not tools (--explain)"
    told = [line for line in lines(route, explained=True) if line.startswith("warning: ")]
    assert len(told) == 5


def test_of_broken_lines_of_a_history_three_are_shown_and_the_rest_counted(project: Layout) -> None:
    write(project.action("analysis", "summarise") / "history.jsonl", "no json\n" * 5)
    route = routed(project, SUMMARIZE, Mode(plan_only=True))
    warnings = [line for line in lines(route) if line.startswith("warning: ")]
    assert len(warnings) == 4 and warnings[-1] == "warning: 2 more of these (--explain)"


def test_a_shadowed_tool_is_warned_of_with_both_paths(project: Layout) -> None:
    path = project.action("analysis", "summarise") / "summarize_matrix.py"
    write(project.shared_action("summarise") / path.name, path.read_text())
    shown = lines(routed(project, SUMMARIZE, Mode(plan_only=True)))
    mine, other = "domains/analysis/summarise", "shared_tools/summarise"
    assert (
        f"warning: {other}/{path.name} is shadowed by {mine}/{path.name};"
        f" chosen: {mine}/{path.name}"
    ) in shown


def test_of_a_shadowed_tool_that_a_prompt_does_not_concern_nothing_is_said(
    project: Layout,
) -> None:
    path = project.action("analysis", "summarise") / "summarize_matrix.py"
    write(project.shared_action("summarise") / path.name, path.read_text())
    route = routed(project, "count the words of this, then juggle oranges", Mode(plan_only=True))
    [found] = [one for one in events(route) if one["phase"] == "discover"]
    assert found["detail"]["shadowed"]
    assert not any("shadowed" in line for line in lines(route))
    assert "shadowed" not in route.decision.reason
    assert any("shadowed" in line for line in lines(route, explained=True))


def test_a_question_that_nobody_was_asked_is_told_as_such(project: Layout) -> None:
    skipped = lines(routed(project, UNKNOWN, ALONE))
    assert any(line.endswith("(skipped: nobody is asked; best guess)") for line in skipped)
    asked = lines(routed(project, UNKNOWN, operator=Script("count", yes=False)))
    question = "question: action=count, summarise or visualise? answer: "
    assert starting(asked, f"{question}count -> ")
    other = lines(routed(project, UNKNOWN, operator=Script("yes", yes=False)))
    assert starting(other, f"{question}yes (none of these; best guess)")


def test_of_a_tool_that_nothing_more_is_known_of_no_empty_line_is_told(project: Layout) -> None:
    route = routed(project, "summarize a matrix")
    shown = lines(routed(project, "xyzzy", ALONE), explained=True)
    assert route.exit_code == 0 and any("history_success=0.7" in line for line in shown)
    assert all(line.removeprefix("[PREFRONTAL]").strip() for line in shown)


@pytest.mark.parametrize("hidden", first(1, ["\x1b[31m", "\u202e", "\u200b", "\x9b", "\x07", "\r"]))
def test_nothing_hidden_in_a_prompt_reaches_the_terminal(hidden: str, project: Layout) -> None:
    prompt = f"summarize {hidden} this matrix {hidden}then plot it"
    route = routed(project, prompt, ALONE)
    shown = lines(route, explained=True)
    assert all(line == one_line(line) for line in shown)
    assert not any(hidden in line for line in shown)
    assert events(route)[0]["detail"]["prompt"] == prompt


@given(st.floats(0, 1))
def test_a_score_below_a_border_never_looks_as_if_it_reached_it(score: float) -> None:
    shown = float(two_places(score))
    assert shown <= round(score, 6) + 1e-9
    assert score - shown < 0.01 + 1e-6


def test_figures_are_cut_not_rounded() -> None:
    assert [two_places(score) for score in (0.5999, 0.6, 0.54999, 1.0, 0.0)] == [
        "0.59",
        "0.60",
        "0.54",
        "1.00",
        "0.00",
    ]


def test_an_event_of_a_later_version_is_passed_over() -> None:
    event = {"route_id": "route-001", "phase": "dance", "decision": "", "detail": {}}
    assert Transcript().take(event) == []


SEND = "send the summary of the matrix to bob@example.com"


def test_an_act_that_no_selected_tool_does_is_told(project: Layout) -> None:
    warning = f"warning: no selected tool is known to send: '{SEND}'"
    assert warning in lines(routed(project, SEND, Mode(dry_run=True)))
    plan = routed(project, SEND, Mode(plan_only=True))
    assert (plan.exit_code, plan.uncovered) == (0, (SEND,))
    alone = routed(project, SEND, ALONE)
    assert alone.exit_code == 3 and f"nothing covers '{SEND}'" in alone.sentence
    assert not any("known to" in line for line in lines(routed(project, SUMMARIZE, ALONE)))


def test_an_act_of_a_prompt_that_a_person_agreed_to_is_not_told_again(project: Layout) -> None:
    assert routed(project, SEND, operator=Script()).promoted
    again = lines(routed(project, SEND, Mode(dry_run=True)))
    assert starting(again, "select summarize_matrix.py::run")
    assert not any("known to send" in line for line in again)


def test_an_act_beside_a_composition_is_told(project: Layout) -> None:
    shown = lines(routed(project, f"{COMPOSE} and upload it", Mode(plan_only=True)))
    assert starting(shown, "compose plan=2", "warning: no selected tool is known to upload: ")


def test_a_clause_that_no_selected_tool_covers_is_told(project: Layout) -> None:
    prompt = "summarize a matrix, then juggle the oranges"
    warning = "warning: nothing covers 'juggle the oranges'"
    assert warning in lines(routed(project, prompt, Mode(dry_run=True)))
    assert not starting(lines(routed(project, SUMMARIZE, ALONE)), "warning: nothing covers")
