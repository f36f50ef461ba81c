"""With the control agent on, a log is decided again to the bit, by one that begins as it began."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.executive import (
    Actor,
    ActOutcome,
    Choice,
    Executive,
    Moments,
    Option,
    Status,
)
from prefrontal.executive.again import KeptActor, KeptMoments, attend_again
from prefrontal.testing import (
    ScriptedActor,
    ScriptedChooser,
    ScriptedReviewer,
    ScriptedWaker,
    SteppingMoments,
)
from prefrontal.types import SignalEvent

from ..exhaustive import first

pytest.importorskip("torch")

OPTIONS = tuple(
    Option(f"a/{name}.py", name, score, {}, (), {"score": score, "side_effect": 0.5})
    for name, score in (("fast", 0.8), ("safe", 0.79))
)
CHOICE = Choice("Deploy it", "select", OPTIONS, 0.6, "fast has 0.80")


def wake(number: int, freeze: bool) -> Decision:
    features = {"freeze": float(freeze)}
    event = SignalEvent("deploys", "/deploy", "created", 1.0, 1e9 + 60 * number, features)
    return Decision(
        id=f"{number:032x}",
        time=event.timestamp,
        payload=WakePayload(),
        subject="deploys",
        acted=True,
        reason="woke",
        score=0.7,
        threshold=0.5,
        question="Deploy it?",
        propensity=1.0,
        window=(event,),
    )


def executive(store: DecisionLog, actor: Actor, moments: Moments, seed: int) -> Executive:
    from prefrontal.executive.selector.plan_chooser import PlanChooser

    chooser = ScriptedChooser(lambda _: CHOICE)
    waker = ScriptedWaker(lambda _: ())
    selector = PlanChooser(seed=seed)
    reviewer = ScriptedReviewer()
    return Executive(waker, chooser, actor, reviewer, store, moments, selector=selector)


class Deploying(ScriptedActor):
    """The fast tool breaks things in a freeze; the safe one does nothing useful outside of it."""

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        freeze = bool(wake.window[0].features["freeze"])
        assert choice.option is not None
        right = (choice.option.name == "safe") == freeze
        status = Status.DONE if right else Status.FAILED
        return ActOutcome(status, "as it went", None, right, right)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", first(1, [45, 90]))
def test_its_picks_are_made_again_and_another_beginning_is_found(number: int) -> None:
    draw = random.Random(3)
    wakes = [wake(each, draw.random() < 0.5) for each in range(number)]
    with DecisionLog() as log:
        log.append_many(wakes)
        running = executive(log, Deploying(), SteppingMoments(), seed=1)
        picked = {running.attend(each).records[0].subject for each in wakes}
        assert picked == {"fast", "safe"}
        for seed, same in ((1, True), (2, False)):
            moments = KeptMoments()
            with DecisionLog() as scratch:
                scratch.append_many(replace(each, label=None) for each in wakes)
                again = executive(scratch, KeptActor(log), moments, seed)
                found = list(attend_again(wakes, (), log, again, moments))
            assert (found == []) is same
