"""Whom a watch tells, noted in its log for who calls `prefrontal gate` beside it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...decisions.deliveries import GATE_CALLER

if TYPE_CHECKING:
    from ...decisions.log import DecisionLog
    from ...settings import Settings

CALLED = "gate"
"""The state of the log that says that a gate was called."""
DOOR = "gate door"
"""The state of the log that says whom the process tells that has it to itself."""


def settings_name(settings: Settings) -> str:
    """The file that the settings come from, however it was named; "" where there is none."""
    return "" if settings.file is None else os.path.realpath(settings.file)


@dataclass(frozen=True, slots=True)
class WatchDoor:
    """pid: of the watch. has_sinks: whether it tells somebody. owes: what it asks to callers.

    settings: the file that says what it watches, "" where none does; None of an older release.
    """

    pid: int
    has_sinks: bool
    owes: bool
    settings: str | None = None

    @classmethod
    def open(cls, log: DecisionLog, has_sinks: bool, settings: str) -> None:
        """A watch begins: without a sink it owes its questions to callers, once there are any."""
        owes = not has_sinks and log.load_state(CALLED) is not None
        if owes:
            log.owe_to(GATE_CALLER)
        door = {"pid": os.getpid(), "has_sinks": has_sinks, "owes": owes, "settings": settings}
        log.save_state(DOOR, json.dumps(door).encode(), 0)

    @classmethod
    def read(cls, log: DecisionLog) -> WatchDoor | None:
        """That of the last watch; None where none said."""
        state = log.load_state(DOOR)
        try:
            return None if state is None else cls(**json.loads(state[0]))
        except (ValueError, TypeError):
            return None
