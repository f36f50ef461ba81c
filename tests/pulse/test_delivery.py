"""Handlers run beside the gate, every one of them, in the order the overlap asks for."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.pulse.delivery import Delivery
from prefrontal.types import Reason

from .wakes import wake

PATIENCE_S = 60.0


def decision(module_id: str = "m", number: int = 0) -> Decision:
    return replace(wake(question=f"{number}?"), id=f"id{number}", subject=module_id, window=())


def test_every_handler_gets_every_decision_and_a_removed_one_no_more() -> None:
    delivery = Delivery("queue")
    first: list[str | None] = []
    second: list[str | None] = []
    remove = delivery.add(lambda each: first.append(each.id))
    delivery.add(lambda each: second.append(each.id))
    delivery.submit(decision(number=1))
    assert delivery.stop(PATIENCE_S)
    remove()
    delivery.submit(decision(number=2))
    assert delivery.stop(PATIENCE_S)
    assert (first, second) == (["id1"], ["id1", "id2"])
    assert delivery.delivered == 2


def test_a_coroutine_is_run_to_its_end() -> None:
    delivery = Delivery("queue")
    seen: list[str | None] = []

    async def handler(each: Decision) -> None:
        seen.append(each.question)

    delivery.add(handler)
    delivery.submit(decision(number=3))
    assert delivery.stop(PATIENCE_S)
    assert seen == ["3?"]


def test_a_handler_that_raises_is_counted_and_the_others_still_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    delivery = Delivery("queue")
    seen: list[str | None] = []

    def broken(_: Decision) -> None:
        raise RuntimeError("no")

    delivery.add(broken)
    delivery.add(lambda each: seen.append(each.id))
    delivery.submit(decision(number=1))
    delivery.submit(decision(number=2))
    assert delivery.stop(PATIENCE_S)
    assert seen == ["id1", "id2"]
    assert delivery.failed == 2
    assert "failed for id1" in caplog.text


def test_a_queue_keeps_the_order_of_a_module_while_others_go_on() -> None:
    delivery = Delivery("queue")
    release = threading.Event()
    other_done = threading.Event()
    seen: list[str | None] = []

    def handler(each: Decision) -> None:
        if each.subject == "slow":
            assert release.wait(PATIENCE_S)
        else:
            other_done.set()
        seen.append(each.id)

    delivery.add(handler)
    for number in range(5):
        delivery.submit(decision("slow", number))
    delivery.submit(decision("other", 9))
    assert other_done.wait(PATIENCE_S)
    release.set()
    assert delivery.stop(PATIENCE_S)
    assert seen == ["id9", "id0", "id1", "id2", "id3", "id4"]


def test_skip_refuses_while_the_module_is_busy_and_not_after() -> None:
    delivery = Delivery("skip")
    started, release = threading.Event(), threading.Event()

    def handler(_: Decision) -> None:
        started.set()
        assert release.wait(PATIENCE_S)

    delivery.add(handler)
    assert delivery.refuses("m") is None
    delivery.submit(decision())
    assert started.wait(PATIENCE_S)
    assert delivery.refuses("m") is Reason.BUSY
    assert delivery.refuses("other") is None
    release.set()
    assert delivery.stop(PATIENCE_S)
    assert delivery.refuses("m") is None


def test_parallel_runs_decisions_of_one_module_at_once() -> None:
    delivery = Delivery("parallel")
    both = threading.Barrier(2, timeout=PATIENCE_S)
    delivery.add(lambda _: both.wait())
    delivery.submit(decision(number=1))
    delivery.submit(decision(number=2))
    assert delivery.stop(PATIENCE_S)
    assert delivery.failed == 0


def test_stopping_waits_no_longer_than_told_for_a_handler_that_hangs() -> None:
    delivery = Delivery("queue")
    release = threading.Event()
    delivery.add(lambda _: release.wait(PATIENCE_S))
    delivery.submit(decision(number=1))
    assert not delivery.stop(0.05)
    release.set()


def test_stopping_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    delivery = Delivery("parallel")
    delivery.add(lambda _: None)
    for number in range(50):
        delivery.submit(decision(number=number))
    assert delivery.stop(PATIENCE_S)
    assert set(threading.enumerate()) <= before


def test_a_handler_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="^handler must be callable"):
        Delivery("queue").add("print")  # type: ignore[arg-type]


def test_a_module_that_floods_the_handlers_drops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prefrontal.pulse.delivery.MOST_WAITING", 50)
    delivery, goes_on = Delivery("queue"), threading.Event()
    delivery.add(lambda _: goes_on.wait(PATIENCE_S))
    for number in range(50):
        assert delivery.refuses("flood") is None
        delivery.submit(decision("flood", number))
    assert delivery.refuses("flood") is Reason.DROPPED
    assert delivery.refuses("quiet") is None
    goes_on.set()
    assert delivery.stop(PATIENCE_S)
    assert delivery.refuses("flood") is None
