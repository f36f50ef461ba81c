"""Who is behind a signal, what trust in them means for the gate, and the time of the loop."""

from __future__ import annotations

import pytest

from prefrontal.assembly.frozen_moments import FrozenMoments
from prefrontal.executive.trust_standings import LONGEST_PEER, TrustStandings, peer_of
from prefrontal.ledger import Ledger
from prefrontal.settings.executive import TrustSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent, Standing

from .executive_samples import event


@pytest.mark.parametrize(
    ("actor", "peer"),
    [
        ("ada", "ada"),
        ("Ada\nLovelace ", "Ada Lovelace"),
        (None, None),
        ("  ", None),
        ("source:tracker", "actor:source:tracker"),
        ("actor:system", "actor:actor:system"),
        ("system", "actor:system"),
        ("x" * 999, "x" * LONGEST_PEER),
        ("caf\udce9", "caf�"),
    ],
)
def test_a_peer_is_the_actor_a_source_is_none_and_no_name_passes_for_another(
    actor: str | None, peer: str | None
) -> None:
    assert peer_of(event(actor)) == peer


def test_an_actor_that_is_no_text_is_none() -> None:
    odd = SignalEvent("tracker", "x", "created", 1.0, 0.0, {"actor": 7})
    assert peer_of(odd) is None


def test_nobody_that_was_not_judged_has_a_standing() -> None:
    standings = TrustStandings(TrustSettings())
    assert standings.standing(event()) is None
    standings.judged("bob", 3)
    assert standings.standing(event()) is None
    assert standings.trust("ada") is None


def test_trust_shifts_the_score_and_too_little_of_it_has_a_budget() -> None:
    settings = TrustSettings(log_odds_per_point=0.25, budget_below=-2, wakes_per_hour=1.0)
    standings = TrustStandings(settings)
    standings.judged("ada", -3)
    assert standings.standing(event()) == Standing("ada", -3, -0.75, 1.0)
    standings.judged("ada", -2)
    assert standings.standing(event()) == Standing("ada", -2, -0.5, None)
    standings.judged("source:tracker", -10)  # a ledger of a release before holds this
    assert standings.standing(event(None)) is None


def test_what_the_ledger_holds_is_there_from_the_start() -> None:
    standings = TrustStandings(TrustSettings())
    with Ledger(clock=ManualClock()) as ledger:
        for peer in ("ada", "bob"):
            ledger.record_interaction(peer, "in")
        for trust in (3, 5):
            ledger.record_assessment("ada", trust, "kept its word")
        standings.load(ledger.standings())
    assert standings.trust("ada") == 5
    assert standings.trust("bob") is None


def test_time_stands_still_between_two_moments() -> None:
    clock = ManualClock(100.0)
    moments = FrozenMoments(clock)
    clock.advance(5.0)
    assert (moments.now(), moments.monotonic()) == (100.0, 100.0)
    assert moments.take() == 105.0
    assert (moments.now(), moments.monotonic()) == (105.0, 105.0)


def test_a_clock_that_is_set_back_is_waited_for() -> None:
    clock = ManualClock(100.0)
    moments = FrozenMoments(clock)
    clock.jump(-50.0)
    assert moments.take() == 100.0
    clock.advance(60.0)
    assert moments.take() == 110.0
