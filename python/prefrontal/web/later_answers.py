"""Answers to many questions at once, which a person can take back before they become labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

GRACE_S = 10.0
"""How long an answer to many questions can be taken back."""


@dataclass(frozen=True, slots=True)
class LaterAnswer:
    """numbers, ids: of the questions. words: what they are about. due: when it is kept."""

    key: str
    numbers: tuple[int, ...]
    ids: tuple[str, ...]
    words: str
    due: float


class LaterAnswers:
    """What will be ignored unless it is taken back; from any thread.

    Nothing of it is in the log before it is due, so a page that dies in between leaves the
    questions open.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, LaterAnswer] = {}
        self._lock = Lock()
        self._count = 0

    def add(self, questions: Sequence[tuple[int, str]], words: str, now: float) -> LaterAnswer:
        """Let these questions, number and id, be ignored soon. now: seconds of a steady clock."""
        with self._lock:
            self._count += 1
            numbers, ids = zip(*questions, strict=True)
            later = LaterAnswer(f"later-{self._count}", numbers, ids, words, now + GRACE_S)
            self._waiting[later.key] = later
            return later

    def take_back(self, key: str) -> LaterAnswer | None:
        """Leave those questions open; None where it is too late."""
        with self._lock:
            return self._waiting.pop(key, None)

    def waiting(self) -> list[LaterAnswer]:
        """Those that can still be taken back, the oldest first."""
        with self._lock:
            return list(self._waiting.values())

    def keep_due(self, now: float, keep: Callable[[LaterAnswer], object]) -> bool:
        """Hand over what is due; whether there was any. What raises stays, and is due again."""
        came = False
        for each in self.waiting():
            if each.due > now:
                continue
            with self._lock:
                if each.key not in self._waiting:
                    continue
                keep(each)
                del self._waiting[each.key]
            came = True
        return came
