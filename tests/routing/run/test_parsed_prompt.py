"""Parse, clarify, discover, rank, decide: what the phases that only read leave behind."""

from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.catalog.history import history_line
from prefrontal.routing.layout import Layout
from prefrontal.routing.records import append_record
from prefrontal.routing.run.ranking import ties
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.transcript import Transcript

from ...exhaustive import first
from ..project import layout_of, noon, write
from ..routes import (
    COMPOSE,
    SUMMARIZE,
    UNKNOWN,
    Script,
    event,
    events,
    example_project,
    files,
    phases,
    routed,
)
from ..sample_tools import candidate
from ..tool_files import Compass, tool

TOOLS = Path(__file__).parents[3] / "examples/tools/domains"
SYNTAX = "code/check/check_python_syntax.py"
PLAN = Mode(plan_only=True)
DRY = Mode(dry_run=True)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


@pytest.fixture
def two_homes(tmp_path: Path) -> Layout:
    """Letters are written at the office; a prompt may speak of home."""
    layout = layout_of(tmp_path)
    text = tool("Frobnicate the invoices of a month.", "month: int = 1")
    write(layout.domains / "office/letters/frobnicate_invoices.py", text)
    write(layout.domains / "home/paper/burn.py", tool("Burn paper.", "sheets: int = 1"))
    return layout


@pytest.mark.parametrize(
    "reply", first(2, ["nonsense", "1", "", "3", "summarise", "action=count", "\0"])
)
@pytest.mark.parametrize(
    "prompt", first(2, [SUMMARIZE, UNKNOWN, "text analysis", "count and plot it all"])
)
def test_a_run_asks_one_question_at_most(prompt: str, reply: str, project: Layout) -> None:
    operator = Script(reply, yes=False)
    route = routed(project, prompt, DRY, operator=operator)
    assert len(operator.asked) == phases(route).count("clarify") <= 1


def test_what_is_clear_is_not_asked(project: Layout) -> None:
    operator = Script()
    route = routed(project, SUMMARIZE, DRY, operator=operator)
    assert operator.asked == []
    parsed = route.intent
    assert (parsed.domain, parsed.action, parsed.intent) == ("analysis", "summarise", SUMMARIZE)
    assert parsed.confidence >= 0.55


def test_the_question_names_the_choices_and_the_reply_counts(project: Layout) -> None:
    operator = Script("count")
    route = routed(project, "text analysis", DRY, operator=operator)
    assert operator.asked == ["action=count or summarise?"]
    clarified = event(route, "clarify")
    assert clarified["decision"] == "asked"
    assert clarified["detail"]["answer"] == "count"
    assert (route.intent.domain, route.intent.action) == ("text", "count")


def test_a_reply_that_says_nothing_leaves_the_guess_as_sure_as_it_was(project: Layout) -> None:
    silent = routed(project, "text analysis", DRY, operator=Script("whatever"))
    alone = routed(project, "text analysis", Mode(interactive=False))
    assert (
        event(silent, "clarify")["detail"]["confidence"]
        == (event(silent, "parse")["detail"]["confidence"])
    )
    assert silent.intent == alone.intent


def test_the_same_question_may_be_forbidden_by_a_setting(project: Layout) -> None:
    sure = {"parser": {"threshold": 0.0}}
    operator = Script()
    routed(project, "analysis of text: count", DRY, operator=operator, settings=sure)
    assert operator.asked == []


def test_a_search_that_was_widened_says_so_and_lowers_the_confidence(two_homes: Layout) -> None:
    route = routed(two_homes, "home paper: frobnicate the invoices", Mode(interactive=False))
    assert event(route, "discover")["detail"]["search"] == "widened"
    assert route.decision.policy == "select"
    assert route.intent.confidence <= 0.54
    assert route.exit_code == 3


@pytest.mark.parametrize("threshold", first(1, [0.0, 0.3, 0.5]))
def test_no_threshold_lets_a_widened_search_pass_by_itself(
    threshold: float, two_homes: Layout
) -> None:
    settings = {"parser": {"threshold": threshold}}
    prompt, mode = "home paper: frobnicate the invoices", Mode(interactive=False)
    before = files(two_homes.domains / "home") | files(two_homes.domains / "office")
    route = routed(two_homes, prompt, mode, settings=settings)
    assert (route.exit_code, route.approval) == (3, None)
    after = files(two_homes.domains / "home") | files(two_homes.domains / "office")
    assert {name for name in after if name.endswith(".py")} == set(before)


def test_before_anything_is_generated_every_folder_was_looked_at(project: Layout) -> None:
    route = routed(project, "visualise the sea", PLAN)
    searched = [one["detail"]["search"] for one in events(route) if one["phase"] == "discover"]
    assert searched[-1] == "widened"
    assert route.decision.policy == "generate"
    assert event(route, "discover")["candidates"] == 4


