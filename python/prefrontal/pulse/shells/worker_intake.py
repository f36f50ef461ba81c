"""The queue of the gate as sources see it, with the places that the log keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...decisions.log import DecisionLog
    from ...types import SignalEvent
    from ..sources.source_batch import Post, SourceBatch
    from .worker import Worker


class WorkerIntake:
    """The role `Intake`."""

    def __init__(self, worker: Worker, decisions: DecisionLog) -> None:
        self._worker = worker
        self._decisions = decisions

    def __call__(self, event: SignalEvent) -> bool:
        return self._worker.push(event)

    def put(self, batch: SourceBatch, is_ended: Callable[[], bool]) -> bool:
        return self._worker.put(batch, is_ended)

    def accept(self, post: Post, timeout_s: float) -> bool:
        return self._worker.accept(post, timeout_s)

    def place(self, name: str) -> bytes | None:
        state = self._decisions.load_state(name)
        return None if state is None else state[0]

    def places(self, prefix: str) -> dict[str, bytes]:
        return self._decisions.load_states(prefix)

    def keep(self, name: str, content: bytes) -> None:
        self._decisions.save_state(name, content, 0)
