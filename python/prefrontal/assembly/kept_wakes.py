"""What a log tells of a start of the gate, in the roles that deciding again needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from ..decisions.payloads import Moment, WakePayload
from ..errors import SourceError
from ..pulse.gate_module import FOLDING
from ..pulse.modules.fingerprint import parse_fingerprint
from ..pulse.opening import open_gate
from ..pulse.starts import Start, checksum
from ..types import Reason, SignalEvent

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.labels import GivenLabel
    from ..decisions.log import DecisionLog
    from ..decisions.wake_runs import WakeRun, WakeRuns

_INPUTS = (Reason.BUSY, Reason.DROPPED)
"""Reasons that depend on how fast handlers were: taken from the log, not decided."""

States = dict[str, tuple[bytes, int]]


@dataclass(slots=True)
class Step:
    """One moment of a start: a window with its decisions, or groups that were asked.

    window: None for groups. module_id: of the one that was asked by its name, if so.
    """

    moment: Moment
    window: tuple[SignalEvent, ...] | None
    records: list[Decision] = field(default_factory=list)
    module_id: str | None = None


def steps(runs: WakeRuns, run: WakeRun, grouped: bool) -> Iterator[Step]:
    """What a start decided about, in its order. grouped: whether wakes may have been gathered.

    When a burst was over is taken from the log as it is.
    """
    wakes = (each for each in runs.wakes(run) if not _wake(each).ended)
    decided = (_step(place, each) for place, each in groupby(wakes, key=_place))
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
    late = bool(wake.gathered) or wake.late
    return moment.event, late, moment.monotonic if late else 0.0


def _step(place: Place, records: Iterable[Decision]) -> tuple[Place, Step]:
    decisions = list(records)
    first = decisions[0]
    moment = _moment(first)
    if place[1]:
        return place, Step(moment, None, decisions)
    return place, Step(moment, first.window, decisions, _alone(first, moment))


def _alone(record: Decision, moment: Moment) -> str | None:
    return record.subject if moment.alone else None


def _gathered(runs: WakeRuns, run: WakeRun) -> list[tuple[Place, Step]]:
    """The events that became part of a group, each once, in order."""
    steps: dict[tuple[int, str], Step] = {}
    for record in runs.gathered(run):
        for moment, event in zip(_wake(record).gathered, record.window, strict=True):
            step = Step(moment, (), module_id=_alone(record, moment))
            step = steps.setdefault((moment.event, record.id), step)
            step.window = (*(step.window or ()), event)
    windows = {number: step for (number, _), step in steps.items()}  # the same for each module
    return [((number, False, 0.0), windows[number]) for number in sorted(windows)]


def _wake(record: Decision) -> WakePayload:
    assert isinstance(record.payload, WakePayload)
    return record.payload


def _moment(record: Decision) -> Moment:
    moment = _wake(record).moment
    if moment is None:
        rule = "say at which event of its start it was taken"
        raise SourceError(f"decision {record.id} must {rule}: the log is damaged")
    return moment


def _tells_what_slept(record: Decision) -> bool:
    """Of bursts each stored look at one, and of windows each question."""
    wake = _wake(record)
    if wake.burst is None:
        return record.acted
    stored = record.acted or wake.waits or wake.crowded or wake.opening
    return wake.burst.look and bool(stored) and not wake.late


class KeptAttention:
    """The role `Attention`: handlers are as busy as the log says they were.

    others: what modules are that the log says nothing of.
    """

    def __init__(self, others: Reason | None) -> None:
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
        self._ahead: Iterator[GivenLabel] = iter(())
        self._next: GivenLabel | None = None

    def labels_after(self, seq: int) -> Iterator[GivenLabel]:
        """As of `DecisionLog`; one reading serves all calls that go on where the last one ended."""
        if self._at != seq:
            self._ahead = self._log.labels_after(seq)
            self._next = next(self._ahead, None)
            self._at = seq
        while self._next is not None and self._next.number <= self.until:
            label, self._next = self._next, next(self._ahead, None)
            self._at = label.number
            yield label

    def load_state(self, name: str) -> tuple[bytes, int] | None:
        return self.states.get(name)

    def save_state(self, name: str, blob: bytes, through: int) -> None:
        self.states[name] = (blob, through)

    def waiting_windows(self) -> list[Decision]:
        return []


class GateAgain:
    """The gate of one start as it was, from what the log kept of it.

    states: what it could read at its start, or before.
    """

    def __init__(self, log: DecisionLog, start: Start, states: States) -> None:
        settings = start.settings
        self.labels = KeptLabels(log, states)
        held = start.refusals or start.version >= FOLDING  # else who was busy is not known
        skips = settings.policy.overlap == "skip" and not held
        self.attention = KeptAttention(Reason.BUSY if skips else None)
        self.clock = KeptClock()
        self.scorer = settings.scorer
        opened = open_gate(
            settings,
            self.labels,
            self.clock,
            [parse_fingerprint(each) for each in start.modules],
            attention=self.attention,
            judged=start.judged,
            version=start.version,
        )
        self._log = log
        self._run = start.run
        self._opened = opened
        self._began = False
        self.gate = opened.gate
        self.gate.unstored = []
        self.gate.restore_waiting(log.chosen(start.waiting))
        self.gate.holds.restore_crowd(start.crowd)
        if start.since is not None:
            opened.go_on(log, start.since, start.run)
        self.learned = opened.learned
        self._limbic = opened.limbic
        self.learn(start.labels)
        self.learned.restore(start.counts.items())

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
        if not self._began:
            self._began = True
            self._opened.spend_before(self._log, step.moment.time, self._run)
        lost = self._stand_at(step)
        if step.window is not None:
            self.gate.decide(step.window, step.moment, step.module_id)
        else:
            closed = any(_wake(each).closed for each in step.records)
            self.gate.tick(closed, {each.subject for each in step.records})
        return self.gate.drain(), lost

    def _stand_at(self, step: Step) -> int:
        gate, moment = self.gate, step.moment
        self.clock.moment = moment
        gate.taken = moment.event
        self.attention.expect(step.records)
        subjects: set[str] = set()
        for record in step.records:
            self._wish(record)
            # Of two questions at once the first knows what slept.
            if _tells_what_slept(record) and record.subject not in subjects:
                subjects.add(record.subject)
                if module := gate.modules.get(record.subject):
                    module.slept_meanwhile(_wake(record).meanwhile)
        lost = moment.slept - gate.slept
        if lost:
            gate.sleep_until(moment.slept)
        return max(0, lost)

    def _wish(self, record: Decision) -> None:
        """A threshold that a person set is as the log says; one taken back is the gate's again."""
        module = self.gate.modules.get(record.subject)
        if module is None:
            return
        if _wake(record).wished:
            module.wish(record.threshold)
        elif module.wished:
            module.wish(None)
