"""The desk chooses as `prefrontal route` does, explains it, and learns what came of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.decisions.payloads import ToolRun, Validation
from prefrontal.errors import InputError
from prefrontal.executive import ActOutcome, Choice, HeardBelief, Status
from prefrontal.routing.catalog.history import PastEvent, history_file, read_history
from prefrontal.routing.catalog.mcp_tools import import_mcp
from prefrontal.routing.layout import Layout
from prefrontal.routing.records import append_record
from prefrontal.routing.run.request import Mode
from prefrontal.settings.routing import Routing

from ..desk_tools import TODOS, desk_of, names, router_of, tools_of, wake_of

SYNTAX = "domains/python/check/check_syntax.py"
QUESTION = "A file changed at src/x.py. Check the syntax of src/x.py."
PREFER = HeardBelief("todos-listed", "list_todos is reliable", 0.8)
DONE = ActOutcome(
    Status.DONE,
    "found",
    ["found"],
    True,
    True,
    0.1,
    ToolRun(SYNTAX, "ab" * 32, level="namespace"),
)


UNSURE = ToolRun(SYNTAX, "ab" * 32, level="none")


@pytest.fixture
def tools(tmp_path: Path) -> Layout:
    return tools_of(tmp_path)


def events(tools: Layout, key: str = SYNTAX) -> list[PastEvent]:
    path = tools.root / key
    return list(read_history(path.parent).of(path.stem))


def chosen(tools: Layout, question: str | None = QUESTION, *heard: HeardBelief) -> Choice:
    return desk_of(tools, roots=[Path("/w")]).choose(wake_of(question), heard)


@pytest.mark.exhaustive
def test_the_tool_is_the_one_that_prefrontal_route_would_take(tools: Layout) -> None:
    choice = chosen(tools)
    route = router_of(tools).route(choice.prompt, Mode(plan_only=True, interactive=False))
    assert choice.prompt == "Check the syntax."
    assert choice.policy == "select" == route.decision.policy
    assert choice.option is not None
    assert choice.option.tool == SYNTAX
    assert choice.score == route.decision.selected[0].score
    assert choice.sentence == route.decision.reason
    assert choice.threshold == 0.6


@pytest.mark.exhaustive
def test_an_option_says_what_it_would_be_called_with_and_what_made_its_score(tools: Layout) -> None:
    option = chosen(tools).option
    assert option is not None
    assert option.arguments == {"path": "/w/src/x.py"}
    assert [name for name, _ in option.why][-1] == "history_success"
    assert dict(option.why)["history_success"] == pytest.approx(0.2 * 0.5)
    assert option.features == {
        "score": option.score,
        "history_success": 0.5,
        "failures": 0.0,
        "side_effect": 0.5,
        "steps": 1.0,
        "margin": 0.0,
        "filled": 1.0,
        "exact": 1.0,
        "confidence": option.features["confidence"],
    }


def test_where_nothing_fits_the_agent_is_asked_and_told_what_came_near(tools: Layout) -> None:
    choice = chosen(tools, "Something changed at src/x.py. Does it matter?", PREFER)
    assert (choice.policy, choice.options) == ("ask", ())
    assert choice.nearest and choice.nearest[0].score < choice.threshold
    assert choice.sentence.startswith("no tool for")
    assert choice.heard == (PREFER,)


@pytest.mark.parametrize("question", [None, "", "…", "?!"])
def test_a_question_without_a_word_is_one_for_the_agent(
    tools: Layout, question: str | None
) -> None:
    choice = chosen(tools, question)
    assert choice.policy == "ask" and "must say what to do" in choice.sentence


def test_a_tool_that_the_wake_has_nothing_for_is_no_option(tools: Layout) -> None:
    choice = chosen(tools, "Summarise the diff of src/x.py.")
    assert choice.policy == "ask"
    assert "summarise_diff needs diff, which the signal does not have." in choice.sentence
    assert choice.nearest[0].flags[-1] == "the signal has nothing for diff"
    wake = wake_of("Summarise the diff of src/x.py.", diff="+one")
    option = desk_of(tools).choose(wake, ()).option
    assert option is not None and option.arguments == {"diff": "+one"}


def test_the_next_tool_that_fits_takes_the_place_of_one_that_cannot_be_called(
    tmp_path: Path,
) -> None:
    needy = TODOS.format(what="Find").replace("path: str", "archive: str")
    tools = tools_of(tmp_path, **{"notes/find/find_todos": needy})
    choice = chosen(tools, "Find the TODO notes in src/x.py.")
    assert names(choice) == ["list_todos"]
    assert "find_todos needs archive" in choice.sentence
    assert "list_todos is the next" in choice.sentence


def test_without_beliefs_that_name_a_tool_the_choice_is_the_same_to_the_bit(tools: Layout) -> None:
    question = "Find the TODO notes in src/x.py."
    plain, heard = (
        chosen(tools, question),
        chosen(tools, question, replace(PREFER, text="Ann lies")),
    )
    assert repr(replace(heard, heard=())) == repr(plain)
    assert names(plain) == ["find_todos", "list_todos"]


def test_a_belief_decides_between_tools_within_the_margin_and_is_told(tools: Layout) -> None:
    wake = wake_of("Find the TODO notes in src/x.py.")
    near = desk_of(tools, margin=0.4).choose(wake, [PREFER])
    far = desk_of(tools).choose(wake, [PREFER])
    assert names(near) == ["list_todos", "find_todos"]
    assert near.option is not None
    assert near.option.flags[-1] == "belief todos-listed speaks for it"
    assert near.sentence.endswith("belief todos-listed speaks for it.")
    assert near.option.features["margin"] > 0.01
    assert names(far) == ["find_todos", "list_todos"]


def test_a_belief_never_lifts_a_tool_over_the_bar(tools: Layout) -> None:
    wake = wake_of("Find the TODO notes in src/x.py.")
    scores = [option.score for option in desk_of(tools).choose(wake, ()).options]
    bar = Routing.model_validate({"ranker": {"threshold": round(scores[1] + 0.001, 6)}})
    assert names(desk_of(tools, settings=bar, margin=0.2).choose(wake, [PREFER])) == ["find_todos"]


def test_a_tool_that_runs_elsewhere_is_no_option(tools: Layout, tmp_path: Path) -> None:
    listed = {"name": "paint_widgets", "description": "Paint widgets.", "inputSchema": {}}
    file = tmp_path / "remote.json"
    file.write_text(json.dumps({"tools": [listed]}), encoding="utf-8")
    import_mcp(tools, file)
    choice = chosen(tools, "Paint widgets at src/x.py.")
    assert choice.policy == "ask"
    assert choice.nearest[0].name == "paint_widgets"
    assert choice.nearest[0].flags[-1] == "it cannot be run here"


def test_two_tools_for_two_clauses_are_one_option(tmp_path: Path) -> None:
    count = '"""Count the notes."""\n\n\ndef run(notes: list[str]) -> int:\n    return len(notes)\n'
    find = TODOS.format(what="Find").replace("-> list[str]:", "-> dict[str, list[str]]:")
    find = find.replace("return [line", 'return {"notes": [line').replace("in line]", "in line]}")
    tools = tools_of(tmp_path, **{"notes/find/find_todos": find, "notes/count/count_notes": count})
    choice = chosen(tools, "Find the TODO notes in src/x.py, then count the notes.")
    assert choice.policy == "compose"
    option = choice.option
    assert option is not None and option.plan is not None
    assert option.tool == "domains/notes/find/find_todos.py + domains/notes/count/count_notes.py"
    assert option.arguments == {"path": "/w/src/x.py"}
    assert option.features["steps"] == 2.0


def test_deciding_again_gives_the_same_choice_to_the_bit_and_writes_nothing(
    tools: Layout,
) -> None:
    before = set(tools.root.rglob("*"))
    first, again = chosen(tools), chosen(tools)
    assert repr(first) == repr(again)
    after = {path for path in tools.root.rglob("*") if ".cache" not in str(path)}
    assert after - {tools.tmp} == before - {tools.tmp}
    assert not tools.logs.exists()


def test_a_run_that_found_something_is_noted_with_the_question_without_its_places(
    tools: Layout,
) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    desk.learn(wake, choice, DONE)
    noted = events(tools)
    assert [(each.event, each.intent) for each in noted] == [
        ("executed", None),
        ("accepted", "Check the syntax."),
    ]
    assert noted[0].signature == "run(path='src/x.py')"
    assert {each.route_id for each in noted} == {f"wake-{wake.id}"}
    better = desk.choose(wake_of("Check the syntax of b.py", "b.py"), ()).option
    assert better is not None and choice.option is not None
    assert better.score > choice.option.score
    assert better.features["history_success"] == pytest.approx(3 / 4, abs=1e-3)


def test_what_the_desk_learned_prefrontal_route_knows(tools: Layout) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    before = router_of(tools).route("Check the syntax.", Mode(plan_only=True))
    desk.learn(wake, desk.choose(wake, ()), DONE)
    after = router_of(tools).route("Check the syntax.", Mode(plan_only=True))
    assert after.decision.selected[0].score > before.decision.selected[0].score


def test_an_act_is_noted_once_however_often_it_is_told(tools: Layout) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    for _ in range(3):
        desk.learn(wake, choice, DONE)
    assert len(events(tools)) == 2


def test_a_question_about_many_paths_is_one_phrasing(tools: Layout) -> None:
    desk = desk_of(tools)
    for number in range(5):
        place = f"src/m{number}.py"
        wake = wake_of(f"Check the syntax of {place}.", place, f"{number:032x}")
        desk.learn(wake, desk.choose(wake, ()), DONE)
    kinds = [each.event for each in events(tools)]
    assert kinds.count("executed") == 5 and kinds.count("accepted") == 1


def test_only_so_many_runs_are_noted_in_a_month_and_a_person_is_still_heard(
    tools: Layout,
) -> None:
    path = history_file((tools.root / SYNTAX).parent)
    for number in range(50):
        append_record(
            path,
            {
                "ts": "2025-10-20T12:00:00+04:00",
                "event": "executed",
                "name": "check_syntax",
                "hash": "sha256:ab",
                "route_id": f"wake-{number}",
            },
            sync=False,
        )
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    desk.learn(wake, choice, replace(DONE, accepted=None, status=Status.NOTHING))
    assert len(events(tools)) == 50
    desk.learn(wake, choice, replace(DONE, accepted=False))
    assert events(tools)[-1].event == "rejected"


def test_a_person_is_heard_after_a_restart_of_a_run_that_left_no_line(tools: Layout) -> None:
    wake = wake_of(QUESTION)
    choice = desk_of(tools).choose(wake, ())
    desk_of(tools).learn(wake, choice, replace(DONE, accepted=False, tool_run=UNSURE))
    desk_of(tools).learn(wake, choice, replace(DONE, accepted=True, status=Status.NOTHING))
    assert [each.event for each in events(tools)] == ["rejected", "accepted"]


def test_a_history_that_cannot_be_written_loses_no_act(tools: Layout) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    path = history_file((tools.root / SYNTAX).parent)
    path.symlink_to(tools.root / "elsewhere.jsonl")
    desk.learn(wake, choice, DONE)
    assert not (tools.root / "elsewhere.jsonl").exists()


def test_tools_that_cannot_be_read_leave_the_question_to_the_agent(tools: Layout) -> None:
    history_file((tools.root / SYNTAX).parent).mkdir()
    choice = desk_of(tools).choose(wake_of(QUESTION), ())
    assert choice.policy == "ask" and "cannot be read" in choice.sentence


def test_a_tool_that_broke_is_noted_and_ranks_lower_but_its_prompt_is_not_held_against_it(
    tools: Layout,
) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    broke = replace(DONE, status=Status.FAILED, useful=None, accepted=False)
    for number in range(2):
        desk.learn(replace(wake, id=f"{number:032x}"), choice, broke)
    assert [(each.event, each.intent) for each in events(tools)] == [("failed", None)] * 2
    after = desk.choose(wake, ()).option
    assert after is not None and choice.option is not None
    assert after.features["failures"] == 2.0 and after.score < choice.option.score


def test_a_trial_is_noted_as_the_router_notes_it(tools: Layout) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    tried = ToolRun(SYNTAX, "ab" * 32, Validation(ok=False, summary="ruff"), "namespace")
    invalid = ActOutcome(Status.INVALID, "no", None, None, False, 0.0, tried)
    desk.learn(wake, choice, invalid)
    assert [(each.event, each.signature) for each in events(tools)] == [("failed", None)]
    passed = replace(DONE, tool_run=replace(tried, validation=Validation(ok=True, summary="")))
    desk.learn(replace(wake, id="b" * 32), choice, passed)
    kinds = [each.event for each in events(tools)]
    assert kinds == ["failed", "validation_ok", "executed", "accepted"]


@pytest.mark.parametrize(
    "changed",
    [
        {"tool_run": UNSURE},
        {"accepted": None},
    ],
)
def test_a_prompt_is_kept_only_where_the_routers_rule_would_agree(
    tools: Layout, changed: dict[str, object]
) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    desk.learn(wake, desk.choose(wake, ()), replace(DONE, **changed))  # type: ignore[arg-type]
    assert [each.event for each in events(tools)] == ["executed"]


def test_what_a_person_says_later_is_kept_even_where_the_rule_would_not(tools: Layout) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    weak = replace(DONE, tool_run=UNSURE)
    desk.learn(wake, choice, weak)
    desk.learn(wake, choice, replace(weak, accepted=True))
    desk.learn(wake, choice, replace(weak, accepted=False))
    assert [each.event for each in events(tools)] == ["executed", "accepted", "rejected"]


def test_nothing_is_learned_of_what_was_not_run(tools: Layout) -> None:
    desk = desk_of(tools)
    wake = wake_of(QUESTION)
    choice = desk.choose(wake, ())
    for outcome in (
        ActOutcome(Status.DEFERRED, "not now"),
        ActOutcome(Status.NOTHING, "x.py is gone"),
        ActOutcome(Status.FAILED, "no sandbox"),
    ):
        desk.learn(wake, choice, outcome)
    asked = desk.choose(wake_of("Does it matter?"), ())
    desk.learn(wake, asked, ActOutcome(Status.ASKED, "asked", accepted=True))
    assert not events(tools)


@pytest.mark.parametrize("margin", [-0.1, 1.1, float("nan")])
def test_a_margin_outside_0_to_1_is_refused(tools: Layout, margin: float) -> None:
    with pytest.raises(InputError, match="margin must be from 0 to 1, got"):
        desk_of(tools, margin=margin)
