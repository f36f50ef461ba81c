from __future__ import annotations

from prefrontal.pulse.reason_words import SENTENCES, sentence
from prefrontal.types import Reason


def test_every_reason_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Reason)
    assert sentence("cooldown") == SENTENCES[Reason.COOLDOWN]


def test_a_reason_of_others_stays_as_it_is() -> None:
    assert sentence("snowed in") == "snowed in"
