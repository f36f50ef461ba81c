"""Who controls one source and its labels lowers no other module's recall."""

from __future__ import annotations

import pytest

import poisoning
from prefrontal.pulse.policy import DeliveryPolicy
from prefrontal.types import SignalEvent

FEW = {"inverting": poisoning.inverting}


def most(count: int, seeds: int, *, planted: bool = False) -> float:
    attacks = FEW if seeds == 1 else poisoning.ATTACKS
    losses = poisoning.losses(count, range(seeds), attacks, planted=planted)
    return max(by for each in losses.values() for by in each.values())


@pytest.mark.parametrize(
    ("count", "seeds"), [(90, 1), pytest.param(600, 2, marks=pytest.mark.exhaustive)]
)
def test_no_other_module_loses_recall(count: int, seeds: int) -> None:
    assert most(count, seeds) <= poisoning.MOST_POINTS


def test_no_other_question_is_asked_than_without_the_attacker() -> None:
    asked = [
        poisoning.run(400, 2, each, planted=False).locations for each in (None, poisoning.refusing)
    ]
    assert len(asked[0]) > 100
    assert asked[0] == asked[1]


@pytest.mark.exhaustive
def test_a_module_that_hears_the_attacker_is_found() -> None:
    assert most(1_000, 1, planted=True) > poisoning.MOST_POINTS


def test_a_key_that_another_source_could_take_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = DeliveryPolicy.repeated

    def by_key_alone(policy: DeliveryPolicy, window: list[SignalEvent], now: float) -> bool:
        alike = [
            SignalEvent("any", each.location, each.delta_type, 0.0, 0.0, each.features)
            for each in window
        ]
        return usual(policy, alike, now)

    monkeypatch.setattr(DeliveryPolicy, "repeated", by_key_alone)
    assert most(90, 1) > poisoning.MOST_POINTS
