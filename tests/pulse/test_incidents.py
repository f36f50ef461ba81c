"""Live, a burst of alike windows is one question, within the gate's own budget."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from prefrontal.assembly.wakes_again import VerifyTally, again
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..exhaustive import first

NOW = 1_704_137_400.0
MODULE = parse_fingerprint(
    {
        "module_id": "alerts",
        "cluster": "c",
        "version": "1",
        "question_template": "{text} at {location}?",
        "default_threshold": 0.5,
    }
)


def settings(**policy: Any) -> GateSettings:
    chosen = {"budget": "20/day", "incidents": True, "key_ttl_s": 0.0} | policy
    refusals = bool(chosen.pop("log_refusals", False))
    return GateSettings(policy=PolicySettings(**chosen), log_refusals=refusals)


def opened(log: DecisionLog, clock: ManualClock, **policy: Any) -> Stepper:
    return Stepper(log, [MODULE], settings(**policy), clock=clock)


def alert(clock: ManualClock, text: str, host: str = "www") -> SignalEvent:
    return SignalEvent("alerts", host, "raised", 1.0, clock.now(), {"text": text})


def payload(record: Decision) -> WakePayload:
    assert isinstance(record.payload, WakePayload)
    return record.payload


def pass_time(one: Stepper, clock: ManualClock, seconds: float) -> list[Decision]:
    """Let holds end meanwhile; what is asked."""
    end, asked = clock.monotonic() + seconds, []
    while (due := one.due()) is not None and due <= end:
        clock.advance(max(0.0, due - clock.monotonic()))
        asked += one.tick()
    clock.advance(end - clock.monotonic())
    return asked


def test_a_burst_is_one_question_that_is_opened_at_once_updated_and_closed() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = opened(log, clock)
        asked = []
        for number in range(100):
            asked += one.wake(alert(clock, f"login {number} failed"))
            asked += pass_time(one, clock, 1.0)
        asked += pass_time(one, clock, 3600.0)
        [question] = asked
        assert (question.time, question.question) == (NOW, "login 0 failed at www?")
        updates = [each for each in log.records() if not each.acted]
        bursts = [payload(each).burst for each in updates]
        assert [each and each.windows for each in bursts] == [8, 16, 32, 64, 100]
        assert {payload(each).opening for each in updates} == {question.id}
        assert [payload(each).ended for each in updates] == [False] * 4 + [True]
        assert updates[-1].time == NOW + 99.0 + 600.0
        assert set(log.fold_questions([each.id for each in updates]).values()) == {question.id}
        assert log.waiting_windows() == []


def test_a_second_burst_within_the_hold_waits_and_is_told_when_it_ends() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = opened(log, clock)
        [first] = one.wake(alert(clock, "login failed"))
        clock.advance(5.0)
        assert one.wake(alert(clock, "disk full")) == []
        [waiting] = log.waiting_windows()
        clock.advance(1.0)
        assert one.wake(alert(clock, "disk full")) == []  # goes on: nothing more waits
        assert [each.id for each in log.waiting_windows()] == [waiting.id]
        [late] = pass_time(one, clock, 60.0)
        assert (late.time, late.question) == (NOW + 20.0, "disk full at www?")
        assert [each.id for each in payload(late).folded] == [waiting.id]
        assert first.id != late.id


def test_the_budget_is_the_gates_own_and_what_it_holds_back_is_told_later() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = opened(log, clock, budget="1/hour")
        one.wake(alert(clock, "heartbeat"))
        asked = pass_time(one, clock, 4 * 3600.0)
        for number in range(3):
            asked += one.wake(alert(clock, "abc"[number] * 5, "ABC"[number]))
            asked += pass_time(one, clock, 60.0)
        assert [each.question for each in asked] == ["aaaaa at A?"]
        waiting = log.waiting_windows()
        assert [each.reason for each in waiting] == ["global_budget"] * len(waiting)
        asked = pass_time(one, clock, 3600.0)
        assert [each.time - NOW for each in asked] == [5 * 3600.0]


def test_what_never_came_is_asked_about_before_any_label_and_what_comes_hourly_is_not() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = opened(log, clock)
        asked = []
        for _ in range(40):
            asked += one.wake(alert(clock, "backup done"))
            asked += pass_time(one, clock, 3000.0)
        asked += one.wake(alert(clock, "key stolen"))
        assert [each.question for each in asked] == ["backup done at www?", "key stolen at www?"]
        assert asked[1].score > 0.8 > asked[0].score
        assert ("feature=quiet_name=never", 1.5) in asked[1].why


def test_after_a_yes_another_new_burst_is_worth_a_question_though_no_kind_is_known() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = opened(log, clock)
        one.wake(alert(clock, "heartbeat"))
        pass_time(one, clock, 7200.0)
        [question] = one.wake(alert(clock, "ports scanned"))
        log.add_label(question.id, 1.0, clock.now())
        pass_time(one, clock, 60.0)
        [other] = one.wake(alert(clock, "key stolen"))
        assert other.threshold < question.threshold  # the incident is open


def test_what_came_before_a_restart_is_not_new_after_it() -> None:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = opened(log, clock)
        one.wake(alert(clock, "backup done"))
        clock.advance(7200.0)
        one.close()
        again_opened = opened(log, clock, log_refusals=True)
        again_opened.wake(alert(clock, "backup done"))
        last = list(log.records())[-1]
        burst = payload(last).burst
        assert burst is not None and dict(burst.features)["quiet_name"] == "6h"


def day(random: Random) -> Iterator[tuple[float, str, str]]:
    """Seconds to wait, what is said, where: noise, and now and then a burst."""
    for _ in range(60):
        yield random.choice([30.0, 400.0, 2000.0]), f"noise {random.choice('abcdef')}", "www"
        if random.random() < 0.15:
            host, text = random.choice(["www", "mail"]), random.choice(["scan", "dump", "login"])
            for _ in range(random.choice([5, 40])):
                yield random.choice([0.2, 3.0]), text, host


def live(log: DecisionLog, seed: int, **policy: Any) -> list[Decision]:
    """A day through the live gate, with labels and restarts without an end, as after kills."""
    random, clock, asked = Random(seed), ManualClock(NOW), []
    one = opened(log, clock, **policy)
    for pause, text, host in day(random):
        new = pass_time(one, clock, pause)
        new += one.wake(alert(clock, text, host))
        for question in new:
            if random.random() < 0.8:
                told = {each.name for each in payload(question).folded} | {text}
                log.add_label(question.id, float(not told.isdisjoint({"dump"})), clock.now())
        asked += new
        if random.random() < 0.03:
            one = opened(log, clock, **policy)
    one.close()
    return asked


@pytest.mark.parametrize("refusals", first(1, [False, True]))
def test_what_was_decided_about_bursts_is_decided_again_to_the_bit(refusals: bool) -> None:
    for seed in range(6):
        with DecisionLog() as log:
            asked = live(log, seed, budget="4/hour", log_refusals=refusals)
            assert len(asked) > 5
            tally = VerifyTally()
            assert list(again(log, tally)) == []
            assert tally.decided >= len(asked)
            assert not tally.left
            for first, second in pairwise(asked):
                assert first.time <= second.time


def test_bursts_need_a_budget_and_a_scorer_that_reads_words() -> None:
    with pytest.raises(InputError, match=r"must have a budget, such as 20/day, where incidents is"):
        PolicySettings(incidents=True)
    policy = PolicySettings(incidents=True, budget="20/day")
    with pytest.raises(InputError, match="must have the scorer linear where policy.incidents is"):
        GateSettings(policy=policy, scorer="lstm")
