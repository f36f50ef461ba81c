"""Threads and processes that use one log at the same time."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from prefrontal.decisions.deferred import DeferredWriter
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.errors import InputError, SourceError

from .decision_samples import slept, woke

ROOT = Path(__file__).parents[2]


def run_all(*actions: Callable[[], object]) -> None:
    """Run each in a thread of its own, all from the same moment; raise what one raised."""
    barrier = threading.Barrier(len(actions))
    errors: list[BaseException] = []

    def run(action: Callable[[], object]) -> None:
        barrier.wait()
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.exhaustive
def test_threads_write_label_and_read_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log.db") as log:

        def write() -> None:
            for number in range(100):
                record = woke(float(number))
                log.append(record)
                assert log.append_soon(slept(float(number)))
                assert log.add_label(record.id, 1.0, at=1.0)

        def read() -> None:
            for _ in range(20):
                assert all(record.window for record in log.records())
                log.recent()
                log.counts()

        run_all(*[write] * 4, *[read] * 2)
        log.flush()
        assert log.counts() == {"woke": 400, "below_threshold": 400}
        assert len(list(log.labels_after(0))) == 400
        assert log.unwritten == 0


FEEDBACK = """
import sys
from prefrontal.decisions.log import DecisionLog

with DecisionLog(sys.argv[1]) as log:
    for line in sys.stdin:
        print(int(log.add_label(line.strip(), 1.0, at=1.0, source="command line")), flush=True)
"""


def test_labels_of_another_process_are_seen_while_this_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    seen: list[str] = []
    last = 0
    with DecisionLog(path) as log:
        child = subprocess.Popen(
            [sys.executable, "-c", FEEDBACK, str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdin is not None and child.stdout is not None
        records = [woke(float(number)) for number in range(50)]
        for record in records:
            log.append(record)
            child.stdin.write(record.id + "\n")
            child.stdin.flush()
            log.append_many(slept() for _ in range(20))
            assert child.stdout.readline() == "1\n"
            for number, decision, _, _ in log.labels_after(last):
                last = number
                seen.append(decision.id)
        child.communicate()
    assert child.returncode == 0
    assert seen == [record.id for record in records]


BURST = """
import sys
from prefrontal.decisions.log import DecisionLog
from tests.decisions.decision_samples import woke

sys.stdin.read()
with DecisionLog(sys.argv[1]) as log:
    for _ in range(200):
        log.append(woke())
"""


@pytest.mark.exhaustive
def test_processes_that_open_a_new_file_and_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    command = [sys.executable, "-c", BURST, str(path)]
    children = [subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE) for _ in range(4)]
    for child in children:
        assert child.stdin is not None
        child.stdin.close()  # go
    assert [child.wait() for child in children] == [0] * 4
    with DecisionLog(path) as log:
        assert log.counts() == {"woke": 800}


def test_what_is_handed_over_for_later_is_kept_in_order_when_the_log_is_closed(
    tmp_path: Path,
) -> None:
    records = [slept() for _ in range(3000)]
    log = DecisionLog(tmp_path / "log.db")
    assert all(log.append_soon(record) for record in records)
    log.close()
    with DecisionLog(tmp_path / "log.db") as log:
        assert list(log.records()) == records
    assert [t.name for t in threading.enumerate() if "prefrontal-log" in t.name] == []


class Gate:
    """Keeps records when it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.batches: list[list[Decision]] = []

    def write(self, batch: Sequence[Decision]) -> None:
        self.open.wait()
        self.batches.append(list(batch))


def test_a_full_queue_refuses_and_counts_instead_of_waiting_for_the_disk() -> None:
    gate = Gate()
    writer = DeferredWriter(gate.write, limit=5)
    records = [slept() for _ in range(8)]
    assert [writer.put(record) for record in records] == [True] * 5 + [False] * 3
    gate.open.set()
    writer.flush()
    assert writer.put(records[5])
    writer.close()
    assert [record for batch in gate.batches for record in batch] == records[:6]
    assert writer.lost == 3


def test_a_record_that_cannot_be_kept_takes_no_other_with_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with DecisionLog() as log:
        good = [slept() for _ in range(9)]
        for record in (*good[:5], slept(propensity=2.0), slept(window=None), *good[5:]):
            assert log.append_soon(record)
        with pytest.raises((InputError, TypeError)):
            log.flush()
        log.flush()
        assert list(log.records()) == good
        assert log.unwritten == 2
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_failing_disk_is_counted_logged_and_told_to_who_flushes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(batch: Sequence[Decision]) -> None:
        raise SourceError("log.db cannot be written: the disk is full")

    writer = DeferredWriter(fail, limit=100)
    for _ in range(50):
        writer.put(slept())
    with pytest.raises(SourceError, match="the disk is full"):
        writer.flush()
    assert writer.lost == 50
    writer.close()
    assert "the disk is full" in caplog.text
