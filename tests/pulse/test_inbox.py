"""The queue is fair: who floods it delays nobody else, and takes nobody's room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Semaphore, Thread
from typing import Any

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.followed import FollowedWindow
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells import inbox as rules
from prefrontal.pulse.shells import worker
from prefrontal.pulse.shells.inbox import (
    BATCH,
    LITTLE,
    MOST_COUNTED,
    PUSHED_QUEUE,
    QUEUE_SIZE,
    Inbox,
    Taken,
)
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.shells.worker import MOST_TOGETHER
from prefrontal.pulse.shells.worker_intake import WorkerIntake
from prefrontal.pulse.slept_lines import SleptLines
from prefrontal.pulse.sources.source_batch import Post, PostPart, SourceBatch
from prefrontal.pulse.wake_records import Refusal
from prefrontal.settings.gate import GateSettings
from prefrontal.types import SignalEvent

PATIENCE_S = 60.0
MODULE = {
    "module_id": "everything",
    "cluster": "test",
    "version": "1",
    "question_template": "{location}?",
    "default_threshold": 0.0,
    "signal_priors": {},
}


def event(source: str, number: int) -> SignalEvent:
    return SignalEvent(source, f"{source}/{number}", "said", 0.5, 1e9 + number, {})


def events_of(taken: Sequence[Taken]) -> list[SignalEvent]:
    events: list[SignalEvent] = []
    for each in taken:
        assert isinstance(each, tuple | PostPart | SourceBatch)
        events += each if isinstance(each, tuple) else each.events
    return events


def flooded(inbox: Inbox, source: str = "flood") -> int:
    """How many events of the source it takes."""
    number = 0
    while inbox.has_room((event(source, number),), 1000):
        inbox.add((event(source, number),), 1000)
        number += 1
    return number


def test_each_turn_takes_of_every_source_in_the_order_of_arrival() -> None:
    inbox = Inbox()
    assert flooded(inbox) == PUSHED_QUEUE
    inbox.add((event("quiet", 0),), 1000)
    inbox.add(SourceBatch("a log", (event("log", 0),), ()), 1000)
    for number in range(100):
        inbox.add(Post((event("posts", number),)), 1000)
    inbox.was_for_few = True
    taken = events_of(inbox.take())
    assert len(taken) == BATCH
    assert [each.source for each in taken[-102:]] == ["quiet", "log", *["posts"] * 100]
    assert [each.timestamp for each in taken[:-102]] == [1e9 + n for n in range(BATCH - 102)]


def test_every_other_turn_of_a_flood_is_for_sources_of_which_few_wait() -> None:
    inbox = Inbox()
    flooded(inbox)
    sources = []
    for number in range(3):
        inbox.add((event("quiet", number),), 1000)
        inbox.add((event("rare", number),), 1000)
        sources.append([each.source for each in events_of(inbox.take(20))])
    assert sources[0] == sources[2] == ["quiet", "rare"]
    assert sorted(sources[1]) == ["flood"] * 18 + ["quiet", "rare"]
    assert {each.source for each in events_of(inbox.take(20))} == {"flood"}


def test_what_fits_into_one_turn_is_taken_as_it_came() -> None:
    inbox = Inbox()
    came = [event(source, number) for number in range(60) for source in ("a", "b", "c")]
    for each in came:
        inbox.add((each,), 1000)
    assert events_of(inbox.take()) == came and not inbox


@pytest.mark.exhaustive
def test_floods_of_many_names_leave_room_for_who_says_little() -> None:
    inbox = Inbox()
    for number in range(200):
        flooded(inbox, f"flood {number}")
    assert inbox.events < QUEUE_SIZE
    for number in range(LITTLE):
        assert inbox.has_room(Post((event("quiet", number),)), 1000)
        inbox.add(Post((event("quiet", number),)), 1000)
    assert inbox.has_room(SourceBatch("a log", (event("log", 0),), ()), 1000)
    turn = [each.source for each in events_of(inbox.take())]
    assert turn.count("quiet") >= BATCH // (rules.MOST_LANES + 3)


def test_nothing_that_is_taken_is_lost_whatever_it_is() -> None:
    inbox = Inbox()
    came: list[SignalEvent] = []
    for number in range(1000):
        each = (event(f"source {number % 70}", number),)
        inbox.add(each, 1000)
        came += each
    inbox.add(FollowedWindow("module", "key", (), None, (), {}), 10)
    taken = []
    while inbox:
        taken += inbox.take(100)
    windows = [each for each in taken if isinstance(each, tuple)]
    assert sorted((each[0].timestamp, each[0].source) for each in windows) == sorted(
        (each.timestamp, each.source) for each in came
    )
    assert len(taken) == 1001 and (inbox.events, inbox.bytes) == (0, 0)


def test_a_long_post_is_taken_in_parts_and_settled_with_the_last() -> None:
    inbox, post = Inbox(), Post(tuple(event("posts", number) for number in range(600)))
    other = Post((event("posts", 0),))
    inbox.add(post, 1000)
    inbox.add(other, 1000)
    assert inbox.withdraw(other) and not inbox.withdraw(other)
    first = inbox.take()
    assert not inbox.withdraw(post)
    parts = [*first, *inbox.take(), *inbox.take()]
    assert events_of(parts) == list(post.events)
    assert [isinstance(each, PostPart) and each.last for each in parts] == [False, False, True]
    assert not inbox and (inbox.events, inbox.bytes) == (0, 0)


def test_windows_of_many_events_count_as_many() -> None:
    inbox = Inbox()
    inbox.add(tuple(event("great", number) for number in range(3000)), 1000)
    assert inbox.events == MOST_COUNTED
    window, taken = tuple(event("flood", number) for number in range(100)), 0
    while inbox.has_room(window, 1000):
        inbox.add(window, 1000)
        taken += 1
    assert taken == PUSHED_QUEUE // 100
    while inbox:
        inbox.take()
    assert (inbox.events, inbox.bytes) == (0, 0)


class KnownLog(DecisionLog):
    """acts: how many decisions each commit held."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.acts: list[int] = []

    def keep(self, records: Iterable[Decision] = (), *rest: Any, **more: Any) -> None:
        decisions = list(records)
        super().keep(decisions, *rest, **more)
        self.acts.append(len(decisions))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[KnownLog]:
    with KnownLog(tmp_path / "decisions.sqlite") as log:
        yield log


