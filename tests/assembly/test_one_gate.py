"""The same windows, settings and labels through every door give the same decisions to the bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from threading import Event
from typing import Any

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.pulse.shells.asker import Asker
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

from .wake_days import MODULES, NOW, POLICY, Trust, signals

PATIENCE_S = 30.0
FOLLOWING = GateSettings(recall=0.7, audit_share=0.2, policy=POLICY, log_refusals=True)
OWN = GateSettings(audit_share=0.1, policy=POLICY, log_refusals=True, seed=3)

Stream = list[tuple[float, SignalEvent]]
Due = Callable[[], float | None]
Door = Callable[[GateSettings, Stream], list[Decision]]


def stream(count: int) -> Stream:
    """Signals, each at another second: who asks over MCP has no repetitions."""
    found: dict[float, tuple[float, SignalEvent]] = {}
    for pause, event in signals(Random(11), count):
        found.setdefault(event.timestamp, (pause, event))
    return list(found.values())


def worth(decision: Decision) -> float | None:
    """What a person says of a wake; of every third nothing."""
    moment = decision.payload.moment  # type: ignore[union-attr]
    assert moment is not None
    if not decision.acted or moment.event % 3 == 0:
        return None
    return float("bill" in decision.window[-1].location)


def rounds(events: Stream, clock: ManualClock, due: Due) -> Iterator[SignalEvent | None]:
    """The signals at their time; None at each moment before at which a hold ends."""
    for pause, event in events:
        at = clock.monotonic() + pause
        while (end := due()) is not None and end <= at:
            clock.advance(max(0.0, end - clock.monotonic()))
            yield None
        clock.advance(at - clock.monotonic())
        yield event


def through_watch(settings: GateSettings, events: Stream) -> list[Decision]:
    clock, worked = ManualClock(NOW), Event()
    with DecisionLog() as log:
        watch = Watch(settings, log, clock=clock, standings=Trust())
        for module in MODULES:
            watch.add(module)
        watch._worker.after_work = worked.set
        watch.start()
        found: list[Decision] = []
        known: set[str] = set()
        number = 0
        for event in rounds(events, clock, watch._gate.due):
            if event is None:
                with watch._worker.paused():
                    worked.clear()
                watch._worker.look()
                assert worked.wait(PATIENCE_S)
            else:
                number += 1
                assert watch.push(event)
            while watch.status()["events"] < number:
                assert worked.wait(PATIENCE_S)
                worked.clear()
            watch.learn()  # waits for the gate to be done with the event
            log.flush()
            new = [each for each in log.records(clock.now()) if each.id not in known]
            known |= {each.id for each in new}
            found += new
            for decision in new:
                if (label := worth(decision)) is not None:
                    watch.record_feedback(decision.id, label)
            watch.learn()
        assert watch.stop(PATIENCE_S)
    return found


def through_stepper(settings: GateSettings, events: Stream) -> list[Decision]:
    clock = ManualClock(NOW)
    with DecisionLog() as log:
        one = Stepper(log, MODULES, settings, clock=clock, standings=Trust())
        for event in rounds(events, clock, one.due):
            one.learn()
            for wake in one.tick() if event is None else one.wake(event):
                if (label := worth(wake)) is not None:
                    log.add_label(wake.id, label, clock.now())
        return list(log.records())


def through_asker(settings: GateSettings, events: Stream) -> list[Decision]:
    clock, found = ManualClock(NOW), []
    with DecisionLog() as log:
        one = Asker(log, MODULES, settings, clock=clock, standings=Trust())
        for event in rounds(events, clock, one._gate.due):
            if event is None:
                one._gate.tick()
                new = one._gate.drain()
                log.append_many(new)
            else:
                new = one.judge([event])
            for decision in new:
                found.append(decision)
                if (label := worth(decision)) is not None:
                    one.label(decision.id, label)
    return found


def through_replay(settings: GateSettings, events: Stream) -> list[Decision]:
    clock, found = ManualClock(NOW), []
    one = open_gate(settings, UnlabelledStates(), clock, MODULES, standings=Trust())
    for event in rounds(events, clock, one.gate.due):
        if event is not None:
            one.gate.judge([event])
        one.gate.tick()
        for decision in one.gate.drain():
            found.append(decision)
            if (label := worth(decision)) is not None:
                one.gate.learn(decision, label)
                one.gate.labels += 1  # the log of the other doors numbers them
    return found


def facts(decision: Decision) -> tuple[Any, ...]:
    """All that was decided, and on what."""
    payload = decision.payload
    assert isinstance(payload, WakePayload)
    return (payload.moment, decision.subject, decision.acted, str(decision.reason),
            decision.score.hex(), decision.threshold.hex(), decision.question,
            decision.propensity.hex(), decision.why, payload.late, payload.waits,
            [each[1:] for each in payload.folded])  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("settings", [FOLLOWING, OWN], ids=["recall", "own thresholds"])
@pytest.mark.parametrize("door", [through_watch, through_asker, through_replay])
def test_each_door_decides_as_the_stepper_does(door: Door, settings: GateSettings) -> None:
    events = stream(700)
    theirs = sorted(map(facts, door(settings, events)), key=repr)
    ours = through_stepper(settings, events)
    assert theirs == sorted(map(facts, ours), key=repr)
    reasons = {each.reason for each in ours}
    assert reasons >= {Reason.WOKE, Reason.AUDIT, Reason.BELOW_THRESHOLD, Reason.COOLDOWN,
                       Reason.PEER_BUDGET}  # fmt: skip
    wakes = [each.payload for each in ours if isinstance(each.payload, WakePayload)]
    assert sum(len(each.folded) for each in wakes) > 50
    thresholds = {each.threshold for each in ours}
    assert len(thresholds) > 10 if settings is FOLLOWING else thresholds == {0.3, 0.6, 0.7}
    assert any("trust in ben" in name for each in ours for name, _ in each.why)
