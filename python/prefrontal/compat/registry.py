"""`Watch` under the name, the arguments and the defaults that it had first."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..pulse.learning.labels import check_label
from ..pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from ..pulse.shells.inbox import QUEUE_SIZE
from ..pulse.shells.watch import Watch
from .prefrontal import EscalationDecision, PrefrontalLayer, escalation
from .training import TrainingBuffer

if TYPE_CHECKING:
    from ..clock import Clock
    from ..decisions.decision import Decision
    from ..decisions.log import DecisionLog
    from ..protocols import Source, Standings
    from ..settings.gate import PolicySettings
    from ..types import SignalEvent


@dataclass(frozen=True, slots=True)
class _Escalating:
    """A handler that gets a decision in the spelling of before."""

    handler: Callable[[EscalationDecision], Awaitable[object] | object]

    def __call__(self, decision: Decision) -> Awaitable[object] | object:
        return self.handler(escalation(decision))

    def __repr__(self) -> str:
        return repr(self.handler)


class PulseRegistry(Watch):
    """A `Watch` over modules in their raw form.

    threshold: 0..1, the floor under the threshold of each module that declares one of its own; what
    follows a recall, because one is asked or the module declares nothing, follows it from the first
    window on. model_save_path: `weights_file`. policy, scorer, seed, recall, audit_share,
    log_refusals: as of `GateSettings`. The others: as of `Watch`.
    """

    def __init__(
        self,
        watch_dirs: Sequence[str | os.PathLike[str]] = (),
        threshold: float = 0.65,
        model_save_path: str | os.PathLike[str] | None = None,
        auto_save_interval: int = 10,
        *,
        log: DecisionLog | None = None,
        policy: PolicySettings | None = None,
        scorer: str = "linear",
        seed: int = 0,
        recall: float | None = None,
        audit_share: float = 0.02,
        sources: Sequence[Source] = (),
        clock: Clock | None = None,
        queue_size: int = QUEUE_SIZE,
        log_refusals: bool = False,
        files_state: str | os.PathLike[str] | None = None,
        poll: bool = False,
        standings: Standings | None = None,
        own_folders: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        from ..settings.gate import GateSettings, PolicySettings  # pydantic takes its time

        self._floor = PrefrontalLayer(threshold).threshold
        settings = GateSettings(
            recall=recall,
            audit_share=audit_share,
            policy=PolicySettings() if policy is None else policy,
            scorer=scorer,
            seed=seed,
            log_refusals=log_refusals,
        )
        super().__init__(
            settings,
            log,
            watch_dirs=watch_dirs,
            weights_file=model_save_path,
            auto_save_interval=auto_save_interval,
            sources=sources,
            clock=clock,
            queue_size=queue_size,
            files_state=files_state,
            poll=poll,
            standings=standings,
            own_folders=own_folders,
        )
        self._activations = TrainingBuffer(self._clock)
        self._worker.learn_more = lambda: self._activations.drain(self._limbic)

    def register_module(
        self, module_id: str, fingerprint_raw: dict[str, Any] | ModuleFingerprint
    ) -> None:
        """Start or replace a module; what it learned under the same signal priors comes back.

        Raises InputError, with nothing registered, for a bad fingerprint or another module_id in
        it than the one given.
        """
        if isinstance(fingerprint_raw, ModuleFingerprint):
            fingerprint = fingerprint_raw
        else:
            fingerprint = parse_fingerprint(fingerprint_raw)
        if fingerprint.module_id != module_id:
            raise InputError(
                f"module_id must be that of the fingerprint ({fingerprint.module_id!r}),"
                f" got {module_id!r}"
            )
        own = fingerprint.default_threshold
        if own is not None and own < self._floor:
            fingerprint = replace(fingerprint, default_threshold=self._floor)
        self.add(fingerprint)

    def unregister_module(self, module_id: str) -> None:
        """Forget a module; nothing of it fires from now on. An unknown id is ignored."""
        self.remove(module_id)

    def on_escalation(
        self, handler: Callable[[EscalationDecision], Awaitable[object] | object]
    ) -> Callable[[], None]:
        """As `on_wake`, with each decision in the spelling of before."""
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        return self.on_wake(_Escalating(handler))

    def record_activation(self, module_id: str, window: Sequence[SignalEvent]) -> str:
        """Keep a window of your own for five minutes; the id to give feedback with."""
        return self._activations.record_activation(module_id, window)

    def record_feedback(self, activation_id: str, label: float) -> None:
        """As of `Watch`, or of a window of your own."""
        check_label(label)
        if activation_id in self._activations:
            self._activations.record_feedback(activation_id, label)
            self._labels_came()
        else:
            super().record_feedback(activation_id, label)

    def drain_training(self) -> None:
        """Learn all labels that were given, now."""
        self.learn()
