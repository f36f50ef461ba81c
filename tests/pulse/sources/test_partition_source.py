"""Rows of the inbox are handed on in their order, with the number that is stored with them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event, Lock

import pytest

from prefrontal.decisions.event_json import events_to_json
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources import partition_source
from prefrontal.pulse.sources.partition_source import PLACE, PartitionSource, batches
from prefrontal.settings.gate import GateSettings
from prefrontal.types import SignalEvent

PATIENCE_S = 60.0
MODULE = parse_fingerprint(
    {
        "module_id": "everything",
        "cluster": "test",
        "version": "1",
        "question_template": "{location} says something",
        "default_threshold": 0.0,
        "signal_priors": {},
    }
)


def event(text: str) -> SignalEvent:
    return SignalEvent("app", "here", "said", 1.0, 1.7e9, {"text": text})


class RowList:
    """The role `WaitingRows` in memory."""

    def __init__(self, *texts: str) -> None:
        self._lock = Lock()
        self._numbers = count(1)
        self.rows: dict[int, str | bytes] = {}
        self.forgotten = Event()
        self.add(*texts)

    def add(self, *texts: str) -> None:
        with self._lock:
            for text in texts:
                self.rows[next(self._numbers)] = events_to_json([event(text)])

    def after(self, partition: int, seq: int, limit: int) -> list[tuple[int, str | bytes]]:
        with self._lock:
            return [each for each in sorted(self.rows.items()) if each[0] > seq][:limit]

    def forget(self, partition: int, through: int) -> None:
        with self._lock:
            self.rows = {number: row for number, row in self.rows.items() if number > through}
        self.forgotten.set()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[DecisionLog]:
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        yield log


def decide(log: DecisionLog, rows: RowList, last: str) -> list[str]:
    """The texts that were decided about once that one is."""
    came = Event()
    source = PartitionSource(rows, 3)
    watch = Watch(GateSettings(audit_share=0.0), log, sources=[source])
    watch.add(MODULE)
    watch.on_wake(lambda each: came.set() if each.window[0].features["text"] == last else None)
    watch.start()
    source.ring()
    assert came.wait(PATIENCE_S)
    assert watch.stop(PATIENCE_S)
    return [str(each.window[0].features["text"]) for each in log.records()]


def test_the_number_of_the_last_row_is_stored_and_read_on_from(log: DecisionLog) -> None:
    rows = RowList("one", "two")
    assert decide(log, rows, "two") == ["one", "two"]
    assert log.load_state(PLACE) == (b"2", 0)
    rows.add("three")
    assert decide(log, rows, "three") == ["one", "two", "three"]


def test_rows_are_forgotten_once_their_decisions_are_stored(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition_source, "FORGET_S", 0.0)
    rows = RowList("one", "two")
    decide(log, rows, "two")
    rows.add("three")
    decide(log, rows, "three")
    assert rows.forgotten.wait(PATIENCE_S)
    assert min(rows.rows, default=3) == 3


def test_whole_rows_are_joined_to_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_source, "MOST_EVENTS", 2)
    rows = [(number, events_to_json([event(str(number))] * number)) for number in (1, 2, 3)]
    assert [(len(events), last) for events, last in batches(rows)] == [(3, 2), (3, 3)]
