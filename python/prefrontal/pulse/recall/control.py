"""A threshold that keeps an asked recall from the first window on, whoever labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..._core import pulse as core
from .audit import RecallEstimate
from .promise import MEMORY, STEP, check_recall

VERSION = 3
"""Of the rules of a `RecallControl`."""
Mass = tuple[tuple[int, float], ...]
"""What slept: places on the scale of scores, and how much is expected to matter at each."""


class RecallControl:
    """Decides the threshold of one module and which windows that sleep are asked about.

    Everything wakes until enough relevant answers are known. From then on the threshold follows
    what the scorer expects of all windows, as far as labels of wakes and audits say that it is
    right, by its score and on the whole: what is never asked about never has a label, and silence
    says nothing. An audit is likely close below the threshold and rare, but never impossible, far
    below. Where a source labels every window there are no audits, and the threshold is that of
    `RecallPromise`.

    The state follows from the calls alone. `decided` and `labelled` take constant time.

    recall: above 0, at most 1. share: of what sleeps to ask about, from 0 to 1; about, since the
    scores decide: 0.02 asks about 1 to 3 in 100. 0 asks never, and then misses go unseen.
    version: of the rules; 1 and 2 are those of releases until November 2026, whose logs it decides
    again. Raises ValueError for another.
    """

    def __init__(self, recall: float, share: float = 0.02, version: int = VERSION) -> None:
        check_recall(recall)
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ValueError(f"audit_share must be a number from 0 to 1, got {share!r}")
        self.recall = recall
        self._share = float(share)
        self._version = version
        self._core = core.RecallControl(recall, MEMORY, STEP, self._share, version)
        self._useless: int | None = 0

    @property
    def threshold(self) -> float:
        """A window wakes when its score is at least this."""
        return self._core.threshold

    @property
    def known(self) -> int:
        """Relevant answers so far."""
        return self._core.known

    @property
    def needed(self) -> int | None:
        """How many there must be before anything sleeps; None when nothing ever does."""
        return None if self.recall >= 1.0 else self._core.needed

    @property
    def useless(self) -> int | None:
        """Answers so far that said that a window did not matter; for people.

        None where it goes on from a state of a release that did not count them.
        """
        return self._useless

    @property
    def complete(self) -> bool:
        """Whether a source labels every window."""
        return self._core.complete

    @property
    def moves(self) -> bool:
        """Whether `now` of a label counts."""
        return self._core.moves

    @property
    def meanwhile(self) -> Mass:
        """What slept since the last window that was asked about."""
        return tuple(self._core.meanwhile())

    def set_meanwhile(self, mass: Iterable[tuple[int, float]]) -> None:
        """What slept was that much, as a log says that does not hold all of it."""
        self._core.set_meanwhile(mass)

    def audit_chance(self, score: float) -> float:
        """The chance that a window of that score, which sleeps, is asked about all the same."""
        return self._core.audit_chance(score)

    def decided(self, score: float, propensity: float, unseen: float = 0.0) -> None:
        """A window was decided about.

        propensity: 1 it woke, 0 it slept, between: the chance of the audit that asks about it.
        unseen: share of its features, 0..1, that no label told of; looked at where it is asked.
        """
        if propensity <= 0.0:
            self._core.slept(score)
        else:
            self._core.asked(score, propensity, unseen)

    def labelled(
        self,
        score: float,
        relevant: bool,
        threshold: float,
        propensity: float | None,
        now: float | None = None,
    ) -> None:
        """The label of a window that was decided with `score` and `threshold`.

        propensity: as of `decided`; None from a source that labels every window. now: the score
        that the window has before this label is learned, where others came meanwhile; the threshold
        follows what mattered there, so that answers that are given together count as they should.
        """
        self._core.labelled(score, relevant, threshold, propensity, score if now is None else now)
        if self._useless is not None:
            self._useless += not relevant

    def estimate(self) -> RecallEstimate | None:
        """Share of what mattered that was asked about, since the start; None while unknown."""
        figures = self._core.figures()
        return None if figures is None else RecallEstimate(*figures)

    def alarm(self) -> str | None:
        """Why recall is watched more closely at the moment, for people; None without a reason."""
        alarm = self._core.alarm()
        if alarm is None:
            return None
        left, unseen, usual = alarm
        then = f"more is asked about until {left} more relevant answers are known"
        if unseen > 0.0:
            return (
                f"what comes is not what was: {unseen:.0%} of its features are new,"
                f" {usual:.0%} were before; {then}"
            )
        return f"audits find more than was expected; {then}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which `restore` and `from_dict` read back to the bit."""
        head = {"recall": self.recall, "share": self._share, "version": self._version}
        useless = {} if self._useless is None else {"useless": self._useless}
        return {**head, **useless, **self._core.state()}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> RecallControl:
        """What `to_dict` gave. Raises KeyError or TypeError for something else."""
        control = cls(raw["recall"], raw["share"], raw.get("version", 1))
        control._core.restore(dict(raw))
        control._useless = raw.get("useless")
        return control

    def restore(self, raw: Mapping[str, Any]) -> None:
        """Go on from what `to_dict` gave.

        What earlier releases counted is passed over: the scores of what slept are not in it, so
        everything wakes until enough is known again.
        """
        if "sleeps_found" in raw:
            self._core.restore(dict(raw))
            self._useless = raw.get("useless")
