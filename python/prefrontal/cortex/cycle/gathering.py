"""What goes into a context, collected from the ledger, the soul and the cortex's own memory."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ..context.context import Material, PeerMaterial
from ..sharing.patterns import hints
from ..triggers import events as observation

if TYPE_CHECKING:
    from .life import CortexLife

_LEAST_TOKENS_OF_A_PEER = 40
_PEERS_AT_ONCE = 50


async def gather(
    cortex: CortexLife, triggers: Sequence[str], events: Sequence[observation.Event]
) -> tuple[Material, tuple[str, ...]]:
    """The material of a cycle, and the peers that are over the cap of peers.

    The peers are those that wrote since the last completed cycle, that are late with a promise or
    that found no room last time, the most active first; when there is none, all.
    """
    counts = observation.activity(events)
    overdue = cortex.triggers.overdue()
    ids = _chosen(cortex, counts, [*overdue, *cortex.state.left_out])
    most = cortex.settings.max_context_tokens // _LEAST_TOKENS_OF_A_PEER
    most = min(most, cortex.settings.max_peers_per_cycle or most)
    peers = []
    for number, peer_id in enumerate(ids[:most]):
        if number % _PEERS_AT_ONCE == _PEERS_AT_ONCE - 1:
            await asyncio.sleep(0)  # the agent's loop comes first
        found = peer_material(cortex, peer_id, counts.get(peer_id, 0), overdue.get(peer_id, ()))
        if found is not None:
            peers.append(found)
    summary = observation.summary(events, cortex.buffer.dropped)
    return await _material(cortex, triggers, peers, summary), tuple(ids[most:])


async def gather_peer(cortex: CortexLife, peer_id: str, trigger: str) -> Material:
    """The material about one peer alone."""
    overdue = cortex.triggers.overdue()
    found = peer_material(cortex, peer_id, 1, overdue.get(peer_id, ())) if peer_id else None
    return await _material(cortex, (trigger,), [found] if found else [], {})


def peer_material(
    cortex: CortexLife, peer_id: str, active: int, overdue: Sequence[Mapping[str, Any]]
) -> PeerMaterial | None:
    """What the ledger and the engine know of a peer; None when the ledger does not know it."""
    try:
        summary = cortex.ledger.get_peer_assessment_summary(
            peer_id, interactions=cortex.settings.context_window
        )
        statistics = cortex.triggers.statistics(peer_id)
    except (ValueError, PrefrontalError) as error:
        cortex.log_warn(f"{peer_id} is left out of the reflection: {error}")
        return None
    numbers = {name: value for name, value in statistics.items() if isinstance(value, int | float)}
    return PeerMaterial(peer_id, summary, active, numbers, overdue)


def _chosen(cortex: CortexLife, counts: Mapping[str, int], more: Iterable[str]) -> list[str]:
    last, peers = cortex.state.last_reflection_at, cortex.ledger.list_peers()
    if last is None:
        seen = [peer.peer_id for peer in peers if peer.last_seen >= cortex.started_at]
    else:
        seen = [peer.peer_id for peer in peers if peer.last_seen > last]
    by_count = sorted(counts, key=lambda peer_id: -counts[peer_id])
    found = list(dict.fromkeys([*by_count, *more, *seen]))
    return found or [peer.peer_id for peer in peers]


async def _material(
    cortex: CortexLife,
    triggers: Sequence[str],
    peers: Sequence[PeerMaterial],
    events: Mapping[str, Any],
) -> Material:
    now = cortex.clock.now()
    last = next((each.summary for each in reversed(cortex.history) if each.status == "ok"), "")
    shared = cortex.settings.sharing.enabled
    return Material(
        trigger=triggers[0],
        triggers=tuple(triggers),
        now=now,
        peers=peers,
        beliefs=cortex.beliefs.for_context(now),
        soul=await _soul(cortex),
        events=events,
        previous_summary=last,
        lessons=cortex.lessons.texts(),
        hints=hints(cortex.wishes.hints) if shared else (),
    )


async def _soul(cortex: CortexLife) -> str:
    """SOUL.md; empty when there is none or it cannot be read."""
    soul: Any = cortex.registry.get("soul")
    if not hasattr(soul, "get_soul"):
        return ""
    try:
        found = soul.get_soul()
        found = await found if inspect.isawaitable(found) else found
    except Exception as error:  # noqa: BLE001 - the soul plugin may be anybody's
        cortex.log_warn(f"SOUL.md cannot be read, reflecting without it: {error}")
        return ""
    return found if isinstance(found, str) else ""
