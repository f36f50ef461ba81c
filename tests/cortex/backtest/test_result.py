"""A backtest as figures, JSON, a page and a picture."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.console import Console

from prefrontal.assembly.trust_backtest import backtest_trust, sweep_trust
from prefrontal.cortex.backtest.picture import render_png
from prefrontal.cortex.backtest.replay import BacktestOptions
from prefrontal.cortex.backtest.sweep import print_sweep
from prefrontal.cortex.backtest.table import headline, print_backtest, rows, setting

from .streams import PLAIN, merged, stream

STREAM = merged(
    stream("turned", [1] * 6 + [-10] * 4, every_s=3600.0),
    stream("good", [2] * 12),
    stream("bad", [-10] * 3),
)
LABELS = {"turned": -1, "bad": -1, "good": 1, "r3": 1}


def test_one_of_a_thing_is_told_as_one() -> None:
    once = backtest_trust(stream("good", [2]), {}, BacktestOptions(**{**PLAIN, "batch": 1}))
    assert headline(once) == "1 cycle on 1 rating; nobody turned"
    assert setting(once).startswith("1 rating of 1 peer, ")
    late = backtest_trust(STREAM, LABELS, BacktestOptions(**{**PLAIN, "batch": 1}))
    assert headline(late) == "1 of 1 turncoat was noticed, within 2 cycles as a rule"
    late = replace(late, turncoats=replace(late.turncoats, cycles=1.0, days=1.0))
    assert headline(late) == "1 of 1 turncoat was noticed, within 1 cycle as a rule"
    assert ("  until trust is -3, median", "1 cycle, 1 day") in rows(late)


def test_the_json_holds_every_figure_and_every_peers_trust_and_trajectory() -> None:
    result = backtest_trust(STREAM, LABELS, BacktestOptions(batch=1, **PLAIN))
    told = json.loads(json.dumps(result.to_json()))
    assert told["trust"] == {"turned": -10, "good": 2, "bad": -9}
    steps = told["trajectories"]["turned"]
    assert [step["trust"] for step in steps] == [1, 1, 1, 1, 1, 1, -2, -5, -8, -10]
    assert steps[-1] == {
        "time": 32400.0, "ratings": 10, "proposed": -10, "trust": -10,
        "triggers": ["interaction_count"],
    }  # fmt: skip
    assert told["separation"]["value"] == 1.0
    assert told["turncoats"] == {"peers": 1, "missed": 0, "cycles": 2, "days": 1 / 24}
    assert told["untrusted"]["frauds"] == 2
    assert told["cycles"] == len(STREAM)
    assert set(told["first"]) == {"1", "2", "3", "5", "10"}


def page(of: object, width: int = 100) -> str:
    console = Console(width=width, record=True, file=None, quiet=False, force_terminal=False)
    with console.capture() as caught:
        of(console)  # type: ignore[operator]
    return caught.get()


def test_the_page_tells_the_turncoats_first_and_how_it_was_replayed() -> None:
    result = backtest_trust(
        STREAM, LABELS, BacktestOptions(**{**PLAIN, "timer": True, "farming": True})
    )
    told = page(lambda console: print_backtest(result, console))
    assert told.startswith("1 of 1 turncoat was noticed, within 2 cycles as a rule\n")
    assert "25 ratings of 3 peers, clamp 3, at most 9 an hour, policy plain" in told
    assert "a cycle every 5 ratings, or 30 minutes, or when farming is suspected" in " ".join(
        told.split()
    )
    assert "turncoats never distrusted" in told
    assert "0 of 1" in told


def test_without_labels_the_page_has_what_needs_none() -> None:
    result = backtest_trust(STREAM, {}, BacktestOptions())
    told = page(lambda console: print_backtest(result, console), width=60)
    assert "needs labels of both kinds" in told
    assert "one lie about" not in told
    assert (result.lies, result.false_alarms, result.untrusted) == (None, None, None)


def test_a_stream_in_which_nobody_turned_says_so() -> None:
    result = backtest_trust(stream("a", [1]), {}, BacktestOptions())
    told = page(lambda console: print_backtest(result, console))
    assert told.startswith("1 cycle on 1 rating; nobody turned")


@pytest.mark.exhaustive
def test_a_sweep_has_a_row_for_each_clamp_and_each_policy() -> None:
    rows = sweep_trust(STREAM, LABELS, BacktestOptions(**PLAIN))
    assert [(row.clamp, row.policy) for row in rows] == [
        (1, "plain"), (2, "plain"), (3, "plain"), (5, "plain"), (20, "plain"),
        (3, "confirm"), (3, "asymmetric"), (3, "corroborate"),
    ]  # fmt: skip
    assert [row.cycles for row in rows[:5]] == [4, 2, 2, 1, 1]
    told = page(lambda console: print_sweep(rows, console))
    assert "corroborate" in told
    assert "none" in told


@pytest.mark.exhaustive
def test_the_picture_is_a_png_of_1200_by_900(tmp_path: object) -> None:
    pytest.importorskip("matplotlib")
    for labels in (LABELS, {}):
        result = backtest_trust(STREAM, labels, BacktestOptions(batch=1, **PLAIN))
        picture = render_png(result, labels)
        assert picture.startswith(b"\x89PNG")
        size = int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
        assert size == (1200, 900)
