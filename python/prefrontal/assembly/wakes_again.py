"""Every wake of a log decided again, bit for bit, from the events and labels that it holds."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..decisions.payloads import WAKE, WakePayload
from ..decisions.wake_runs import ADOPTION, START
from ..errors import InputError
from ..executive.again import Deviation
from ..pulse.gate_module import VERSION
from ..pulse.learned import WEIGHTS
from ..pulse.learning.adopted_weights import unpack_states
from ..pulse.starts import Start, start_of, version_of
from ..types import Reason
from .kept_wakes import GateAgain, States, Step, steps

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.log import DecisionLog
    from ..decisions.wake_runs import WakeRun

FIELDS = ("acted", "reason", "score", "threshold", "question", "propensity", "why")
"""What is decided of a wake, and so compared."""

WITHOUT_START = "kept without what their gate began with (of an older release)"
WITHOUT_REFUSALS = "their threshold followed a recall and what slept was not kept (log_refusals)"
LATER = "made by version {} of the rules, of a later release; this one knows those up to {}"
CHANGED = "after the modules of their gate were changed while it ran"

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass(slots=True)
class VerifyTally:
    """How much was decided again.

    decided: decisions that were. starts: of the gate. left: decisions that could not be, by why.
    lost: windows that slept and are not in the log any more, pruned or never written, though
    refusals were kept. versions: decisions that were, by the version of the rules that made them
    and by which they were made again. differing: what comes out otherwise, by the same.
    """

    decided: int = 0
    starts: int = 0
    left: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    versions: Counter[int] = field(default_factory=Counter)
    differing: Counter[int] = field(default_factory=Counter)


def again(
    log: DecisionLog, tally: VerifyTally | None = None, progress: Progress = lambda *_: None
) -> Iterator[Deviation]:
    """Decide every wake and refusal of the log again, and tell what comes out otherwise.

    For each start of a gate: from the settings, modules and label number that it wrote down when
    it began, its events in their order, and the labels of the log as far as each decision knew
    them. Taken as they were, not decided: the events themselves and that none was a repetition,
    the time, standings, thresholds that a person set, and how busy handlers were. What a start
    learned from other than labels of the log (`record_activation`, a weights file) cannot be
    known: it is told as other `weights` of that start. tally: is filled.
    """
    yield from _Again(log, VerifyTally() if tally is None else tally, progress).deviations()


class _Again:
    def __init__(self, log: DecisionLog, tally: VerifyTally, progress: Progress) -> None:
        self._log = log
        self._tally = tally
        self._progress = progress
        self._runs = log.wake_runs()
        begins = self._runs.starts()
        self._starts, self._adopted = _starts(begins)
        self._later = _later(begins)
        self._ends_adopted = bool(begins) and begins[-1][0].startswith(ADOPTION)
        self._saved = log.load_state(WEIGHTS)
        saved = [] if self._saved is None else [self._saved[1]]
        starts = self._starts.values()
        begun = {each.labels for each in starts} | {each.saved for each in starts}
        self._stops = sorted(begun.union(saved))
        self._states: dict[int, States] = {0: {}}
        self._total = 0

    def deviations(self) -> Iterator[Deviation]:
        runs = self._runs.runs()
        self._total = sum(each.decisions for each in runs)
        last = None
        for run in runs:
            if (version := self._later.get(run.run)) is not None:
                self._tally.left[LATER.format(version, VERSION)] += run.decisions
                continue
            start = self._starts.get(run.run)
            if start is None:
                self._tally.left[WITHOUT_START] += run.decisions
                continue
            if start.follows and not start.refusals:
                self._tally.left[WITHOUT_REFUSALS] += run.decisions
                continue
            if last is not None:
                self._learn(last, start.saved)
            self._tally.starts += 1
            last = self._gate(start)
            for deviation in self._of_start(run, start, last):
                self._tally.differing[start.version] += 1
                yield deviation
        if last is not None and not self._later:
            yield from self._weights(last)

    def _of_start(self, run: WakeRun, start: Start, gate: GateAgain) -> Iterator[Deviation]:
        before = self._tally.decided
        if start.weights != gate.weights():
            yield Deviation(start.run, WAKE, "weights", start.weights, gate.weights())
        yield from self._decided(run, start, gate)
        self._tally.versions[start.version] += self._tally.decided - before

    def _gate(self, start: Start) -> GateAgain:
        """The gate at its start: what was saved then, or before, and the labels since."""
        states = self._adopted.get(start.run)
        if states is None:
            states = self._states[max(each for each in self._states if each <= start.saved)]
        gate = GateAgain(self._log, start, states)
        self._states[start.labels] = gate.states()
        return gate

    def _learn(self, gate: GateAgain, labels: int) -> None:
        """Learn up to that label; what a later start begins with is put by on the way."""
        at = gate.learned.through
        if labels <= at:
            return
        for stop in self._stops:
            if at < stop <= labels:
                gate.learn(stop)
                self._states[stop] = gate.states()
        gate.learn(labels)

    def _decided(self, run: WakeRun, start: Start, gate: GateAgain) -> Iterator[Deviation]:
        grouped = start.settings.policy.group_s > 0
        for step in steps(self._runs, run, grouped):
            if start.changed is not None and step.moment.event > start.changed:
                self._tally.left[CHANGED] += len(step.records)
                continue
            self._learn(gate, step.moment.labels)
            yield from self._step(step, gate, start.refusals)
            self._tally.decided += len(step.records)
            self._progress("deciding again", self._done(), self._total)

    def _done(self) -> int:
        return self._tally.decided + sum(self._tally.left.values())

    def _step(self, step: Step, gate: GateAgain, refusals: bool) -> Iterator[Deviation]:
        made, lost = gate.take(step)
        self._tally.lost += lost * refusals
        now: dict[str, deque[Decision]] = {}
        for each in made:  # a module may ask twice at once: about a group, and what a hold kept
            now.setdefault(each.subject, deque()).append(each)
        for was in step.records:
            same = now.get(was.subject)
            yield from _compared(was, same.popleft() if same else None)
        for other in chain.from_iterable(now.values()):
            if other.acted:
                yield Deviation(other.id, WAKE, "", None, other)
            else:  # a refusal that is not there was pruned or never written
                self._tally.lost += refusals

    def _weights(self, gate: GateAgain) -> Iterator[Deviation]:
        """Whether the weights that the log keeps are those that its labels give."""
        if self._saved is None or self._ends_adopted:
            return
        content, through = self._saved
        self._learn(gate, through)
        states = self._states.get(through)
        if states is None:
            return
        for module in differing(states[WEIGHTS][0], content, gate.gate.modules, gate.scorer):
            yield Deviation(module, WAKE, "weights", "as saved", "as learned again")


def _starts(begins: Sequence[tuple[str, bytes]]) -> tuple[dict[str, Start], dict[str, States]]:
    """The starts by their run, and with what those began that followed an adoption."""
    starts, adopted = {}, {}
    known: States | None = None
    for name, content in begins:
        try:
            if name.startswith(ADOPTION):
                known = unpack_states(content)
                continue
            start = start_of(content)
        except (ValueError, KeyError, TypeError):  # damaged, or of a later release: left
            continue
        starts[start.run] = start
        if known is not None and known[WEIGHTS][1] == start.saved:
            adopted[start.run] = known
    return starts, adopted


def _later(begins: Sequence[tuple[str, bytes]]) -> dict[str, int]:
    """Starts -> the version of their rules, where that is above what this release knows."""
    versions = {}
    for name, content in begins:
        if name.startswith(START):
            with suppress(ValueError, KeyError, TypeError):
                versions[name.removeprefix(START)] = version_of(content)
    return {run: version for run, version in versions.items() if version > VERSION}


def differing(
    first: bytes, second: bytes, modules: Sequence[str] | dict[str, Any], scorer: str
) -> list[str]:
    """Ids of the modules that know other things in two files of weights."""
    from ..pulse.learning.limbic import LimbicLayer

    if first == second:
        return []
    differences = []
    for module in modules:
        one, other = LimbicLayer(scorer), LimbicLayer(scorer)
        try:
            both = one.restore(module, first), other.restore(module, second)
        except InputError:  # damaged
            return list(modules)
        if None not in both and one.to_bytes() != other.to_bytes():
            differences.append(module)
    return differences


def _compared(was: Decision, now: Decision | None) -> Iterator[Deviation]:
    if now is None:
        yield Deviation(was.id, WAKE, "", was, None)
        return
    for name in FIELDS:
        before, after = getattr(was, name), getattr(now, name)
        if not _same(before, after):
            yield Deviation(was.id, WAKE, name, before, after)
    held, holds = _held_back(was), _held_back(now)
    if held != holds:
        yield Deviation(was.id, WAKE, "held_back", held, holds)


def _held_back(record: Decision) -> str | None:
    return record.payload.held_back if isinstance(record.payload, WakePayload) else None


def _same(before: Any, after: Any) -> bool:
    """Whether the values are the same to the bit; NaN is itself, -0.0 is not 0.0."""
    if isinstance(after, Reason):
        return bool(before == after)
    return repr(before) == repr(after)
