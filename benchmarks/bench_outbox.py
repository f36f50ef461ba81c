"""What a durable sink costs: a wake that is stored, and the way to the sink, beside none.

    python benchmarks/bench_outbox.py [--smoke]

The twin is the same log without a sink, and a handler that calls the sink without an outbox.
`memory` leaves the disk out: the difference of these rows is all that is computed.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import harness
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog, new_id
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.delivery import Delivery
from prefrontal.pulse.sinks import DeliveryOutcome
from prefrontal.pulse.sinks.outbox import Outbox
from prefrontal.types import Reason, SignalEvent

PATIENCE_S = 120.0
SINKS = ("one", "two", "three")


class CountingSink:
    """Has every question at once; tells when it has as many as were waited for."""

    def __init__(self) -> None:
        self.ids: list[str | None] = []
        self.wanted = 1
        self.came = threading.Event()

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        self.ids.append(decision.id)
        if len(self.ids) >= self.wanted:
            self.came.set()
        return DeliveryOutcome(True, "HTTP 204")

    def close(self) -> None:
        """Nothing is open."""

    def wait(self, wanted: int, begin: Callable[[], object]) -> float:
        """Seconds from `begin` until the sink has `wanted` questions in all."""
        self.wanted = wanted
        self.came.clear()
        start = time.perf_counter()
        begin()
        assert self.came.wait(PATIENCE_S)
        return time.perf_counter() - start


def record() -> Decision:
    event = SignalEvent("filesystem", "/in/a.pdf", "created", 1.0, 1.5, {"extension": ".pdf"})
    why = tuple((f"token={number}", 0.5) for number in range(8))
    return Decision(
        new_id(), time.time(), "inv", True, str(Reason.WOKE), 0.9, 0.6, "New?", 1.0,
        (event,), WakePayload(), why,
    )  # fmt: skip


def storing(folder: Path, smoke: bool, rounds: int) -> str:
    """The gate's own cost: one wake, and 256 in one transaction."""
    with ExitStack() as held:
        entries: dict[str, Callable[[], object]] = {}
        for where in ("memory", "disk"):
            for count in (0, 1, 3):
                path = ":memory:" if where == "memory" else str(folder / f"{count}.db")
                log = held.enter_context(DecisionLog(path, owed_to=SINKS[:count]))
                name = f"{where}, {('no sink (twin)', '1 sink', '', '3 sinks')[count]}"
                entries[name] = lambda log=log: log.append(record())  # type: ignore[misc]
                entries[f"{name}, 256 at once"] = lambda log=log: log.append_many(  # type: ignore[misc]
                    [record() for _ in range(256)]
                )
        return harness.table(harness.measure(entries, rounds=rounds, smoke=smoke))


def way(folder: Path, count: int) -> str:
    """From a wake that is to be stored until the sink has it."""
    twin, sink = CountingSink(), CountingSink()
    with DecisionLog(folder / "twin.db") as log:
        delivery = Delivery("parallel")
        delivery.add(twin.deliver)

        def store_and_submit() -> None:
            log.append(each := record())
            delivery.submit(each)

        direct = [twin.wait(number + 1, store_and_submit) for number in range(count)]
        assert delivery.stop(PATIENCE_S)
    with DecisionLog(folder / "way.db", owed_to=["one"]) as log:
        box = Outbox(log, [("one", sink, 1e9)])
        box.start()
        through = [sink.wait(n + 1, lambda: log.append(record())) for n in range(count)]
        assert box.stop(PATIENCE_S)
        assert box.owed() == 0
        assert sink.ids == [each.id for each in log.records()]
        box.close()
    return (
        f"from a decision to the sink: {_median(direct)} without, {_median(through)} with an"
        f" outbox (median of {count} wakes, stored on the disk first)"
    )


def backlog(folder: Path, count: int) -> str:
    """What was left over is delivered at the start."""
    sink = CountingSink()
    with DecisionLog(folder / "backlog.db", owed_to=["one"]) as log:
        log.append_many([record() for _ in range(count)])
        box = Outbox(log, [("one", sink, 1e9)])
        seconds = sink.wait(count, box.start)
        assert box.stop(PATIENCE_S)
        assert len(set(sink.ids)) == len(sink.ids) == count
        box.close()
    return f"{count:,} questions left over: {count / seconds:,.0f} delivered a second at the start"


def _median(seconds: list[float]) -> str:
    return harness.duration(statistics.median(seconds))


def main() -> None:
    options = harness.options(__doc__ or "")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(storing(folder, options.smoke, options.rounds))
        print(way(folder, 3 if options.smoke else 500))
        print(backlog(folder, 50 if options.smoke else 20_000))


if __name__ == "__main__":
    main()
