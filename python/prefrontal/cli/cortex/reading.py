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
    listed_beliefs,
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

    def listed(self, now: float) -> list[tuple[Belief, str]]:
        """The beliefs that hold at `now`, as `listed_beliefs`."""
        always = self.settings.get("pinned_beliefs")
        held = self.wishes.applied(self.beliefs, always if isinstance(always, dict) else {})
        cycle = self.state.cycle if self.last_record is None else self.last_record.cycle
        after = self.settings.get("belief_expiry_cycles")
        expiry = after if isinstance(after, int) else USUAL_EXPIRY_CYCLES
        return listed_beliefs(held, now, cycle=cycle, expiry_cycles=expiry)

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


def _read(home: Home, key: str, parse: Callable[[str | None], Document]) -> Document:
    memory = home.memory()
    try:
        return parse(memory.retrieve(key))
    except ValueError as error:
        hint = "the agent puts it aside and starts without it"
        raise InputError(f"{memory.place(key)} must be readable ({error}); {hint}") from None
