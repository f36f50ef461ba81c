"""The cards of a gate so far say what is known, what is negative, and what needs more time."""

from __future__ import annotations

from prefrontal.replay.delays import DelaySpan
from prefrontal.replay.live_figures import CaughtShare, LiveFigures
from prefrontal.replay.report.tiles import Tile, live_lines, live_tiles, tile_markup


def made(hours: float = 240.0, signals: int = 4310, wakes: int = 123) -> LiveFigures:
    caught = CaughtShare(0.912, 0.841, 0.961, 41)
    return LiveFigures(
        0.0, hours * 3600, signals, wakes, 14, 100, 62, caught, (), 100_000, 3.0,
        delay_s=DelaySpan(0.0, 150.0),
    )  # fmt: skip


def test_what_a_gate_did_is_said_in_ten_lines() -> None:
    assert live_lines(made()) == [
        "91 % of what mattered was caught: 84 % to 96 % likely, estimated from 41 audits",
        "123 wake-ups so far: of 4,310 signals in 10 days; 14 audits among them",
        "62 % of the answered ones mattered: 100 of 123 were answered",
        "at once from a signal to its question (median): 90th percentile: 3 min",
        "97 % fewer wake-ups than waking on every signal: 12 a day, not 431 a day",
        "3.9× fewer wake-ups than a 30-minute heartbeat: 48 a day there",
        "1.5× fewer wake-ups than a cheap heartbeat: each 55 minutes of 16 hours, a small model:"
        " $54.00 a month",
        "$111 a month at $3.00 a million tokens: not $3,879 (heartbeat: $432, cheap: $54.00)",
        "419 million tokens saved against waking on every signal: 100,000 tokens a wake-up",
        "35.7 million tokens saved against a heartbeat: 100,000 tokens a wake-up",
    ]


def test_more_wake_ups_than_without_a_gate_are_shown_as_more() -> None:
    lines = live_lines(made(signals=100, wakes=1000))
    assert "900 % more wake-ups than waking on every signal: 100 a day, not 10 a day" in lines
    assert "2.1× more wake-ups than a 30-minute heartbeat: 48 a day there" in lines
    assert [line.partition(" million tokens saved")[0] for line in lines[-2:]] == ["−90.0", "−52.0"]


def test_before_six_hours_no_rate_is_said_and_why_it_is_said_once() -> None:
    assert live_lines(made(hours=5, signals=10, wakes=30))[3:] == [
        "at once from a signal to its question (median): 90th percentile: 3 min",
        "−20 wake-ups saved against waking on every signal",
        "−2.00 million tokens saved against waking on every signal: 100,000 tokens a wake-up",
        "By the month and against heartbeats: a rate needs 6 hours of data; 5 hours so far",
    ]
    one = live_lines(made(hours=5, signals=31, wakes=30))
    assert one[4] == "1 wake-up saved against waking on every signal"


def test_each_card_says_what_its_rate_needs() -> None:
    needs = "a rate needs 6 hours of data; 5 hours so far"
    tiles = {each.key: each for each in live_tiles(made(hours=5, signals=10, wakes=30))}
    assert tiles["every"].more == f"−20 wake-ups saved; {needs}"
    assert [tiles[key].more for key in ("heartbeat", "month", "tokens-heartbeat")] == [needs] * 3


def test_what_is_not_known_is_a_dash_with_what_is_missing() -> None:
    lines = live_lines(LiveFigures(None, None, 0, 0, 0, 0, 0, None, (), 100_000, 3.0))
    assert lines[0] == (
        "– of what mattered was caught: known once a wake-up and an audit were answered"
    )
    assert lines[3] == ("– from a signal to its question (median): known once something was asked")
    assert lines[2] == "– of the answered ones mattered: 0 of 0 were answered"


def test_a_card_is_escaped_and_its_figure_is_not_broken() -> None:
    assert tile_markup(Tile("x", "3 of 4", "<b>", "1 %"), "figure-x") == (
        '<div id="figure-x" class="figure"><dt>&lt;b&gt;</dt> '
        '<dd>3\u00a0of\u00a04</dd> <dd class="more">1\u00a0%</dd></div>'
    )
