"""Replay the log of a live gate: what other thresholds and budgets would have done, per module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from ..decisions.decision import Decision
from ..types import Reason

Admit = Callable[[Decision], str | None]
"""Asked for each would-be wake, the oldest first: None, or why it is held back."""

RELEVANT = 0.5


@dataclass(slots=True)
class ModuleOutcome:
    """One module's decisions, as they were and as they would have been.

    decisions: in the log. woke: as it was. would_wake: under the other settings.
    caught, missed: windows labelled relevant that would have woken, or not; an audit stands for
    as many slept windows as it was rarely drawn. wasted: would-be wakes labelled irrelevant.
    held_back: would-be wakes by the reason that held them.
    """

    module: str
    decisions: int = 0
    woke: int = 0
    would_wake: int = 0
    caught: float = 0.0
    missed: float = 0.0
    wasted: float = 0.0
    held_back: Counter[str] = field(default_factory=Counter)

    @property
    def recall(self) -> float | None:
        """Share of what mattered that would have woken; None without relevant labels."""
        total = self.caught + self.missed
        return self.caught / total if total > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return plain | {"held_back": dict(self.held_back), "recall": self.recall}


def replay_log(
    records: Iterable[Decision], threshold: float | None, admit: Admit
) -> list[ModuleOutcome]:
    """What each module would have done with these records, in the order of their names.

    records: oldest first. threshold: for every module; None keeps the one each was decided with.
    Windows that the log does not hold (refusals, unless they were logged) cannot be replayed:
    a lower threshold finds only the audits among them.
    """
    outcomes: dict[str, ModuleOutcome] = {}
    for record in records:
        if record.kind != "wake" or record.reason == Reason.REPLAYED:
            continue
        outcome = outcomes.setdefault(record.subject, ModuleOutcome(record.subject))
        outcome.decisions += 1
        outcome.woke += record.reason == Reason.WOKE
        wakes = record.score >= (record.threshold if threshold is None else threshold)
        if wakes and (reason := admit(record)) is not None:
            outcome.held_back[reason] += 1
            wakes = False
        outcome.would_wake += wakes
        _count_label(outcome, record, wakes)
    return [outcomes[name] for name in sorted(outcomes)]


def _count_label(outcome: ModuleOutcome, record: Decision, wakes: bool) -> None:
    if record.label is None:
        return
    weight = 1.0 / record.propensity
    if record.label < RELEVANT:
        outcome.wasted += weight * wakes
    elif wakes:
        outcome.caught += weight
    else:
        outcome.missed += weight
