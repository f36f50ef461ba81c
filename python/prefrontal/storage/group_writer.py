"""Group commit: writes all waiting jobs in one transaction."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..errors import SourceError

if TYPE_CHECKING:
    from .database import Database

Result = TypeVar("Result")
Job: TypeAlias = Callable[[], Any]
"""Writes to the database; raises ValueError only before it has written anything."""

_Waiting: TypeAlias = "tuple[Job, Future[Any]]"
_Outcome: TypeAlias = tuple[Any, BaseException | None]
_BATCH = 4096
"""Most jobs in one transaction."""


class GroupWriter:
    """Runs jobs of any thread in order, in a thread that starts with the first job.

    A job's future is done when its transaction is on the disk or has failed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._ended: Future[None] = Future()

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        """Queue a job. Cancelling the future before its turn withdraws it.

        Raises SourceError after `end`.
        """
        future: Future[Result] = Future()
        with self._changed:
            if self._closed:
                raise SourceError(f"{self._database.path} is closed")
            self._waiting.append((job, future))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="prefrontal-writer", daemon=True
                )
                self._thread.start()
            elif len(self._waiting) == 1:  # the writer may be asleep
                self._changed.notify()
        return future

    def end(self) -> Future[None]:
        """Accept no more jobs; done when all queued ones are written."""
        with self._changed:
            if not self._closed:
                self._closed = True
                if self._thread is None:
                    self._ended.set_result(None)
                self._changed.notify()
        return self._ended

    def _run(self) -> None:
        while batch := self._next_batch():
            running = [(job, future) for job, future in batch if _claimed(future)]
            self._write(running)
        self._ended.set_result(None)

    def _next_batch(self) -> list[_Waiting]:
        """Wait for jobs and return them; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            batch = list(islice(self._waiting, _BATCH))
            for _ in batch:
                self._waiting.popleft()
            return batch

    def _write(self, batch: Sequence[_Waiting]) -> None:
        try:
            outcomes = run_together(self._database, [job for job, _ in batch])
        except SourceError as error:  # the disk failed: a smaller batch would fail, too
            outcomes = [(None, error)] * len(batch)
        except Exception as error:  # noqa: BLE001 - the thread survives a bad row
            if len(batch) > 1:  # isolate the bad row
                half = len(batch) // 2
                self._write(batch[:half])
                self._write(batch[half:])
                return
            outcomes = [(None, error)]
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            _finish(future, outcome)


def run_alone(database: Database, job: Callable[[], Result]) -> Future[Result]:
    """Run the job in a transaction of its own; the future is done."""
    future: Future[Result] = Future()
    [outcome] = run_together(database, [job])
    _finish(future, outcome)
    return future


def run_together(database: Database, jobs: Sequence[Job]) -> list[_Outcome]:
    """Run the jobs in one transaction: (result, None) or (None, ValueError) for each."""
    with database.transaction():
        return [_run_one(job) for job in jobs]


def _run_one(job: Job) -> _Outcome:
    try:
        return job(), None
    except ValueError as error:
        return None, error


def _finish(future: Future[Any], outcome: _Outcome) -> None:
    value, failure = outcome
    if failure is None:
        future.set_result(value)
    else:
        future.set_exception(failure)


def _claimed(future: Future[Any]) -> bool:
    return future.set_running_or_notify_cancel()
