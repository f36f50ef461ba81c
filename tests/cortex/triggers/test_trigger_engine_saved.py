"""Saving and loading: the same state, times moved on demand, damaged bytes refused."""

from __future__ import annotations

import zlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.cortex import TriggerEngine


def lively() -> TriggerEngine:
    """An engine with something in every field."""
    random = Random(3)
    engine = TriggerEngine(
        new_peer=True, promise_timeout=True, farming=True, max_peers=3, farming_tempo_gap_s=0.0
    )
    engine.set_thresholds(2, period_s=None, count=9)
    for n in range(60):
        agent, peer = random.choice((1, 2, 3)), random.choice(("ada", "bo", "cy", "zoë"))
        engine.push(agent, random.choice(("in", "in", "effort", "good")), peer, n * 50.0, n * 7.0)
    engine.commit(2, "ada", 9999.0, "pay")
    engine.begin(1, 3000.0)
    engine.fail(1, 3001.0)
    engine.begin(3, 3002.0)
    return engine


SAVED = lively().save()


def sealed(body: bytes) -> bytes:
    return body + zlib.crc32(body).to_bytes(4, "little")


def test_a_loaded_engine_goes_on_where_the_saved_one_was() -> None:
    engine, loaded = lively(), TriggerEngine.load(SAVED)
    assert loaded.save() == SAVED
    engine.fail(3, 3002.0)
    loaded.begin(3, 3002.0)
    loaded.fail(3, 3002.0)
    for now in (3002.0, 3100.0, 9999.0):
        assert engine.next_due() == loaded.next_due()
        assert engine.due(now) == loaded.due(now)
    for agent in (1, 2, 3):
        assert engine.thresholds(agent) == loaded.thresholds(agent)
        for peer in engine.peers(agent):
            assert engine.statistics(agent, peer) == loaded.statistics(agent, peer)


def test_a_cycle_that_was_running_is_due_again_after_loading() -> None:
    engine = TriggerEngine(count=1, promise_timeout=True)
    engine.push(1, "in", "bo", 5.0)
    engine.commit(1, "bo", 6.0, "pay")
    engine.begin(1, 7.0)
    loaded = TriggerEngine.load(engine.save())
    assert loaded.due(7.0) == [(1, ("promise_timeout", "interaction_count"))]
    assert loaded.commitments(1) == [("pay", "bo", 6.0)]


def test_times_move_to_a_clock_that_started_anew() -> None:
    engine = TriggerEngine(promise_timeout=True, count=None)
    engine.push(1, "in", "bo", 50_000.0)
    engine.commit(1, "ada", 50_500.0, "pay")
    engine.push(1, "in", "bo", 50_100.0)
    loaded = TriggerEngine.load(engine.save(), 20.0)
    assert loaded.commitments(1) == [("pay", "ada", 420.0)]
    assert loaded.statistics(1, "bo")["first_seen"] == -80.0
    loaded.uncommit(1, "pay")
    assert loaded.next_due() == 1720.0
    assert TriggerEngine.load(TriggerEngine().save(), 20.0).next_due() is None


def test_an_empty_engine_is_saved_too() -> None:
    assert TriggerEngine.load(TriggerEngine(count=3).save()).thresholds()["count"] == 3


@pytest.mark.parametrize(
    "saved", [b"", b"PFTE", SAVED[:-1], SAVED[:40], b"x" + SAVED[1:], SAVED + b"x"]
)
def test_bytes_that_are_not_whole_are_refused(saved: bytes) -> None:
    with pytest.raises(ValueError, match="^saved engine must"):
        TriggerEngine.load(saved)


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="saved engine must be of this version, got another"):
        TriggerEngine.load(sealed(b"PFTE\x02" + SAVED[5:-4]))


def test_every_flipped_byte_is_noticed() -> None:
    for at in range(len(SAVED)):
        damaged = bytearray(SAVED)
        damaged[at] ^= 1 << (at % 8)
        with pytest.raises(ValueError, match="^saved engine must"):
            TriggerEngine.load(bytes(damaged))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(8, len(SAVED) - 5), st.integers(0, 255)), max_size=6))
def test_a_forged_checksum_is_refused_or_harmless(changes: list[tuple[int, int]]) -> None:
    """A forged file may say anything, but not break the engine that reads it."""
    body = bytearray(SAVED[:-4])
    for at, value in changes:
        body[at] = value
    try:
        loaded = TriggerEngine.load(sealed(bytes(body)))
    except ValueError:
        return
    assert TriggerEngine.load(loaded.save()).save() == loaded.save()
    loaded.due(1e7)
    for agent in loaded.agents():
        loaded.push(agent, "in", "new", 2e7, 10.0)
        loaded.commit(agent, "bo", 2e7, "ship")
        for peer in loaded.peers(agent):
            loaded.statistics(agent, peer)
        loaded.begin(agent, 2e7)
        loaded.finish(agent, 2e7)
    loaded.due(3e7)


def test_each_cut_under_a_right_checksum_is_refused() -> None:
    for size in range(8, len(SAVED) - 4):
        with pytest.raises(ValueError, match="must"):
            TriggerEngine.load(sealed(SAVED[:size]))


def test_a_peer_or_an_agent_that_stands_in_it_twice_is_refused() -> None:
    engine = TriggerEngine()
    for agent, peer in ((1111, "ada"), (1111, "bob"), (2222, "cyd")):
        engine.push(agent, "in", peer, 0.0)
    body = engine.save()[:-4]
    agents = [number.to_bytes(8, "little") for number in (1111, 2222)]
    for old, new, what in ((b"bob", b"ada", "peer"), (agents[1], agents[0], "agent")):
        assert body.count(old) == 1
        with pytest.raises(ValueError, match=f"must hold each {what} once"):
            TriggerEngine.load(sealed(body.replace(old, new)))


@pytest.mark.parametrize("seen", [False, True])
def test_a_bad_outcome_after_loading_takes_back_only_what_no_cycle_saw(seen: bool) -> None:
    engine = TriggerEngine(farming=True, count=None, period_s=None, retry_s=0.0)
    for n in range(5):
        engine.push(1, "in", "bo", n * 3600.0)
    if seen:
        engine.begin(1, 18_000.0)
        engine.fail(1, 18_000.0)
    loaded = TriggerEngine.load(engine.save())
    loaded.push(1, "bad", "bo", 18_000.0)
    assert bool(loaded.due(18_000.0)) is seen
