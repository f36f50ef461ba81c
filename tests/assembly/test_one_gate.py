"""The same windows, settings and labels through every door give the same decisions to the bit."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import Event
from typing import Any

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
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


def through_watch(settings: GateSettings, events: Stream) -> list[Decision]:
    clock, worked = ManualClock(NOW), Event()
    with DecisionLog() as log:
        watch = Watch(settings, log, clock=clock, standings=Trust())
        for module in MODULES:
            watch.add(module)
        watch._worker.after_work = worked.set
        watch.start()
        found: list[Decision] = []
        for number, (pause, event) in enumerate(events, 1):
            clock.advance(pause)
            assert watch.push(event)
            while watch.status()["events"] < number:
                assert worked.wait(PATIENCE_S)
                worked.clear()
            watch.learn()  # waits for the gate to be done with the event
            log.flush()
            new = list(log.records(clock.now()))
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
        for pause, event in events:
            clock.advance(pause)
            for wake in one.wake(event):
                if (label := worth(wake)) is not None:
                    log.add_label(wake.id, label, clock.now())
        return list(log.records())


def through_asker(settings: GateSettings, events: Stream) -> list[Decision]:
    clock, found = ManualClock(NOW), []
    with DecisionLog() as log:
        one = Asker(log, MODULES, settings, clock=clock, standings=Trust())
        for pause, event in events:
            clock.advance(pause)
            for decision in one.judge([event]):
                found.append(decision)
                if (label := worth(decision)) is not None:
                    one.label(decision.id, label)
    return found


def through_replay(settings: GateSettings, events: Stream) -> list[Decision]:
    clock, found = ManualClock(NOW), []
    one = open_gate(settings, UnlabelledStates(), clock, MODULES, standings=Trust())
    for pause, event in events:
        clock.advance(pause)
        one.gate.judge([event])
        for decision in one.gate.drain():
            found.append(decision)
            if (label := worth(decision)) is not None:
                one.gate.learn(decision, label)
                one.gate.labels += 1  # the log of the other doors numbers them
    return found


def facts(decision: Decision) -> tuple[Any, ...]:
    """All that was decided, and on what."""
    moment = decision.payload.moment  # type: ignore[union-attr]
    return (moment, decision.subject, decision.acted, str(decision.reason),
            decision.score.hex(), decision.threshold.hex(), decision.question,
            decision.propensity.hex(), decision.why)  # fmt: skip


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
    thresholds = {each.threshold for each in ours}
    assert len(thresholds) > 10 if settings is FOLLOWING else thresholds == {0.3, 0.6, 0.7}
    assert any("trust in ben" in name for each in ours for name, _ in each.why)
