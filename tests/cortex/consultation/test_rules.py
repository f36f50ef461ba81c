"""Without a model the verdict follows trust, what is known, and what stands out."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from prefrontal.cortex.consultation.deferral import Kind
from prefrontal.cortex.consultation.rules import judge
from prefrontal.cortex.consultation.verdict import ConsultRequest, ConsultVerdict
from prefrontal.cortex.reflectors.rules import RulesReflector

from ..contexts import DAY, START, context, exchange, farmer, peer, steady

KINDS: tuple[Kind, ...] = get_args(Kind)


def verdict(raw: dict[str, Any] | None, kind: Kind, peer_id: str | None = None) -> ConsultVerdict:
    peers = [] if raw is None else [raw]
    named = peer_id if peer_id is not None else (raw or {}).get("peer_id", "somebody")
    told = context(*peers, now=START + 300 * DAY if raw is None else raw["last_seen"] + 60)
    return judge(ConsultRequest("consult-1", named, kind, "x"), told, RulesReflector())


def trusted(trust: int, info: int) -> dict[str, Any]:
    messages = [m for i in range(30) for m in exchange(START + i * 6 * DAY)]
    return peer("p", messages, info=info, trust=trust, judged_at=START + 175 * DAY)


@pytest.mark.parametrize("kind", KINDS)
def test_conduct_that_speaks_against_a_peer_denies(kind: Kind) -> None:
    found = verdict(farmer(), kind)
    assert found.decision == "deny"
    assert "Escalation" in found.reasoning or "trust -1" in found.reasoning
    assert found.suggested_response


@pytest.mark.parametrize("kind", KINDS)
def test_enough_that_speaks_for_it_approves(kind: Kind) -> None:
    assert verdict(trusted(8, 8), kind).decision == "approve"


@pytest.mark.parametrize("kind", KINDS)
def test_in_between_it_is_conditional_and_says_on_what(kind: Kind) -> None:
    found = verdict(trusted(0, 3), kind)
    assert found.decision == "conditional"
    assert found.conditions


def test_money_is_harder_to_get_than_a_promise() -> None:
    assert verdict(steady(), "commitment").decision == "approve"
    assert verdict(steady(), "irreversible").decision == "approve"
    assert verdict(steady(), "money").decision == "conditional"


@pytest.mark.parametrize("peer_id", ["stranger", ""])
def test_a_stranger_gets_no_money_and_the_rest_on_conditions(peer_id: str) -> None:
    assert verdict(None, "money", peer_id).decision == "deny"
    assert verdict(None, "irreversible", peer_id).decision == "conditional"


def test_somebody_met_once_gets_no_money_either() -> None:
    assert verdict(peer("p", exchange(START), info=1), "money").decision == "deny"
