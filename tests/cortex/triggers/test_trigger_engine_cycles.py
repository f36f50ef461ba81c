"""Cycles of an agent, thresholds of many, and calls from several threads."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from random import Random

from prefrontal._core.cortex import TriggerEngine


def messages(engine: TriggerEngine, count: int, *, start: float = 0.0, peer: str = "bo") -> None:
    for n in range(count):
        engine.push(1, "in", peer, start + n)


def test_due_is_told_until_a_cycle_begins_and_not_while_it_runs() -> None:
    engine = TriggerEngine(count=1)
    messages(engine, 1)
    assert engine.due(1.0) == engine.due(2.0) == [(1, ("interaction_count",))]
    engine.begin(1, 3.0)
    messages(engine, 9, start=4.0)
    assert engine.due(1e6) == [] and engine.next_due(1) is None


def test_what_arrives_during_a_cycle_waits_for_the_next_one() -> None:
    engine = TriggerEngine(count=2, new_peer=True)
    messages(engine, 2)
    engine.begin(1, 2.0)
    engine.push(1, "in", "late", 3.0)
    engine.finish(1, 4.0)
    assert engine.interactions(1) == 1
    assert engine.due(4.0) == [(1, ("new_peer",))]


def test_a_cycle_may_say_how_many_interactions_it_saw() -> None:
    engine = TriggerEngine()
    for seen, left in ((3, 2), (100, 0)):
        messages(engine, 5 - engine.interactions(1))
        engine.begin(1, 10.0)
        engine.finish(1, 10.0, seen)
        assert engine.interactions(1) == left


def test_failed_cycles_wait_a_minute_then_twice_as_long_up_to_half_an_hour() -> None:
    engine = TriggerEngine(count=1)
    messages(engine, 1)
    now, waited = 0.0, []
    for _ in range(7):
        engine.begin(1, now)
        engine.fail(1, now)
        assert engine.due(now) == []
        due = engine.next_due(1)
        assert (due is not None and engine.due(due) == [(1, ("interaction_count",))][:1]) or due
        waited.append(due - now)
        now = due
    assert waited == [60.0, 120.0, 240.0, 480.0, 960.0, 1800.0, 1800.0]
    engine.begin(1, now)
    engine.finish(1, now)
    messages(engine, 1, start=now)
    engine.begin(1, now)
    engine.fail(1, now)
    assert engine.next_due(1) == now + 60.0


def test_agents_may_have_thresholds_of_their_own() -> None:
    engine = TriggerEngine(count=3)
    engine.set_thresholds(2, count=1)
    engine.set_thresholds(period_s=50.0)
    for agent in (1, 2):
        engine.push(agent, "in", "bo", 0.0)
    assert engine.due(0.0) == [(2, ("interaction_count",))]
    assert engine.thresholds(2)["period_s"] == 50.0 and engine.thresholds(1)["count"] == 3


def test_new_thresholds_hold_at_once_also_for_what_already_came() -> None:
    engine = TriggerEngine()
    messages(engine, 3)
    engine.set_thresholds(count=3)
    assert engine.due(3.0) == [(1, ("interaction_count",))]
    engine.set_thresholds(count=9, period_s=10.0)
    assert engine.due(3.0) == []
    assert engine.due(10.0) == [(1, ("timer",))]


def test_threads_may_push_ask_and_change_thresholds_at_once() -> None:
    engine = TriggerEngine(count=1_000_000, new_peer=True)
    workers = [
        threading.Thread(target=lambda own=own: messages(engine, 2000, peer=f"p{own}"))
        for own in range(4)
    ]
    for worker in workers:
        worker.start()
    for n in range(200):
        engine.set_thresholds(period_s=float(n + 1), count=1_000_000 + n)
        assert [agent for agent, _ in engine.due(float(n))] in ([], [1])
        assert engine.thresholds()["period_s"] == n + 1.0
        gc.collect(0)
    for worker in workers:
        worker.join()
    assert engine.interactions(1) == 8000


def test_of_a_hundred_thousand_agents_none_is_due_before_its_time() -> None:
    engine = TriggerEngine()
    for agent in range(100_000):
        engine.push(agent, "in", "bo", agent * 0.001)
    for n in range(5):
        assert engine.due(200.0 + n) == []


def test_new_peers_promises_and_farming_are_off_until_they_are_named() -> None:
    engine = TriggerEngine(count=None, period_s=None)
    engine.commit(1, "ada", 1.0, "pay")
    for n in range(9):
        engine.push(1, "in", "bo", n * 900.0, 10.0 if n < 8 else 9000.0)
    assert engine.due(1e6) == []
    engine.set_thresholds(new_peer=True, promise_timeout=True, farming=True)
    assert engine.due(1e6) == [(1, ("promise_timeout",))]


def test_many_peers_come_and_go_and_each_keeps_its_own_record() -> None:
    random, engine = Random(5), TriggerEngine(max_peers=40)
    held: dict[int, dict[str, int]] = {1: {}, 2: {}}
    for n in range(5000):
        agent, peer = random.choice((1, 2)), f"p{random.randrange(60)}"
        engine.push(agent, "in", peer, float(n))
        held[agent][peer] = held[agent].pop(peer, 0) + 1
        if len(held[agent]) > 40:
            del held[agent][next(iter(held[agent]))]
    for agent, counts in held.items():
        assert engine.peers(agent) == list(counts)[::-1]
        for number in range(60):
            told = engine.statistics(agent, f"p{number}").get("interactions", 0)
            assert told == counts.get(f"p{number}", 0)


def test_names_of_forgotten_peers_do_not_stay_in_memory() -> None:
    engine = TriggerEngine(max_peers=2)
    statm = Path("/proc/self/statm")
    before = int(statm.read_text().split()[1])
    for n in range(50_000):
        engine.push(1, "in", f"{n:01000d}", float(n))
    assert (int(statm.read_text().split()[1]) - before) * 4096 < 20e6


def test_thousands_of_due_agents_come_sorted_also_when_some_become_due_later() -> None:
    random, engine = Random(6), TriggerEngine(count=1)
    ids = [random.randrange(-(2**63), 2**63) for _ in range(1500)]
    ids += random.sample(range(-1000, 1000), 1500)
    random.shuffle(ids)
    for told in (1000, 1010, 3000):
        for agent in ids[:told]:
            engine.push(agent, "in", "bo", 0.0)
        assert [agent for agent, _ in engine.due(0.0)] == sorted(ids[:told])
