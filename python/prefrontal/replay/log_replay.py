"""Replay the log of a live gate: what other thresholds and budgets would have done, per module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..decisions.decision import Decision
from ..decisions.payloads import WakePayload
from ..types import Reason
from .occasions import Occasion

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

    records: oldest first, with the labels of their own windows. threshold: for every module; None
    keeps the one each was decided with. What was gathered into one question is one wake-up; what a
    policy held back counts when it came, since another policy may not. So each window counts once.
    Windows that the log does not hold (refusals, unless they were logged) cannot be replayed: a
    lower threshold finds only the audits among them.
    """
    outcomes: dict[str, ModuleOutcome] = {}
    waiting = _Waiting(threshold)
    for record in records:
        if record.kind != "wake" or record.reason == Reason.REPLAYED:
            continue
        outcome = outcomes.setdefault(record.subject, ModuleOutcome(record.subject))
        outcome.decisions += 1
        outcome.woke += record.reason == Reason.WOKE
        if record.reason == Reason.GROUPED:
            waiting.gather(record, outcome)
            continue
        waited = waiting.windows_of(record)
        occasion = Occasion.of(record, [each for each, _ in waited], _wake(record).late)
        wakes = any(map(waiting.reaches, occasion.wakers))
        reason = admit(record) if wakes else None
        if reason is not None:
            outcome.held_back[reason] += 1
            wakes = False
        outcome.would_wake += wakes
        for each in occasion.gathered:
            _count_label(outcome, each.label, each, reason is None and waiting.reaches(each))
        if (window := occasion.labelled) is record:
            _count_label(outcome, record.label, record, wakes)
            waiting.put_by(record, wakes)
        elif window is not None:
            woke = next(woke for each, woke in waited if each is window)
            if woke is None:
                woke = wakes and waiting.reaches(window)
            _count_label(outcome, record.label, window, woke)
    waiting.end(outcomes)
    return [outcomes[name] for name in sorted(outcomes)]


_Waited = tuple[Decision, bool | None]
"""A window that waited, and whether it would have woken; None where it was gathered."""


class _Waiting:
    """Windows that no question has told of yet. threshold: as of `replay_log`."""

    def __init__(self, threshold: float | None) -> None:
        self._threshold = threshold
        self._windows: dict[str, _Waited] = {}

    def reaches(self, record: Decision) -> bool:
        return record.score >= (record.threshold if self._threshold is None else self._threshold)

    def gather(self, record: Decision, outcome: ModuleOutcome) -> None:
        """A window that is told together with others, by a question to come or before it."""
        if _wake(record).waits:
            self._windows[record.id] = record, None
        else:
            _count_label(outcome, record.label, record, self.reaches(record))

    def put_by(self, record: Decision, wakes: bool) -> None:
        """A window that was decided about, if it waits."""
        if _wake(record).waits:
            self._windows[record.id] = record, wakes

    def windows_of(self, question: Decision) -> list[_Waited]:
        """The windows that it tells of, which wait no more."""
        folded = _wake(question).folded
        return [self._windows.pop(each.id) for each in folded if each.id in self._windows]

    def end(self, outcomes: Mapping[str, ModuleOutcome]) -> None:
        """What was gathered and no question told of."""
        for each, wakes in self._windows.values():
            if wakes is None:
                _count_label(outcomes[each.subject], each.label, each, self.reaches(each))


def _wake(record: Decision) -> WakePayload:
    assert isinstance(record.payload, WakePayload)
    return record.payload


def _count_label(
    outcome: ModuleOutcome, label: float | None, record: Decision, wakes: bool
) -> None:
    if label is None:
        return
    weight = 1.0 / record.propensity
    if label < RELEVANT:
        outcome.wasted += weight * wakes
    elif wakes:
        outcome.caught += weight
    else:
        outcome.missed += weight
