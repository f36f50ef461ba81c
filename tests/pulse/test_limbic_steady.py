"""The learner whose steps shrink in proportion to the evidence, and weights saved without it."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from .plain_linear import PlainLinear
from .sample_modules import FILES, file, fingerprint
from .test_limbic_many import stream

Line = tuple[SignalEvent, ...]


def layer(version: int = 3) -> LimbicLayer:
    limbic = LimbicLayer(utc=True, version=version)
    limbic.register("m", fingerprint())
    return limbic


def line(draw: random.Random, words: str) -> Line:
    told = {"text": f"{words} {draw.choice('abcdefgh') * 3} {draw.randrange(10_000)}"}
    return (SignalEvent("log", "/app.log", "line", 1.0, 1.7e9, told),)


@pytest.mark.parametrize("version", [2, 3])
def test_scores_are_those_of_the_plain_formulas(version: int) -> None:
    limbic, plain = layer(version), PlainLinear(steady=version == 3)
    draw = random.Random(4)
    for window, label in stream(3, 250):
        words = " ".join(draw.choices(("fix", "bump", "crash", "typo"), k=3))
        window[-1].features["text"] = words
        assert limbic.score("m", window) == pytest.approx(plain.score(window), abs=1e-4)
        limbic.update_weights("m", window, label)
        plain.learn(window, label)
    unseen = [file("/srv/a/new.py", actor="jane")]
    assert limbic.score("m", unseen) == pytest.approx(plain.score(unseen), abs=1e-4)


def wandering(version: int) -> float:
    """How far the log-odds of lines of which 3 in 100 matter are from that, squared, on average."""
    found = []
    for seed in range(5):
        limbic, draw = layer(version), random.Random(seed)
        for number in range(2_000):
            words, chance = draw.choice((("WARN slow retry", 0.03), ("ERROR disk lost", 0.9)))
            window = line(draw, words)
            if number > 500 and chance < 0.1:
                score = limbic.score("m", window)
                found.append(math.log(score / (1 - score)) - math.log(chance / (1 - chance)))
            limbic.update_weights("m", window, float(draw.random() < chance))
    return sum(each**2 for each in found) / len(found)


def test_scores_wander_less_about_what_matters_now_and_then() -> None:
    assert wandering(3) < 0.75 * wandering(2)


def test_scores_stay_what_they_were_when_weights_without_it_are_read_and_nothing_is_lost() -> None:
    old = LimbicLayer(utc=True, version=2)
    old.register("m", fingerprint(filesystem=FILES))
    for window, label in stream(1, 60):
        old.update_weights("m", window, label)
    new, again = LimbicLayer(utc=True), LimbicLayer(utc=True, version=2)
    new.restore_all(old.to_bytes())
    new.register("m", fingerprint(filesystem=FILES))
    windows = [window for window, _ in stream(2, 20)]
    for window in windows:
        assert new.score("m", window) == pytest.approx(old.score("m", window), rel=1e-5)
    again.restore_all(new.to_bytes())
    assert again.to_bytes() == old.to_bytes() != new.to_bytes()
    for window, label in stream(1, 5):
        before = new.score("m", window)
        new.update_weights("m", window, label)
        assert new.score("m", window) > before if label else new.score("m", window) < before


def test_learning_without_it_goes_on_from_weights_with_it() -> None:
    new, old = layer(), layer(2)
    for window, label in stream(1, 60):
        new.update_weights("m", window, label)
        old.update_weights("m", window, label)
    back = LimbicLayer(utc=True, version=2)
    back.restore_all(new.to_bytes())
    assert back.to_bytes() == old.to_bytes()


@pytest.mark.parametrize(
    ("told", "policy", "mixed_in"),
    [
        ({}, {}, True),
        ({"history": {}}, {}, True),
        ({"history": {"complete": True}}, {}, False),
        ({}, {"incidents": True, "budget": "20/day"}, False),
    ],
    ids=["asked", "history asked", "every window labelled", "incidents"],
)
def test_it_is_mixed_in_where_only_what_was_asked_about_is_labelled(
    told: dict[str, Any], policy: dict[str, Any], mixed_in: bool
) -> None:
    settings = GateSettings(policy=PolicySettings(**policy))
    module = fingerprint(**told)
    scores = []
    for version in (8, 9):
        one = open_gate(settings, UnlabelledStates(), ManualClock(0.0), [module], version=version)
        for window, label in stream(1, 40):
            one.limbic.update_weights(module.module_id, window, label)
        scores.append([one.limbic.score(module.module_id, window) for window, _ in stream(2, 20)])
    assert (scores[0] != scores[1]) == mixed_in
