"""Counting as the log grows gives what counting it anew gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from prefrontal.decisions.log import DecisionLog, NewLabel
from prefrontal.decisions.pages import DecisionPages, LogRow
from prefrontal.decisions.payloads import FoldedWindow, Moment, WakePayload
from prefrontal.web.part_today import figures
from prefrontal.web.tallies import STRIP, Tallies, day_of, outcome

from .dash_samples import NOON, decision, wake


def read(log: DecisionLog, now: float = NOON) -> tuple[DecisionPages, Tallies]:
    pages = DecisionPages(log.path)
    return pages, Tallies(pages, now)


def facts(tallies: Tallies) -> object:
    """Everything that a page shows of them."""
    return (
        {name: (+each.today, each.threshold) for name, each in tallies.modules.items()},
        +tallies.today, list(tallies.strip), list(tallies.unanswered), tallies.last,
        tallies.figures(), tallies.seq, tallies.label,
    )  # fmt: skip


def test_keeping_up_counts_the_same_as_counting_anew(tmp_path: Path) -> None:
    draw = Random(5)
    with DecisionLog(tmp_path / "log") as log:
        pages, tallies = read(log)
        kept = []
        for turn in range(60):
            reason = draw.choice(["woke", "woke", "audit", "below_threshold", "cooldown"])
            time = NOON + draw.uniform(-2 * 86_400, 80_000)
            module = draw.choice("ab")
            moment = Moment(turn + 1, time, 0.0, 0, 0) if turn % 5 else None
            payload = WakePayload(f"run{turn // 20}", moment)
            record = wake(time, module, draw.random(), reason, payload=payload)
            log.append(record)
            kept.append(record.id)
            for _ in range(draw.randrange(3)):
                source = draw.choice(["user", "user", "preset"])
                log.add_label(draw.choice(kept), draw.choice([0.0, 1.0]), NOON, source)
            if turn % 7 == 0:
                log.append(decision("route", "tool", time))
                tallies.take(pages, NOON)
        tallies.take(pages, NOON)
        other_pages, anew = read(log)
        anew.strip = type(anew.strip)(sorted(anew.strip, key=lambda row: row.seq), maxlen=STRIP)
        assert facts(tallies) == facts(anew)
        pages.close()
        other_pages.close()


@pytest.mark.parametrize(
    ("reason", "label", "expected"),
    [
        ("woke", None, "woke"),
        ("woke", 1.0, "caught"),
        ("woke", 0.0, "wasted"),
        ("audit", None, "audit"),
        ("audit", 1.0, "missed"),
        ("audit", 0.0, "slept"),
        ("below_threshold", None, "slept"),
        ("below_threshold", 1.0, "missed"),
        ("cooldown", None, "held"),
        ("quiet_hours", 1.0, "missed"),
    ],
)
def test_an_event_ends_in_one_of_seven_ways(
    reason: str, label: float | None, expected: str
) -> None:
    row = LogRow(1, "x", NOON, "wake", "m", True, reason, 0.5, 0.5, True, 1.0, label)
    assert outcome(row) == expected


def test_what_a_later_question_tells_of_is_held_back_and_not_missed() -> None:
    row = LogRow(
        1, "x", NOON, "wake", "m", False, "cooldown", 0.5, 0.5, False, 1.0, 1.0, is_told=True
    )
    assert outcome(row) == "held"


def test_what_a_question_tells_of_did_not_sleep_and_answers_the_question(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        pages, tallies = read(log)
        waiting = [wake(reason="cooldown", payload=WakePayload(waits=True)) for _ in range(2)]
        folded = tuple(FoldedWindow(each.id) for each in waiting)
        log.append_many([*waiting, wake(payload=WakePayload(late=True, folded=folded))])
        tallies.take(pages, NOON)
        assert len(tallies.unanswered) == 1
        log.keep((), [NewLabel(waiting[0].id, 1.0, NOON, "preset")])
        tallies.take(pages, NOON)
        assert not tallies.unanswered
        assert tallies.today == Counter(held=2, caught=1)
        assert tallies.figures() == read(log)[1].figures()
        assert "<dd>0</dd>" in figures(tallies)["figure-slept"]
        pages.close()


def test_a_label_of_today_moves_the_count_even_when_the_strip_has_gone_on(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        first = wake()
        log.append(first)
        log.append_many(wake(NOON + number) for number in range(STRIP + 5))
        pages, tallies = read(log)
        assert len(tallies.strip) == STRIP
        log.add_label(first.id, 1.0, NOON)
        tallies.take(pages, NOON)
        assert (tallies.today["caught"], tallies.today["woke"]) == (1, STRIP + 5)
        assert len(tallies.unanswered) == STRIP + 5
        pages.close()


def test_a_clock_that_was_ahead_hides_neither_threshold_nor_last_decision(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        log.append(wake(NOON + 9e9, threshold=0.9))
        pages, tallies = read(log)
        assert (tallies.modules["invoices"].threshold, tallies.last) == (0.9, NOON + 9e9)
        log.append_many([wake(NOON + 1), wake(NOON + 8e9, threshold=0.9)])
        tallies.take(pages, NOON)
        assert (tallies.modules["invoices"].threshold, tallies.last) == (0.6, NOON + 1)
        assert facts(tallies) == facts(read(log)[1])
        pages.close()


def test_a_clock_that_was_ahead_makes_no_time_longer(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        log.append(wake(NOON + 9e9))
        pages, tallies = read(log)
        assert tallies.figures().last == NOON + 9e9
        log.append_many([wake(NOON - 86_400), wake(NOON + 1), wake(NOON + 8e9)])
        tallies.take(pages, NOON)
        found = tallies.figures()
        assert (found.wakes, found.first, found.last) == (4, NOON - 86_400, NOON + 1)
        assert found == read(log)[1].figures()
        pages.close()


def test_at_midnight_the_day_begins_anew(tmp_path: Path) -> None:
    begins, ends = day_of(NOON)
    assert begins <= NOON < ends
    assert 82_800 <= ends - begins <= 90_000
    with DecisionLog(tmp_path / "log") as log:
        log.append_many([wake(ends - 1), wake(ends + 1)])
        pages, tallies = read(log)
        assert not tallies.is_over(ends - 1)
        assert [row.time for row in tallies.strip] == [ends - 1]
        assert tallies.is_over(ends)
        assert tallies.is_over(begins - 1)
        assert [row.time for row in Tallies(pages, ends).strip] == [ends + 1]
        pages.close()
