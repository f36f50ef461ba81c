"""From settings, modules, a log and a clock to a gate: the one way, whoever asks it.

A replay opens it on a kept clock, without threads and without a log:

    store = UnlabelledStates()
    opened = open_gate(settings, store, clock, [module])
    clock.moment = ...                                     # the window's own time
    opened.gate.judge(events, module.module_id)            # or without an id: whoever is concerned
    [decision] = opened.gate.drain()                       # score, threshold, reason, propensity
    opened.gate.learn(decision, 1.0, "preset")             # "user": only wakes and audits count
    opened.learned.save()                                  # weights, controls: in store.states

`OpenGate.take_over` gives a module of a live gate what the same module of another one knows, to the
bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..decisions.payloads import WakePayload
from ..errors import InputError
from ..types import Reason
from .budgets.fair_shares import Spender, source_of
from .gate import Gate
from .gate_module import APART, DECLARED, FILED, VERSION
from .holds import CROWD
from .learned import Learned, judged_before
from .learning.limbic import LimbicLayer, learning_version
from .starts import Since, StartNote, asked_about

if TYPE_CHECKING:
    from ..clock import Clock
    from ..decisions.decision import Decision
    from ..decisions.labels import GivenLabel
    from ..decisions.log import DecisionLog
    from ..protocols import Standings
    from ..settings.gate import GateSettings
    from .attention import Attention
    from .learned import LabelStore
    from .modules.fingerprint import ModuleFingerprint


HOUR_S = 3600.0


class UnlabelledStates:
    """The role `LabelStore` in memory, without labels. states: name -> (content, last label)."""

    def __init__(self) -> None:
        self.states: dict[str, tuple[bytes, int]] = {}

    def labels_after(self, seq: int) -> Iterator[GivenLabel]:
        return iter(())

    def load_state(self, name: str) -> tuple[bytes, int] | None:
        return self.states.get(name)

    def save_state(self, name: str, blob: bytes, through: int) -> None:
        self.states[name] = (blob, through)

    def waiting_windows(self) -> list[Decision]:
        return []


@dataclass(frozen=True, slots=True)
class OpenGate:
    """A gate with what it learned and what it scores with."""

    gate: Gate
    learned: Learned
    limbic: LimbicLayer

    def take_over(self, module_id: str, other: OpenGate) -> None:
        """Give a module all that it knows in the other gate: weights and what its control knows.

        Raises KeyError for a module that is not in both.
        """
        counts = other.gate.modules[module_id].control.to_dict()
        self.gate.modules[module_id].restore(counts)
        self.limbic.restore(module_id, other.limbic.to_bytes())

    def spend_before(self, log: DecisionLog, now: float, run: str = "") -> None:
        """Count the wakes in the log that the policy's budgets still hold at Unix second `now`.

        run: of a start that is decided again: its own wakes and later ones are yet to come.
        """
        span_s = self.gate.policy.budgets_span_s
        if not span_s:
            return
        reasons = (Reason.WOKE, Reason.AUDIT)
        wakes = [each for each in log.records(now - span_s) if each.reason in reasons]
        if run:
            wakes = [each for each in wakes if each.time <= now and _run(each) != run]
        self.gate.policy.spent_before(sorted((each.time, _spender(each)) for each in wakes))

    def go_on(self, log: DecisionLog, since: Since, run: str = "") -> None:
        """Let cooldown and hourly budgets go on where earlier starts left them.

        run: as of `spend_before`.
        """
        policy = self.gate.settings.policy
        rates = (policy.wakes_per_hour, policy.module_wakes_per_hour)
        span_s = max(policy.cooldown_s, 0.0 if rates == (None, None) else HOUR_S)
        if not span_s:
            return
        wall, now = since
        woke = (each for each in log.records(wall - span_s) if each.reason == Reason.WOKE)
        if run:
            woke = (each for each in woke if each.time <= wall and _run(each) != run)
        wakes = sorted((min(each.time, wall), _spender(each)) for each in woke)
        self.gate.policy.go_on([(now - (wall - at), spender) for at, spender in wakes])

    def note(self, log: DecisionLog, *, asking: bool = False) -> StartNote:
        """What tells the log how this start began. asking: as of `open_gate`."""
        return StartNote(log, self.gate, self.limbic, self.learned, asking=asking)


def open_gate(
    settings: GateSettings,
    store: LabelStore,
    clock: Clock,
    modules: Iterable[ModuleFingerprint] = (),
    *,
    standings: Standings | None = None,
    attention: Attention | None = None,
    weights_file: Path | None = None,
    every: int | None = None,
    judged: int | None = None,
    version: int = VERSION,
    asking: bool = False,
) -> OpenGate:
    """A gate that goes on where the store says that the last one saved.

    What was held back before and no question told of waits in this gate. asking: only what was
    held back where somebody asked, since a watch that may be running tells of the rest.

    Labels that came since are not learned yet. standings: how far who is behind a signal is
    trusted. attention: who is busy. weights_file: a copy of the weights, read when the store has
    none. every: labels after which it saves by itself. judged: windows judged before, where the
    store does not say. Raises InputError for two modules of one id.
    """
    learning = learning_version(version)
    limbic = LimbicLayer(
        *(settings.scorer, settings.seed),
        version=learning,
        undeclared=version < DECLARED,
        commits=version >= APART,
        commit_files=version >= FILED and _follows_recall(settings),
    )
    before = judged_before(store) if judged is None else judged
    gate = Gate(settings, limbic, clock, standings, attention, judged=before, version=version)
    shelf = LimbicLayer(settings.scorer, settings.seed, version=learning)
    learned = Learned(store, limbic, shelf, gate, weights_file, every)
    for module in modules:
        if module.module_id in gate.modules:
            raise InputError(f"module_id must be given once, got {module.module_id!r:.80}")
        learned.add(module)
    learned.look()
    if not asking and (crowd := store.load_state(CROWD)):
        gate.holds.restore_crowd(json.loads(crowd[0]))
    waiting = store.waiting_windows()
    gate.restore_waiting(asked_about(store, waiting) if asking else waiting)
    return OpenGate(gate, learned, limbic)


def _follows_recall(settings: GateSettings) -> bool:
    """Whether no score is held against a fixed one, nor bursts against where theirs began."""
    return settings.threshold is None and not settings.policy.incidents


def _spender(record: Decision) -> Spender:
    return Spender(record.subject, source_of(record.window))


def _run(record: Decision) -> str:
    wake = record.payload
    return wake.run if isinstance(wake, WakePayload) else ""
