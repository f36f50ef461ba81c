from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from prefrontal.compat.bus import HISTORY, SignalBus
from prefrontal.types import SignalEvent

PATIENCE_S = 30.0


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) - before == set()


@pytest.fixture
def bus() -> Iterator[SignalBus]:
    made = SignalBus()
    yield made
    assert made.stop(PATIENCE_S)


def event(number: int) -> SignalEvent:
    return SignalEvent("test", str(number), "created", 1.0, 0.0)


def test_every_subscriber_gets_every_event_in_order(bus: SignalBus) -> None:
    one: list[str] = []
    two: list[str] = []
    bus.subscribe(lambda each: one.append(each.location))
    bus.subscribe(lambda each: two.append(each.location))
    for number in range(1_000):
        assert bus.put(event(number))
    assert bus.stop()
    assert one == two == [str(number) for number in range(1_000)]


def test_a_constructed_bus_has_no_thread_until_it_has_an_event() -> None:
    before = threading.active_count()
    bus = SignalBus()
    bus.subscribe(print)
    assert threading.active_count() == before
    assert bus.stop()


def test_events_nobody_subscribed_to_wait_for_get_even_after_stop(bus: SignalBus) -> None:
    bus.put(event(1))
    bus.put(event(2))
    first = bus.get(PATIENCE_S)
    assert first is not None and first.location == "1"
    assert bus.stop()
    second = bus.get(0)
    assert second is not None and second.location == "2"
    assert bus.get(PATIENCE_S) is None


def test_get_waits_for_an_event_and_no_longer_than_asked(bus: SignalBus) -> None:
    assert bus.get(0) is None
    timer = threading.Thread(target=bus.put, args=(event(1),))
    timer.start()
    found = bus.get(PATIENCE_S)
    timer.join()
    assert found is not None and found.location == "1"
    with pytest.raises(ValueError, match="timeout must be 0 or more seconds, got -1"):
        bus.get(-1)
    with pytest.raises(ValueError, match="got nan"):
        bus.get(float("nan"))


def test_a_get_that_waits_ends_when_the_bus_stops(bus: SignalBus) -> None:
    bus.put(event(1))
    assert bus.get(PATIENCE_S) is not None
    found: list[object] = []
    waiting = threading.Thread(target=lambda: found.append(bus.get(PATIENCE_S)))
    waiting.start()
    bus.stop()
    waiting.join(PATIENCE_S)
    assert found == [None]


def test_what_was_put_before_the_first_get_is_there_though_subscribers_took_it(
    bus: SignalBus,
) -> None:
    bus.subscribe(lambda each: None)
    for number in range(5_000):
        bus.put(event(number))
    assert bus.stop()
    assert [bus.get(0).location for _ in range(1_000)] == [  # type: ignore[union-attr]
        str(number) for number in range(4_000, 5_000)
    ]
    assert bus.get(0) is None
    assert bus.forgotten == 0


def test_what_is_kept_for_get_is_bounded_and_what_went_is_counted(bus: SignalBus) -> None:
    for number in range(HISTORY + 10):
        bus.put(event(number))
    assert bus.stop()
    first = bus.get(0)
    assert first is not None and first.location == "10"
    assert bus.forgotten == 10


def test_a_full_bus_refuses_and_counts() -> None:
    bus = SignalBus(maxsize=2)
    busy, go = threading.Event(), threading.Event()

    def slow(each: SignalEvent) -> None:
        busy.set()
        go.wait(PATIENCE_S)

    bus.subscribe(slow)
    assert bus.put(event(0))
    assert busy.wait(PATIENCE_S)
    assert [bus.put(event(number)) for number in range(4)] == [True, True, False, False]
    assert bus.dropped == 2
    assert not bus.stop(0.0)
    go.set()
    assert bus.stop(PATIENCE_S)


def test_an_event_after_stop_is_refused_and_stopping_twice_is_fine(bus: SignalBus) -> None:
    bus.put(event(1))
    assert bus.stop()
    assert bus.stop()
    assert bus.put(event(2)) is False
    assert bus.dropped == 1


def test_a_subscriber_may_stop_the_bus_and_what_was_handed_in_still_comes() -> None:
    bus = SignalBus()
    got: list[str] = []
    first = threading.Event()

    def stopping(each: SignalEvent) -> None:
        first.wait(PATIENCE_S)
        got.append(each.location)
        bus.stop()

    bus.subscribe(stopping)
    for number in range(3):
        bus.put(event(number))
    first.set()
    assert bus.stop(PATIENCE_S)
    assert got == ["0", "1", "2"]


def test_a_subscriber_that_raises_anything_silences_nobody(
    bus: SignalBus, caplog: pytest.LogCaptureFixture
) -> None:
    got: list[str] = []

    def fails(each: SignalEvent) -> None:
        raise SystemExit if each.location == "0" else ValueError("no")

    bus.subscribe(fails)
    bus.subscribe(lambda each: got.append(each.location))
    bus.put(event(0))
    bus.put(event(1))
    assert bus.stop()
    assert got == ["0", "1"]
    assert bus.failures == 2
    assert "failed on 0" in caplog.text


def test_subscribing_twice_calls_twice_and_unsubscribing_takes_one_away(bus: SignalBus) -> None:
    got: list[str] = []

    def take(each: SignalEvent) -> None:
        got.append(each.location)

    bus.subscribe(take)
    bus.subscribe(take)
    bus.unsubscribe(take)
    bus.unsubscribe(print)
    bus.put(event(1))
    assert bus.stop()
    assert got == ["1"]


def test_maxsize_must_be_a_whole_number() -> None:
    with pytest.raises(TypeError, match="maxsize must be a whole number, got True"):
        SignalBus(True)
