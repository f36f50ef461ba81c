"""The steps from one event to decisions and back from labels to weights; for one thread."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import uuid4

from ..decisions.payloads import Moment, WakePayload
from ..types import Reason, SignalEvent, Standing
from .moment import shifted
from .policy import DeliveryPolicy
from .prefrontal import EscalationDecision, PrefrontalLayer
from .recall.audit import AuditDraw
from .wake_records import Module, Refusal, WakeRecords, WindowGroup, with_wish

if TYPE_CHECKING:
    from ..clock import Clock
    from ..decisions.log import Decision
    from ..protocols import Standings
    from .delivery import Delivery
    from .limbic import LimbicLayer

RING = 1000
"""Windows that slept, kept in memory so that they can be asked about."""

log = logging.getLogger("prefrontal.pulse")


class Gate:
    """Route, score, decide, ask. Decisions wait in `decided` until they are stored and sent.

    run: eight hexadecimal digits that tell this start from others. taken: events so far. labels:
    number of the last label learned. slept: windows that slept so far, over all modules.
    unstored: refusals for the log to keep; None when it keeps none.
    """

    def __init__(
        self,
        limbic: LimbicLayer,
        policy: DeliveryPolicy,
        audits: AuditDraw,
        delivery: Delivery,
        clock: Clock,
        standings: Standings | None = None,
    ) -> None:
        self.modules: dict[str, Module] = {}
        self.counts: Counter[str] = Counter()
        self.refusals: deque[Refusal] = deque(maxlen=RING)
        self.unstored: list[Refusal] | None = None
        self.decided: list[tuple[Decision, EscalationDecision]] = []
        self.labels = 0
        self.taken = 0
        self.refused_count = 0
        self.slept = 0
        self._limbic = limbic
        self._policy = policy
        self._audits = audits
        self._delivery = delivery
        self._clock = clock
        self._standings = standings
        self._asker = PrefrontalLayer(threshold=0.0)
        self._groups: dict[str, WindowGroup] = {}
        self.audit_share = audits.share
        self._records = WakeRecords(limbic, audits.share)
        self.run = self._records.run

    def take(self, event: SignalEvent) -> None:
        """One event through all steps. Raises TypeError naming a field of the wrong type."""
        now = self._clock.monotonic()
        self.taken += 1
        if self._policy.repeated(event, now):
            self.counts[Reason.DUPLICATE] += 1
            return
        standing = None if self._standings is None else self._standing(event, self._standings)
        wall = self._clock.now()
        moment = Moment(self.taken, wall, now, self.labels, self.slept, standing)
        self.decide((event,), moment)

    def decide(self, window: tuple[SignalEvent, ...], moment: Moment) -> None:
        """Decide for each module that the window concerns, at that moment."""
        shift = 0.0 if moment.standing is None else moment.standing.shift
        scores = self._limbic.score_routed(window)
        if shift:
            scores = {name: shifted(score, shift) for name, score in scores.items()}
        slept: list[tuple[str, float]] = []
        for module_id, score in scores.items():
            module = self.modules.get(module_id)
            if module is None:
                continue
            if score >= module.threshold:  # False for NaN
                self._wake(module_id, module, score, window, moment)
            else:
                slept.append((module_id, score))
        if slept:
            self._sleep(slept, window, moment)

    def due(self) -> float | None:
        """Monotonic second at which the next group is to be asked; None without groups."""
        return min((group.due for group in self._groups.values()), default=None)

    def tick(self, everything: bool = False) -> None:
        """Ask the groups whose time is up, or all of them."""
        if not self._groups:
            return
        wall, now = self._clock.now(), self._clock.monotonic()
        for module_id, group in list(self._groups.items()):
            if everything or group.due <= now:
                del self._groups[module_id]
                if module := self.modules.get(module_id):
                    first = group.moments[0].standing
                    moment = Moment(self.taken, wall, now, self.labels, self.slept, first)
                    more = group.payload(closed=group.due > now)
                    window = tuple(group.window)
                    self._ask(module_id, module, group.score, window, moment, Reason.WOKE, more)

    def learn(self, record: Decision, label: float) -> None:
        """Train a registered module on one label; a wake or an audit enters its recall estimate.

        Not a window that slept: whoever labels it chose it, and no share follows from that.
        """
        self._limbic.update_weights(record.subject, record.window, label)
        if record.acted and (module := self.modules.get(record.subject)):
            woke = record.reason != Reason.AUDIT
            module.recall.labelled(woke=woke, score=record.score, label=label)

    def forget(self, module_id: str) -> None:
        """A module is gone: nothing of it may fire any more."""
        self.modules.pop(module_id, None)
        self._groups.pop(module_id, None)
        self._policy.forget(module_id)

    def _standing(self, event: SignalEvent, standings: Standings) -> Standing | None:
        try:
            return standings.standing(event)
        except Exception as error:  # an event must not be lost for who may be behind it
            log.exception("the standing behind an event is not known: %s", error)
            return None

    def _wake(
        self,
        module_id: str,
        module: Module,
        score: float,
        window: tuple[SignalEvent, ...],
        moment: Moment,
    ) -> None:
        if group := self._groups.get(module_id):
            group.window.extend(window)
            group.moments.append(moment)
            group.score = max(group.score, score)
            self.counts[Reason.GROUPED] += 1
            return
        if reason := self._held_back(module_id, moment):
            self._refuse(module_id, module, score, window, moment, reason)
        elif self._policy.settings.group_s > 0:
            due = moment.monotonic + self._policy.settings.group_s
            self._groups[module_id] = WindowGroup(due, [moment], list(window), score)
        else:
            self._ask(module_id, module, score, window, moment, Reason.WOKE)

    def _held_back(self, module_id: str, moment: Moment) -> Reason | None:
        return self._delivery.refuses(module_id) or self._policy.admit(
            module_id, moment.time, moment.monotonic, moment.standing
        )

    def _sleep(
        self, slept: list[tuple[str, float]], window: tuple[SignalEvent, ...], moment: Moment
    ) -> None:
        self.slept += len(slept)
        audited = self._audits.pick(len(slept))
        for place, (module_id, score) in enumerate(slept):
            module = self.modules[module_id]
            module.recall.slept += 1
            more = None
            if place in audited:
                held = self._held_back(module_id, moment)
                if held is None:
                    self._ask(module_id, module, score, window, moment, Reason.AUDIT)
                    continue
                more = WakePayload(held_back=str(held))
            self._refuse(module_id, module, score, window, moment, Reason.BELOW_THRESHOLD, more)

    def _ask(
        self,
        module_id: str,
        module: Module,
        score: float,
        window: tuple[SignalEvent, ...],
        moment: Moment,
        reason: Reason,
        more: WakePayload | None = None,
    ) -> None:
        asked = self._asker.evaluate(module_id, score, window, module.fingerprint)
        if not asked.should_escalate:
            self._refuse(module_id, module, score, window, moment, Reason.NO_QUESTION, more)
            return
        audit = reason is Reason.AUDIT
        decision = EscalationDecision(
            module_id, True, asked.question, score, window, uuid4().hex, reason, audit
        )
        module.recall.wakes += not audit
        self.counts[reason] += 1
        record = self._records.woken(decision, module, moment, more)
        self.decided.append((record, decision))

    def _refuse(
        self,
        module_id: str,
        module: Module,
        score: float,
        window: tuple[SignalEvent, ...],
        moment: Moment,
        reason: Reason,
        more: WakePayload | None = None,
    ) -> None:
        self.counts[reason] += 1
        self.refused_count += 1
        if module.wished:
            more = with_wish(more)
        refusal = Refusal(
            self.refused_count, moment, window, module_id, score, module.threshold, reason, more
        )
        self.refusals.append(refusal)
        if self.unstored is not None:
            self.unstored.append(refusal)

    def refusal_id(self, refusal: Refusal) -> str:
        """The id that the refusal has in the log."""
        return self._records.refusal_id(refusal)

    def refused(self, refusals: Iterable[Refusal]) -> list[Decision]:
        """Refusals in the form of the log, each with what pushed its score now."""
        return [self._records.refused(each) for each in refusals]
