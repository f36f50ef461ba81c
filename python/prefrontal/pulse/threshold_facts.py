"""Whose the threshold of a module is and what it follows, as facts and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recall.audit import RecallEstimate

FIXED, WISHED, OWN, WAKING, FOLLOWING = "fixed", "wished", "own", "waking", "following"
BUDGET = "budget"
"""Whose a threshold is: the settings', a person's, the module's own; or the recall's, while too
little is known for anything to sleep, and from then on; or the budget's."""

_NONE_USELESS = (
    "no answer was 'useless' yet, so little can safely sleep: say it of wakes that did not matter"
)
_NONE_USEFUL = "say 'useful' of wakes that mattered, or set a threshold if none ever does"


@dataclass(frozen=True, slots=True)
class ThresholdFacts:
    """threshold: the score it wakes at. origin: one of the words above.

    recall: what was asked; None where nothing is followed. known, needed: relevant answers that
    there are, and that there must be before anything sleeps. estimate: of the recall so far.
    drift: why recall is watched more closely, if it is. useless: answers that said so; None where
    they are not counted, or come from a source rather than from people.
    """

    threshold: float
    origin: str
    recall: float | None = None
    known: int = 0
    needed: int | None = None
    estimate: RecallEstimate | None = None
    drift: str | None = None
    useless: int | None = None

    @property
    def alarm(self) -> bool:
        """Whether less is caught than was asked, beyond chance."""
        return (
            self.recall is not None
            and self.estimate is not None
            and self.estimate.high < self.recall
        )

    def sentence(self) -> str:
        """What the gate does about the threshold."""
        if self.origin == WAKING:
            return self._waking()
        if self.origin == BUDGET:
            return "bursts that score best within the budget wake"
        score = f"threshold {self.threshold:.2f}"
        if self.origin == FOLLOWING:
            follows = f"{score} follows recall {self.recall:.2f}"
            return follows if self.useless != 0 else f"{follows}; {_NONE_USELESS}"
        whose = {FIXED: "fixed", WISHED: "set by a person", OWN: "the module's own"}
        return f"{score}, {whose[self.origin]}"

    def warning(self) -> str | None:
        """What to know before relying on it; None while all is well."""
        shortage = None
        if self.alarm and self.estimate is not None:
            shortage = (
                f"recall {self.recall:.2f} was asked and at most {self.estimate.high:.2f} is caught"
                f" ({self.estimate})"
            )
        return "; ".join(filter(None, (shortage, self.drift))) or None

    def line(self) -> str:
        """The sentence, and the warning where there is one."""
        warning = self.warning()
        return self.sentence() if warning is None else f"{self.sentence()}; {warning}"

    def to_dict(self) -> dict[str, str | float | None]:
        """For who looks from another process."""
        return {
            "threshold": self.threshold,
            "origin": self.origin,
            "sentence": self.sentence(),
            "warning": self.warning(),
        }

    def _waking(self) -> str:
        if self.needed is None:
            return "wakes on everything: at recall 1 nothing may be missed"
        if self.known >= self.needed:
            return "wakes on everything until what was missed is made up for"
        count = f"{self.known} so far"
        if self.useless and not self.known:
            count += f", {self.useless} useless: {_NONE_USEFUL}"
        return f"wakes on everything until {self.needed} relevant answers are known ({count})"
