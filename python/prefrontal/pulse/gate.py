"""The one gate: a window comes in, decisions come out; labels come back and are learned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..decisions.decision import Decision, new_id
from ..decisions.payloads import Burst, Moment, WakePayload
from ..types import Reason, SignalEvent, Standing
from .asking import question_about
from .attention import Free
from .gate_module import APART, BOUNDED, DECLARED, FOLDING, GATHERING, SHARING, VERSION, GateModule
from .holds import HeldWindow, HeldWindows, Lane
from .incidents.bursts import Bursts
from .incidents.control import incident_control
from .incidents.open_bursts import OpenBursts
from .learning.seeds import NOVELTY
from .moment import shifted, standing_behind
from .policy import DeliveryPolicy
from .recall.audit import AuditDraw
from .recall.score_draw import audit_number, score_draw
from .recent_refusals import RecentRefusals
from .scored_window import ScoredWindow, decision_events, score_now
from .wake_records import Refusal, WakeRecords, WindowGroup, with_wish

if TYPE_CHECKING:
    from ..clock import Clock
    from ..protocols import Standings
    from ..settings.gate import GateSettings
    from .attention import Attention
    from .burst_holds import Hold
    from .learning.limbic import LimbicLayer
    from .modules.fingerprint import ModuleFingerprint

LOOK_AGAIN_S = 1.0, 3600.0
"""A hold that did not end as it should have is looked at again after so long: least and most."""
COMPLETE = frozenset({"preset"})
"""Sources of labels that label every window, whether it woke or slept."""


class Gate:
    """Route, score, trust, threshold, audit, policy: all that decides, for one thread.

    Decisions wait in `decided` until they are stored and sent, windows that were held back in
    `held` until they are stored and in `holds` until a question tells of them. judged: windows
    that starts before this one judged, so that its draws are others. run: eight hexadecimal digits
    that tell this start from others. taken: windows so far. labels: number of the last label
    learned. slept: how many slept of modules whose audits are drawn with one chance. unstored:
    refusals for the log to keep; None when it keeps none. asleep: those for a ring on disk; None
    without one. explained: whether decisions say what pushed their scores. bursts: what came so
    far, where bursts are decided about; None where windows are.
    """

    def __init__(
        self,
        settings: GateSettings,
        limbic: LimbicLayer,
        clock: Clock,
        standings: Standings | None = None,
        attention: Attention | None = None,
        *,
        judged: int = 0,
        version: int = VERSION,
        explained: bool = True,
    ) -> None:
        self.settings = settings
        self.modules: dict[str, GateModule] = {}
        self.counts: Counter[str] = Counter()
        self.refusals = RecentRefusals()
        self.unstored: list[Refusal] | None = [] if settings.log_refusals else None
        self.asleep: list[Refusal] | None = None
        self.decided: list[Decision] = []
        self.held: list[Decision] = []
        self.labels = self.taken = self.refused_count = 0
        self.judged = judged
        self.version = version
        self._limbic = limbic
        self._clock = clock
        self._standings = standings
        self._attention = Free() if attention is None else attention
        self._shares = version >= SHARING
        self.policy = DeliveryPolicy(settings.policy, fair=self._shares)
        self._audits = AuditDraw(settings.audit_share, settings.seed + judged)
        self._groups: dict[str, WindowGroup] = {}
        self.holds = HeldWindows(
            gathers=version >= GATHERING, fair=self._shares, bounded=version >= BOUNDED
        )
        self._folds = version >= FOLDING
        self._first_event = judged if version < APART else None
        self._groups_apart = settings.policy.group_s > 0 and version < GATHERING
        self.bursts = Bursts() if settings.policy.incidents else None
        self._open_bursts = OpenBursts()
        self.records = WakeRecords(limbic if explained else None)
        self.slept = 0
        self.run = self.records.run

    def add(self, fingerprint: ModuleFingerprint) -> GateModule:
        """Start a module afresh; one of the same id is replaced, learning and all."""
        module_id = fingerprint.module_id
        self.forget(module_id)
        more = () if self.bursts is None else NOVELTY
        self._limbic.register(module_id, fingerprint, more, steady=self.bursts is None)
        incidents = incident_control(self.settings, fingerprint, self._limbic, self.version)
        module = GateModule(fingerprint, self.settings, self.version, incidents)
        self.modules[module_id] = module
        self.policy.know(module_id, fingerprint.hears_any)
        return module

    def forget(self, module_id: str) -> None:
        """A module is gone: nothing of it may fire any more."""
        self.modules.pop(module_id, None)
        self._groups.pop(module_id, None)
        self.policy.forget(module_id)

    def judge(
        self, window: Sequence[SignalEvent], module_id: str | None = None, *, again: bool = False
    ) -> bool:
        """Decide about one window, now; False when it had come before.

        module_id: the one module to ask; without it every module that the window concerns. again:
        judge it though it came before. Raises TypeError naming a field of the wrong type.
        """
        now = self._clock.monotonic()
        self.taken += 1
        if not again and self.policy.repeated(window, now):
            self.counts[Reason.DUPLICATE] += 1
            return False
        standing = standing_behind(window, self._standings)
        wall = self._clock.now()
        alone = module_id is not None
        burst = None if self.bursts is None else self.bursts.take(wall, window)
        moment = Moment(self.taken, wall, now, self.labels, self.slept, standing, alone, burst)
        self.decide(tuple(window), moment, module_id)
        return True

    def decide(
        self, window: tuple[SignalEvent, ...], moment: Moment, module_id: str | None = None
    ) -> None:
        """Decide at that moment, for one module or for each that the window concerns."""
        decide = self._decide_window if moment.burst is None else self._decide_burst
        decide(window, moment, module_id)

    def _decide_window(
        self, window: tuple[SignalEvent, ...], moment: Moment, module_id: str | None
    ) -> None:
        if module_id is None:
            scores = self._limbic.score_routed(window)
        else:
            scores = {module_id: self._limbic.score(module_id, window)}
        if (standing := moment.standing) is not None and standing.shift:
            scores = {name: shifted(score, standing.shift) for name, score in scores.items()}
        slept: list[ScoredWindow] = []
        number = 0
        for name, score in scores.items():
            if (module := self.modules.get(name)) is None:
                continue
            scored = ScoredWindow(module, score, window, moment)
            if score >= module.threshold:  # False for NaN
                self._wake(scored)
            elif module.uniform and not module.complete:
                slept.append(scored)
            else:
                chance = module.control.audit_chance(score)
                number = number or audit_number(window, moment, self._first_event)
                drawn = score_draw(self.settings.seed, number, name) < chance
                self._sleep(scored, chance if drawn else 0.0)
        if slept:
            self._sleep_uniformly(slept)

    def _decide_burst(
        self, window: tuple[SignalEvent, ...], moment: Moment, module_id: str | None
    ) -> None:
        """A burst that a question told of goes on in silence; the others are as any window."""
        names = self._limbic.score_routed(window) if module_id is None else (module_id,)
        spent = self.policy.spent(moment.time)
        shift = 0.0 if moment.standing is None else moment.standing.shift
        for name in names:
            if (module := self.modules.get(name)) is None:
                continue
            verdict = module.look(window, moment, spent, shift)
            scored = ScoredWindow(module, verdict.score, window, moment)
            if verdict.opening:
                self._cover(scored, verdict.opening)
            elif verdict.score >= module.threshold:
                self._wake(scored)
            else:
                self._refuse(scored, Reason.BELOW_THRESHOLD)

    def _cover(self, scored: ScoredWindow, opening: str) -> None:
        """A window of a burst that was told of: the log keeps how far it got, now and then."""
        self._open_bursts.add(scored, opening)
        burst = scored.moment.burst
        if burst is None or not burst.look:
            self._refuse(scored, Reason.GROUPED, WakePayload(opening=opening))
            return
        self.counts[Reason.GROUPED] += 1
        more = WakePayload(opening=opening, meanwhile=scored.module.meanwhile())
        self._store(scored, Reason.GROUPED, more)

    def _end_bursts(self, wall: float, now: float, *, closing: bool) -> None:
        """Say in the log how great the bursts were that are over. closing: all are."""
        for latest, opening in self._open_bursts.pop(now, everything=closing):
            moment = self._moment(wall, now, latest.moment.standing, latest.moment.burst)
            more = WakePayload(opening=opening, ended=True, closed=closing)
            self._store(latest._replace(moment=moment), Reason.GROUPED, more)

    def sleep_until(self, slept: int) -> None:
        """Go on as if so many windows of modules with one chance of audits had slept."""
        self._audits.seek(slept)
        self.slept = slept

    def restore_waiting(self, records: Iterable[Decision]) -> None:
        """Go on with windows that were held back before this start; the next tick asks them."""
        self.holds.restore(records, self._clock.monotonic())

    def due(self) -> float | None:
        """Monotonic second at which the next hold ends; None where nothing is known to wait."""
        ends = [group.due for group in self._groups.values()]
        others = self.holds.due(self.modules), self._open_bursts.due()
        ends += [due for due in others if due is not None]
        return min(ends, default=None)

    def tick(self, everything: bool = False, only: Collection[str] | None = None) -> None:
        """Ask about what was held back and may be asked now. everything: end every gathering.

        only: these modules alone.
        """
        if not self._groups and not self.holds and not self._open_bursts:
            return
        wall, now = self._clock.now(), self._clock.monotonic()
        for module_id, group in list(self._groups.items()):
            if everything or group.due <= now:
                del self._groups[module_id]
                if module := self.modules.get(module_id):
                    first, burst = group.moments[0].standing, group.moments[0].burst
                    moment = self._moment(wall, now, first, burst)
                    more = group.payload(closed=group.due > now)
                    gathered = ScoredWindow(module, group.score, tuple(group.window), moment)
                    others = group.held + self.holds.take(module_id, first)
                    self._ask(gathered, more=more, others=others)
        for key, lane in self.holds.lanes():
            module = self.modules.get(key.module_id)
            due = everything or lane.eager or lane.due <= now
            if module and lane.windows and due and (only is None or key.module_id in only):
                self._ask_late(module, lane, wall, now, closing=everything)
        self._end_bursts(wall, now, closing=everything)

    def learn(self, decision: Decision, label: float, source: str = "user") -> None:
        """Train a registered module on one label, and let its threshold take note.

        Where a source labels every window each label counts 1. Elsewhere what was asked about does,
        by its chance to be: who labels what slept chose it, and no share follows from that.
        """
        module, complete = self.modules.get(decision.subject), source in COMPLETE
        incidents, now = None if module is None else module.incidents, decision.score
        if module is not None and module.moves and not complete:
            now = score_now(self._limbic, decision)
        if incidents is None or incidents.answer(decision, yes=label >= 0.5):
            self._limbic.update_weights(decision.subject, decision_events(decision), label)
        if module is not None and (complete or (decision.acted and not module.complete)):
            propensity = None if complete else decision.propensity
            module.labelled(decision.score, label >= 0.5, decision.threshold, propensity, now)

    def _moment(
        self, wall: float, now: float, standing: Standing | None, burst: Burst | None
    ) -> Moment:
        """Of a decision that no event led to."""
        return Moment(self.taken, wall, now, self.labels, self.slept, standing, burst=burst)

    def _wake(self, scored: ScoredWindow) -> None:
        module_id, moment, hold = scored.module_id, scored.moment, scored.module.hold
        self.policy.see(scored.source, moment.time, moment.monotonic)
        if group := self._groups.get(module_id):
            self._gather(group, scored)
            self.counts[Reason.GROUPED] += 1
        elif (end := self._written_on(scored)) is not None:
            self._wait(scored, Reason.GROUPED, end, written_on=True)
        elif reason := self._held_back(module_id, moment, hold, scored.source, wakes=True):
            if self._folds:
                free = self._free_at(module_id, moment, hold, scored.source)
                self._wait(scored, reason, min(free, moment.monotonic + LOOK_AGAIN_S[1]))
            else:
                self._refuse(scored, reason)
        elif self._groups_apart and not scored.module.complete:
            due = moment.monotonic + self.policy.settings.group_s
            group = self._groups[module_id] = WindowGroup(due)
            self._gather(group, scored)
        else:
            self._ask(scored, others=self.holds.take(module_id, moment.standing))

    def _gather(self, group: WindowGroup, scored: ScoredWindow) -> None:
        """The window is stored, too, so that it is asked about though the group is lost."""
        group.add(scored, self._put_by(scored, Reason.GROUPED) if self._folds else None)

    def _wait(
        self, scored: ScoredWindow, reason: Reason, due: float, *, written_on: bool = False
    ) -> None:
        """Count a window that must wait, and put it by until monotonic second `due`."""
        self.counts[reason] += 1
        if self.holds.has_room(scored.module_id, scored.source):
            held = self._put_by(scored, reason)
            self.holds.add(scored.module_id, held, due, written_on=written_on)
        else:
            self._put_by(scored, reason, crowded=True)
            self.holds.turn_away(scored.module_id)

    def _put_by(self, scored: ScoredWindow, reason: Reason, *, crowded: bool = False) -> HeldWindow:
        """Put a window at or above its threshold by, for the log and for a later question.

        crowded: which counts it and does not name it.
        """
        incidents = scored.module.incidents
        meanwhile = () if incidents is None else incidents.take_meanwhile()
        more = WakePayload(waits=not crowded, crowded=crowded, meanwhile=meanwhile)
        record = self._store(scored, reason, more)
        if incidents is not None:
            incidents.open_burst(scored.moment, record.id)
        return HeldWindow.of(record)

    def _store(self, scored: ScoredWindow, reason: Reason, more: WakePayload | None) -> Decision:
        """Refuse a window whose record the log must keep."""
        record = self.records.refused(self._refusal(scored, reason, more))
        self.held.append(record)
        return record

    def _ask_late(
        self, module: GateModule, lane: Lane, wall: float, now: float, *, closing: bool
    ) -> None:
        """A hold may have ended: ask about the strongest window of the lane, and name the others.

        Looking costs nothing until it has: a budget is only asked when it is known to have room.
        Where a budget has none for the source of the strongest, that of another one may lead.
        closing: nothing more comes, so what was kept to be asked as one is asked.
        """
        module_id = module.fingerprint.module_id
        hold = self.policy.holds.closed(module_id, module.hold) if closing else module.hold
        free = math.inf
        for held in lane.leads() if self._shares else [lane.strongest()]:
            moment, source = self._moment(wall, now, held.standing, held.burst), held.source
            end = self._free_at(module_id, moment, hold, source)
            free = min(free, end)
            if end <= now:
                if (whole := self.holds.fetch(lane, held, now)) is None:
                    return
                if not self._held_back(module_id, moment, hold, source):
                    self._tell(module, lane, whole, moment, closing=closing)
                    return
        lane.due = min(max(free, now + LOOK_AGAIN_S[0]), now + LOOK_AGAIN_S[1])

    def _tell(
        self, module: GateModule, lane: Lane, held: HeldWindow, moment: Moment, *, closing: bool
    ) -> None:
        """Ask about a window that waited, and name the others of its lane."""
        module_id = module.fingerprint.module_id
        if held.reason is Reason.GROUPED and self.counts[held.reason]:
            self.counts[held.reason] -= 1  # it is what the others are told with
        others = self.holds.take(module_id, held.standing, held)
        scored = ScoredWindow(module, held.score, held.window, moment)
        late = WakePayload(late=True, closed=closing)
        self._ask(scored, more=late, others=others, threshold=held.threshold)
        if lane.windows:  # more than one question tells of
            rest_s = 0.0 if module.hold is None else module.hold.rest_s
            free = self._free_at(module_id, moment, module.hold, held.source)
            lane.due = max(free, moment.monotonic + rest_s)

    def _held_back(
        self, module_id: str, moment: Moment, hold: Hold | None, source: str, *, wakes: bool = False
    ) -> Reason | None:
        """source: of the window. wakes: it came and would wake, with which a hold may begin."""
        if reason := self._attention.refuses(module_id):
            return reason
        wall, now, standing = moment.time, moment.monotonic, moment.standing
        return self.policy.admit(module_id, wall, now, standing, hold, source, wakes=wakes)

    def _free_at(self, module_id: str, moment: Moment, hold: Hold | None, source: str) -> float:
        wall, now, standing = moment.time, moment.monotonic, moment.standing
        return self.policy.free_at(module_id, wall, now, standing, hold, source)

    def _written_on(self, scored: ScoredWindow) -> float | None:
        """Until when the window waits since its places were asked about just before."""
        module_id, module, now = scored.module_id, scored.module, scored.moment.monotonic
        if module.hold is None or not module.knows_places:
            return None
        return self.policy.holds.written_on(module_id, scored.window, now, module.hold)

    def _sleep_uniformly(self, slept: list[ScoredWindow]) -> None:
        """Modules of one chance for all scores; one draw for all of them."""
        self.slept += len(slept)
        audited = self._audits.pick(len(slept))
        for place, scored in enumerate(slept):
            tally = scored.module.tally
            if (audited and place in audited) or tally is None:
                self._sleep(scored, self._audits.share if place in audited else 0.0)
            else:
                tally.slept += 1
                self._refuse(scored, Reason.BELOW_THRESHOLD)

    def _sleep(self, scored: ScoredWindow, chance: float) -> None:
        """A window stays below the threshold. chance: of the audit that was drawn, 0 for none."""
        more = None
        if chance > 0.0:
            module_id, moment = scored.module_id, scored.moment
            held = self._held_back(module_id, moment, scored.module.hold, scored.source)
            if held is None:
                others = self.holds.take(module_id, moment.standing)
                self._ask(scored, chance, audit=True, others=others)
                return
            more = WakePayload(held_back=str(held))
        self._refuse(scored, Reason.BELOW_THRESHOLD, more)
        scored.module.decided(scored.score, 0.0)

    def _ask(
        self,
        scored: ScoredWindow,
        propensity: float = 1.0,
        more: WakePayload | None = None,
        *,
        audit: bool = False,
        others: Sequence[HeldWindow] = (),
        threshold: float | None = None,
    ) -> None:
        """Ask about a window. others: what waited and is told of as well, itself if it did.

        threshold: what it reached when it came; that of now by default.
        """
        if others:
            folded = tuple([each.folded() for each in others])
            more = replace(more or WakePayload(), folded=folded)
        module, score, window, moment = scored
        rest, as_before = [each.window for each in others], self.version < DECLARED
        crowd = self.holds.crowd[scored.module_id]
        text = question_about(module.fingerprint, window, rest, crowd, as_before=as_before)
        if text is None or math.isnan(score):
            self._ask_nothing(scored, more, alone=not others)
            if audit:
                module.decided(score, 0.0)
            return
        if self.holds.crowd.pop(scored.module_id, 0):
            more = replace(more or WakePayload(), crowd=crowd)
        reason = Reason.AUDIT if audit else Reason.WOKE
        self.counts[reason] += 1
        limit = module.threshold if threshold is None else threshold
        decision_id, is_own = new_id(), threshold is None
        more = module.note_question(moment, decision_id, more, is_own=is_own)
        self.decided.append(
            self.records.asked(decision_id, scored, reason, text, propensity, limit, more)
        )
        if module.hold is not None and module.knows_places:
            places = [window, *(each.window for each in others)]
            self.policy.holds.asked(scored.module_id, places, moment.monotonic)
        if is_own or not module.complete:  # else its label counts where it came
            unseen = self._limbic.unseen(scored.module_id, scored.scored_events)
            module.decided(score, propensity, unseen)

    def _ask_nothing(self, scored: ScoredWindow, more: WakePayload | None, *, alone: bool) -> None:
        """The template gives no question. alone: it would have told of no other window."""
        if alone:
            self._refuse(scored, Reason.NO_QUESTION, more)
        else:
            self.counts[Reason.NO_QUESTION] += 1
            self._store(scored, Reason.NO_QUESTION, more)  # no later question will say more

    def _refuse(
        self, scored: ScoredWindow, reason: Reason, more: WakePayload | None = None
    ) -> None:
        self.counts[reason] += 1
        refusal = self._refusal(scored, reason, more)
        if self.unstored is not None:
            self.unstored.append(refusal)
        elif self.asleep is not None:
            self.asleep.append(refusal)

    def _refusal(self, scored: ScoredWindow, reason: Reason, more: WakePayload | None) -> Refusal:
        """Count a window that nobody is woken for now, and remember it for a while."""
        self.refused_count += 1
        if scored.module.wished:
            more = with_wish(more)
        refusal = Refusal(self.refused_count, scored, scored.module.threshold, reason, more)
        self.refusals.append(refusal)
        return refusal

    def drain(self) -> list[Decision]:
        """What was decided since the last call: wakes and audits, what waits, refusals if kept."""
        made = self.stored() + self.refused(self.unstored or ())
        self.decided, self.held = [], []
        if self.unstored:
            self.unstored = []
        return made

    def stored(self) -> list[Decision]:
        """What must be stored before anybody is told: wakes and audits, and what waits."""
        return self.decided + self.held

    def refused(self, refusals: Iterable[Refusal]) -> list[Decision]:
        """Refusals in the form of the log, each with what pushed its score now."""
        return [self.records.refused(each) for each in refusals]
