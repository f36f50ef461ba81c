"""Answers that come late, many together: the threshold follows what the scorer says by then."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from prefrontal.cli.watch.built_in_modules import built_in_module
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.scored_window import score_now
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent, Standing

NOW = 1_700_000_000.0
MODULE = built_in_module("http", {"sources": ["user"]}, "mail")
SETTINGS = GateSettings(recall=0.9, audit_share=0.0, policy=PolicySettings(hold_s=0.0))


def mail(number: int, draw: Random, share: float) -> SignalEvent:
    """Of the boss, which matters, or of a list."""
    place = "inbox/boss" if draw.random() < share else "inbox/list"
    return SignalEvent("user", f"{place}/{number}", "created", 1.0, NOW + number)


def mattered(decision: Decision) -> bool:
    return "boss" in decision.window[0].location


@pytest.mark.parametrize(("first", "share"), [(40, 1 / 3), (100, 1 / 3), (300, 0.1), (300, 1 / 30)])
def test_what_mattered_wakes_after_answers_that_came_together(
    tmp_path: Path, first: int, share: float
) -> None:
    caught = relevant = woken = 0
    for seed in range(8):
        draw, clock = Random(seed), ManualClock(NOW)
        with DecisionLog(tmp_path / f"{seed}.sqlite", clock=clock) as log:
            gate = Stepper(log, (MODULE,), SETTINGS, clock=clock)
            asked = [each for n in range(first) for each in gate.wake(mail(n, draw, share))]
            assert len(asked) == first  # everything wakes until enough is known
            for each in asked:
                log.add_label(each.id, float(mattered(each)), clock.now())
            gate.learn()
            for number in range(first, first + 100):
                event = mail(number, draw, share)
                told = bool(gate.wake(event))
                relevant += "boss" in event.location
                caught += told and "boss" in event.location
                woken += told
            gate.close()
    assert caught >= 0.8 * relevant
    assert woken < 800


class Trusted:
    """Whoever is behind an event, its log-odds are one higher."""

    def standing(self, event: SignalEvent) -> Standing:
        return Standing(peer="ada", shift=1.0)


def test_the_score_of_now_counts_who_is_behind_it(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    with DecisionLog(tmp_path / "log.sqlite", clock=clock) as log:
        gate = Stepper(log, (MODULE,), SETTINGS, clock=clock, standings=Trusted())
        [decision] = gate.wake(mail(1, Random(1), 1.0))
        gate.close()
    limbic = LimbicLayer()
    limbic.register(MODULE.module_id, MODULE)
    assert score_now(limbic, decision) == pytest.approx(decision.score)
    assert limbic.score(MODULE.module_id, decision.window) < decision.score - 0.05
