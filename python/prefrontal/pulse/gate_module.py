"""What the gate knows of one module: who it is, the score it wakes at, and what labels said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..decisions.payloads import WakePayload
from .burst_holds import LONGEST_HOLD, Hold
from .incidents.control import HOLD_S, IncidentControl
from .recall.control import RecallControl
from .recall.uniform import UniformControl
from .threshold_facts import BUDGET, FIXED, FOLLOWING, OWN, WAKING, WISHED, ThresholdFacts

if TYPE_CHECKING:
    from ..decisions.payloads import Moment
    from ..settings.gate import GateSettings, PolicySettings
    from ..types import SignalEvent
    from .incidents.control import BurstVerdict
    from .modules.fingerprint import ModuleFingerprint
    from .recall.audit import LiveRecall
    from .recall.control import Mass

UNVERSIONED = 1
"""The rules of releases whose starts carry no version."""
FOLDING = 3
"""The first rules that let what is held back wait for a question that tells of it."""
DECLARED = 4
"""The first rules by which a signal reaches those modules alone that declared its source, and by
which fields that are empty leave a question with their words."""
GATHERING = 5
"""The first rules by which the first of a burst waits, too, so that a burst is one question."""
SHARING = 6
"""The first rules that keep a part of a budget for modules and sources that spent little of it."""
BOUNDED = 7
"""The first rules by which so many windows of a module wait at most, and others are counted."""
CALIBRATED = 8
"""The first rules by which labels correct the scores that a recall follows from."""
APART = 9
"""The first rules by which what one source sends moves no audit of another's windows, and by which
a module of commits starts from what public histories say of these; `STEADY` of learning/limbic.py
are these, too."""
FILED = 10
"""The first rules by which a module of commits reads one as its files, as a replay does, and starts
where that starts, unless the settings fix a threshold or bursts are decided about."""
MOVING = 10
"""The first rules by which a late answer counts at the score that its window has by then."""
VERSION = 10
"""Of the rules by which a gate decides; a start notes it, so that it can be decided again."""


class GateModule:
    """One module of a gate.

    threshold: the score it wakes at now. recall: what the threshold follows; None for a fixed one.
    complete: whether every window of it is labelled by itself, so that none need be audited.
    uniform: whether audits are drawn with one chance, whatever the score. wished: whether a person
    set the threshold. incidents: decides burst by burst, if bursts are decided about. hold: of what
    comes close together; None where nothing is held. knows_places: whether a place that was asked
    about just before and is only written on waits longer. tally: where what slept is counted, if
    that is all that is done about it.
    """

    __slots__ = (
        *("_origin", "_wish", "complete", "control", "fingerprint", "hold", "incidents"),
        *("knows_places", "recall", "tally", "threshold", "uniform", "wished"),
    )

    def __init__(
        self,
        fingerprint: ModuleFingerprint,
        settings: GateSettings,
        version: int = VERSION,
        incidents: IncidentControl | None = None,
    ) -> None:
        own = fingerprint.default_threshold
        share = settings.audit_share
        self.fingerprint = fingerprint
        history = fingerprint.history
        self.recall = settings.recall_of(own, None if history is None else history.recall)
        self.complete = history is not None and history.complete
        self.hold: Hold | None = None
        if not self.complete:
            self.hold = _hold(fingerprint, settings.policy, version, incidents is not None)
        self.incidents = incidents
        self.knows_places = incidents is None and settings.policy.group_s == 0
        self._wish: float | None = None
        self.wished = False
        self.tally: LiveRecall | None = None
        self._origin = OWN if settings.threshold is None else FIXED
        self.control: UniformControl | RecallControl | IncidentControl
        fixed = own if settings.threshold is None else settings.threshold
        if incidents is not None:
            self.control = incidents
        elif version == UNVERSIONED:
            self.control = UniformControl(self.recall, own or 0.0, share)
        elif self.recall is None:
            assert fixed is not None  # what declares nothing follows a recall
            self.control = UniformControl(None, fixed, share)
        else:
            rules = 1 if version < CALIBRATED else 2 if version < MOVING else 3
            self.control = RecallControl(self.recall, 0.0 if self.complete else share, rules)
        self.settle()

    def wish(self, threshold: float | None) -> None:
        """Set the threshold for a person; None takes that back."""
        self._wish = threshold
        self.wished = threshold is not None
        self.follow()

    @property
    def moves(self) -> bool:
        """Whether a label counts at the score that its window has by then."""
        return isinstance(self.control, RecallControl) and self.control.moves

    def follow(self) -> None:
        """Let the threshold follow the labels that came."""
        if isinstance(self.control, UniformControl):
            self.control.refresh()
        self.settle()

    def settle(self) -> None:
        """Take the threshold over from the control, unless a person set it."""
        self.threshold = self.control.threshold if self._wish is None else self._wish
        self.tally = self.control.counts if isinstance(self.control, UniformControl) else None
        audited = self.wished or self.tally is not None
        self.uniform = audited and self.incidents is None

    def decided(self, score: float, propensity: float, unseen: float = 0.0) -> None:
        """A window was decided about. propensity: that it is asked about; 0 when it is not.

        unseen: share of its features that no label told of.
        """
        self.control.decided(score, propensity, unseen)
        if not self.uniform and not self.wished:
            self.threshold = self.control.threshold

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        """The label of a window that was decided with `threshold`.

        propensity: None from a source that labels every window. now: the score that the window has
        before the label is learned.
        """
        if isinstance(self.control, RecallControl):
            self.control.labelled(score, relevant, threshold, propensity, now)
        else:
            self.control.labelled(score, relevant, threshold, propensity)
        if not self.uniform and not self.wished:
            self.threshold = self.control.threshold

    def meanwhile(self) -> Mass:
        """What slept since the last window that was asked about, where that moves the threshold."""
        if self.incidents is not None:
            return self.incidents.take_meanwhile()
        return self.control.meanwhile if isinstance(self.control, RecallControl) else ()

    def look(
        self, window: tuple[SignalEvent, ...], moment: Moment, spent: float, shift: float
    ) -> BurstVerdict:
        """What is decided about the burst of the window. Arguments as of `IncidentControl`."""
        assert self.incidents is not None
        verdict = self.incidents.look(window, moment, spent, shift)
        if self._wish is None:
            self.threshold = verdict.threshold
        return verdict

    def note_question(
        self, moment: Moment, decision_id: str, more: WakePayload | None, *, is_own: bool
    ) -> WakePayload | None:
        """What a question's decision must keep so that it can be decided again.

        is_own: asked about the window that just came, not when a hold ended.
        """
        incidents = self.incidents
        if (incidents is None or is_own) and (meanwhile := self.meanwhile()):
            more = replace(more or WakePayload(), meanwhile=meanwhile)
        if incidents is not None:
            if is_own and incidents.verdict.update:
                more = replace(more or WakePayload(), update=True)
            if is_own:
                incidents.open_burst(moment, decision_id)
            incidents.asked(moment.time)
        return replace(more or WakePayload(), wished=True) if self.wished else more

    def slept_meanwhile(self, mass: Mass) -> None:
        """Take over from a log what slept since the last window that was asked about."""
        if isinstance(self.control, RecallControl | IncidentControl):
            self.control.set_meanwhile(mass)

    def restore(self, raw: Mapping[str, Any]) -> None:
        """Go on with what `to_dict` of its control gave."""
        self.control.restore(raw)
        self.follow()

    def facts(self) -> ThresholdFacts:
        """Whose its threshold is, and what it follows."""
        control = self.control
        if isinstance(control, IncidentControl):
            origin = WISHED if self.wished else BUDGET
            return ThresholdFacts(self.threshold, origin)
        if isinstance(control, UniformControl):
            origin = WISHED if self.wished else self._origin
            return ThresholdFacts(self.threshold, origin, estimate=control.estimate())
        followed = WAKING if self.threshold <= 0.0 else FOLLOWING
        return ThresholdFacts(
            self.threshold,
            WISHED if self.wished else followed,
            self.recall,
            control.known,
            control.needed,
            control.estimate(),
            control.alarm(),
            None if self.complete else control.useless,
        )


def _hold(
    fingerprint: ModuleFingerprint, policy: PolicySettings, version: int, incidents: bool
) -> Hold | None:
    """Of a module that not every window is labelled of."""
    if policy.group_s > 0:
        return None if version < GATHERING else Hold(policy.group_s, policy.group_s)
    hold_s = fingerprint.hold_s if policy.hold_s is None else policy.hold_s
    if incidents and policy.hold_s is None:
        hold_s = max(hold_s, HOLD_S)
    after = incidents or version < GATHERING  # an incident is told of at once
    return Hold(hold_s, LONGEST_HOLD * hold_s, after) if hold_s else None
