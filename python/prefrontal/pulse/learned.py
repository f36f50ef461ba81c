"""What the gate keeps across restarts: weights, recall counts, and which labels are in them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..decisions.labels import TOLD
from ..decisions.payloads import WAKE
from ..decisions.threshold_wishes import read_thresholds
from ..errors import InputError, PrefrontalError
from ..storage.files import write_atomic
from .scored_window import decision_events

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.labels import GivenLabel
    from .gate import Gate
    from .learning.limbic import LimbicLayer
    from .modules.fingerprint import ModuleFingerprint

WEIGHTS = "weights"
SHELF = "shelf"
RECALL = "recall"
JUDGED = "judged"
BURSTS = "bursts"
"""Names of states in the log; of the last two: how many windows were judged so far, and what came
of late, where bursts are decided about."""

log = logging.getLogger("prefrontal.pulse")


class LabelStore(Protocol):
    """What of the log of decisions is needed here."""

    def labels_after(self, seq: int) -> Iterator[GivenLabel]: ...
    def load_state(self, name: str) -> tuple[bytes, int] | None: ...
    def save_state(self, name: str, blob: bytes, through: int) -> None: ...
    def waiting_windows(self) -> list[Decision]: ...


class Learned:
    """Learns the labels of the log, each once, and saves weights together with how far it got.

    The weights and the number of the last label in them are one row of the log, so a restart
    learns exactly the labels that came after; the file at `path` is a copy for other uses.
    Modules that are not registered now wait on a shelf, an empty layer of the same kind handed in:
    what they know is saved too, and labels for them are learned there. The thresholds follow the
    labels, or what a person asked for in the log. every: labels after which it saves by itself;
    None: only when `save` is called. saved: number of the last label in the weights it began with.
    For the gate's thread.
    """

    def __init__(
        self,
        decisions: LabelStore,
        limbic: LimbicLayer,
        shelf: LimbicLayer,
        gate: Gate,
        path: Path | None = None,
        every: int | None = None,
    ) -> None:
        _check_interval(every)
        self._decisions = decisions
        self._limbic = limbic
        self._shelf = shelf
        self._gate = gate
        self._path = path
        self._every = every
        self._unsaved = 0
        self._through = 0
        self._wishes: dict[str, float] = {}
        self.learned = 0
        for saved in self._read_weights():
            try:
                shelf.restore_all(saved)
            except InputError as error:
                raise InputError(f"weights in {self._place()} cannot be used: {error}") from None
        self._counts = self._read_counts()
        if gate.bursts is not None and (known := decisions.load_state(BURSTS)) is not None:
            gate.bursts.restore(known[0])
        self.saved = gate.labels = self._through

    @property
    def through(self) -> int:
        """Number of the last label that was taken in."""
        return self._through

    def add(self, fingerprint: ModuleFingerprint) -> None:
        """Start a module, or replace it, with what it knew before under the same priors.

        Under others it begins anew, its threshold, too: that one is of the scores of before.
        """
        module_id = fingerprint.module_id
        self.shelve(module_id)
        module = self._gate.add(fingerprint)
        if module_id in self._shelf.modules():
            if self._limbic.restore(module_id, self._shelf.to_bytes()) == "changed":
                self._counts.pop(module_id, None)
            self._shelf.unregister(module_id)
        if counts := self._counts.get(module_id):
            module.restore(counts)
        module.wish(self._wishes.get(module_id))

    def remove(self, module_id: str) -> None:
        """A module is gone; what it knows is kept."""
        self.shelve(module_id)
        self._gate.forget(module_id)
        self._limbic.unregister(module_id)

    def shelve(self, module_id: str) -> None:
        """Keep what a module knows that is about to be unregistered or replaced."""
        if module := self._gate.modules.get(module_id):
            self._shelf.unregister(module_id)
            self._shelf.restore(module_id, self._limbic.to_bytes())
            self._counts[module_id] = module.control.to_dict()

    def learn(self) -> bool:
        """Train on the labels that came since, and look at the thresholds; whether any came."""
        before = self.learned
        for each in self._decisions.labels_after(self._through):
            self._through = each.number
            decision = each.decision
            if decision.kind != WAKE or each.source == TOLD:
                continue
            if decision.subject in self._gate.modules:
                self._gate.learn(decision, each.label, each.source)
            else:
                events = decision_events(decision)
                self._shelf.update_weights(decision.subject, events, each.label)
            self.learned += 1
            self._unsaved += 1
        self._gate.labels = self._through
        if self._every is not None and self._unsaved >= self._every:
            self.save()
        self.look()
        if self.learned > before:
            for module in self._gate.modules.values():
                module.follow()
        return self.learned > before

    def look(self) -> None:
        """Take up the thresholds that a person asked for."""
        before, self._wishes = self._wishes, read_thresholds(self._decisions)
        if before == self._wishes:
            return
        for name in before.keys() | self._wishes.keys():
            module = self._gate.modules.get(name)
            if module is not None and before.get(name) != self._wishes.get(name):
                module.wish(self._wishes.get(name))

    def save(self) -> None:
        """Write weights, counts and the last label in them; a failure is logged."""
        states = self.states()
        try:
            for state in states:
                self._decisions.save_state(*state)
            if self._path is not None:
                write_atomic(self._path, states[-1][1])
        except PrefrontalError as error:
            log.error("weights could not be saved: %s", error)
            return
        self._unsaved = 0

    def states(self) -> list[tuple[str, bytes, int]]:
        """What `save` writes, as the arguments of `save_state`; the weights are the last."""
        # Of modules that are not registered now, what is known stays known.
        self._counts |= self.counts()
        count = str(self._gate.judged + self._gate.taken).encode()
        states = {
            JUDGED: count,
            RECALL: json.dumps(self._counts).encode(),
            SHELF: self._shelf.to_bytes(),
            WEIGHTS: self._limbic.to_bytes(),
        }
        if (bursts := self._gate.bursts) is not None:
            states[BURSTS] = bursts.to_bytes()
        return [(name, content, self._through) for name, content in states.items()]

    def counts(self) -> dict[str, dict[str, Any]]:
        """What the controls of the registered modules know."""
        return {name: each.control.to_dict() for name, each in self._gate.modules.items()}

    def restore(self, counts: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Let modules go on with what `counts` gave."""
        for name, known in counts:
            self._gate.modules[name].restore(known)

    def _place(self) -> str:
        in_log = self._decisions.load_state(WEIGHTS) is not None
        return "the log of decisions" if in_log else str(self._path)

    def _read_weights(self) -> list[bytes]:
        shelf = self._decisions.load_state(SHELF)
        if (state := self._decisions.load_state(WEIGHTS)) is not None:
            self._through = state[1]
            return [state[0]] if shelf is None else [shelf[0], state[0]]
        if self._path is None or not self._path.exists():
            return []
        if self._path.is_dir():
            raise InputError(f"model_save_path must be a file, got the folder {str(self._path)!r}")
        return [self._path.read_bytes()]

    def _read_counts(self) -> dict[str, dict[str, Any]]:
        state = self._decisions.load_state(RECALL)
        return {} if state is None else dict(json.loads(state[0]))


def _check_interval(every: int | None) -> None:
    whole = isinstance(every, int) and not isinstance(every, bool)
    if every is not None and not (whole and every >= 1):
        raise ValueError(f"auto_save_interval must be a whole number from 1 up, got {every!r}")


def judged_before(decisions: LabelStore) -> int:
    """How many windows the starts before had judged when the last of them saved."""
    state = decisions.load_state(JUDGED)
    return int(state[0]) if state is not None and state[0].isdigit() else 0
