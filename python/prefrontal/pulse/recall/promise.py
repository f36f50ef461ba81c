"""From past scores of what mattered to a threshold that keeps an asked recall."""

from __future__ import annotations

from ..._core import pulse as core

MEMORY = 200
"""Relevant windows that the threshold follows from."""

STEP = 0.06
"""How strongly what was missed too often is made up for, per relevant window."""


class RecallPromise:
    """A threshold for an asked recall, from the past alone.

    The threshold is a low quantile of the last `memory` scores of relevant windows (split
    conformal prediction), corrected after each one by the balance of what was caught and missed
    (adaptive conformal inference as integral control), so the recall holds on average even when
    the scores drift. The correction is `step * sqrt(1 - recall)` for each window of the balance
    once `memory` were decided, and more before, so that it holds on a short history too. As long
    as too few relevant windows are known to promise anything, or too many were missed, the
    threshold is 0: everything wakes.

    recall: above 0, at most 1. memory: at least 1, raised to what the recall needs. step: from 0
    to below 1.
    """

    def __init__(self, recall: float, *, memory: int = MEMORY, step: float = STEP) -> None:
        check_recall(recall)
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
            raise ValueError(f"memory must be a whole number from 1 up, got {memory!r}")
        if not isinstance(step, (int, float)) or not 0.0 <= step < 1.0:
            raise ValueError(f"step must be from 0 to below 1, got {step!r}")
        self._core = core.RecallPromise(recall, memory, step)

    @property
    def recall(self) -> float:
        """The asked recall."""
        return self._core.recall

    @property
    def threshold(self) -> float:
        """A window wakes when its score is at least this."""
        return self._core.threshold

    @property
    def positives(self) -> int:
        """Relevant windows that the threshold follows from now, at most `memory` (or `needed`)."""
        return self._core.positives

    @property
    def needed(self) -> int | None:
        """Relevant windows from which a threshold above 0 can follow; None when never."""
        return None if self.recall >= 1.0 else self._core.needed

    @property
    def can_promise(self) -> bool:
        """Whether enough relevant windows are known to skip anything at this recall."""
        return self._core.can_promise

    def interval(self, confidence: float = 0.9) -> tuple[float, float]:
        """Where the recall lies, around what was caught lately.

        Until enough was decided to say so, around what the order of the past scores implies, if
        what comes is like what was.
        """
        _check_confidence(confidence)
        return self._core.interval(confidence)

    def observe(self, score: float, relevant: bool, threshold: float | None = None) -> None:
        """Take in one window whose label became known.

        threshold: the one it was decided with, if labels come late; otherwise the current one.
        """
        self._core.observe(score, relevant, self.threshold if threshold is None else threshold)

    def sentence(self) -> str:
        """What can be promised for the windows to come, for people."""
        if self.recall >= 1.0:
            return "Nothing may be missed at recall 1, so every window wakes."
        if not self.can_promise:
            return (
                f"No promise yet: recall {self.recall:g} needs {self.needed} relevant windows to"
                f" learn from and there are {self.positives}, so every window wakes."
            )
        if self.threshold <= 0.0 and self._core.caught < self.recall * self._core.decided:
            return (
                f"Of the last {self._core.decided} relevant windows {self._core.caught} were"
                f" caught, too few for the recall {self.recall:g} that was asked, so every window"
                " wakes until that is made up for."
            )
        low, high = self.interval()
        between = f"recall {self.recall:g} was asked, {low:.2f} to {high:.2f} is likely"
        if self._core.decided < self._core.needed:
            return f"From only {self.positives} relevant windows: {between} (90 % interval)."
        return (
            f"Of the last {self._core.decided} relevant windows {self._core.caught} were caught:"
            f" {between} (90 % interval), as long as what comes is like what was."
        )


def check_recall(recall: float) -> None:
    """Raise TypeError or ValueError unless `recall` is a number above 0 and at most 1."""
    if isinstance(recall, bool) or not isinstance(recall, (int, float)):
        raise TypeError(f"recall must be a number, got {recall!r}")
    if not 0.0 < recall <= 1.0:
        raise ValueError(f"recall must be above 0 and at most 1, got {recall!r}")


def share_interval(hits: int, trials: int, confidence: float = 0.9) -> tuple[float, float]:
    """Exact (Clopper-Pearson) interval of a share after `hits` of `trials`; (0, 1) without any."""
    if not 0 <= hits <= trials:
        raise ValueError(f"hits must be from 0 to trials ({trials}), got {hits!r}")
    _check_confidence(confidence)
    return core.share_interval(hits, trials, confidence)


def _check_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
