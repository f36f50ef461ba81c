"""The thread that goes through the log: order, what was left, what persons say, the end."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from prefrontal.assembly.attendance import STATE, Attendance, taught_through
from prefrontal.decisions.log import Decision, DecisionLog, NewLabel
from prefrontal.decisions.payloads import WakePayload
from prefrontal.errors import SourceError
from prefrontal.executive import ActOutcome, Episode, Executive, Status
from prefrontal.executive.records import followed_id
from prefrontal.testing.executive import (
    ScriptedActor,
    ScriptedChooser,
    ScriptedReviewer,
    ScriptedWaker,
    SteppingMoments,
)

from ..executive.executive_samples import NOW, wake

PATIENCE_S = 30.0


class Diary:
    """What it was told, in order; `seen` is set with each episode and each label."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.seen = threading.Semaphore(0)

    def begun(self, wake: Decision) -> None:
        self.told.append(("begun", wake.id))

    def ended(self, episode: Episode) -> None:
        self.told.append(("ended", episode.wake.id))
        self.seen.release()

    def failed(self, wake: Decision, error: Exception) -> None:
        self.told.append(("failed", wake.id))
        self.seen.release()

    def heard(self, about: Decision, label: float) -> None:
        self.told.append((f"heard {label:g}", about.kind))
        self.seen.release()

    def ids(self, word: str) -> list[str]:
        return [id_ for told, id_ in self.told if told == word]


class Attending:
    def __init__(self, log: DecisionLog, act: Callable[[Decision], ActOutcome]) -> None:
        self.log = log
        self.diary = Diary()
        self.chooser = ScriptedChooser()
        self.reviewer = ScriptedReviewer()
        self.executive = Executive(
            ScriptedWaker(lambda _: ()),
            self.chooser,
            ScriptedActor(act),
            self.reviewer,
            log,
            SteppingMoments(),
        )

    def begin(self, run: str = "now", since: float = -math.inf) -> Attendance:
        return Attendance(self.log, self.executive, self.diary, run=run, since=since)


def asked(_: Decision) -> ActOutcome:
    return ActOutcome(Status.ASKED, "asked")


@pytest.fixture
def log() -> Iterator[DecisionLog]:
    with DecisionLog() as log:
        yield log


def of_run(number: int, run: str = "now", **fields: Any) -> Decision:
    return replace(wake(number), payload=WakePayload(run), **fields)


def test_wakes_are_attended_to_in_the_order_they_were_kept(log: DecisionLog) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    kept = [of_run(3), of_run(1, time=NOW + 9), of_run(2)]
    log.append_many(kept)
    attendance.attend_all()
    assert attending.diary.ids("ended") == [each.id for each in kept]
    attendance.attend_all()
    assert attendance.attended == 3


def test_what_an_earlier_run_left_comes_first_unless_it_is_too_old_or_was_told_to_somebody(
    log: DecisionLog,
) -> None:
    Attending(log, asked).begin("before")
    left = of_run(1, "before")
    log.append_many([left, of_run(2, "before", time=NOW - 9), of_run(3, "a watch")])
    attending = Attending(log, asked)
    attendance = attending.begin("now", since=NOW - 5)
    new = of_run(4, time=NOW - 7)  # the clock was set back meanwhile
    log.append(new)
    assert attendance.waiting() == 1
    attendance.attend_all()
    assert attending.diary.ids("ended") == [left.id, new.id]


def test_one_that_fails_is_told_of_and_the_others_go_on(log: DecisionLog) -> None:
    def act(wake: Decision) -> ActOutcome:
        if wake.id == of_run(1).id:
            raise SourceError("no disk")
        return asked(wake)

    attending = Attending(log, act)
    attendance = attending.begin()
    log.append_many([of_run(1), of_run(2)])
    attendance.attend_all()
    assert attending.diary.ids("failed") == [of_run(1).id]
    assert attending.diary.ids("ended") == [of_run(2).id]
    assert (attendance.attended, attendance.failed) == (1, 1)
    again = Attending(log, asked)
    again.begin("later").attend_all()
    assert again.diary.ids("ended") == [of_run(1).id]


def test_the_thread_hears_of_a_new_wake_and_ends_when_it_is_told(log: DecisionLog) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    attendance.start()
    attendance.start()
    for number in range(3):
        log.append(of_run(number))
        attendance.notify()
        assert attending.diary.seen.acquire(timeout=PATIENCE_S)
    assert attendance.stop(PATIENCE_S)
    assert attendance.attended == 3


def test_at_the_end_what_waits_is_attended_to_while_there_is_time(log: DecisionLog) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    log.append_many([of_run(number) for number in range(20)])
    attendance.start()
    assert attendance.stop(PATIENCE_S)
    assert attendance.attended == 20
    assert attendance.waiting() == 0


