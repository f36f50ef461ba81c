"""Windows of a history that is followed: each decided once, its labels learned in their order."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..decisions.labels import PRESET, NewLabel
from ..errors import PrefrontalError

if TYPE_CHECKING:
    from ..clock import Clock
    from ..decisions.decision import Decision
    from ..decisions.log import DecisionLog
    from ..types import SignalEvent
    from .gate import Gate
    from .learned import Learned

HISTORY = "history "
"""States that tell how far a history was followed begin so; the module's id follows."""

log = logging.getLogger("prefrontal.pulse")

Place = dict[str, Any]
"""What a source goes on from, as JSON values."""


@dataclass(frozen=True, slots=True)
class FollowedWindow:
    """A window for one module, and what its history said until then.

    key: what the source calls it. relevant: its own label if it is known at once; None when it
    comes later. due: (key, relevant) of windows before, in the order to learn them. place: where
    the source goes on once this window is decided.
    """

    module_id: str
    key: str
    events: tuple[SignalEvent, ...]
    relevant: bool | None
    due: tuple[tuple[str, bool], ...]
    place: Place


@dataclass(slots=True)
class Follow:
    """How far a history was followed.

    ids: of the decisions whose label is still to come, by key. given: how many labels that are due
    before the next window were given already.
    """

    place: Place
    ids: dict[str, str] = field(default_factory=dict)
    given: int = 0

    def to_bytes(self) -> bytes:
        """What `read_follow` reads."""
        content = {"place": self.place, "ids": self.ids, "given": self.given}
        return json.dumps(content, separators=(",", ":")).encode()


def read_follow(decisions: DecisionLog, module_id: str) -> Follow | None:
    """How far the history of a module was followed; None when it never was."""
    state = decisions.load_state(HISTORY + module_id)
    return None if state is None else Follow(**json.loads(state[0]))


class Following:
    """Takes the windows of followed histories, on the gate's thread.

    A window, its own label and the place behind it are stored in one transaction, and so are the
    labels that are due before it: who starts again after a kill goes on exactly there.
    """

    def __init__(self, gate: Gate, learned: Learned, decisions: DecisionLog, clock: Clock) -> None:
        self._gate = gate
        self._learned = learned
        self._decisions = decisions
        self._clock = clock
        self._follows: dict[str, Follow] = {}
        self._unwritten: list[tuple[list[Decision], list[NewLabel], tuple[str, bytes, int]]] = []

    def take(self, window: FollowedWindow) -> list[Decision]:
        """Learn what was due, decide, and store; the wakes and audits, to be delivered."""
        follow = self._follow(window)
        self._learned.learn()
        if due := window.due[follow.given :]:
            follow.given = len(window.due)
            labels = [self._label(follow.ids[k], r) for k, r in due if k in follow.ids]
            self._keep([], labels, window.module_id, follow)
        decided, records = self._decide(window)
        for key, _ in window.due:
            follow.ids.pop(key, None)
        labels = []
        for record in records:
            if window.relevant is None:
                follow.ids[window.key] = record.id
            else:
                labels.append(self._label(record.id, window.relevant))
        follow.place, follow.given = window.place, 0
        self._keep(records, labels, window.module_id, follow)
        return decided

    def _follow(self, window: FollowedWindow) -> Follow:
        follow = self._follows.get(window.module_id)
        if follow is None:
            follow = read_follow(self._decisions, window.module_id) or Follow({})
            self._follows[window.module_id] = follow
            self._label_unanswered(window.module_id)
        return follow

    def _label_unanswered(self, module_id: str) -> None:
        """Questions of releases before, whose labels did not follow from those of windows."""
        try:
            self._decisions.label_unanswered(module_id)
        except PrefrontalError as error:
            log.error("questions of before could not be labelled: %s", error)

    def _decide(self, window: FollowedWindow) -> tuple[list[Decision], list[Decision]]:
        """The decisions to deliver, and all of them as the log keeps them, refusals, too."""
        gate = self._gate
        waiting, unstored = gate.decided, gate.unstored
        gate.decided, gate.unstored = [], []  # what is held back is stored with all before it
        try:
            gate.judge(window.events, window.module_id, again=True)
            held, gate.held = gate.held, []
            return gate.decided, gate.decided + held + gate.refused(gate.unstored)
        finally:
            gate.decided, gate.unstored = waiting, unstored

    def _label(self, decision_id: str, relevant: bool) -> NewLabel:
        return NewLabel(decision_id, float(relevant), self._clock.now(), PRESET)

    def _keep(
        self, records: list[Decision], labels: list[NewLabel], module_id: str, follow: Follow
    ) -> None:
        """Store, in order; what a failing disk refuses is stored before what comes next."""
        state = (HISTORY + module_id, follow.to_bytes(), 0)
        self._unwritten.append((records, labels, state))
        try:
            while self._unwritten:
                decisions, labels_given, place = self._unwritten[0]
                self._decisions.keep(decisions, labels_given, [place])
                del self._unwritten[0]
            self._learned.learn()
        except PrefrontalError as error:
            log.error("what a history told could not be stored yet: %s", error)
