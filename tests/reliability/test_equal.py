"""The same events give the same decisions on any number of threads, after restarts, in a replay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import equal
from prefrontal.assembly.wakes_again import again
from prefrontal.decisions.log import DecisionLog

FEW, MANY = 120, 5_000


def live(count: int, threads: int = 1, every: int = 0) -> str:
    with DecisionLog() as log:
        return equal.live(equal.signals(count), log, threads=threads, every=every).text


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.exhaustive)])
def test_threads_restarts_and_a_replay_give_the_same_hash(count: int) -> None:
    ways: list[Callable[[], str]] = [
        lambda: equal.replayed(equal.signals(count)).text,
        lambda: live(count, threads=2),
        lambda: live(count, threads=4),
        lambda: live(count, every=count // 6),
    ]
    assert {live(count), *(way() for way in ways)} == {live(count)}


def test_what_a_gate_decided_that_was_killed_is_decided_again_to_the_bit() -> None:
    with DecisionLog() as log:
        killed = equal.live(equal.signals(FEW), log, every=FEW // 6, killed=True)
        assert list(again(log)) == []
    assert 0.5 < equal.caught(FEW, killed.wakes) <= 1.0


def test_another_event_or_another_label_gives_another_hash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert live(FEW) != live(FEW - 1)
    one = live(FEW)
    monkeypatch.setattr(equal, "worth", lambda decision: 1.0)
    assert live(FEW) != one


def test_a_gate_that_forgets_what_it_learned_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    one = live(FEW)
    monkeypatch.setattr(DecisionLog, "load_state", lambda log, name: None)
    assert live(FEW, every=FEW // 3) != one
