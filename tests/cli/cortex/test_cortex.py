"""`prefrontal cortex beliefs`, `history`, `show` and `status` on files that a cortex left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from prefrontal.cli import main
from prefrontal.cortex.state import CortexState

from ..refusals import refusal
from .cortex_samples import FARMING, MINUTE, Kept, belief, full_state, record

pytestmark = pytest.mark.usefixtures("kept")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["cortex", *words])


def said(*words: str) -> str:
    return refusal(run(*words))


@pytest.fixture
def full(kept: Kept, now: float) -> Kept:
    """Five beliefs, three cycles, one of them failed."""
    last = now - 12 * MINUTE
    kept.write(
        beliefs=[
            belief("npub-7x9k-reliable", 12 * MINUTE, now, source_cycle=9, peer_id="npub-7x9k"),
            belief("nearly-over", 115 * MINUTE, now, source_cycle=9),
            belief("unconfirmed", 60 * MINUTE, now, source_cycle=4),
            belief("says-so-itself", 30 * MINUTE, now, source_cycle=9, quarantined=True),
            belief("over", 121 * MINUTE, now, source_cycle=9),
            belief("house-rule", 9999 * MINUTE, now, source_cycle=0, pinned=True),
        ],
        history=[
            record(7, last - 7200, **FARMING),
            record(8, last - 3600, status="timeout", skip_reason="no reply within 60 s"),
            record(9, last, trigger="interaction_count", elapsed_seconds=75.0),
        ],
        state=CortexState(cycle=9, last_reflection_at=last),
    )
    return kept


@pytest.mark.usefixtures("full")
def test_the_header_of_beliefs_tells_the_last_reflection() -> None:
    lines = run("beliefs").stdout.splitlines()
    assert lines[0] == "Current Cortex Beliefs (last reflection: 12 min ago):"
    assert lines[1].split() == ["key", "value", "age", "status"]


@pytest.mark.usefixtures("full")
def test_each_belief_has_its_age_and_status_and_what_is_over_is_gone() -> None:
    lines = run("beliefs").stdout.splitlines()[2:]
    assert [(line.split()[0], line.split()[-1]) for line in lines] == [
        ("house-rule", "pinned"),
        ("npub-7x9k-reliable", "active"),
        ("unconfirmed", "stale"),
        ("nearly-over", "expiring"),
        ("says-so-itself", "quarantined"),
    ]
    assert "What is held of npub-7x9k-reliable.   12 min" in lines[1]


def test_a_belief_names_its_peer_where_the_key_does_not(kept: Kept, now: float) -> None:
    kept.write([belief("reliable", 0, now, peer_id="npub-7x9k")])
    assert "What is held of reliable. (npub-7x9k)" in run("beliefs").stdout


@pytest.mark.usefixtures("full")
def test_the_settings_say_when_a_belief_is_stale_and_pin_others(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text(
        "cortex: {belief_expiry_cycles: 6, pinned_beliefs: {of-the-file: Be kind.}}\n"
    )
    page = run("beliefs").stdout
    assert "stale" not in page
    assert next(line for line in page.splitlines() if "of-the-file" in line).endswith("pinned")


@pytest.mark.usefixtures("full")
def test_beliefs_are_told_as_json() -> None:
    told = json.loads(run("beliefs", "--json").stdout)
    first, second = told["beliefs"][:2]
    assert (first["key"], first["status"]) == ("house-rule", "pinned")
    assert (second["peer_id"], second["ttl_minutes"]) == ("npub-7x9k", 120.0)
    assert 12 * MINUTE <= second["age_seconds"] < 13 * MINUTE
    assert 12 * MINUTE <= told["now"] - told["last_reflection"] < 13 * MINUTE


def test_nothing_to_show_is_a_sentence(kept: Kept, now: float) -> None:
    for words in (["beliefs"], ["history"]):
        result = run(*words)
        assert result.exit_code == 0
        assert result.stdout.count("\n") == 1
        assert "reflected on yet" in result.stdout
    assert run("history", "--json").stdout == ""
    assert json.loads(run("beliefs", "--json").stdout)["beliefs"] == []
    assert not kept.workspace.exists()
    kept.write(history=[record(1, now - 12 * MINUTE)])
    sentence = "No belief is held at the moment (last reflection: 12 min ago).\n"
    assert run("beliefs").stdout == sentence


@pytest.mark.usefixtures("full")
def test_history_is_a_row_a_cycle_the_newest_first() -> None:
    header, *lines = run("history").stdout.splitlines()
    assert header.split() == [
        *("#", "started", "trigger", "took"),
        *("assessed", "beliefs", "directives", "summary"),
    ]
    assert [line.split()[0] for line in lines] == ["9", "8", "7"]
    assert lines[0].split()[3:6] == ["interaction_count", "1", "min"]
    assert lines[1].endswith("timeout: no reply within 60 s")
    assert lines[2].split()[3:9] == ["farming", "3.2", "s", "2", "1", "1"]
    assert lines[2].endswith("Summary of cycle 7.")


@pytest.mark.usefixtures("full")
def test_history_shows_as_many_as_are_asked_for() -> None:
    lines = run("history", "-n", "2", "--json").stdout.splitlines()
    assert [json.loads(line)["cycle"] for line in lines] == [9, 8]
    assert "-n must be a whole number above 0, got 0" in said("history", "-n", "0")


def test_history_shows_ten_by_default(kept: Kept, now: float) -> None:
    kept.write(history=[record(number, now) for number in range(1, 31)])
    lines = run("history").stdout.splitlines()[1:]
    assert [int(line.split()[0]) for line in lines] == list(range(30, 20, -1))


@pytest.mark.usefixtures("full")
def test_show_tells_everything_about_a_cycle() -> None:
    page = run("show", "7").stdout
    for part in (
        "Cycle 7: Summary of cycle 7.", "took 3.2 s", "farming (and timer)", "deep, m-large",
        "2,210 in, 380 out", "3 peers, 6 interactions", "Left out of the reply",
        "assessment 2: rationale must not be blank", "+ npub-farm1-caution", "- old-news",
        "= npub-7x9k-reliable", "~ house  was 'was so', is 'is so'",
        "npub-collab1: polite follow-up  queued", "message: Any update?",
    ):  # fmt: skip
        assert part in page, page


@pytest.mark.usefixtures("full")
def test_show_marks_what_the_clamp_held_back() -> None:
    lines = run("show", "7").stdout.splitlines()
    farm, regular, ghost = (
        next(line for line in lines if line.startswith(name))
        for name in ("npub-farm1", "npub-7x9k", "npub-ghost")
    )
    assert farm.split()[1:4] == ["+3", "-1", "0"]
    assert "limited: at most 3 a cycle. Five small requests" in farm
    assert regular.split()[1:4] == ["+3", "+4", "+4"]
    assert "limited" not in regular
    assert ghost.split()[1:4] == ["-", "+8", "+3"]
    assert "failed: unknown peer." in ghost


@pytest.mark.usefixtures("full")
def test_show_tells_why_a_cycle_came_to_nothing() -> None:
    assert run("show", "8").stdout.startswith("Cycle 8: timeout, no reply within 60 s\n")
    assert json.loads(run("show", "8", "--json").stdout)["status"] == "timeout"


def test_a_cycle_that_is_not_kept_is_told(kept: Kept, now: float) -> None:
    assert said("show", "3").endswith("got 3; none is kept yet\n")
    kept.write(history=[record(7, now), record(9, now)])
    assert said("show", "3").endswith("got 3; those kept are 7 to 9\n")


@pytest.mark.parametrize("key", ["cortex-beliefs", "cortex-history", "cortex-state"])
@pytest.mark.parametrize("text", ["{broken", "3", '"text"', "[" * 100_000])
def test_a_damaged_document_is_a_sentence_with_its_file(kept: Kept, key: str, text: str) -> None:
    kept.write()
    kept.text(key, text)
    for words in (["beliefs"], ["history"], ["status"], ["show", "1"]):
        assert f"{key}.md must be readable" in said(*words)


def test_one_damaged_entry_does_not_hide_the_others(kept: Kept, now: float) -> None:
    kept.write()
    kept.text("cortex-history", json.dumps([3, {"cycle": 2}, record(4, now).to_json()]))
    assert run("history").stdout.splitlines()[1].split()[0] == "4"


def evil_everything(now: float) -> dict[str, Any]:
    evil = "\x1b[2J\x07\u202e\nForged"
    names = ("trigger", "summary", "status", "model", "skip_reason")
    changes: dict[str, Any] = dict.fromkeys(names, evil)
    changes |= {"input_summary": evil, "triggers": (evil,), "dropped": (evil,)}
    changes |= {"beliefs_added": (evil,), "beliefs_revised": ({"key": evil, "old": evil},)}
    changes["assessments"] = ({"peer_id": evil, "rationale": evil, "outcome": evil, "why": evil},)
    changes["directives"] = ({"target_peer": evil, "action": evil, "message": evil},)
    return {"timestamp": now, **changes}


def test_nothing_that_is_kept_can_move_the_cursor_or_forge_a_line(kept: Kept, now: float) -> None:
    evil = "\x1b[2J\x07\u202e\nForged"
    state = full_state(now)
    state.directives = [{"id": evil, "target_peer": evil, "action": evil, "status": "pending"}]
    state.promises = {"k": {"peer_id": evil, "text": evil, "due": now}}
    state.thresholds, state.skips = {evil: evil}, {evil: 1}
    beliefs = [belief(evil, 0, now, value=evil, peer_id=evil)]
    kept.write(beliefs, [record(1, **evil_everything(now))], state)
    for words in (["beliefs"], ["history"], ["show", "1"], ["status"]):
        result = run(*words)
        assert result.exit_code == 0, result.output
        assert not any(character in result.stdout for character in "\x1b\x07\u202e"), words
        assert not any(line.startswith("Forged") for line in result.stdout.splitlines()), words


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("columns", [40, 72, 80, 100, 160])
@pytest.mark.parametrize("words", [["beliefs"], ["history"], ["show", "7"], ["status"]])
def test_in_a_terminal_no_line_is_wider_than_it(
    words: list[str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", str(columns)), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    output = run(*words).stdout
    assert "\x1b[" in output
    lines = [click.unstyle(line).rstrip() for line in output.splitlines()]
    assert max(map(cell_len, lines)) <= columns, "\n".join(lines)


@pytest.mark.usefixtures("full")
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("NO_COLOR", "1"), ("FORCE_COLOR", "1"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    assert "\x1b[3" not in run("beliefs").stdout


def test_unknown_root_keys_are_told(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("cortx: {}\n")
    assert "got 'cortx' (did you mean 'cortex'?)" in said("beliefs")
