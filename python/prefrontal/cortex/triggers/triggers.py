"""When to reflect: the trigger engine, driven by one agent's events and clock."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..._core.cortex import TriggerEngine
from ...typed_fields import recover
from ..models import TRIGGERS, ProposedCommitment

if TYPE_CHECKING:
    from ...clock import Clock
    from ...settings.cortex import CortexSettings
    from ..state import CortexState

__all__ = ["TriggerEngine", "Triggers", "engine_options"]

AGENT = 0
_RETRY_LIMIT_S = 1800.0
_PEER_LIMIT = 256
_PROMISES_KEPT = 256


def engine_options(settings: CortexSettings, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `TriggerEngine` for these settings. overrides: options that take precedence."""
    on = set(settings.triggers)
    farming = settings.farming
    options: dict[str, Any] = {
        "period_s": settings.schedule_minutes * 60.0,
        "count": settings.interaction_threshold,
        **overrides,
        "count_outgoing": settings.count_outgoing,
        "new_peer": "new_peer" in on,
        "promise_timeout": "promise_timeout" in on,
        "farming": "farming" in on,
        "retry_s": settings.retry_backoff_seconds,
        "retry_limit_s": max(_RETRY_LIMIT_S, settings.retry_backoff_seconds),
        "farming_easy_count": farming.easy_count,
        "farming_jump_factor": farming.jump_factor,
        "farming_jump_min_size": farming.min_size,
        "farming_jump_from": farming.jump_from,
        "farming_tempo_count": farming.tempo_count,
        "farming_tempo_per_day": farming.tempo_per_day,
    }
    options["period_s"] = options["period_s"] if "timer" in on else None
    options["count"] = options["count"] if "interaction_count" in on else None
    return options


def commitment_key(peer_id: str, text: str, due: float) -> str:
    """A key of the promise: equal for equal promises."""
    identity = f"{peer_id}\0{text}\0{round(due)}"
    return sha256(identity.encode("utf-8", "replace")).hexdigest()[:16]


