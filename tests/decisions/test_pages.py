"""Small reads of the log while others write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.pages import DecisionPages
from prefrontal.errors import SourceError

from ..web.dash_samples import NOON, decision, wake


def test_another_version_tells_that_somebody_wrote(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        pages = DecisionPages(log.path)
        before = pages.version()
        assert pages.version() == before
        log.append(wake())
        assert pages.version() != before
        pages.close()


def test_rows_labels_and_whole_decisions_are_what_was_kept(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        first, second = wake(subject="a\udcff"), wake(reason="below_threshold", score=float("nan"))
        log.append_many([first, second])
        log.add_label(first.id, 0.25, NOON)
        log.add_label(first.id, 1.0, NOON)
        pages = DecisionPages(log.path)
        rows = list(pages.after(0))
        assert [(row.id, row.label, row.asks) for row in rows] == [
            (first.id, 1.0, True),
            (second.id, None, False),
        ]
        assert rows[0].subject == "a\udcff"
        assert [row.seq for row in pages.after(1)] == [2]
        assert pages.ends() == (2, 2)
        given = pages.relabelled(0)
        assert [(each.seq, each.row.label, each.before) for each in given] == [
            (1, 0.25, None),
            (2, 1.0, 0.25),
        ]
        assert [each.seq for each in pages.relabelled(1)] == [2]
        assert pages.whole([1])[1] == log.get(first.id)
        assert pages.unanswered() == []
        assert pages.of_module("a\udcff", 10, NOON)[0].id == first.id
        record = rows[0].as_record()
        assert (record.id, record.label, record.score) == (first.id, 1.0, first.score)
        pages.close()


def test_what_was_adopted_is_no_decision_of_the_gate(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        own, adopted = wake(), wake(reason="replayed")
        log.append_many([own, adopted])
        pages = DecisionPages(log.path)
        assert [row.id for row in pages.of_module(own.subject, 10, NOON)] == [own.id]
        pages.close()


def test_kinds_causes_and_states_are_found(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log", owed_to=("post x",)) as log:
        woken = wake()
        route = decision("route", "tool", NOON + 1, cause=woken.id, plain={"sentence": "fits"})
        act = decision("act", "tool", NOON + 2, cause=route.id)
        log.append_many([woken, route, act, decision("belief", "key", NOON + 3)])
        log.save_state("thresholds", b"{}", 0)
        pages = DecisionPages(log.path)
        assert [record for _, record in pages.of_kinds(("route",), 5, NOON)] == [log.get(route.id)]
        assert [each.id for each in pages.led_to(route.id)] == [act.id]
        assert pages.state("thresholds") == b"{}"
        assert pages.state("other") is None
        [owed] = pages.deliveries(NOON)
        assert (owed.sink, owed.state, owed.count) == ("post x", "pending", 1)
        assert pages.latest(NOON) == [("invoices", 0.6, NOON)]
        pages.close()


def test_what_a_clock_that_was_ahead_dated_hides_nothing(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        kept = [decision("route", "tool", NOON + shift) for shift in (0, 59, 60, 9e9)]
        log.append_many([*kept, wake(NOON + 9e9, threshold=0.9), wake(NOON), wake(9e9, "later")])
        pages = DecisionPages(log.path)
        for limit, times in ((4, [59, 0, 9e9, 60]), (3, [59, 0, 9e9]), (1, [59]), (0, [])):
            routes = pages.of_kinds(("route",), limit, NOON)
            assert [each.time - NOON for _, each in routes] == times
        assert sorted(pages.latest(NOON)) == [("invoices", 0.6, NOON), ("later", 0.6, 9e9)]
        pages.close()


def test_reading_of_one_moment_does_not_see_what_comes_meanwhile(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log") as log:
        pages = DecisionPages(log.path)
        with pages.reading():
            assert pages.ends() == (0, 0)
            log.append(wake())
            assert pages.ends() == (0, 0)
        assert pages.ends() == (1, 0)
        pages.close()


def test_a_log_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be opened"):
        DecisionPages(tmp_path / "none")
