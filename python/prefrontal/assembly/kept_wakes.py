"""What a log tells of a start of the gate, in the roles that deciding again needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from ..decisions.decision import Decision
from ..decisions.payloads import Moment, WakePayload
from ..errors import SourceError
from ..pulse.delivery import Delivery
from ..pulse.fingerprint import parse_fingerprint
from ..pulse.gate import Gate
from ..pulse.learned import Learned
from ..pulse.limbic import LimbicLayer
from ..pulse.policy import DeliveryPolicy
from ..pulse.recall.audit import AuditDraw, LiveRecall
from ..pulse.starts import Start, checksum
from ..types import Reason, SignalEvent
from .step_gate import add_modules

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog
    from ..decisions.wake_runs import WakeRun, WakeRuns

_NEVER = 2**62
_INPUTS = (Reason.BUSY, Reason.DROPPED)
"""Reasons that depend on how fast handlers were: taken from the log, not decided."""

States = dict[str, tuple[bytes, int]]


@dataclass(slots=True)
class Step:
    """One moment of a start: an event with its decisions, or groups that were asked.

    window: None for groups.
    """

    moment: Moment
    window: tuple[SignalEvent, ...] | None
    records: list[Decision] = field(default_factory=list)


def steps(runs: WakeRuns, run: WakeRun, grouped: bool) -> Iterator[Step]:
    """What a start decided about, in its order. grouped: whether wakes may have been gathered."""
    decided = (_step(place, each) for place, each in groupby(runs.wakes(run), key=_place))
    gathered = _gathered(runs, run) if grouped else []
    last = None
    for place, step in merge(decided, gathered, key=itemgetter(0)):
        if place != last:  # of an event that some gathered and others did not: the decisions
            yield step
        last = place


Place = tuple[int, bool, float]


def _place(record: Decision) -> Place:
    """Event by event; groups that were asked between two events come in the order of time."""
    wake, moment = _wake(record), _moment(record)
    return moment.event, bool(wake.gathered), moment.monotonic if wake.gathered else 0.0


def _step(place: Place, records: Iterable[Decision]) -> tuple[Place, Step]:
    found = list(records)
    return place, Step(_moment(found[0]), None if place[1] else found[0].window, found)


def _gathered(runs: WakeRuns, run: WakeRun) -> list[tuple[Place, Step]]:
    """The events that became part of a group, each once, in order."""
    found: dict[int, Step] = {}
    for record in runs.gathered(run):
        for moment, event in zip(_wake(record).gathered, record.window, strict=True):
            found[moment.event] = Step(moment, (event,))
    return [((number, False, 0.0), found[number]) for number in sorted(found)]


def _wake(record: Decision) -> WakePayload:
    assert isinstance(record.payload, WakePayload)
    return record.payload


def _moment(record: Decision) -> Moment:
    moment = _wake(record).moment
    if moment is None:
        rule = "say at which event of its start it was taken"
        raise SourceError(f"decision {record.id} must {rule}: the log is damaged")
    return moment


class KeptDelivery(Delivery):
    """Handlers that are as busy as the log says they were.

    others: what modules are that the log says nothing of.
    """

    def __init__(self, others: Reason | None) -> None:
        super().__init__("queue")
        self._others = others
        self._known: dict[str, Reason | None] = {}

    def expect(self, records: Iterable[Decision]) -> None:
        """The decisions that come next."""
        self._known = {}
        for record in records:
            word = _wake(record).held_back or record.reason
            self._known[record.subject] = Reason(word) if word in _INPUTS else None

    def refuses(self, module_id: str) -> Reason | None:
        return self._known.get(module_id, self._others)


class KeptClock:
    """Stands at the moment of the decision that is made again."""

    def __init__(self) -> None:
        self.moment: Moment | None = None

    def now(self) -> float:
        return 0.0 if self.moment is None else self.moment.time

    def monotonic(self) -> float:
        return 0.0 if self.moment is None else self.moment.monotonic


class KeptLabels:
    """The labels of a log up to number `until`, and the states of the moment it stands at."""

    def __init__(self, log: DecisionLog, states: States) -> None:
        self.until = 0
        self.states = dict(states)
        self._log = log
        self._at = -1
        self._ahead: Iterator[tuple[int, Decision, float]] = iter(())
        self._next: tuple[int, Decision, float] | None = None

    def labels_after(self, seq: int) -> Iterator[tuple[int, Decision, float]]:
        """As of `DecisionLog`; one reading serves all calls that go on where the last one ended."""
        if self._at != seq:
            self._ahead = self._log.labels_after(seq)
            self._next = next(self._ahead, None)
            self._at = seq
        while self._next is not None and self._next[0] <= self.until:
            found, self._next = self._next, next(self._ahead, None)
            self._at = found[0]
            yield found

    def load_state(self, name: str) -> tuple[bytes, int] | None:
        return self.states.get(name)

    def save_state(self, name: str, blob: bytes, through: int) -> None:
        self.states[name] = (blob, through)


class GateAgain:
    """The gate of one start as it was, from what the log kept of it.

    states: what it could read at its start, or before.
    """

    def __init__(self, log: DecisionLog, start: Start, states: States) -> None:
        told = start.settings
        self.labels = KeptLabels(log, states)
        skips = told.policy.overlap == "skip" and not start.refusals  # who was busy is not known
        self.delivery = KeptDelivery(Reason.BUSY if skips else None)
        self.clock = KeptClock()
        self.scorer = told.scorer
        self._told = told
        self._audits = AuditDraw(told.audit_share, told.seed)
        self._limbic = LimbicLayer(told.scorer, told.seed)
        policy = DeliveryPolicy(told.policy)
        self.gate = Gate(self._limbic, policy, self._audits, self.delivery, self.clock)
        self.gate.unstored = []
        shelf = LimbicLayer(told.scorer, told.seed)
        self.learned = Learned(
            self.labels, self._limbic, shelf, self.gate, None, _NEVER, told.recall
        )
        modules = [parse_fingerprint(each) for each in start.modules]
        add_modules(self.gate, self._limbic, self.learned, modules, told.threshold)
        self.learn(start.labels)
        for name, counts in start.counts.items():
            module = self.gate.modules[name]
            module.recall = LiveRecall.from_dict(counts)
            module.move(None, told.recall)

    def weights(self) -> int:
        """A checksum of what is learned."""
        return checksum(self._limbic.to_bytes())

    def learn(self, until: int) -> None:
        """Take in the labels up to that number."""
        if until > self.learned.through:
            self.labels.until = until
            self.learned.learn()

    def states(self) -> States:
        """What the gate would save now."""
        self.learned.save()
        return dict(self.labels.states)

    def take(self, step: Step) -> tuple[list[Decision], int]:
        """Decide about the step; its decisions, and how many sleeps before it the log has lost."""
        lost = self._stand_at(step)
        if step.window is not None:
            self.gate.decide(step.window, step.moment)
        else:
            self.gate.tick(everything=any(_wake(each).closed for each in step.records))
        made = [record for record, _ in self.gate.decided]
        made += self.gate.refused(self.gate.unstored or ())
        self.gate.decided, self.gate.unstored = [], []
        return made, lost

    def _stand_at(self, step: Step) -> int:
        gate, moment = self.gate, step.moment
        self.clock.moment = moment
        gate.taken = moment.event
        self.delivery.expect(step.records)
        for record in step.records:
            self._wish(record)
        lost = moment.slept - gate.slept
        if lost:
            self._audits.seek(moment.slept)
            gate.slept = moment.slept
        return max(0, lost)

    def _wish(self, record: Decision) -> None:
        """A threshold that a person set is as the log says; one taken back is the gate's again."""
        module = self.gate.modules.get(record.subject)
        if module is None:
            return
        if _wake(record).wished:
            module.move(record.threshold, None)
        elif module.wished:
            module.move(None, self._told.recall)
