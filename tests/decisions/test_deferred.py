"""What may wait a moment is written together with others, unless somebody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest

from prefrontal.decisions import deferred
from prefrontal.decisions.deferred import SMALL_BATCH, DeferredWriter
from prefrontal.decisions.log import Decision

from .decision_samples import slept

PATIENCE_S = 60.0


class Written:
    """Keeps the sizes of the transactions."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.came = threading.Event()

    def __call__(self, records: Sequence[Decision]) -> None:
        self.batches.append(len(records))
        self.came.set()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    monkeypatch.setattr(deferred, "GATHER_S", 10 * PATIENCE_S)  # nothing goes by itself
    return Written()


@pytest.fixture
def writer(written: Written) -> Iterator[DeferredWriter]:
    made = DeferredWriter(written, limit=10_000)
    yield made
    made.close()


def test_who_waits_for_it_has_all_of_it_at_once(writer: DeferredWriter, written: Written) -> None:
    for _ in range(10):
        assert writer.put(slept())
    thread = threading.Thread(target=writer.flush)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert written.batches == [10]


def test_enough_for_a_transaction_does_not_wait(writer: DeferredWriter, written: Written) -> None:
    for _ in range(SMALL_BATCH):
        assert writer.put(slept())
    assert written.came.wait(PATIENCE_S)
    assert written.batches == [SMALL_BATCH]


def test_closing_writes_what_was_gathered(writer: DeferredWriter, written: Written) -> None:
    assert writer.put(slept())
    writer.close()
    assert written.batches == [1]


def test_the_more_is_waiting_the_more_is_written_at_once(
    writer: DeferredWriter, written: Written
) -> None:
    at_work, go_on = threading.Event(), threading.Event()

    def slow(records: Sequence[Decision]) -> None:
        written(records)
        at_work.set()
        assert go_on.wait(PATIENCE_S)

    writer._write = slow
    for _ in range(SMALL_BATCH):
        assert writer.put(slept())
    assert at_work.wait(PATIENCE_S)
    for _ in range(40 * SMALL_BATCH):
        assert writer.put(slept())
    go_on.set()
    writer.flush()
    assert written.batches[:2] == [SMALL_BATCH, 10 * SMALL_BATCH]
    assert sum(written.batches) == 41 * SMALL_BATCH