class Triggers:
    """The engine for one agent, its promises by text, and requests by hand.

    Its time is the wall clock of the start plus what the monotonic clock has run since, so that it
    fits stored times and no setting of the wall clock moves it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = clock.now() - clock.monotonic()
        self._requests: list[str] = []
        self._options: dict[str, Any] = {}
        self._overdue: set[str] = set()
        self.engine = TriggerEngine()
        self.running = False
        self.promises: dict[str, ProposedCommitment] = {}
        self.broken: dict[str, int] = {}

    def now(self) -> float:
        return self._offset + self._clock.monotonic()

    def configure(self, settings: CortexSettings, overrides: Mapping[str, Any]) -> None:
        """Set the thresholds, all at once. Raises ValueError, changing nothing, for bad ones."""
        options = engine_options(settings, overrides)
        if options != self._options:
            self.engine.set_thresholds(**options)
            self._options = options

    @property
    def options(self) -> Mapping[str, Any]:
        return self._options

    def push(self, kind: str, peer_id: str, size: float = 0.0) -> None:
        """Report an event to the engine; see `TriggerEngine.push`."""
        self.engine.push(AGENT, kind, peer_id[:_PEER_LIMIT], self.now(), size)

    def know(self, peer_ids: Iterable[str]) -> None:
        """Treat these peers as known."""
        for peer_id in peer_ids:
            self.push("known", peer_id)

    def learn(self, peer_id: str, interactions: Iterable[Mapping[str, Any]]) -> None:
        """Take in what a peer wrote before the engine was there: its sizes and times.

        Nothing fires for it once `settle` was called.
        """
        for each in interactions:
            if each["direction"] == "in":
                at = min(float(each["created_at"]), self.now())
                self.engine.push(AGENT, "in", peer_id[:_PEER_LIMIT], at, float(each["size"] or 0))

    def settle(self) -> None:
        """End what `learn` has begun."""
        if self.interactions:
            self.engine.begin(AGENT, self.now())
            self.engine.finish(AGENT, self.now())

    def ask(self, trigger: str = "manual") -> None:
        """Reflect at the next occasion."""
        if trigger not in self._requests:
            self._requests.append(trigger)

    @property
    def requests(self) -> tuple[str, ...]:
        return tuple(self._requests)

    def due(self) -> tuple[str, ...]:
        """What fires now, by precedence."""
        due = dict(self.engine.due(self.now())).get(AGENT, ())
        return tuple(sorted({*self._requests, *due}, key=TRIGGERS.index))

    def next_due(self) -> float | None:
        """Seconds until a trigger fires if nothing happens; None when none will."""
        if self._requests:
            return 0.0
        at = self.engine.next_due(AGENT)
        return None if at is None else max(0.0, at - self.now())

    @property
    def interactions(self) -> int:
        """Since the last finished cycle."""
        return self.engine.interactions(AGENT)

    def begin(self) -> tuple[str, ...]:
        """Begin a cycle; returns the triggers that fired, by precedence."""
        causes = {*self._requests, *self.engine.begin(AGENT, self.now())}
        self.running = True
        self._requests.clear()
        return tuple(sorted(causes, key=TRIGGERS.index))

    def finish(self, interactions: int) -> None:
        """End the cycle, which saw that many interactions."""
        self.engine.finish(AGENT, self.now(), interactions)
        self.running = False
        self._prune()

    def fail(self) -> None:
        """End a failed cycle: its triggers fire again after a pause."""
        self.engine.fail(AGENT, self.now())
        self.running = False

    def statistics(self, peer_id: str) -> dict[str, Any]:
        return self.engine.statistics(AGENT, peer_id[:_PEER_LIMIT])

    def commit(self, promises: Sequence[ProposedCommitment], now: float) -> list[str]:
        """Watch promises that are not due yet; returns their texts."""
        texts = []
        for each in promises:
            if each.due <= now or len(self.promises) >= _PROMISES_KEPT:
                continue
            key = commitment_key(each.peer_id, each.text, each.due)
            if key not in self.promises and self.engine.commit(
                AGENT, each.peer_id[:_PEER_LIMIT], each.due, key
            ):
                self.promises[key] = each
                texts.append(each.text)
        return texts

    def overdue(self) -> dict[str, list[dict[str, Any]]]:
        """Promises whose time has passed without a word, by peer; each is counted once."""
        promises: dict[str, list[dict[str, Any]]] = {}
        for key, _, due in self.engine.commitments(AGENT):
            promise = self.promises.get(key)
            if promise is None or due > self.now():
                continue
            promises.setdefault(promise.peer_id, []).append({"text": promise.text, "due": due})
            if key not in self._overdue:
                self._overdue.add(key)
                self.broken[promise.peer_id] = self.broken.get(promise.peer_id, 0) + 1
        return promises

    def _prune(self) -> None:
        open_keys = {key for key, _, _ in self.engine.commitments(AGENT)}
        self.promises = {key: each for key, each in self.promises.items() if key in open_keys}
        self._overdue &= open_keys

    def save(self, state: CortexState) -> None:
        """Write to the state; see `load`."""
        self._prune()
        state.engine = b64encode(self.engine.save()).decode()
        state.engine_at = self.now()
        state.promises = {key: asdict(each) for key, each in self.promises.items()}
        state.broken = dict(self.broken)

    def load(self, state: CortexState) -> None:
        """Restore a state. Raises ValueError for a damaged engine, which stays empty."""
        self.broken = dict(state.broken)
        if not state.engine:
            return
        saved = b64decode(state.engine.encode(), validate=True)
        # Behind the saved time only when the wall clock was set back: move that time to now.
        restart_at = self.now() if self.now() < state.engine_at else None
        self.engine = TriggerEngine.load(saved, now=restart_at)
        self._options = {}
        self.promises = recover(dict[str, ProposedCommitment], state.promises, {})
        self._prune()
        self._overdue = {key for key, each in self.promises.items() if each.due <= self.now()}
