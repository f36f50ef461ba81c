"""The memory of the cortex from one cycle to the next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...origins import AGENT, united
from ..clamp import TrustLimiter
from ..origins import Origins
from ..state import (
    BELIEFS_KEY,
    HISTORY_KEY,
    STATE_KEY,
    CortexState,
    dump_beliefs,
    dump_history,
    parse_beliefs,
    parse_history,
    parse_state,
)
from ..triggers.adaptive import AdaptiveThresholds
from ..triggers.events import EventBuffer
from ..triggers.triggers import Triggers
from .beliefs import BeliefStore
from .cost import DailyCost
from .directives import DirectiveQueue
from .lessons import LessonBook
from .wishes import OperatorWishes

if TYPE_CHECKING:
    from ...clock import Clock
    from ...settings.cortex import CortexSettings
    from ..host import Host
    from ..models import ReflectionRecord

PAST = 50
"""Messages of each peer that are looked at when the cortex is first switched on."""
_PEERS_AT_ONCE = 200


class CortexMemory:
    """Starts empty at the clock's time; `load` and `save` carry it over a restart."""

    def __init__(self, settings: CortexSettings, clock: Clock) -> None:
        self.settings = settings
        self.started_at = clock.now()
        self.beliefs = BeliefStore(settings)
        self.limiter = TrustLimiter()
        self.history: deque[ReflectionRecord] = deque(maxlen=settings.history_size)
        self.lessons = LessonBook()
        self.directives = DirectiveQueue()
        self.cost = DailyCost()
        self.adaptive = AdaptiveThresholds()
        self.triggers = Triggers(clock)
        self.buffer = EventBuffer(settings.event_buffer_size)
        self.origins = Origins()
        self.state = CortexState()
        self.wishes = OperatorWishes()
        self._clock = clock

    def follow(self, settings: CortexSettings) -> None:
        """Apply new settings."""
        self.settings = self.beliefs.rules = settings
        self.beliefs.version += 1
        self.buffer.resize(settings.event_buffer_size)
        standings = self.limiter.save()
        self.limiter = TrustLimiter(
            settings.max_trust_delta, settings.max_trust_delta_per_hour, settings.trust_policy
        )
        self.limiter.load(standings)
        if self.history.maxlen != settings.history_size:
            self.history = deque(self.history, maxlen=settings.history_size)
        self.triggers.configure(settings, self.adaptive.thresholds(settings))

    async def load(self, host: Host) -> None:
        """Load beliefs, history and state, and each peer's trust from the ledger."""
        now = self._clock.now()
        state = self.state = await host.keeper.read(STATE_KEY, parse_state)
        records = await host.keeper.read(HISTORY_KEY, parse_history)
        beliefs = await host.keeper.read(BELIEFS_KEY, parse_beliefs)
        self.history.extend(records)
        state.cycle = max([state.cycle, *(record.cycle for record in records)])
        if state.last_reflection_at is not None:
            state.last_reflection_at = min(state.last_reflection_at, now)
        self.beliefs.cycle = max(
            (record.cycle for record in records if record.status == "ok"), default=0
        )
        self.beliefs.load(beliefs, state.belief_evidence, now)
        try:
            self.triggers.load(state)
        except ValueError as error:
            host.log_warn(f"The triggers start anew, their stored state cannot be read: {error}")
        self.cost.load(state.usage)
        self.lessons.load(state.lessons)
        self.adaptive.load(state.adaptive)
        self.directives.load(state.directives)
        self.origins.load(state.origins)
        await self._meet(host, state.trust)

    async def save(self, host: Host, *, state_only: bool = False) -> None:
        """Store everything, or only the state, which changes without a completed cycle."""
        documents = {STATE_KEY: self._snapshot().to_text()}
        if not state_only:
            documents[BELIEFS_KEY] = dump_beliefs(self.beliefs.by_key.values())
            documents[HISTORY_KEY] = dump_history(list(self.history))
        await host.keeper.store(documents)

    def sources(self, peer_ids: Iterable[str]) -> tuple[str, ...]:
        """The origins of all words in a context about these peers."""
        record = self.last_record
        return united(
            *(self.origins.of_peer(peer_id) for peer_id in peer_ids),
            *(each.sources for each in self.beliefs.active(self._clock.now()) if each.tainted),
            self.lessons.sources,
            record.sources if record is not None and record.summary else (),
            [AGENT] if self.settings.sharing.enabled and self.wishes.hints else (),
        )

    def settle(self) -> None:
        """Let what is from the future, from before the clock was set back, count from now."""
        now = self._clock.now()
        self.beliefs.settle(now)
        self.directives.settle(now)

    @property
    def last_record(self) -> ReflectionRecord | None:
        """The last cycle that was completed."""
        return next((each for each in reversed(self.history) if each.status == "ok"), None)

    async def _meet(self, host: Host, standings: dict[str, Any]) -> None:
        """Learn every peer and the trust written last, from which the next step is taken."""
        try:
            peers = host.ledger.list_peers()
        except Exception as error:  # noqa: BLE001 - the ledger may be anybody's
            host.log_error(f"The peers cannot be read, every trust starts anew: {error}")
            return
        self.triggers.know(peer.peer_id for peer in peers)
        is_new = self.state.last_cycle_at is None and not self.triggers.interactions
        past = PAST if is_new else 0
        for number, peer in enumerate(peers):
            if number % _PEERS_AT_ONCE == _PEERS_AT_ONCE - 1:
                await asyncio.sleep(0)
            try:
                summary = host.ledger.get_peer_assessment_summary(peer.peer_id, interactions=past)
                latest = summary.get("latest")
                self.triggers.learn(peer.peer_id, summary.get("recent") or ())
            except Exception as error:  # noqa: BLE001
                host.log_warn(f"The trust of {peer.peer_id} cannot be read: {error}")
                continue
            if latest is None:
                continue
            count = peer.interaction_count + self.triggers.broken.get(peer.peer_id, 0)
            standing = standings.get(peer.peer_id)
            if _fits(standing, count):
                self.limiter.load({peer.peer_id: standing})
            # Without a message since, the trust does not move again: there is no new evidence.
            old = peer.last_seen <= float(latest.get("created_at") or 0)
            self.limiter.seed(peer.peer_id, int(latest["trust"]), count if old else None)
        if is_new:
            self.triggers.settle()

    def _snapshot(self) -> CortexState:
        state, now = self.state, self._clock.now()
        options = self.triggers.options
        state.saved_at = now
        state.dropped_events = self.buffer.dropped
        wait_s = self.triggers.next_due()
        state.next_due = None if wait_s is None else now + wait_s
        state.thresholds = {
            "interaction_threshold": options.get("count"),
            "schedule_minutes": (options.get("period_s") or 0) / 60 or None,
        }
        state.trust = self.limiter.save()
        state.belief_evidence = self.beliefs.evidence
        state.usage = self.cost.save()
        state.lessons = self.lessons.save()
        state.adaptive = self.adaptive.save()
        state.directives = self.directives.save()
        state.origins = self.origins.save()
        self.triggers.save(state)
        return state


def _fits(standing: object, count: int) -> bool:
    """Whether a saved standing can be of this ledger: it rests on no more than the ledger has."""
    if not isinstance(standing, list) or len(standing) < 2:
        return False
    return standing[1] is None or (isinstance(standing[1], int) and standing[1] <= count)
