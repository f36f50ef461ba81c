"""The story of examples/alpha.py comes out as its source tells it."""

from __future__ import annotations

import re
import time
from pathlib import Path
from runpy import run_path

import pytest

PROGRAM = Path(__file__).parents[2] / "examples" / "alpha.py"


@pytest.fixture(scope="module")
def scenes() -> list[str]:
    """What each scene prints."""
    import io
    from contextlib import redirect_stdout

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        patch.setenv("TZ", "UTC")
        for name in ("FORCE_COLOR", "COLUMNS", "PREFRONTAL_HOME"):
            patch.delenv(name, raising=False)
        time.tzset()
        try:
            run_path(str(PROGRAM))["main"]()
        finally:
            patch.undo()
            time.tzset()
    return re.split(r"\n=== .* ===\n", printed.getvalue())[1:]


def test_before_the_cortex_the_model_judges_in_passing(scenes: list[str]) -> None:
    assert "47 messages of 12 peers, judged in passing." in scenes[0]
    assert "+1 → +2 → +2 → +3 → +3" in scenes[0]


def test_an_inner_voice_takes_over_and_is_heard_in_the_next_answer(scenes: list[str]) -> None:
    page = scenes[1]
    assert "1 call of its model instead of 2" in page
    assert "Current Cortex Beliefs (last reflection: 12 min ago):" in page
    shown = next(line for line in page.splitlines() if line.startswith("npub-7x9k-reliable"))
    assert shown.split()[-3:] == ["12", "min", "active"]
    prompt = page.partition("## Cortex Beliefs")[2]
    assert "- npub-7x9k-reliable (npub-7x9k): Keeps its word over time" in prompt


def test_farming_is_caught_and_the_clamp_lets_trust_fall_in_two_steps(scenes: list[str]) -> None:
    page = scenes[2]
    assert "Looking back: npub-farm1 at 3, proposed -1, kept 0 (recorded)." in page
    assert "After one more message: npub-farm1 at 0, proposed -1, kept -1 (recorded)." in page
    assert re.search(r"npub-farm1-caution +May be farming reputation: .* active", page)


def test_the_operator_sees_what_was_proposed_and_why(scenes: list[str]) -> None:
    page = scenes[3]
    farm = next(line for line in page.splitlines() if line.startswith("npub-farm1 "))
    assert farm.split()[1:5] == ["+3", "-1", "0", "limited:"]
    inline = "Friendly, quick, all done."
    assert inline in scenes[0]
    assert len(farm) > 3 * len(inline)
    for part in ("6 interactions over 15 days", "info 4/10", "2026-03-24", "29 times as large"):
        assert part in farm


def test_nothing_is_spent_while_nothing_happens(scenes: list[str]) -> None:
    assert "Four hours without a message: 0 reflections." in scenes[3]


def test_a_model_that_overreacts_moves_nothing_without_new_evidence(scenes: list[str]) -> None:
    assert "npub-farm1 at -1, proposed -9, kept -1 (unchanged)." in scenes[3]


def test_changed_settings_are_taken_up_without_a_restart(scenes: list[str]) -> None:
    assert re.search(r"schedule_minutes +30 ", scenes[3])
    triggers = [line.split()[3] for line in scenes[4].splitlines() if re.match(r"\d+  2026", line)]
    assert "new_peer" in triggers  # it was no trigger before
    assert "promise_timeout" in triggers


def test_an_overdue_promise_leads_to_a_polite_question_before_a_verdict(scenes: list[str]) -> None:
    page = scenes[4]
    said = re.search(r"Alpha, of its own accord, to npub-collab1: (.+)", page)
    assert said is not None, page
    assert page.count(said[1]) == 2  # once told, once in the ledger
    row = next(line for line in page.splitlines() if " promise_timeout " in line)
    assert re.search(r"  1  +\S", row)  # one directive
    trust = next(line for line in page.splitlines() if line.startswith("trust "))
    assert "-" not in trust