def test_without_time_the_wake_in_hand_is_brought_to_its_end_and_the_rest_waits(
    log: DecisionLog,
) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def act(wake: Decision) -> ActOutcome:
        entered.set()
        assert go_on.wait(PATIENCE_S)
        return asked(wake)

    attending = Attending(log, act)
    attendance = attending.begin()
    log.append_many([of_run(number) for number in range(3)])
    attendance.start()
    assert entered.wait(PATIENCE_S)
    assert not attendance.stop(0.0, 0.0)
    go_on.set()
    assert attendance.stop(0.0, PATIENCE_S)
    assert attendance.attended == 1
    assert attendance.waiting() == 2


def test_what_persons_say_is_taught_once_and_what_outcomes_say_not_at_all(
    log: DecisionLog,
) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    log.append(of_run(1))
    attendance.attend_all()
    route = followed_id(of_run(1).id, "route")
    log.add_label(of_run(1).id, 1.0, NOW, "outcome")
    log.add_label(route, 0.0, NOW)
    log.add_label(of_run(1).id, 1.0, NOW)
    before = len(attending.chooser.learned)
    attendance.attend_all()
    attendance.attend_all()
    assert attending.diary.told[-2:] == [("heard 0", "route"), ("heard 1", "wake")]
    assert [each.accepted for each in attending.chooser.learned[before:]] == [False, True]
    assert taught_through(log) == 3


def test_what_was_said_before_a_wake_was_acted_on_is_taught_once_it_was(log: DecisionLog) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    log.append_many([of_run(1), of_run(2)])
    log.add_label(of_run(2).id, 1.0, NOW)
    attendance.attend_all()
    attendance.attend_all()
    assert attending.diary.told[-1] == ("heard 1", "wake")
    assert [each.useful for each in attending.chooser.learned] == [None, None, True]
    assert taught_through(log) == 1


def test_what_a_history_says_is_nobodys_word_about_tools_and_peers(log: DecisionLog) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    log.keep([of_run(1)], [NewLabel(of_run(1).id, 0.0, NOW, "preset")])
    attendance.attend_all()
    log.add_label(of_run(1).id, 1.0, NOW, "told")
    attendance.attend_all()
    assert [each.useful for each in attending.chooser.learned] == [None]
    assert attending.reviewer.judged == [None]


def test_what_was_said_before_a_restart_is_not_taught_again(log: DecisionLog) -> None:
    first = Attending(log, asked)
    attendance = first.begin()
    log.append(of_run(1))
    attendance.attend_all()
    log.add_label(of_run(1).id, 1.0, NOW)
    attendance.attend_all()
    second = Attending(log, asked)
    second.begin("later").attend_all()
    assert second.diary.told == []
    assert taught_through(log) == 1


def test_a_label_of_nothing_that_was_attended_to_is_passed_over(log: DecisionLog) -> None:
    attending = Attending(log, asked)
    log.append(of_run(1, "a watch"))
    log.add_label(of_run(1).id, 1.0, NOW)
    attending.begin().attend_all()
    assert attending.diary.told == []
    assert taught_through(log) == 1


def test_a_label_that_cannot_be_taught_stops_neither_the_others_nor_the_thread(
    log: DecisionLog, caplog: pytest.LogCaptureFixture
) -> None:
    attending = Attending(log, asked)
    attendance = attending.begin()
    log.append_many([of_run(1), of_run(2)])
    attendance.attend_all()
    log.add_label(of_run(1).id, 1.0, NOW)
    log.add_label(of_run(2).id, 0.0, NOW)
    judge = attending.reviewer.judge
    calls = iter([SourceError("no disk"), None])

    def broken(wake: Decision, score: float) -> None:
        if (error := next(calls)) is not None:
            raise error
        judge(wake, score)

    attending.reviewer.judge = broken  # type: ignore[method-assign]
    attendance.attend_all()
    assert attending.diary.told[-1] == ("heard 0", "wake")
    assert "could not be taught" in caplog.text


def test_what_was_looked_through_is_not_looked_through_again(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    attendance = Attending(log, lambda _: ActOutcome(Status.DONE, "x", 1, True, True)).begin()
    log.append_many([of_run(1), of_run(2)])
    attendance.attend_all()
    log.append_many([of_run(3, acted=False, question=None)])
    attendance.attend_all()
    looked: list[int] = []

    def watched(query: Callable[..., Any]) -> Callable[..., Any]:
        def ask(after: int, *told: Any) -> Any:
            looked.append(after)
            return query(after, *told)

        return ask

    monkeypatch.setattr(log, "waiting_wakes", watched(log.waiting_wakes))
    monkeypatch.setattr(log, "said_after", watched(log.said_after))
    attendance.attend_all()
    ends = log.ends()
    assert looked == [ends[1], ends[0]] and ends[1] == 2
    log.append_many([of_run(4)])
    attendance.attend_all()
    assert attendance.attended == 3


def test_a_state_that_nobody_can_read_is_a_fresh_one(log: DecisionLog) -> None:
    log.save_state(STATE, b"nonsense", 0)
    attending = Attending(log, asked)
    attendance = attending.begin()
    log.append(of_run(1))
    attendance.attend_all()
    assert attendance.attended == 1
