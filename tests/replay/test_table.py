"""The terminal shows the same in 80 columns, in colour, in a pipe, and in plain ASCII."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from prefrontal.replay.result import ReplayResult
from prefrontal.replay.table import print_comparison, print_many, print_result

from .sample_results import (
    empty_result,
    hostile_result,
    nothing_relevant,
    sample_result,
    tiny_result,
)

EVERY = {
    "full": sample_result(),
    "hostile": hostile_result(),
    "none": nothing_relevant(),
    "tiny": tiny_result(),
    "empty": empty_result(),
}


def shown(result: ReplayResult, width: int = 80, colour: bool = False) -> str:
    target = io.StringIO()
    print_result(result, Console(file=target, width=width, force_terminal=colour))
    return target.getvalue()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_too_wide_or_ends_in_spaces(name: str, width: int) -> None:
    for line in shown(EVERY[name], width).splitlines():
        assert len(line) <= width
        assert line == line.rstrip()


def test_the_first_screen_says_what_was_measured_and_promised() -> None:
    text = " ".join(shown(sample_result()).split())
    assert text.startswith("pytest: 3,183 windows over 2,500 days, 802 (25 %) mattered")
    assert "0.57 wake-ups a day caught 89 % of what mattered: 84× fewer" in text
    assert "Asked to catch 0.90, got 0.892 (90 % interval 0.871 to 0.911)." in text
    assert "Learned gate 89.2 % 0.57 45.1 % 49.9 % 202,000" in text
    assert "The one-line rule: path src/**/*.py or text ^(Fix|Deprecate)" in text
    assert "Missed (87, the worst 5):" in text
    assert "Woke for nothing (719, the worst 3):" in text
    assert "dir doc/en −0.62" in text
    assert f"{sample_result().misses[0].key[:10]} src/_pytest/config.py" in text


def test_the_strip_has_a_sign_for_each_of_the_last_windows() -> None:
    result = sample_result()
    lines = shown(result).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("The last 120"))
    strip = "".join(line.strip() for line in lines[first + 1 : first + 3])
    signs = {"caught": "●", "wasted": "○", "slept": "·", "missed": "✗"}
    assert strip == "".join(signs[each.kind] for each in result.strip)


def test_in_a_pipe_there_is_no_colour_and_on_a_terminal_there_is() -> None:
    assert "\x1b" not in shown(sample_result())
    assert "\x1b[" in shown(sample_result(), colour=True)


def test_hostile_text_neither_steers_the_terminal_nor_becomes_markup() -> None:
    text = shown(hostile_result())
    assert not set(text) & {"\x1b", "\u202e", "\u2028", "\ud800"}
    assert "[red]" in text
    assert "</script>" in text


@pytest.mark.parametrize("name", EVERY)
def test_a_terminal_that_knows_only_ascii_gets_only_ascii(name: str) -> None:
    raw = io.BytesIO()
    target = io.TextIOWrapper(raw, encoding="ascii")
    print_result(EVERY[name], Console(file=target, width=80))
    target.flush()
    assert raw.getvalue().isascii()


def test_a_replay_without_windows_ends_after_the_promise() -> None:
    text = shown(empty_result())
    assert "no windows left after" in text
    assert "Policy" not in text


def test_nothing_missed_and_nothing_wasted_are_not_listed() -> None:
    text = shown(tiny_result())
    assert "Missed" not in text
    assert "Woke for nothing (" not in text
    assert "The last 5 windows" in text


def test_a_curve_of_two_points_is_drawn_as_a_ramp() -> None:
    line = next(each for each in shown(tiny_result()).splitlines() if each.startswith("Caught, by"))
    bars = line.split("0 % ")[1].split(" ")[0]
    assert bars == "".join(sorted(bars))
    assert (bars[0], bars[-1]) == ("▁", "█")


def test_several_replays_have_a_row_each_and_a_promise_each() -> None:
    target = io.StringIO()
    results = [sample_result(), tiny_result(), nothing_relevant()]
    print_many(results, Console(file=target, width=80))
    lines = target.getvalue().splitlines()
    assert "pytest  " in lines[2]
    assert lines[2].split()[1:] == ["802", "of", "3,183", "89.2", "%", "0.57", "84×", "48", "%",
                                    "202,000"]  # fmt: skip
    assert "6 % more" in lines[3]
    assert "–" in lines[4]
    assert sum("Asked to catch" in line for line in lines) == 3
    assert all(len(line) <= 80 for line in lines)


def test_a_comparison_says_which_is_better_and_lists_the_changes() -> None:
    base = sample_result()
    better = replace(base, got_recall=0.932, wakes_per_day=base.wakes_per_day * 0.9, missed=55)
    target = io.StringIO()
    print_comparison(base, better, Console(file=target, width=80))
    text = " ".join(target.getvalue().split())
    assert text.startswith(
        "The second catches 4.0 points more of what mattered and wakes 10 % less."
    )
    assert "First: pytest. Second: pytest (2)." in text
    assert "caught 89.2 % 93.2 % +4.0 points" in text
    assert "wake-ups a day 0.57 0.52 −10.0 %" in text
    assert "missed 87 55 −32" in text
    assert "AUC 0.912 0.912 same" in text


def test_hostile_results_are_compared_without_harm() -> None:
    target = io.StringIO()
    print_comparison(hostile_result(), sample_result(), Console(file=target, width=80))
    assert "\x1b" not in target.getvalue()
    assert "They mean different things by relevant" in target.getvalue()
