"""What decisions are in words."""

from __future__ import annotations

from prefrontal.decisions.words import SENTENCES, sentence
from prefrontal.types import Reason

from .decision_samples import slept


def test_every_reason_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Reason)
    assert sentence(slept(reason="cooldown")) == SENTENCES[Reason.COOLDOWN]


def test_a_reason_of_others_stays_as_it_is() -> None:
    assert sentence(slept(reason="snowed in")) == "snowed in"
