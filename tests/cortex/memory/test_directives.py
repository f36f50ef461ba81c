"""Directives are few, go out once, end in time, and can wait for the operator."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.memory.directives import DirectiveQueue
from prefrontal.cortex.models import ProposedDirective
from prefrontal.settings.cortex_growth import Directives

NOW = 1_772_000_000.0
MINUTE = 60.0
PEERS = frozenset({"a", "b", "c", "d", "e", "f", "g", "h"})


def wanted(peer: str = "a", action: str = "Ask", **more: Any) -> ProposedDirective:
    return ProposedDirective(peer, action, **more)


def add(
    queue: DirectiveQueue,
    *proposed: ProposedDirective,
    cycle: int = 1,
    now: float = NOW,
    **settings: Any,
) -> list[dict[str, Any]]:
    return queue.add(proposed, settings=Directives(**settings), cycle=cycle, now=now, peers=PEERS)


def test_a_directive_comes_out_of_the_poll_once_and_as_the_loop_reads_it() -> None:
    queue = DirectiveQueue()
    [taken] = add(queue, wanted("a", "Ask for news", message="Any news?"), cycle=7)
    [message] = queue.poll(NOW + 1)
    assert taken["status"] == "queued"
    assert message.content == "Directive directive-7-1 for a: Ask for news\nMessage: Any news?"
    assert (message.id, message.channel_type, message.channel_id) == (
        "directive-7-1",
        "cortex",
        "a",
    )
    assert (message.sender_id, message.sender_name) == ("system", "Cortex")
    assert message.timestamp == datetime.fromtimestamp(NOW + 1, UTC)
    assert message.is_internal
    assert message.metadata == {
        "is_cortex": True,
        "skip_persistence": True,
        "target_peer": "a",
        "directive_id": "directive-7-1",
    }
    assert queue.poll(NOW + 2) == []


def test_without_words_of_its_own_the_message_is_one_line() -> None:
    queue = DirectiveQueue()
    add(queue, wanted())
    assert queue.poll(NOW)[0].content == "Directive directive-1-1 for a: Ask"


def test_no_more_than_two_a_cycle_and_six_an_hour() -> None:
    queue = DirectiveQueue()
    statuses = [
        [each["status"] for each in add(queue, *map(wanted, names), cycle=cycle)]
        for cycle, names in enumerate(("abc", "cd", "ef", "gh"), 1)
    ]
    assert statuses == [
        ["queued", "queued", "dropped"],
        ["queued", "queued"],
        ["queued", "queued"],
        ["dropped", "dropped"],
    ]
    [later] = add(queue, wanted("g"), cycle=5, now=NOW + 3600)
    assert later["status"] == "queued"


def test_why_one_was_dropped_is_told() -> None:
    queue = DirectiveQueue()
    reasons = [each["why"] for each in add(queue, wanted("stranger"), wanted("a", " "))]
    assert reasons == ["the target is no known peer", "the action is blank"]
    assert add(queue, wanted(), enabled=False)[0]["why"] == "directives are switched off"
    assert add(queue, wanted(), per_cycle=0)[0]["why"] == "more than 0 in one cycle"


def test_the_same_action_for_the_same_peer_waits_a_day() -> None:
    queue = DirectiveQueue()
    add(queue, wanted("a", "Ask"))
    queue.poll(NOW)
    again = add(queue, wanted("a", "ask"), cycle=2, now=NOW + 23 * 3600)
    assert again[0]["why"] == "the same was asked for this peer before"
    assert add(queue, wanted("a", "Ask"), cycle=3, now=NOW + 25 * 3600)[0]["status"] == "queued"


def test_one_that_is_not_polled_in_time_expires() -> None:
    queue = DirectiveQueue()
    add(queue, wanted("a", expires_minutes=10), wanted("b"))
    assert [each["id"] for each in queue.expire(NOW + 10 * MINUTE)] == []
    assert [each["id"] for each in queue.expire(NOW + 10 * MINUTE + 1)] == ["directive-1-1"]
    assert [each.channel_id for each in queue.poll(NOW + 11 * MINUTE)] == ["b"]
    assert queue.open == ()


def test_approval_is_waited_for_when_it_is_required() -> None:
    queue = DirectiveQueue()
    taken = add(queue, wanted("a"), wanted("b"), require_approval=True)
    assert [each["status"] for each in taken] == ["pending", "pending"]
    assert queue.poll(NOW) == []
    assert [each["status"] for each in queue.approve(["directive-1-1"])] == ["queued"]
    assert [each["status"] for each in queue.reject(["directive-1-2"])] == ["rejected"]
    assert [each.channel_id for each in queue.poll(NOW)] == ["a"]
    assert queue.approve(["directive-1-1", "directive-1-2", "other"]) == []


def test_an_approval_after_its_time_comes_too_late() -> None:
    queue = DirectiveQueue()
    add(queue, wanted(expires_minutes=10), require_approval=True)
    queue.approve(["directive-1-1"])
    assert queue.poll(NOW + 11 * MINUTE) == []


def test_a_restart_neither_loses_nor_repeats_one() -> None:
    queue = DirectiveQueue()
    add(queue, wanted("a"))
    queue.poll(NOW)
    add(queue, wanted("b"), cycle=2)
    restored = DirectiveQueue()
    restored.load(json.loads(json.dumps(queue.save())))
    assert [each.channel_id for each in restored.poll(NOW)] == ["b"]
    assert add(restored, wanted("a"), cycle=3)[0]["status"] == "dropped"


@pytest.mark.parametrize("raw", [None, {}, "x", [1, None, {"id": "x"}], [[]]])
def test_damaged_state_is_no_directive(raw: object) -> None:
    queue = DirectiveQueue()
    queue.load(raw)
    assert queue.poll(NOW) == []


@settings(deadline=None)
@given(st.text(max_size=300), st.text(max_size=600), st.text(min_size=1, max_size=200))
def test_no_text_can_add_a_line(action: str, message: str, peer: str) -> None:
    queue = DirectiveQueue()
    proposed = [ProposedDirective(peer, f"x{action}", f"y{message}")]
    queue.add(proposed, settings=Directives(), cycle=1, now=NOW, peers=[peer])
    [sent] = queue.poll(NOW)
    first, second = sent.content.split("\n")
    assert first.startswith("Directive directive-1-1 for ")
    assert second.startswith("Message: y")
    assert len(sent.content.splitlines()) == 2
