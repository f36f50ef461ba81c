"""Activations that wait for a label: in memory, each trained once, silence is no label."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING
from uuid import uuid4

from ..pulse.learning.labels import check_label

if TYPE_CHECKING:
    from ..clock import Clock
    from ..pulse.learning.limbic import LimbicLayer
    from ..types import SignalEvent

FORGET_AFTER_S = 300.0
MOST_WAITING = 10_000


@dataclass(slots=True)
class ActivationRecord:
    """A window that woke a module, and what was said about it; label None until then."""

    module_id: str
    window: Sequence[SignalEvent]
    timestamp: float
    label: float | None = None


class TrainingBuffer:
    """Keeps activations until a label comes, for at most five minutes and 10,000 of them.

    An activation without a label teaches nothing: it is dropped, not trained towards a guess.
    Methods may be called from several threads; each label is trained once.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._now = time.time if clock is None else clock.now
        self._lock = Lock()
        self._records: OrderedDict[str, ActivationRecord] = OrderedDict()

    def record_activation(self, module_id: str, window: Sequence[SignalEvent]) -> str:
        """Keep the window and return the id to give feedback with."""
        activation_id = uuid4().hex
        with self._lock:
            self._records[activation_id] = ActivationRecord(module_id, window, self._now())
            while len(self._records) > MOST_WAITING:
                self._records.popitem(last=False)
        return activation_id

    def record_feedback(self, activation_id: str, label: float) -> None:
        """Say how much it mattered, 0..1; an unknown id is ignored, the last label counts."""
        check_label(label)
        with self._lock:
            if record := self._records.get(activation_id):
                record.label = float(label)

    def drain(self, limbic: LimbicLayer) -> int:
        """Train what has a label, forget what is too old; how many labels were trained."""
        oldest = self._now() - FORGET_AFTER_S
        with self._lock:
            ready = [record for record in self._records.values() if record.label is not None]
            for activation_id, record in list(self._records.items()):
                if record.label is not None or record.timestamp <= oldest:
                    del self._records[activation_id]
        for record in ready:
            if record.label is not None:
                limbic.update_weights(record.module_id, record.window, record.label)
        return len(ready)

    def __contains__(self, activation_id: object) -> bool:
        with self._lock:
            return activation_id in self._records

    def __len__(self) -> int:
        with self._lock:
            return len(self._records)
