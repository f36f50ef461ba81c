from __future__ import annotations

import math
import threading

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.sources.polling import Poller
from prefrontal.pulse.sources.running import Outlet

from .receiver import PATIENCE_S, Receiver


def test_failures_in_a_row_double_the_wait_are_logged_once_and_forgotten_after_a_success(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fail = True

    def ask(outlet: Outlet) -> None:
        if fail:
            raise SourceError("the server is away")

    poller = Poller("test", 10.0, ask)
    waits = []
    for _ in range(8):
        poller.call()
        waits.append(poller.delay_s())
    assert waits == [20, 40, 80, 160, 320, 320, 320, 320]
    assert caplog.text.count("the server is away") == 1
    fail = False
    poller.call()
    assert poller.delay_s() == 10.0
    assert poller.status()["errors"] == 8


def test_the_wait_never_passes_an_hour_unless_that_was_asked_for() -> None:
    def ask(outlet: Outlet) -> None:
        raise ValueError("a fault of ours")

    for interval_s, longest in ((600.0, 3_600.0), (86_400.0, 86_400.0)):
        poller = Poller("test", interval_s, ask)
        for _ in range(40):
            poller.call()
        assert poller.delay_s() == longest


def test_it_asks_at_once_survives_failures_and_ends_when_told() -> None:
    asked = threading.Semaphore(0)

    def ask(outlet: Outlet) -> None:
        asked.release()
        raise OSError("no")

    poller = Poller("test", 0.001, ask)
    poller.start(Receiver())
    poller.start(Receiver())
    for _ in range(3):
        assert asked.acquire(timeout=PATIENCE_S)
    poller.stop(PATIENCE_S)
    poller.stop(PATIENCE_S)
    assert poller.status()["running"] is False


@pytest.mark.parametrize("interval_s", [0, math.nan, math.inf])
def test_the_interval_must_be_a_number_above_zero(interval_s: float) -> None:
    with pytest.raises(InputError, match="interval_s must be a number of seconds above 0"):
        Poller("test", interval_s, lambda outlet: None)
