"""What survives a restart: read at the start, written after each cycle."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from .life import CortexLife

_PEERS_AT_ONCE = 200


async def restore(cortex: CortexLife) -> None:
    """Take up beliefs, history and state, and what the ledger says of each peer."""
    now = cortex.clock.now()
    state = cortex.state = await cortex.keeper.read(STATE_KEY, parse_state)
    records = await cortex.keeper.read(HISTORY_KEY, parse_history)
    beliefs = await cortex.keeper.read(BELIEFS_KEY, parse_beliefs)
    cortex.history.clear()
    cortex.history.extend(records)
    state.cycle = max([state.cycle, *(each.cycle for each in records)])
    if state.last_reflection_at is not None:
        state.last_reflection_at = min(state.last_reflection_at, now)
    cortex.beliefs.cycle = max((each.cycle for each in records if each.status == "ok"), default=0)
    cortex.beliefs.load(beliefs, state.belief_evidence, now)
    try:
        cortex.triggers.load(state)
    except ValueError as error:
        cortex.log_warn(f"The triggers start anew, their stored state cannot be read: {error}")
    cortex.cost.load(state.usage)
    cortex.lessons.load(state.lessons)
    cortex.adaptive.load(state.adaptive)
    cortex.directives.load(state.directives)
    await _meet(cortex, state.trust)


async def _meet(cortex: CortexLife, saved: dict[str, Any]) -> None:
    """Learn every peer and the trust written last, from which the next step is taken."""
    try:
        peers = cortex.ledger.list_peers()
    except Exception as error:  # noqa: BLE001 - the ledger may be anybody's
        cortex.log_error(f"The peers cannot be read, every trust starts anew: {error}")
        return
    cortex.triggers.know(peer.peer_id for peer in peers)
    for number, peer in enumerate(peers):
        if number % _PEERS_AT_ONCE == _PEERS_AT_ONCE - 1:
            await asyncio.sleep(0)
        try:
            latest = cortex.ledger.get_peer_assessment_summary(peer.peer_id).get("latest")
        except Exception as error:  # noqa: BLE001
            cortex.log_warn(f"The trust of {peer.peer_id} cannot be read: {error}")
            continue
        if latest is None:
            continue
        count = peer.interaction_count + cortex.triggers.broken.get(peer.peer_id, 0)
        entry = saved.get(peer.peer_id)
        if _fits(entry, count):
            cortex.limiter.load({peer.peer_id: entry})
        # Nothing has come since it was written: it is not moved again without evidence.
        old = peer.last_seen <= float(latest.get("created_at") or 0)
        cortex.limiter.seed(peer.peer_id, int(latest["trust"]), count if old else None)


def _fits(entry: object, count: int) -> bool:
    """Whether a saved entry can be of this ledger: it knew no more than there is."""
    if not isinstance(entry, list) or len(entry) < 2:
        return False
    return entry[1] is None or (isinstance(entry[1], int) and entry[1] <= count)


async def keep(cortex: CortexLife, *, state_only: bool = False) -> None:
    """Store everything, or only the state, which is what changes without a completed cycle."""
    documents = {STATE_KEY: _snapshot(cortex).to_text()}
    if not state_only:
        held = cortex.beliefs.by_key.values()
        documents[BELIEFS_KEY] = dump_beliefs(held)
        documents[HISTORY_KEY] = dump_history(list(cortex.history))
    await cortex.keeper.store(documents)


def _snapshot(cortex: CortexLife) -> CortexState:
    state, now = cortex.state, cortex.clock.now()
    options = cortex.triggers.options
    state.saved_at = now
    state.dropped_events = cortex.buffer.dropped
    until = cortex.triggers.next_due()
    state.next_due = None if until is None else now + until
    state.thresholds = {
        "interaction_threshold": options.get("count"),
        "schedule_minutes": (options.get("period_s") or 0) / 60 or None,
    }
    state.trust = cortex.limiter.save()
    state.belief_evidence = cortex.beliefs.evidence
    state.usage = cortex.cost.save()
    state.lessons = cortex.lessons.save()
    state.adaptive = cortex.adaptive.save()
    state.directives = cortex.directives.save()
    cortex.triggers.save(state)
    return state
