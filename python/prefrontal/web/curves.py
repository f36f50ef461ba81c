"""What another threshold of a module would have done, from the log of its decisions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..assembly.replay_gate import policy_admission
from ..decisions.labels import TOLD
from ..decisions.newest import is_ahead
from ..decisions.payloads import FoldedWindow
from ..plural import many
from ..replay.log_replay import RELEVANT, ModuleOutcome, replay_log
from ..replay.occasions import Occasion
from ..types import Reason

if TYPE_CHECKING:
    from ..decisions.pages import LogRow
    from ..settings.gate import PolicySettings

DAYS = 30
NEWEST = 100_000
"""Decisions among which those of the module are looked for."""
STEPS = 100
"""Thresholds from 0 to 1 for which the curve has a point."""
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """Wakes a day and recall for each threshold from 0 to 1 in steps of 0.01, quiet hours and
    budgets left out.

    wakes: a day. recall: None where nothing that mattered is known. sampled: whether audits stand
    for the windows that slept, because the log does not hold them.
    """

    wakes: tuple[float, ...]
    recall: tuple[float, ...] | None
    days: float
    windows: int
    labelled: int
    sampled: bool

    def plain(self) -> dict[str, Any]:
        """As it goes to the browser."""
        return {
            "wakes": [round(each, 4) for each in self.wakes],
            "recall": None if self.recall is None else [round(each, 4) for each in self.recall],
            "days": round(self.days, 6),
            "windows": self.windows,
            "labelled": self.labelled,
            "sampled": self.sampled,
        }


def threshold_curve(rows: Sequence[LogRow], now: float = math.inf) -> ThresholdCurve:
    """The curve of one module's wakes, oldest first. At each threshold its recall is what
    `replay.log_replay` finds without a policy. now: Unix seconds.
    """
    sampled = not any(row.reason == Reason.BELOW_THRESHOLD for row in rows)
    woken, relevant = [0.0] * (STEPS + 2), [0.0] * (STEPS + 2)
    windows, labelled = _windows_of(rows), 0
    for wakes_at, tells_at, row, label in _counted(rows, windows):
        weight = 1.0 / row.propensity
        woken[wakes_at + 1] += weight if sampled else 1.0
        labelled += label is not None
        if label is not None and label >= RELEVANT:
            relevant[tells_at + 1] += weight
    days = _days(rows, now)
    above, caught = _from_above(woken), _from_above(relevant)
    total = sum(relevant)
    return ThresholdCurve(
        wakes=tuple(each / days for each in above),
        recall=tuple(each / total for each in caught) if total else None,
        days=days,
        windows=sum(not (row.is_late and row.seq in windows) for row in rows),
        labelled=labelled,
        sampled=sampled,
    )


def preview(rows: Sequence[LogRow], threshold: float, policy: PolicySettings) -> ModuleOutcome:
    """What that threshold would have done with these wakes of one module, with the quiet hours,
    cooldowns and budgets of the settings.
    """
    windows = _windows_of(rows)
    records = (row.as_record(map(_folded, windows.get(row.seq, ()))) for row in rows)
    [result] = replay_log(records, threshold, policy_admission(policy)) or [ModuleOutcome("")]
    return result


def preview_words(result: ModuleOutcome, days: float) -> str:
    """The preview in a sentence or two."""
    words = f"In {days:.0f} days" if days >= 1.5 else "In this time"
    words += f" it would have woken {many(result.would_wake, 'time')} instead of {result.woke:,}"
    if result.held_back:
        held = ", ".join(
            f"{n} {why.replace('_', ' ')}" for why, n in result.held_back.most_common()
        )
        words += f", with {held} held back"
    if result.recall is not None:
        words += (
            f"; caught {result.caught:,.0f} of {result.caught + result.missed:,.0f} that mattered"
        )
    if result.wasted:
        words += f"; {result.wasted:,.0f} for nothing"
    return words + "."


def _windows_of(rows: Iterable[LogRow]) -> dict[int, list[LogRow]]:
    """By number of a question the windows that it told of."""
    windows: dict[int, list[LogRow]] = {}
    for row in rows:
        if row.told_by is not None:
            windows.setdefault(row.told_by, []).append(row)
    return windows


def _folded(row: LogRow) -> FoldedWindow:
    return FoldedWindow(row.id, row.time, row.reason)


def _counted(
    rows: Iterable[LogRow], windows_of: Mapping[int, Sequence[LogRow]]
) -> Iterator[tuple[int, int, LogRow, float | None]]:
    """As `replay_log` counts: (highest step at which a row wakes, highest step at which the window
    of its label is told of, the row, that label). A step of -1: at none.
    """
    for row in rows:
        step = _step(row.score)
        label = None if row.source == TOLD else row.label
        if row.reason == Reason.GROUPED:
            yield -1, step, row, label
            continue
        _, wakers, labelled = Occasion.of(row, windows_of.get(row.seq, ()), row.is_late)
        wakes_at = step
        if wakers != (row,):
            wakes_at = max((_step(each.score) for each in wakers), default=-1)
        tells_at = wakes_at if labelled is row else step
        yield wakes_at, tells_at, row, None if labelled is None else label


def _step(score: float) -> int:
    """The highest of the steps whose threshold the score reaches, as `score >= step / STEPS`.

    -1 for one below 0 or that is not a number, which wakes nowhere.
    """
    if math.isnan(score):
        return -1
    step = math.floor(min(1.0, max(-0.01, score)) * STEPS)
    while step < STEPS and score >= (step + 1) / STEPS:
        step += 1
    while step >= 0 and score < step / STEPS:
        step -= 1
    return step


def _from_above(counts: Sequence[float]) -> list[float]:
    """For each step the sum of its count and of all above it."""
    sums = list(accumulate(reversed(counts)))
    return sums[::-1][1:]


def _days(rows: Sequence[LogRow], now: float) -> float:
    """The time that the rows span, an hour at least; without those of a clock that was ahead."""
    if not rows:
        return 1.0
    times = [row.time for row in rows if not is_ahead(row.time, now)] or [row.time for row in rows]
    return max(times[-1] - times[0], 3600.0) / _DAY_S
