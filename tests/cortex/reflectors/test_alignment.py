"""The verdict against SOUL.md follows from counts and says which."""

from __future__ import annotations

from prefrontal.cortex.models import SoulAlignment
from prefrontal.cortex.reflectors.alignment import SOUL_KEY, belief, verdict
from prefrontal.cortex.reflectors.facts import peers_of

from ..contexts import DAY, START, Message, answered, asked, context, exchange, peer

NOW = START + 30 * DAY


def seen(soul: str, *messages: Message) -> SoulAlignment | None:
    told = context(peer("p", list(messages)), now=NOW)
    return verdict(soul, peers_of(told), NOW)


def test_prompt_answers_are_good_where_answers_are_asked_for() -> None:
    found = seen("Always answer promptly.", *exchange(START), *exchange(START + DAY))
    assert found == SoulAlignment("good", 1.0, "2 of 2 requests answered within an hour")


def test_requests_left_open_are_poor() -> None:
    found = seen("Be reliable.", asked(START), asked(START + DAY), *exchange(START + 2 * DAY))
    assert found is not None
    assert (found.verdict, found.score) == ("poor", 0.33)


def test_a_request_of_the_last_hour_is_not_held_against_the_agent() -> None:
    found = seen("Answer.", *exchange(START), asked(NOW - 60))
    assert found is not None and found.score == 1.0
    assert seen("Answer.", asked(NOW - 60)) is None


def test_each_virtue_that_is_named_counts() -> None:
    long = answered(START + 30, 4000)
    found = seen("Be helpful and concise.", asked(START), long)
    assert found is not None
    assert (found.verdict, found.score) == ("mixed", 0.5)
    assert "1 of 1 requests answered within an hour" in found.evidence
    assert "median of 4,000 characters" in found.evidence


def test_a_secret_told_is_noticed() -> None:
    told = answered(START + 30, 40, "the key is sk-abcdefghijklmnop1234")
    found = seen("Keep private things private.", asked(START), told)
    assert found is not None
    assert (found.verdict, found.score) == ("poor", 0.0)
    assert "1 of 1 answer held what looks like a secret" in found.evidence


def test_without_a_soul_or_without_conduct_there_is_no_verdict() -> None:
    assert seen(" ", *exchange(START)) is None
    assert verdict("Be helpful.", [], NOW) is None


def test_the_belief_names_the_verdict_in_one_line() -> None:
    held = belief(SoulAlignment("good", 0.9, "fine\nso far"))
    assert held.key == SOUL_KEY == "self-soul-alignment"
    assert held.value == "Soul alignment: good. fine so far"
    assert held.peer_id is None
    assert belief(SoulAlignment("poor", None, "")).value == "Soul alignment: poor."
    assert len(belief(SoulAlignment("x" * 999, 0.1, "y" * 999)).value) <= 240
