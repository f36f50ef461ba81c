"""What the cortex keeps in the workspace, read without running anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...cortex.memory.wishes import OPERATOR_KEY, OperatorWishes
from ...cortex.state import (
    BELIEFS_KEY,
    HISTORY_KEY,
    STATE_KEY,
    CortexState,
    belief_status,
    parse_beliefs,
    parse_history,
    parse_state,
)
from ...errors import InputError

if TYPE_CHECKING:
    from ...cortex.models import Belief, ReflectionRecord
    from ...settings.home import Home

Document = TypeVar("Document")

USUAL_EXPIRY_CYCLES = 5


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything that is kept. history: the oldest first. settings: as they stand in the file."""

    folder: Path
    beliefs: tuple[Belief, ...]
    history: tuple[ReflectionRecord, ...]
    state: CortexState
    wishes: OperatorWishes
    settings: dict[str, Any]

    @property
    def last_reflection(self) -> float | None:
        """When the latest cycle that came to an end began, in Unix seconds."""
        last = self.last_record
        return self.state.last_reflection_at if last is None else last.timestamp

    @property
    def last_record(self) -> ReflectionRecord | None:
        """The latest cycle that came to an end."""
        return next((each for each in reversed(self.history) if each.status == "ok"), None)

    def cycles(self) -> str:
        """The numbers of the cycles that are kept, for people."""
        first, last = self.history[0].cycle, self.history[-1].cycle
        return str(first) if first == last else f"{first} to {last}"


def read_kept(home: Home) -> Kept:
    """What a workspace holds; nothing where nothing is. Raises InputError for damaged files."""
    return Kept(
        folder=home.folder,
        beliefs=tuple(_read(home, BELIEFS_KEY, parse_beliefs)),
        history=tuple(_read(home, HISTORY_KEY, parse_history)),
        state=_read(home, STATE_KEY, parse_state),
        wishes=_read(home, OPERATOR_KEY, OperatorWishes.from_text),
        settings=dict(home.config.get("cortex") or {}),
    )


def listed_beliefs(state: Kept, now: float) -> list[tuple[Belief, str, float]]:
    """The beliefs that hold at `now`, each with status and age in seconds; the newest first, what
    is pinned before them and what is quarantined behind.
    """
    always = state.settings.get("pinned_beliefs")
    held = state.wishes.applied(state.beliefs, always if isinstance(always, dict) else {})
    cycle = state.state.cycle if state.last_record is None else state.last_record.cycle
    after = state.settings.get("belief_expiry_cycles")
    expiry = after if isinstance(after, int) else USUAL_EXPIRY_CYCLES
    listed = [
        (
            each,
            belief_status(each, now, cycle=cycle, expiry_cycles=expiry),
            max(0.0, now - each.created_at),
        )
        for each in held
        if not each.expired_at(now)
    ]
    order = {"pinned": 0, "quarantined": 2}
    return sorted(listed, key=lambda each: (order.get(each[1], 1), each[2], each[0].key))


def _read(home: Home, key: str, parse: Callable[[str | None], Document]) -> Document:
    memory = home.memory()
    try:
        return parse(memory.retrieve(key))
    except ValueError as error:
        hint = "the agent puts it aside and starts without it"
        raise InputError(f"{memory.place(key)} must be readable, got: {error}; {hint}") from None