@contextmanager
def held(watch: Watch) -> Iterator[None]:
    """The gate has one event in hand and takes nothing more meanwhile."""
    with watch._worker.paused():
        assert watch.push(event("first", 0))
        while watch.status()["waiting"]:
            Event().wait(0.01)
        yield


def test_turns_of_a_flood_are_stored_together(
    log: KnownLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "TOGETHER_S", PATIENCE_S)
    monkeypatch.setattr(worker, "TURN_S", 0.0)
    monkeypatch.setattr(worker, "BATCH", 16)
    watch = Watch(GateSettings(audit_share=0.1), log)
    watch.add(parse_fingerprint(MODULE | {"default_threshold": 0.999}))
    watch.start()
    with held(watch):
        for number in range(1000):
            assert watch.push(event("flood", number))
    assert watch.stop(PATIENCE_S)
    audits = sum(log.acts)
    assert audits > 60 and sum(1 for each in log.acts if each) <= audits // MOST_TOGETHER + 2


def test_what_slept_is_written_down_once_wakes_are_on_their_way(
    log: KnownLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits: list[int] = []
    keep = SleptLines.keep

    def kept(lines: SleptLines, refusals: Sequence[Refusal]) -> None:
        if refusals:
            commits.append(sum(log.acts))
        keep(lines, refusals)

    monkeypatch.setattr(SleptLines, "keep", kept)
    watch = Watch(GateSettings(audit_share=0.0), log)
    watch.add(parse_fingerprint(MODULE | {"default_threshold": 0.999}))
    watch.add(parse_fingerprint(MODULE | {"module_id": "awake"}))
    watch.start()
    assert watch.push(event("source", 0))
    assert watch.stop(PATIENCE_S)
    assert commits == [1]


def test_a_watch_that_ends_leaves_what_it_has_no_time_for_and_says_so(
    log: KnownLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "LAST_SHARE", 0.0)
    watch = Watch(GateSettings(audit_share=0.0), log)
    watch.add(parse_fingerprint(MODULE))
    watch.start()
    intake = WorkerIntake(watch._worker, log)
    post = Post(tuple(event("posts", number) for number in range(1000)))
    posting = Thread(target=intake.accept, args=(post, PATIENCE_S), daemon=True)
    batches = [
        SourceBatch("a log", (event("log", number),), (("place a log", b"%d" % number),))
        for number in range(1000)
    ]
    ending = Thread(target=watch.stop, args=(PATIENCE_S,), daemon=True)
    with held(watch):
        pushed = 1 + sum(watch.push(event("flood", number)) for number in range(1000))
        assert all(intake.put(each, lambda: False) for each in batches)
        posting.start()
        while watch.status()["waiting"] < 3000:
            Event().wait(0.01)
        ending.start()
        while watch._worker._takes():
            Event().wait(0.01)
    ending.join(PATIENCE_S)
    posting.join(PATIENCE_S)
    lost = watch.status()["refused_by_queue"]
    sources = Counter(each.window[0].source for each in log.records())
    assert sources["first"] + sources["flood"] + lost == pushed and lost > 700
    assert f"{lost} pushed events were lost: there was no time to decide them" in caplog.text
    assert not post.stored and post.settled.is_set()
    place = intake.place("place a log")
    assert sources["log"] == (0 if place is None else int(place) + 1) < 300


def test_a_flood_delays_a_quiet_source_by_a_turn_and_takes_none_of_its_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "PUSHED_QUEUE", 1000)
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        watch = Watch(GateSettings(audit_share=0.0), log)
        watch.add(parse_fingerprint(MODULE))
        done = Semaphore(0)
        watch.on_wake(lambda _: done.release())
        watch.start()
        post = Post(tuple(event("posts", number) for number in range(300)))
        posting = Thread(
            target=WorkerIntake(watch._worker, log).accept, args=(post, PATIENCE_S), daemon=True
        )
        with watch._worker.paused():
            assert watch.push(event("first", 0))
            while watch.status()["waiting"]:  # the gate has it in hand, and takes nothing more
                Event().wait(0.01)
            pushed = 0
            while watch.push(event("flood", pushed)):
                pushed += 1
            posting.start()
            while watch.status()["waiting"] < 1000 + len(post.events):
                assert posting.is_alive()
                Event().wait(0.01)
            assert watch.push(event("quiet", 0))
        for _ in range(pushed + len(post.events) + 2):
            assert done.acquire(timeout=PATIENCE_S)
        posting.join(PATIENCE_S)
        assert post.stored
        assert watch.stop(PATIENCE_S)
        sources = [each.window[0].source for each in log.records()]
    assert pushed == 1000 and sources.index("quiet") < BATCH
    assert [each for each in sources if each == "flood"] == ["flood"] * pushed
    assert "events from 'flood' of" in caplog.text
