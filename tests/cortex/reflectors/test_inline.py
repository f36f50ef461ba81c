"""The baseline sees the last exchange alone, and so misses what a whole history shows."""

from __future__ import annotations

from prefrontal.cortex.reflectors.rules import RulesReflector
from prefrontal.testing.inline import judge_inline

from ..contexts import DAY, START, asked, context, exchange, farmer, peer


def test_trust_rises_with_every_exchange_up_to_three() -> None:
    recent = peer("p", exchange(START))["recent"]
    assert [judge_inline(recent, last)[0] for last in (None, 1, 2, 3, 5, -2)] == [1, 2, 3, 3, 5, -1]


def test_without_an_answer_or_a_request_nothing_moves() -> None:
    assert judge_inline(peer("p", [asked(START)])["recent"], 2)[0] == 2
    assert judge_inline([], None)[0] == 0


def test_the_escalation_that_the_rules_name_is_ordinary_to_it() -> None:
    trust, rationale = judge_inline(farmer()["recent"], 3)
    reply = RulesReflector().judge(context(farmer(), now=START + 16 * DAY))
    assert trust == 3 and "escalation" not in rationale.lower()
    assert reply["assessments"][0]["trust"] == -1
    assert "escalation" in reply["assessments"][0]["rationale"].lower()
