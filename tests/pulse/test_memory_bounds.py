"""Memory is bounded by bytes, whatever the size of events: senders wait, are refused or get 503."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.event_bytes import size_of
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.recent_refusals import MOST_BYTES
from prefrontal.pulse.shells.inbox import BATCH_BYTES, QUEUE_BYTES, SOURCE_BYTES, Inbox
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.shells.worker_intake import WorkerIntake
from prefrontal.pulse.sources.source_batch import Post, SourceBatch
from prefrontal.settings.gate import GateSettings
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
        assert watch._worker.inbox.bytes <= QUEUE_BYTES
    most = QUEUE_BYTES // size_of([event(0)])
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
        while watch.push(event(0)):
            pass
        post = Post((event(1),))
        assert not intake.accept(post, PATIENCE_S) and post.settled.is_set()


def test_what_is_larger_than_all_room_is_taken_alone() -> None:
    inbox, huge = Inbox(), SourceBatch("one", (event(0),), ())
    assert inbox.has_room_of("one", 2 * QUEUE_BYTES)
    inbox.add(huge, 2 * QUEUE_BYTES)
    assert not inbox.has_room(1) and not inbox.has_room_of("two", 1)
    assert inbox.take() == [huge] and (inbox.bytes, inbox.events) == (0, 0)
    for number in range(50):
        inbox.add((event(number),), 200_000)
    assert len(inbox.take()) == BATCH_BYTES // 200_000


def small(push: Callable[[SignalEvent], bool], first: int) -> None:
    for number in range(first, first + 1200):
        while not push(SignalEvent("test", f"small {number}", "said", 0.5, 1e9 + number, {})):
            Event().wait(0.01)


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
