"""The material of a context, from the ledger, the soul and the cortex's memory."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ..context.material import Material, PeerMaterial
from ..sharing.patterns import hints
from ..triggers import events

if TYPE_CHECKING:
    from ..host import Host
    from ..memory.memory import CortexMemory

_LEAST_TOKENS_OF_A_PEER = 40
_PEERS_AT_ONCE = 50


class Materials:
    """Collects the material of a context."""

    def __init__(self, memory: CortexMemory, host: Host) -> None:
        self._memory = memory
        self._host = host

    async def of_cycle(
        self, triggers: Sequence[str], observed: Sequence[events.Event]
    ) -> tuple[Material, tuple[str, ...]]:
        """The material of a cycle, and the peers beyond the cap of peers.

        The peers are those that wrote since the last completed cycle, have an overdue promise, or
        found no room last time, the most active first; all, if there are none.
        """
        memory = self._memory
        counts = events.activity(observed)
        overdue = memory.triggers.overdue()
        ids = self._peer_ids(counts, [*overdue, *memory.state.left_out])
        most = memory.settings.max_context_tokens // _LEAST_TOKENS_OF_A_PEER
        most = min(most, memory.settings.max_peers_per_cycle or most)
        peers = []
        for number, peer_id in enumerate(ids[:most]):
            if number % _PEERS_AT_ONCE == _PEERS_AT_ONCE - 1:
                await asyncio.sleep(0)  # the agent's loop comes first
            peer = self._peer(peer_id, counts.get(peer_id, 0), overdue.get(peer_id, ()))
            if peer is not None:
                peers.append(peer)
        summary = events.summary(observed, memory.buffer.dropped)
        return await self._material(triggers, peers, summary), tuple(ids[most:])

    async def of_peer(self, peer_id: str, trigger: str) -> Material:
        """The material about one peer alone."""
        overdue = self._memory.triggers.overdue()
        peer = self._peer(peer_id, 1, overdue.get(peer_id, ())) if peer_id else None
        return await self._material((trigger,), [peer] if peer else [], {})

    def _peer(
        self, peer_id: str, activity: int, overdue: Sequence[Mapping[str, Any]]
    ) -> PeerMaterial | None:
        """The facts of a peer from the ledger and the engine; None for an unknown peer."""
        memory = self._memory
        try:
            summary = self._host.ledger.get_peer_assessment_summary(
                peer_id, interactions=memory.settings.context_window
            )
            statistics = memory.triggers.statistics(peer_id)
        except (ValueError, PrefrontalError) as error:
            self._host.log_warn(f"{peer_id} is left out of the reflection: {error}")
            return None
        numbers = {
            name: value for name, value in statistics.items() if isinstance(value, int | float)
        }
        return PeerMaterial(peer_id, summary, activity, numbers, overdue)

    def _peer_ids(self, counts: Mapping[str, int], others: Iterable[str]) -> list[str]:
        memory, peers = self._memory, self._host.ledger.list_peers()
        last = memory.state.last_reflection_at
        if last is None:
            recent = [peer.peer_id for peer in peers if peer.last_seen >= memory.started_at]
        else:
            recent = [peer.peer_id for peer in peers if peer.last_seen > last]
        by_count = sorted(counts, key=lambda peer_id: -counts[peer_id])
        ids = list(dict.fromkeys([*by_count, *others, *recent]))
        return ids or [peer.peer_id for peer in peers]

    async def _material(
        self, triggers: Sequence[str], peers: Sequence[PeerMaterial], summary: Mapping[str, Any]
    ) -> Material:
        memory, now = self._memory, self._host.clock.now()
        last = memory.last_record
        return Material(
            trigger=triggers[0],
            triggers=tuple(triggers),
            now=now,
            peers=peers,
            beliefs=memory.beliefs.for_context(now),
            soul=await self._soul(),
            events=summary,
            previous_summary=last.summary if last else "",
            lessons=memory.lessons.texts(),
            hints=hints(memory.wishes.hints) if memory.settings.sharing.enabled else (),
        )

    async def _soul(self) -> str:
        """SOUL.md; empty when there is none or it cannot be read."""
        plugin: Any = self._host.registry.get("soul")
        if not hasattr(plugin, "get_soul"):
            return ""
        try:
            soul = plugin.get_soul()
            soul = await soul if inspect.isawaitable(soul) else soul
        except Exception as error:  # noqa: BLE001 - the soul plugin may be anybody's
            self._host.log_warn(f"SOUL.md cannot be read, reflecting without it: {error}")
            return ""
        return soul if isinstance(soul, str) else ""
