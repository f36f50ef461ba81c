"""The commands to try next fit what was lacking and what was replayed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from prefrontal.cli.replay.adopt import adopt
from prefrontal.cli.replay.replay import replay
from prefrontal.replay.presets.kinds import REPAIRS
from prefrontal.replay.report.next_steps import next_steps
from prefrontal.replay.result import ReplayResult

from .. import made_histories
from ..sample_results import empty_result, nothing_relevant

SAMPLE = "prefrontal replay --sample"
MORE = "prefrontal replay --git ~/longer-project"
FIX = "--relevant 'message:(?i)fix'"


def commands(result: ReplayResult, place: str = "") -> list[str]:
    return [each.command for each in next_steps(result, place)]


def test_a_gate_that_is_worth_it_is_switched_on() -> None:
    kept = replace(made_histories.kept(), origin="git")
    report = "prefrontal replay --report replay.html"
    assert commands(kept) == ["prefrontal adopt", report]
    assert commands(kept, "/a b")[0] == "prefrontal adopt --git '/a b'"
    meant = next_steps(replace(kept, asked_recall=0.8), "/src/replay", "path:news/**")
    assert meant[0].command == (
        "prefrontal adopt --git /src/replay --relevant 'path:news/**' --recall 0.8"
    )
    events = replace(kept, origin="events")
    assert commands(events, "w.jsonl")[0] == "prefrontal adopt --events w.jsonl"
    sessions = replace(kept, origin="sessions")
    assert commands(sessions, "~/.openclaw")[0] == "prefrontal adopt '~/.openclaw'"
    assert commands(replace(kept, origin="sample")) == ["prefrontal replay"]


def test_a_report_that_was_asked_for_is_not_offered() -> None:
    kept = replace(made_histories.kept(), origin="git")
    assert [each.command for each in next_steps(kept, has_report=True)] == ["prefrontal adopt"]
    [more] = next_steps(made_histories.missed(), "/src/it", has_report=True)
    assert more.command == "prefrontal replay --git /src/it --recall 0.95"


def test_a_shallow_clone_is_completed_first() -> None:
    note = "shallow clone: history before 2026-11-24 is not here; to get it, run: git"
    cut = replace(made_histories.tiny(), origin="git", notes=(note,))
    assert commands(cut) == ["git fetch --unshallow", SAMPLE]
    assert commands(cut, "/a b")[0] == "git -C '/a b' fetch --unshallow"


@pytest.mark.parametrize("result", [empty_result(), made_histories.tiny(), made_histories.young()])
def test_too_little_asks_for_more_of_it(result: ReplayResult) -> None:
    assert commands(replace(result, origin="git")) == [MORE, SAMPLE]
    assert commands(replace(result, origin="sessions"))[0] == "prefrontal replay ~/.claude"


def test_without_labels_another_meaning_is_tried() -> None:
    result = made_histories.without_labels()
    assert commands(result) == ["prefrontal replay --relevant followup", SAMPLE]
    by_path = replace(result, preset="path:changes/*")
    assert commands(by_path) == [f"prefrontal replay {FIX}", SAMPLE]
    recorded = replace(result, preset="recorded", origin="events")
    assert commands(recorded, "a b.jsonl")[0] == f"prefrontal replay --events 'a b.jsonl' {FIX}"
    by_text = replace(recorded, preset="message:x")
    assert commands(by_text)[0] == "prefrontal replay --events FILE --relevant recorded"
    sample = replace(result, origin="sample")
    assert commands(sample)[0] == "prefrontal replay"
    turns = replace(result, origin="sessions")
    assert commands(turns)[0] == "prefrontal replay ~/.claude --relevant noop"


def test_where_every_meaning_was_looked_for_in_vain_a_person_is_asked_live() -> None:
    nothing = made_histories.without_labels()
    assert nothing.relevant == 0
    result = replace(nothing, origin="git", preset=f"message:{REPAIRS}")
    assert commands(result) == ["prefrontal init", SAMPLE]
    assert commands(result, "/a b") == ["prefrontal init '/a b'", SAMPLE]


def test_a_promise_not_kept_asks_for_more_than_is_needed() -> None:
    first, second = commands(made_histories.missed(), "/src/it")
    assert first == "prefrontal replay --git /src/it --recall 0.95"
    assert second == "prefrontal replay --git /src/it --report replay.html"
    meant = [each.command for each in next_steps(made_histories.missed(), "", "message:a b")]
    assert meant[0] == "prefrontal replay --relevant 'message:a b' --recall 0.95"
    asked = replace(made_histories.missed(), asked_recall=0.97)
    assert commands(asked)[0].endswith("--recall 0.99")


def test_a_gate_worth_little_asks_for_less() -> None:
    result = replace(made_histories.kept(), share_woken=0.85)
    result = replace(result, wakes_per_day=result.wakes_per_day * 0.85 / 0.506)
    assert commands(result)[0] == "prefrontal replay --recall 0.8"


def test_a_result_of_an_older_file_is_taken_by_its_preset() -> None:
    old = replace(nothing_relevant(), windows=400, preset="recorded")
    assert commands(old)[0].startswith("prefrontal replay --events FILE ")
    assert commands(replace(old, preset="noop"))[0].startswith("prefrontal replay ~/.claude ")


def test_the_options_that_are_named_exist() -> None:
    text = CliRunner().invoke(replay, ["--help"], terminal_width=200).output
    for option in ("--git", "--events", "--relevant", "--recall", "--report"):
        assert option in text
    text = CliRunner().invoke(adopt, ["--help"], terminal_width=200).output
    for option in ("--git", "--events", "--relevant", "--recall", "[PATH]"):
        assert option in text
