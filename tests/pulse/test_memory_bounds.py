"""Memory is bounded by bytes, whatever the size of events: senders wait, are refused or get 503."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Semaphore, Thread
from typing import Any

import pytest

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse import holds
from prefrontal.pulse.event_bytes import size_of
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.recent_refusals import MOST_BYTES
from prefrontal.pulse.shells.inbox import (
    BATCH_BYTES,
    PUSHED_BYTES,
    QUEUE_BYTES,
    SOURCE_BYTES,
    Inbox,
)
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.shells.worker_intake import WorkerIntake
from prefrontal.pulse.sources.source_batch import Post, SourceBatch
from prefrontal.settings.gate import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

PATIENCE_S = 60.0
TEXT = "x" * 200_000
MODULE = {
    "module_id": "everything",
    "cluster": "test",
    "version": "1",
    "question_template": "{location}?",
    "default_threshold": 0.999,
    "signal_priors": {},
}


def event(number: int, **features: Any) -> SignalEvent:
    told = {"text": TEXT, "number": number, **features}
    return SignalEvent("test", f"place {number}", "said", 0.5, 1e9 + number, told)


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        watch = Watch(GateSettings(audit_share=0.0), log)
        watch.add(parse_fingerprint(dict(MODULE)))
        watch.start()
        yield watch
        watch.stop(PATIENCE_S)


def held_up(watch: Watch) -> None:
    """Let the gate have one event in hand."""
    assert watch.push(event(-1))
    while watch.status()["waiting"]:
        Event().wait(0.01)


def test_the_size_of_an_event_is_about_what_it_takes() -> None:
    one = event(0)
    assert 200_000 < size_of([one]) < 202_000
    assert size_of([one, one]) == 2 * size_of([one])
    nested = event(0, body={"deep": [{"text": "y" * 100_000}, b"z" * 50_000]})
    assert 350_000 < size_of([nested]) < 353_000
    circle: list[Any] = []
    circle.append(circle)
    assert size_of([event(0, body=circle)]) < 203_000


def test_pushes_are_refused_and_counted_once_the_bytes_are_used_up(watch: Watch) -> None:
    with watch._worker.paused():
        held_up(watch)
        pushed = [watch.push(event(number)) for number in range(1000)]
        assert watch._worker.inbox.bytes <= PUSHED_BYTES
    most = PUSHED_BYTES // size_of([event(0)])
    assert sum(pushed) == most and all(pushed[:most])
    assert watch.status()["refused_by_queue"] == 1000 - most


def test_a_source_waits_once_its_bytes_are_used_up_and_loses_nothing(watch: Watch) -> None:
    intake, handed = WorkerIntake(watch._worker, watch._log), []

    def hand_over() -> None:
        for number in range(200):
            assert intake.put(SourceBatch("one", (event(number),), ()), lambda: False)
            handed.append(number)

    with watch._worker.paused():
        held_up(watch)
        thread = Thread(target=hand_over)
        thread.start()
        most = SOURCE_BYTES // size_of([event(0)])
        while len(handed) < most:
            Event().wait(0.01)
        assert intake.put(SourceBatch("another", (event(999),), ()), lambda: False)  # has its own
        assert len(handed) == most
        assert watch._worker.inbox.bytes < SOURCE_BYTES + 2 * len(TEXT)
    thread.join(PATIENCE_S)
    assert watch.stop(PATIENCE_S)
    assert watch.status()["decisions"]["below_threshold"] == 202


def test_a_post_for_which_there_is_no_room_is_refused(watch: Watch) -> None:
    intake = WorkerIntake(watch._worker, watch._log)
    with watch._worker.paused():
        held_up(watch)
        for name in "abcde":
            while watch.push(replace(event(0), source=name)):
                pass
        post = Post((event(1),) * 50)
        assert not intake.accept(post, PATIENCE_S) and post.settled.is_set()


def test_what_is_larger_than_all_room_is_taken_alone() -> None:
    inbox, huge = Inbox(), SourceBatch("one", (event(0),), ())
    assert inbox.has_room(huge, 2 * QUEUE_BYTES)
    inbox.add(huge, 2 * QUEUE_BYTES)
    others = (event(1),), SourceBatch("two", (event(1),), ()), Post((event(1),))
    assert not any(inbox.has_room(each, 1) for each in others)
    assert inbox.take() == [huge] and (inbox.bytes, inbox.events) == (0, 0)
    for number in range(50):
        inbox.add((event(number),), 200_000)
    assert len(inbox.take()) == BATCH_BYTES // 200_000


def small(push: Callable[[SignalEvent], bool], first: int) -> None:
    for number in range(first, first + 1200):
        while not push(SignalEvent("test", f"small {number}", "said", 0.5, 1e9 + number, {})):
            Event().wait(0.01)


@pytest.mark.exhaustive
def test_the_latest_refusals_are_bounded_by_bytes(watch: Watch) -> None:
    small(watch.push, 0)
    for number in range(300):
        while not watch.push(event(number)):
            Event().wait(0.01)
    assert watch.stop(PATIENCE_S)
    latest = watch.refusals(5000)
    windows = [each.window for each in latest]
    assert sum(map(size_of, windows)) <= MOST_BYTES < sum(map(size_of, windows)) + 2 * len(TEXT)
    assert windows[0][0].location == "place 299"
    watch.start()
    small(watch.push, 5000)
    assert watch.stop(PATIENCE_S)
    assert len(watch.refusals(5000)) == 1000  # small ones are bounded by their number


def held_and_told(folder: Path, events: int, hold: Callable[[Watch], None]) -> list[list[str]]:
    """What each question of a watch says of windows that a cooldown held back, by their places."""
    clock = ManualClock(1_700_000_000.0)
    with DecisionLog(folder / "decisions.sqlite") as log:
        policy = PolicySettings(cooldown_s=30.0)
        watch = Watch(GateSettings(audit_share=0.0, threshold=0.0, policy=policy), log, clock=clock)
        watch.add(parse_fingerprint(dict(MODULE)))
        asked = Semaphore(0)
        watch.on_wake(lambda _: asked.release())
        watch.start()
        for number in range(events):
            while not watch.push(event(number)):
                Event().wait(0.01)
        assert asked.acquire(timeout=PATIENCE_S)
        while watch.status()["held_back"] < events - 1:
            Event().wait(0.01)
        hold(watch)
        clock.advance(31.0)  # no minute, which would be told, too
        assert watch.push(event(events))  # a question that tells of what waits
        assert asked.acquire(timeout=PATIENCE_S)
        assert watch.stop(PATIENCE_S)
        assert watch.status()["held_back"] == 0 and watch._worker._gate.holds.bytes == 0
        places = {each.id: each.window[0].location for each in log.records()}
        wakes = [each for each in log.records() if each.acted]
        told = [each.payload.folded for each in wakes if isinstance(each.payload, WakePayload)]
        return [[f"{places[window.id]}: {window.name}" for window in each] for each in told]


@pytest.mark.exhaustive
def test_what_waits_is_told_in_the_same_words_though_its_events_left_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "few").mkdir()
    expected = held_and_told(tmp_path / "all", 60, lambda _: None)
    monkeypatch.setattr(holds, "MOST_BYTES", 3_000_000)

    def bounded(watch: Watch) -> None:
        with watch._worker.paused():
            waiting = watch._worker._gate.holds
            lanes = [lane.windows for _, lane in waiting.lanes()]
            there = [each for windows in lanes for each in windows if not each.away]
            assert sum(size_of(each.window) for each in there) == waiting.bytes <= 3_000_000
            assert waiting.count == 59 and 0 < len(there) < 16

    assert held_and_told(tmp_path / "few", 60, bounded) == expected
    assert sum(map(len, expected)) == 59


def test_what_a_group_gathers_leaves_the_memory_and_all_of_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "MOST_BYTES", 3_000_000)
    clock = ManualClock(1_700_000_000.0)
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        policy = PolicySettings(group_s=3600.0)
        watch = Watch(GateSettings(audit_share=0.0, threshold=0.0, policy=policy), log, clock=clock)
        watch.add(parse_fingerprint(dict(MODULE)))
        watch._ticks.interval_s = 0.01  # of the watch's clock, which stands still: no tick is told
        watch.start()
        for number in range(60):
            while not watch.push(event(number)):
                Event().wait(0.01)
        while watch.status()["held_back"] < 60:
            Event().wait(0.01)
        with watch._worker.paused():
            assert watch._worker._gate.holds.bytes <= 3_000_000
        assert watch.stop(PATIENCE_S)
        [asked] = [each for each in log.records() if each.acted]
    assert isinstance(asked.payload, WakePayload)
    assert len(asked.payload.folded) == 60


def test_what_the_log_does_not_give_now_waits_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holds, "MOST_BYTES", 500_000)
    records = [
        Decision(
            id=f"{number:032x}",
            time=1e9 + number,
            subject="everything",
            acted=False,
            reason="cooldown",
            score=0.5 + number / 100,
            threshold=0.5,
            question=None,
            propensity=1.0,
            window=(event(number),),
            payload=WakePayload(waits=True),
        )
        for number in range(9)
    ]
    waiting = holds.HeldWindows()
    waiting.restore(records, 0.0)
    waiting.spill(lambda _: [])
    assert waiting.bytes <= 500_000 and waiting.count == 9
    [(_, lane)] = waiting.lanes()
    assert lane.strongest().away
    assert waiting.fetch(lane, lane.strongest(), 10.0) is None
    assert waiting.due(["everything"]) == 11.0
    assert [each.id for each in waiting.take("everything", None)] == [records[0].id]
    assert waiting.count == 8
    waiting.spill(lambda ids: [each for each in records if each.id in ids])
    waiting._load = lambda ids: [each for each in records if each.id in ids]
    assert waiting.fetch(lane, lane.strongest(), 12.0)
    strongest = lane.strongest()
    assert strongest.window == records[8].window
    told = waiting.take("everything", None, strongest)
    assert [(each.id, each.window) for each in told] == [(e.id, e.window) for e in records[1:]]
    assert (waiting.count, waiting.bytes, bool(waiting)) == (0, 0, False)
