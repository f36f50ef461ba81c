"""The queue is fair: who floods it delays nobody else, and takes nobody's room."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event, Semaphore, Thread

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.followed import FollowedWindow
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells import inbox as rules
from prefrontal.pulse.shells.inbox import BATCH, LITTLE, PUSHED_QUEUE, QUEUE_SIZE, Inbox, Taken
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.shells.worker_intake import WorkerIntake
from prefrontal.pulse.sources.source_batch import Post, PostPart, SourceBatch
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
