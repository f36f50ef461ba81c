"""The terminal shows the same in 80 columns, in colour, in a pipe, and in plain ASCII."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from prefrontal.replay.report.table import print_brief, print_comparison, print_many, print_result
from prefrontal.replay.report.wording import percent
from prefrontal.replay.result import ReplayResult

from .. import made_histories
from ..sample_results import (
    empty_result,
    hostile_result,
    nothing_relevant,
    perfect_result,
    sample_result,
    straight_result,
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
@pytest.mark.parametrize("width", [32, 40, 60, 80, 120])
def test_no_line_is_too_wide_or_ends_in_spaces(name: str, width: int) -> None:
    for line in shown(EVERY[name], width).splitlines():
        assert len(line) <= width or line.lstrip().startswith("prefrontal ")  # to be copied whole
        assert line == line.rstrip()


@pytest.mark.parametrize("width", [32, 40, 60])
def test_a_narrow_screen_has_every_name_and_figure_of_the_table(width: int) -> None:
    text = " ".join(shown(sample_result(), width).split())
    assert "Learned gate Caught 89.2 %; Wake-ups one every 1.5 days; Spared 48 %;" in text
    for name in ("Every change", "Heartbeat, 30 min", "Best one-line rule", "By chance"):
        assert f"{name} Caught" in text


def test_the_verdict_comes_first_then_what_the_gate_adds_then_the_policies() -> None:
    text = " ".join(shown(sample_result()).split())
    assert text.startswith(
        "✔ Worth it: the gate caught 89.2 % of what mattered, within 2 points of the 90 % asked, "
        "and spared nearly half the wake-ups. "
        "Against every change 48 % fewer wake-ups: one every 1.5 days, not 1.1 a day "
    )
    for words in (
        "Against a heartbeat 84× fewer wake-ups; asks at once, not 15 min later",
        "Money $5.20 a month, not $10.04 (heartbeat: $435, cheap: $13.91)",
        "pytest: 3,183 windows over 2,500 days, after 795 to warm up. 802 (25 %) mattered",
        "Policy Caught Wake-ups Spared Delay A month Learned gate 89.2 % one every 1.5 days 48 %",
        "Heartbeat, 30 min 100.0 % 48 a day 43× as many 15–27 min $435",
        "Cheap one, 55 min 100.0 % 18 a day 16× as many 0.6–6 h $13.91",
        "The one-line rule: path src/**/*.py or text ^(Fix|Deprecate)",
        "Missed (87, the worst 3):",
        "Woke for nothing (719, the worst 3):",
        "AUC 0.912 (0.5 is chance, 1 is perfect order).",
        "Money: 100,675 tokens a wake-up at $3 a million",
    ):
        assert words in text
    assert f"{sample_result().misses[0].key[:10]} src/_pytest/config.py" in text
    assert text.split("Try next:")[1].split("See what")[0].endswith(": prefrontal adopt ")


@pytest.mark.parametrize(
    ("result", "first", "colour", "command"),
    [
        (made_histories.kept(), "✔ Worth it: ", "\x1b[1;32m", "prefrontal adopt\n"),
        (made_histories.missed(), "✘ Promise not kept: ", "\x1b[1;31m", "--recall 0.95"),
        (made_histories.by_lot(), "≈ Not worth it: nothing here tells", "\x1b[1;33m", "--relevant"),
        (made_histories.without_labels(), "? Nothing to measure: ", "\x1b[1;36m", "--relevant"),
        (made_histories.tiny(), "? Too early to tell: ", "\x1b[1;36m", "--sample"),
    ],
    ids=["kept", "missed", "by lot", "without labels", "tiny"],
)
def test_words_carry_the_verdict_and_colour_goes_with_them(
    result: ReplayResult, first: str, colour: str, command: str
) -> None:
    plain = shown(result)
    assert " ".join(plain.split()).startswith(first)
    assert colour in shown(result, colour=True).splitlines()[0]
    end = plain.split("Try next:")[1]
    assert command in end
    assert end.count("    prefrontal ") == 2


def test_what_the_gate_adds_is_wrapped_in_a_column_of_its_own() -> None:
    rare = replace(sample_result(), wakes_per_day=1 / 6)
    policies = tuple(
        replace(each, wakes_per_day=1 / 1.5) if each.name == "on_change" else each
        for each in rare.policies
    )
    lines = shown(replace(rare, policies=policies)).splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("  Against every change"))
    assert lines[at].endswith("one every 6 days, not one every 1.5")
    assert lines[at + 1] == " " * 24 + "days"


def test_no_color_takes_the_colours_and_leaves_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = shown(sample_result(), colour=True)
    assert "Worth it" in text
    assert not re.search(r"\x1b\[[\d;]*3\dm", text)


def test_commands_to_try_are_whole_lines_that_name_what_was_replayed() -> None:
    target = io.StringIO()
    place = "/home/some body/a-rather-long-path/to-some/other-project/that-does-not-fit"
    print_result(made_histories.missed(), Console(file=target, width=80), place)
    assert f"    prefrontal replay --git '{place}' --recall 0.95\n" in target.getvalue()


def test_reasons_are_words() -> None:
    text = " ".join(shown(made_histories.kept()).split())
    assert "it does not fit the rule −" in text
    assert re.search(r"one file only|\d files|on a \w+day|in a name", text)
    assert "count=" not in text
    assert "bias" not in text


def test_the_base_rate_is_no_rule() -> None:
    text = shown(made_histories.by_lot())
    assert "No one-line rule beats chance here." in text
    assert "**" not in text
    assert "Best one-line rule" not in text


def test_a_strip_of_one_window_says_so() -> None:
    result = tiny_result()
    text = shown(replace(result, strip=result.strip[-1:]))
    assert "The last window:" in text


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


def test_a_replay_without_windows_says_so_and_what_to_try() -> None:
    text = shown(empty_result())
    assert text.startswith("? Nothing to measure: no window was left after the warm-up.")
    assert "pytest: all 22 windows went into the warm-up." in text
    assert "Policy" not in text


def test_of_less_than_a_day_without_labels_no_rates_are_made_up() -> None:
    hours = replace(nothing_relevant(), days=0.2)
    assert "A month" not in shown(hours)
    assert "90 windows over 5 hours, after" in shown(hours)
    assert "A month" in shown(nothing_relevant())


def test_nothing_missed_and_nothing_wasted_are_not_listed() -> None:
    for result in (perfect_result(), tiny_result()):
        text = shown(result)
        assert "Missed" not in text
        assert "Woke for nothing (" not in text
        assert f"The last {len(result.strip)} windows" in text


def test_a_curve_of_two_points_is_drawn_as_a_ramp() -> None:
    line = next(
        each for each in shown(straight_result()).splitlines() if each.startswith("Caught, by")
    )
    bars = line.split("0 % ")[1].split(" ")[0]
    assert bars == "".join(sorted(bars))
    assert (bars[0], bars[-1]) == ("▁", "█")


def test_several_replays_have_a_row_each_and_a_verdict_each() -> None:
    target = io.StringIO()
    results = [sample_result(), made_histories.missed(), nothing_relevant()]
    print_many(results, Console(file=target, width=80))
    lines = target.getvalue().splitlines()
    assert lines[0].split()[:3] == ["History", "Mattered", "Caught"]
    assert (
        " ".join(lines[1].split())
        == "pytest 802 of 3,183 89.2 % 90 % one every 1.5 days 48 % $5.20"
    )
    missed = made_histories.missed()
    assert lines[2].split()[:6] == [
        "missed",
        f"{missed.relevant}",
        "of",
        f"{missed.windows}",
        *percent(missed.got_recall, 1).split(),
    ]
    assert "–" in lines[3]
    text = " ".join(target.getvalue().split())
    for words in ("pytest: ✔ Worth it: ", "missed: ✘ Promise not kept: ",
                  "pytest (2): ? Nothing to measure: "):  # fmt: skip
        assert words in text
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


@pytest.mark.parametrize("name", EVERY)
def test_a_brief_page_is_the_whole_one_without_lists_and_notes(name: str) -> None:
    target = io.StringIO()
    print_brief(EVERY[name], Console(file=target, width=80))
    whole, brief = shown(EVERY[name]).splitlines(), target.getvalue().splitlines()
    assert brief[0] == whole[0]
    assert set(brief) <= set(whole)
    assert len(brief) <= 32
    assert not any(line.startswith(("Missed (", "Note:", "AUC")) for line in brief)
