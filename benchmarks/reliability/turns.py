"""Takes the writers in turns until enough was tried, and says what came of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Protocol

TELL_EVERY_S = 60.0


class Trial(Protocol):
    """One writer that is tried out. tried: how often. broken: promises that were."""

    @property
    def tried(self) -> int: ...

    @property
    def broken(self) -> int: ...

    def go_on(self, number: int) -> None:
        """Try it so often."""

    def sentence(self) -> str:
        """What was done and found."""


def take_turns(trials: Sequence[Trial], number: int, in_a_row: int) -> None:
    """Try them until they were tried `number` times together; Ctrl-C ends it before.

    in_a_row: before the next has its turn, at most. Now and then standard error says how far it is.
    """
    told_at, share = time.monotonic(), min(in_a_row, -(-number // len(trials)))
    try:
        while _tried(trials) < number:
            for each in trials:
                each.go_on(max(1, min(share, number - _tried(trials))))
                if time.monotonic() >= told_at + TELL_EVERY_S:
                    told_at = time.monotonic()
                    broken = sum(trial.broken for trial in trials)
                    text = f"{_tried(trials)} of {number}, {broken} promises broken so far"
                    print(text, file=sys.stderr, flush=True)
                if _tried(trials) >= number:
                    break
    except KeyboardInterrupt:
        print("ended before its time", flush=True)
    for each in trials:
        print(each.sentence())


def _tried(trials: Sequence[Trial]) -> int:
    return sum(each.tried for each in trials)
