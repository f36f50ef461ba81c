"""`DecisionLog`: what goes in comes out, in the order that is asked for."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prefrontal.decisions.log import DecisionLog, new_id
from prefrontal.errors import InputError, SourceError
from prefrontal.testing import ManualClock
from prefrontal.types import Reason

from .decision_samples import event, slept, woke

DAY_S = 86_400.0


@pytest.fixture
def log() -> Iterator[DecisionLog]:
    with DecisionLog() as log:
        yield log


def test_a_decision_comes_back_as_it_was_after_the_file_is_opened_again(tmp_path: Path) -> None:
    record = woke()
    with DecisionLog(tmp_path / "log.db") as log:
        log.append(record)
        assert log.get(record.id) == record
    with DecisionLog(tmp_path / "log.db") as log:
        assert list(log.records()) == [record]


def test_a_decision_is_found_by_the_beginning_of_its_id_if_no_other_begins_so(
    log: DecisionLog,
) -> None:
    first, second, whole = (woke(id=name) for name in ("abcd12", "abcd34", "abcd"))
    log.append_many([first, second])
    assert log.get("abcd1") == first
    assert log.get("abce") is None
    assert log.get("abcd\udc80") is None
    with pytest.raises(InputError, match="must belong to one decision, got 'abcd' of several"):
        log.get("abcd")
    with pytest.raises(InputError, match="must have at least 4 characters, got 'abc'"):
        log.get("abc")
    log.append(whole)
    assert log.get("abcd") == whole


def test_an_id_is_taken_once_and_a_refused_batch_leaves_nothing(log: DecisionLog) -> None:
    record, other = woke(), woke()
    log.append(record)
    with pytest.raises(InputError, match=f"decision id must be new, got '{record.id}'"):
        log.append_many([other, replace(record, score=0.5)])
    with pytest.raises(InputError, match=f"decision id must be new, got '{other.id}'"):
        log.append_many([other, other])
    assert list(log.records()) == [record]


def test_an_id_that_is_made_up_is_32_hexadecimal_digits_and_new() -> None:
    assert len({new_id() for _ in range(1000)}) == 1000
    assert len(new_id()) == 32 and int(new_id(), 16) >= 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"id": ""}, "id must be ASCII text that is not empty, got ''"),
        ({"id": "ä"}, "id must be ASCII text that is not empty, got 'ä'"),
        ({"time": float("nan")}, "time must be a finite number, got nan"),
        ({"propensity": 0.0}, "propensity must be above 0 and at most 1, got 0.0"),
        ({"propensity": float("nan")}, "propensity must be above 0 and at most 1, got nan"),
        ({"label": 2.0}, "label must be a number from 0 to 1, got 2.0"),
    ],
)
def test_a_decision_that_cannot_be_kept_is_refused_by_its_field(
    log: DecisionLog, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        log.append(woke(**change))
    assert log.counts() == {}


def test_the_newest_come_first_and_only_those_asked_for(log: DecisionLog) -> None:
    first, second, third = woke(1.0), slept(2.0), woke(3.0, subject="mail", reason=Reason.AUDIT)
    log.append_many([third, first, second])
    assert log.recent() == [third, second, first]
    assert log.recent(limit=2) == [third, second]
    assert log.recent(limit=10**30) == [third, second, first]
    assert log.recent(limit=0) == log.recent(limit=-1) == []
    assert log.recent(acted=True) == [third, first]
    assert log.recent(acted=False) == [second]
    assert log.recent(subject="mail") == [third]
    assert log.recent(reason=Reason.WOKE) == [first]
    assert log.recent(since=2.0) == [third, second]
    assert log.recent(subject="mail", acted=False) == []


def test_what_a_clock_that_was_ahead_dated_comes_last() -> None:
    with DecisionLog(clock=ManualClock(5.0)) as log:
        log.append_many([late := woke(65.0), later := woke(90.0), near := woke(64.0)])
        log.append(early := woke(1.0))
        assert log.recent() == [near, early, later, late]
        assert log.recent(limit=3) == [near, early, later]
        assert log.recent(limit=1) == [near]
        assert log.recent(since=70.0) == [later]
        assert log.recent(since=64.0) == [near, later, late]


def test_decisions_of_one_moment_keep_the_order_they_were_made_in(log: DecisionLog) -> None:
    records = [woke(5.0) for _ in range(1200)]
    log.append_many(records)
    assert list(log.records()) == records
    assert log.recent(limit=2000) == records[::-1]


def test_a_span_of_time_holds_its_beginning_but_not_its_end(log: DecisionLog) -> None:
    records = [woke(float(second)) for second in range(5)]
    log.append_many(records)
    assert list(log.records(since=1.0, until=3.0)) == records[1:3]
    assert list(log.records(since=3.0)) == records[3:]
    assert list(log.records(until=0.0)) == []


def test_what_is_appended_while_the_log_is_read_is_left_out_and_does_not_stop_it(
    log: DecisionLog,
) -> None:
    records = [slept(float(second)) for second in range(1100)]
    log.append_many(records)
    seen = []
    for record in log.records():
        seen.append(record)
        log.append(slept(record.time + 0.5))
    assert seen == records


def test_the_last_label_counts_and_every_label_is_handed_out_once_in_order(
    log: DecisionLog,
) -> None:
    first, second = woke(), slept()
    log.append_many([first, second])
    assert log.add_label(first.id, 0, at=10.0)
    assert log.add_label(second.id, 1.0, at=11.0, source="mail")
    assert log.add_label(first.id, 0.5, at=12.0)
    labelled = replace(first, label=0.5, labelled_at=12.0)
    assert log.get(first.id) == labelled
    given = list(log.labels_after(0))
    assert [(record.id, label) for _, record, label, _ in given] == [
        (first.id, 0.0),
        (second.id, 1.0),
        (first.id, 0.5),
    ]
    numbers = [each.number for each in given]
    assert numbers == sorted(set(numbers)) and numbers[0] > 0
    assert list(log.labels_after(numbers[1])) == [(numbers[2], labelled, 0.5, "user")]
    assert list(log.labels_after(numbers[2])) == []


def test_many_labels_are_handed_out_page_by_page(log: DecisionLog) -> None:
    records = [woke(label=1.0, labelled_at=7.0) for _ in range(1100)]
    log.append_many(records)
    assert [each.decision for each in log.labels_after(0)] == records


def test_saying_the_same_again_is_no_second_label(log: DecisionLog) -> None:
    log.append(record := woke())
    for label, source in (
        (1.0, "user"),
        (1.0, "user"),
        (1.0, "dash"),
        (0.0, "user"),
        (1.0, "user"),
    ):
        assert log.add_label(record.id, label, 5.0, source, once=True)
    given = [(each.label, each.source) for each in log.labels_after(0)]
    assert given == [(1.0, "user"), (1.0, "dash"), (0.0, "user"), (1.0, "user")]
    assert log.add_label(record.id, 1.0, 5.0)
    assert log.ends()[1] == 5


def test_a_label_for_an_unknown_decision_is_not_kept(log: DecisionLog) -> None:
    assert not log.add_label(new_id(), 1.0, at=1.0)
    assert not log.add_label("\udc80", 1.0, at=1.0)
    assert list(log.labels_after(0)) == []


@pytest.mark.parametrize("label", [float("nan"), -0.01, 1.01, True, "1", None])
def test_a_label_is_a_number_from_0_to_1(log: DecisionLog, label: object) -> None:
    record = woke()
    log.append(record)
    with pytest.raises(InputError, match="label must be a number from 0 to 1, got"):
        log.add_label(record.id, label, at=1.0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at must be a finite number, got inf"):
        log.add_label(record.id, 1.0, at=float("inf"))
    assert log.get(record.id) == record


def test_a_label_that_a_decision_carries_is_kept_with_it(log: DecisionLog) -> None:
    record = woke(label=1.0, labelled_at=3.0)
    log.append(record)
    log.append(woke(4.0, id="late", label=0.0))
    assert log.get(record.id) == record
    late = log.get("late")
    assert late is not None and (late.label, late.labelled_at) == (0.0, 4.0)


def test_decisions_are_counted_by_reason(log: DecisionLog) -> None:
    log.append_many([woke(), woke(reason=Reason.AUDIT), slept(), slept()])
    assert log.counts() == {"woke": 1, "audit": 1, "below_threshold": 2}


def test_an_estimate_of_recall_gets_each_wake_its_propensity_and_its_label(
    log: DecisionLog,
) -> None:
    audit = woke(2.0, reason=Reason.AUDIT, propensity=0.02)
    log.append_many([audit, woke(1.0), slept(3.0), woke(4.0, subject="\udc80")])
    log.add_label(audit.id, 1.0, at=5.0)
    assert log.audits() == [(True, 1.0, None), (False, 0.02, 1.0), (True, 1.0, None)]
    assert log.audits("papers") == [(True, 1.0, None), (False, 0.02, 1.0)]
    assert log.audits("\udc80") == [(True, 1.0, None)]


def test_a_state_is_replaced_together_with_the_number_of_its_last_label(log: DecisionLog) -> None:
    assert log.load_state("weights") is None
    log.save_state("weights", b"\x00old", through=3)
    log.save_state("weights", b"\x00new", through=5)
    assert log.load_state("weights") == (b"\x00new", 5)
    assert log.load_state("other") is None


def test_old_refusals_are_forgotten_but_no_wake_and_nothing_labelled(tmp_path: Path) -> None:
    clock = ManualClock(100 * DAY_S)
    old, new = 69 * DAY_S, 71 * DAY_S
    kept = [woke(old), slept(old + 1), slept(new)]
    with DecisionLog(tmp_path / "log.db", clock=clock) as log:
        log.append_many([*kept, *(slept(old) for _ in range(4500))])
        log.add_label(kept[1].id, 1.0, at=new)
        assert log.prune(keep_days=30) == 4500
        assert [record.id for record in log.records()] == [record.id for record in kept]
        assert log.prune(keep_days=30) == 0


def test_the_file_stays_small_when_old_refusals_are_forgotten(tmp_path: Path) -> None:
    path, clock = tmp_path / "log.db", ManualClock()
    sizes = []  # of the file and of its write-ahead log
    with DecisionLog(path, clock=clock) as log:
        for _ in range(4):
            log.append_many(slept(clock.now(), why=(("x" * 500, 1.0),)) for _ in range(2000))
            clock.advance(DAY_S)
            log.prune(keep_days=0.5)
            sizes.append(path.stat().st_size + (tmp_path / "log.db-wal").stat().st_size)
    assert max(sizes) <= 100_000 < 2000 * 500


def test_a_closed_log_says_so(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.db")
    log.close()
    log.close()
    with pytest.raises(SourceError, match=r"log\.db is closed"):
        log.append(woke())
    assert not log.append_soon(woke())


def test_events_of_one_window_that_share_their_features_share_them_again(log: DecisionLog) -> None:
    shared = event(actor="me", text="a subject")
    record = woke(window=(shared, replace(shared, location="b"), event(actor="me")))
    log.append(record)
    [found] = log.recent()
    assert found == record
    assert found.window[0].features is found.window[1].features
    assert found.window[1].features is not found.window[2].features


@pytest.mark.exhaustive
def test_a_long_log_is_read_with_little_memory(log: DecisionLog) -> None:
    for _ in range(5):
        log.append_many(slept(why=(("x" * 200, 1.0),)) for _ in range(2000))
    tracemalloc.start()
    try:
        assert sum(1 for _ in log.records()) == 10_000
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
