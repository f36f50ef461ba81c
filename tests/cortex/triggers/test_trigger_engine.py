"""When an agent is due: timer, count, new peers, promises and which of them comes first."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal._core.cortex import TriggerEngine

HOUR = 3600.0


def messages(engine: TriggerEngine, count: int, *, start: float = 0.0, peer: str = "bo") -> None:
    for n in range(count):
        engine.push(1, "in", peer, start + n)


def test_the_timer_waits_for_its_period_and_for_an_interaction() -> None:
    engine = TriggerEngine()
    engine.push(1, "known", "bo", 0.0)
    assert engine.due(HOUR) == [] and engine.next_due() is None
    engine.push(1, "in", "bo", HOUR)
    assert engine.due(HOUR) == [(1, ("timer",))]


def test_the_timer_counts_from_the_last_finished_cycle() -> None:
    engine = TriggerEngine(period_s=100.0)
    messages(engine, 1)
    assert engine.next_due(1) == 100.0
    assert engine.begin(1, 100.0) == ("timer",)
    engine.finish(1, 160.0)
    messages(engine, 1, start=170.0)
    assert engine.due(259.9) == []
    assert engine.due(260.0) == [(1, ("timer",))]


def test_no_interaction_since_the_last_cycle_means_no_cycle_ever() -> None:
    engine = TriggerEngine()
    messages(engine, 3)
    engine.begin(1, 1800.0)
    engine.finish(1, 1801.0)
    for kind in ("out", "effort", "good", "bad", "known"):
        engine.push(1, kind, "bo", 1802.0)
    assert engine.due(1e9) == [] and engine.next_due() is None


def test_the_fifth_interaction_makes_the_agent_due_at_once() -> None:
    engine = TriggerEngine()
    messages(engine, 4)
    assert engine.due(4.0) == []
    messages(engine, 1, start=5.0)
    assert engine.next_due(1) == 5.0
    assert engine.due(5.0) == [(1, ("interaction_count",))]


def test_messages_sent_count_only_when_they_are_to() -> None:
    for counted in (False, True):
        engine = TriggerEngine(count=2, count_outgoing=counted)
        engine.push(1, "in", "bo", 0.0)
        engine.push(1, "out", "bo", 1.0)
        assert engine.interactions(1) == 1 + counted
        assert bool(engine.due(1.0)) is counted


def test_a_new_peer_is_told_once_and_a_known_one_never() -> None:
    engine = TriggerEngine(new_peer=True)
    engine.push(1, "known", "old", 0.0)
    engine.push(1, "in", "old", 1.0)
    assert engine.due(1.0) == []
    engine.push(1, "in", "new", 2.0)
    assert engine.begin(1, 2.0) == ("new_peer",)
    engine.finish(1, 3.0)
    engine.push(1, "in", "new", 4.0)
    assert engine.due(4.0) == []


def test_writing_to_somebody_does_not_make_them_known() -> None:
    engine = TriggerEngine(new_peer=True)
    engine.push(1, "out", "bo", 0.0)
    engine.push(1, "in", "bo", 1.0)
    assert engine.due(1.0) == [(1, ("new_peer",))]


def test_a_promise_of_four_hours_is_overdue_after_them_without_any_interaction() -> None:
    engine = TriggerEngine(promise_timeout=True)
    assert engine.commit(1, "bo", 4 * HOUR, "pay")
    assert engine.due(4 * HOUR - 1) == []
    assert engine.due(6 * HOUR) == [(1, ("promise_timeout",))]


def test_a_message_of_that_peer_settles_the_promise_and_another_does_not() -> None:
    for writer, fired in (("bo", ()), ("ada", ("promise_timeout",))):
        engine = TriggerEngine(promise_timeout=True, period_s=None)
        engine.commit(1, "bo", 100.0, "pay")
        engine.push(1, "in", writer, 50.0)
        assert dict(engine.due(200.0)).get(1, ()) == fired


def test_a_promise_is_reported_by_one_finished_cycle_and_again_after_a_failed_one() -> None:
    engine = TriggerEngine(promise_timeout=True)
    engine.commit(1, "bo", 100.0, "pay")
    engine.begin(1, 100.0)
    engine.fail(1, 101.0)
    assert engine.due(161.0) == [(1, ("promise_timeout",))]
    engine.begin(1, 161.0)
    engine.finish(1, 162.0)
    assert engine.due(1e6) == [] and engine.commitments(1) == []


def test_a_promise_made_anew_in_a_cycle_outlives_it() -> None:
    engine = TriggerEngine(promise_timeout=True)
    engine.commit(1, "bo", 100.0, "pay")
    engine.begin(1, 100.0)
    engine.commit(1, "bo", 500.0, "pay")
    engine.finish(1, 101.0)
    assert engine.commitments(1) == [("pay", "bo", 500.0)]
    assert engine.next_due() == 500.0


def test_a_withdrawn_promise_is_no_reason() -> None:
    engine = TriggerEngine(promise_timeout=True, max_commitments=1)
    engine.commit(1, "bo", 100.0, "pay")
    assert not engine.commit(1, "bo", 100.0, "ship")
    assert engine.uncommit(1, "pay") and not engine.uncommit(1, "pay")
    assert engine.due(200.0) == []


def test_what_fired_together_is_told_together_by_precedence() -> None:
    engine = TriggerEngine(new_peer=True, promise_timeout=True, farming=True, count=6)
    engine.commit(1, "ada", 1.0, "pay")
    for n in range(6):
        engine.push(1, "in", "bo", n * 700.0, 20.0)
    engine.push(1, "effort", "bo", 3600.0, 2000.0)
    everything = ("promise_timeout", "farming", "new_peer", "interaction_count", "timer")
    assert engine.due(HOUR) == [(1, everything)]
    assert engine.begin(1, HOUR) == everything


@pytest.mark.parametrize(
    ("off", "left"),
    [
        ({"promise_timeout": False}, ("new_peer", "interaction_count", "timer")),
        ({"new_peer": False}, ("promise_timeout", "interaction_count", "timer")),
        ({"count": None}, ("promise_timeout", "new_peer", "timer")),
        ({"period_s": None}, ("promise_timeout", "new_peer", "interaction_count")),
    ],
)
def test_each_trigger_is_switched_off_alone(off: dict[str, Any], left: tuple[str, ...]) -> None:
    engine = TriggerEngine(new_peer=True, promise_timeout=True, count=1)
    engine.commit(1, "ada", 1.0, "pay")
    messages(engine, 1)
    engine.set_thresholds(**off)
    assert engine.due(HOUR) == [(1, left)]


def test_time_that_goes_back_counts_as_the_latest_seen() -> None:
    engine = TriggerEngine(period_s=100.0)
    messages(engine, 1, start=1000.0)
    engine.push(1, "in", "bo", 5.0)
    assert engine.statistics(1, "bo")["last_seen"] == 1000.0
    assert engine.due(1100.0) == engine.due(3.0) == [(1, ("timer",))]


def test_each_agent_has_its_own_state_and_due_ones_come_sorted() -> None:
    engine = TriggerEngine(count=2)
    for agent in (7, -3, 40_000_000_000, 7, -3, 40_000_000_000, 5):
        engine.push(agent, "in", "bo", 0.0)
    assert [agent for agent, _ in engine.due(0.0)] == [-3, 7, 40_000_000_000]
    assert engine.agents() == [-3, 5, 7, 40_000_000_000]


def test_the_next_due_time_of_all_is_the_earliest_and_due_at_it_tells_that_agent() -> None:
    engine = TriggerEngine(period_s=100.0, promise_timeout=True)
    for agent in range(50):
        engine.push(agent, "in", "bo", float(agent))
    engine.commit(30, "ada", 60.0, "pay")
    assert engine.next_due() == 60.0 and engine.due(60.0) == [(30, ("promise_timeout",))]
    engine.begin(30, 60.0)
    assert engine.next_due() == 100.0
    engine.uncommit(0, "pay")
    engine.begin(0, 60.0)
    assert engine.next_due() == 101.0 and engine.due(101.0) == [(1, ("timer",))]


def test_an_agent_forgets_the_peer_it_has_not_seen_for_longest() -> None:
    engine = TriggerEngine(max_peers=2, new_peer=True)
    for n, peer in enumerate(("ada", "bo", "ada", "cy")):
        engine.push(1, "in", peer, float(n))
    assert engine.peers(1) == ["cy", "ada"]
    assert engine.statistics(1, "bo") == {}
    engine.set_thresholds(max_peers=1)
    assert engine.peers(1) == ["cy"]


def test_an_unknown_agent_or_peer_is_empty() -> None:
    engine = TriggerEngine()
    assert engine.interactions(5) == 0
    assert engine.peers(5) == [] and engine.commitments(5) == []
    assert engine.statistics(5, "bo") == {} and engine.next_due(5) is None
    assert engine.agents() == []


def test_names_come_back_as_they_were_given() -> None:
    engine = TriggerEngine()
    names = ["zoë", "\ud800", "a\0b", "n" * 1024]
    for name in names:
        engine.push(1, "in", name, 0.0)
        engine.commit(1, name, 0.0, name)
    assert engine.peers(1) == names[::-1]
    assert TriggerEngine.load(engine.save()).peers(1) == names[::-1]
    assert [key for key, _, _ in engine.commitments(1)] == names
