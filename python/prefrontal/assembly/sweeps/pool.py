"""Tasks for workers that do one each at a time; what a worker that ended had is tried again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

TRIES = 3
"""How often a task is tried whose worker ended before it had answered."""

Task = dict[str, Any]


class LostTask:
    """In place of an answer: each worker that had the task ended. why: how the last one did."""

    def __init__(self, why: str) -> None:
        self.why = why


class SweepWorkers(Protocol):
    """Who does tasks."""

    def ask(self, place: int, task: Task) -> None:
        """Begin a task; `place` names it in what is answered."""
        ...

    def answered(self) -> Iterator[tuple[int, Any]]:
        """Wait for one task at least: its place and answer, or a LostTask when its worker ended.

        Raises InputError with the sentence of a task that is refused.
        """
        ...

    def close(self) -> None:
        """End what still runs."""
        ...


class WorkerPool:
    """At most `jobs` tasks at a time. restarts: how many workers ended and were replaced."""

    def __init__(self, workers: SweepWorkers, jobs: int) -> None:
        self._workers = workers
        self._jobs = jobs
        self.restarts = 0

    def answers(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        """The place of each task and its answer, or a LostTask, in the order they come.

        Raises InputError with the sentence of the first task that is refused.
        """
        waiting, tries = deque(range(len(tasks))), [0] * len(tasks)
        busy = 0
        while waiting or busy:
            while waiting and busy < self._jobs:
                place = waiting.popleft()
                tries[place] += 1
                self._workers.ask(place, tasks[place])
                busy += 1
            for place, answer in self._workers.answered():
                busy -= 1
                if isinstance(answer, LostTask) and tries[place] < TRIES:
                    self.restarts += 1
                    waiting.appendleft(place)
                else:
                    yield place, answer