def test_a_shared_tool_with_the_name_of_a_domain_tool_gives_way_and_that_is_told(
    project: Layout,
) -> None:
    path = project.action("analysis", "summarise") / "summarize_matrix.py"
    write(project.shared_action("summarise") / path.name, path.read_text())
    route = routed(project, SUMMARIZE, PLAN)
    [chosen] = route.decision.selected
    assert chosen.path == path
    assert event(route, "discover")["detail"]["shadowed"] == [
        {
            "shared": "shared_tools/summarise/summarize_matrix.py",
            "chosen": "domains/analysis/summarise/summarize_matrix.py",
        }
    ]


def test_the_rank_event_holds_all_that_a_score_is_made_of(project: Layout) -> None:
    ranked = event(routed(project, COMPOSE, PLAN), "rank")
    detail = ranked["detail"]
    assert ranked["weights"] == {"name": 0.4, "doc": 0.4, "history": 0.2}
    assert ranked["features"] == ["name_similarity", "doc_keywords", "history_success"]
    assert detail["threshold"] == 0.6
    assert set(detail["calibration"]) == {"slope", "reached", "others"}
    assert [one["name"] for one in detail["ranked"]][:2] == ["plot_matrix", "summarize_matrix"]
    for one in detail["ranked"]:
        assert list(one["features"]) == ranked["features"]
        assert len(one["clauses"]) == 2
        assert all(0 <= value <= 1 for value in one["features"].values())
    assert ranked["top_score"] == max(one["score"] for one in detail["ranked"])


def test_neighbours_with_one_score_name_the_rule_that_ordered_them() -> None:
    ranked = [
        candidate("domains/a/x/b.py", 0.7),
        candidate("shared_tools/x/a.py", 0.7),
        candidate("shared_tools/x/c.py", 0.7),
        candidate("shared_tools/x/d.py", 0.6),
    ]
    assert ties(ranked, harmless_first=True) == [
        {
            "first": "domains/a/x/b.py",
            "second": "shared_tools/x/a.py",
            "rule": "domain over shared",
        },
        {"first": "shared_tools/x/a.py", "second": "shared_tools/x/c.py", "rule": "file name"},
    ]


def test_an_embedder_has_a_say_in_the_doc_feature(project: Layout) -> None:
    settings = {"embeddings_enabled": True, "embedder": "tests:compass"}
    compass = Compass("sky", "words")
    plain = event(routed(project, "count the sky", PLAN), "rank")["detail"]["ranked"]
    route = routed(project, "count the sky", PLAN, settings=settings, embedder=compass)
    with_it = event(route, "rank")["detail"]["ranked"]
    assert "embedding_similarity" not in plain[0]["features"]
    assert all("embedding_similarity" in one["features"] for one in with_it)


def test_hints_are_logged_and_carry_nobody_over_the_threshold(project: Layout) -> None:
    write(project.root.parent / "docs/weather.md", "# Weather\n\nPlot the weather forecast.\n")
    route = routed(project, UNKNOWN, PLAN, settings={"rag_enabled": True})
    assert route.intent.confidence <= 0.54
    plain = routed(project, UNKNOWN, PLAN)
    assert event(plain, "parse")["detail"]["rag_hits"] == []
    assert route.decision.policy == plain.decision.policy == "generate"


@given(prompt=st.text(max_size=60))
@hypothesis_settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_prompt_is_decided_or_refused_with_a_sentence(prompt: str, project: Layout) -> None:
    try:
        route = routed(project, prompt, PLAN)
    except InputError as error:
        assert str(error).startswith("prompt must")
    else:
        assert route.exit_code in {0, 3}
        assert (route.decision.policy == "generate") == (not route.decision.selected)


@pytest.fixture
def meetings(tmp_path: Path) -> Layout:
    layout = layout_of(tmp_path)
    texts = {
        "calendar/create/create_meeting": "Create a meeting in the calendar.",
        "calendar/list/list_meetings": "List the meetings of the calendar.",
        "office/remove/cancel_meeting": "Cancel a meeting and tell who was invited.",
        "files/load/load_csv": "Load a csv file as a matrix.",
        "analysis/summarise/summarise_matrix": "Summarise a matrix: mean and deviation of columns.",
        "pictures/visualise/plot_summary": "Plot the summary of a matrix as a picture.",
    }
    arguments = {"load_csv": "path: str", "summarise_matrix": "matrix: list[float]"}
    for place, text in texts.items():
        name = place.rpartition("/")[2]
        source = tool(text, arguments.get(name, "summary: dict[str, float]"))
        write(layout.domains / f"{place}.py", source)
    return layout


