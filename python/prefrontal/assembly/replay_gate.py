"""The gate of `pulse` in the roles that a replay needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..decisions.decision import Decision
from ..decisions.payloads import WakePayload
from ..protocols import FoundRule, Promise, Scorer
from ..pulse.fingerprint import ModuleFingerprint
from ..pulse.limbic import LimbicLayer
from ..pulse.policy import DeliveryPolicy
from ..pulse.recall import RecallPromise, share_interval
from ..pulse.rules import FoundRule as PulseRule
from ..pulse.rules import find_rule
from ..settings.gate import PolicySettings
from ..types import SignalEvent

REPLAY_MODULE = ModuleFingerprint(
    module_id="replay",
    cluster="replay",
    version="1",
    question_template="Something changed at {location}. Does it matter?",
    default_threshold=None,
)
"""A module that declares nothing: in a replay the rule found on the warm-up is the prior."""


class ModuleScorer:
    """One module of a limbic layer, as the role `Scorer`."""

    def __init__(self, limbic: LimbicLayer, module_id: str) -> None:
        self._limbic = limbic
        self._module_id = module_id

    def score(self, window: Sequence[SignalEvent]) -> float:
        return self._limbic.score(self._module_id, window)

    def learn(self, window: Sequence[SignalEvent], label: float) -> None:
        self._limbic.update_weights(self._module_id, window, label)

    def contributions(self, window: Sequence[SignalEvent]) -> list[tuple[str, float]]:
        return self._limbic.contributions(self._module_id, window)


class PulseGate:
    """The gate of `pulse`, as the role `Gate`; hours in UTC, so a replay is the same anywhere."""

    def find_rule(self, labelled: Iterable[tuple[Sequence[SignalEvent], bool]]) -> PulseRule:
        return find_rule(labelled)

    def scorer(self, found: FoundRule | None) -> Scorer:
        limbic = LimbicLayer(utc=True)
        limbic.register(REPLAY_MODULE.module_id, REPLAY_MODULE)
        if isinstance(found, PulseRule) and found.beats_chance:
            limbic.start_from(REPLAY_MODULE.module_id, found.rule)
        return ModuleScorer(limbic, REPLAY_MODULE.module_id)

    def promise(self, recall: float) -> Promise:
        return RecallPromise(recall)

    def interval(self, hits: int, trials: int) -> tuple[float, float]:
        return share_interval(hits, trials)


def policy_admission(settings: PolicySettings) -> Callable[[Decision], str | None]:
    """A fresh delivery policy that lives in the time of the records it is asked about.

    The budget of a peer is what it was when the record was made.
    """
    policy = DeliveryPolicy(settings)

    def admit(record: Decision) -> str | None:
        wake = record.payload
        standing = wake.standing if isinstance(wake, WakePayload) else None
        return policy.admit(record.subject, record.time, record.time, standing)

    return admit