def test_a_guessed_folder_hides_no_tool(meetings: Layout) -> None:
    route = routed(meetings, "cancel the meeting in the calendar", Mode(interactive=False))
    assert route.candidates[0].tool.name == "cancel_meeting"
    assert event(route, "discover")["detail"]["search"] == "everywhere"
    lines = [line for one in events(route) for line in Transcript().take(one)]
    assert any("the folder is only a guess" in line for line in lines)
    assert route.exit_code == 3 and route.approval is None


def test_a_folder_that_was_said_is_where_one_looks(meetings: Layout) -> None:
    route = routed(meetings, "cancel the meeting in the calendar", operator=Script("remove"))
    assert event(route, "discover")["detail"]["search"] == "exact"
    assert {one.tool.action for one in route.candidates} == {"remove"}


def test_a_tool_called_by_its_name_is_found_in_any_folder(meetings: Layout) -> None:
    prompt = "list the meetings of the calendar, use cancel_meeting"
    route = routed(meetings, prompt, PLAN)
    assert event(route, "discover")["detail"]["search"] == "exact"
    assert route.candidates[0].tool.name == "cancel_meeting"
    assert [spec.path.stem for spec in route.decision.selected] == ["cancel_meeting"]


def test_clauses_are_looked_for_everywhere_though_one_folder_seems_sure(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    for place, doc in (
        ("mail/send/send_mail", "Send a mail to somebody."),
        ("text/summarize/cut", "Summarize a text by its first sentences."),
        ("text/read/read_file", "Read a text file."),
    ):
        write(layout.domains / f"{place}.py", tool(doc, "text: str"))
    route = routed(layout, "read report.txt, summarize it and mail it to Ann", PLAN)
    assert (route.intent.domain, route.intent.action) == ("mail", "summarize")
    assert route.intent.confidence >= 0.55
    names = [spec.path.stem for spec in route.decision.selected]
    assert names == ["read_file", "cut", "send_mail"]


def test_all_folders_are_looked_at_where_a_search_was_widened_to_some(two_homes: Layout) -> None:
    write(two_homes.domains / "garden/water/sprinkle.py", tool("Sprinkle.", "litres: int = 1"))
    route = routed(two_homes, "home letters: juggle the sea", PLAN)
    searched = [one for one in events(route) if one["phase"] == "discover"]
    assert [one["detail"]["search"] for one in searched] == ["widened", "widened"]
    assert [one["candidates"] for one in searched] == [1, 3]


def test_the_clauses_of_a_prompt_are_looked_for_in_every_domain(meetings: Layout) -> None:
    prompt = "load the csv file, then summarize the matrix and then plot the matrix summary"
    route = routed(meetings, prompt, PLAN)
    assert event(route, "discover")["detail"]["search"] == "everywhere"
    names = [spec.path.stem for spec in route.decision.selected]
    assert names == ["load_csv", "summarise_matrix", "plot_summary"]


def test_a_tool_that_was_accepted_hides_none_that_fits_better(tmp_path: Path) -> None:
    """Its folder is not the prompt's only because it reaches tau, as often used tools do."""
    layout = layout_of(tmp_path)
    shutil.copytree(TOOLS, layout.domains)
    sha256 = hashlib.sha256((layout.domains / SYNTAX).read_bytes()).hexdigest()
    at = datetime.fromtimestamp(noon().now(), UTC)
    for kind in ("accepted", "executed", "executed", "executed"):
        line = history_line(at, "check_python_syntax", kind, sha256, intent="Check its syntax.")
        append_record((layout.domains / SYNTAX).parent / "history.jsonl", line)
    route = routed(layout, "Check its relative links.", PLAN)
    assert [spec.path.stem for spec in route.decision.selected] == ["check_markdown_links"]


def test_two_nouns_of_one_verb_are_for_two_tools(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    docs = {
        "find_todos": "Find todo notes in a file.",
        "find_secrets": "Find secrets in a file.",
        "count_lines": "Count the lines of a file.",
        "plot_matrix": "Plot a matrix.",
        "send_mail": "Send a mail.",
    }
    for name, doc in docs.items():
        write(layout.domains / f"files/look/{name}.py", tool(doc, "path: str"))
    route = routed(layout, "look for todos and secrets in src/app.py", PLAN)
    assert [one.path.stem for one in route.decision.selected] == ["find_todos", "find_secrets"]
    assert route.decision.plan is not None
    steps = route.decision.plan["plan"]["steps"]
    assert [one["inputs"] for one in steps] == [{"path": "{{input.path}}"}] * 2
    route = routed(layout, "look for todos and kittens in src/app.py", PLAN)
    assert [one.path.stem for one in route.decision.selected] == ["find_todos"]
