"""The trigger engine in plain Python: looks at every agent each time, keeps no queue."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from .peer_twin import PlainPeer

NEVER = -math.inf
DEFAULTS: dict[str, Any] = {
    "period_s": 1800.0,
    "count": 5,
    "count_outgoing": False,
    "new_peer": False,
    "promise_timeout": False,
    "farming": False,
    "retry_s": 60.0,
    "retry_limit_s": 1800.0,
    "farming_easy_count": 5,
    "farming_jump_from": "largest",
    "farming_jump_factor": 4.0,
    "farming_jump_min_size": 200.0,
    "farming_tempo_count": 5,
    "farming_tempo_per_day": 10.0,
    "farming_tempo_gap_s": 600.0,
    "max_peers": 10_000,
    "max_commitments": 256,
}


@dataclass
class PlainAgent:
    own: dict[str, Any] | None = None
    since: float = NEVER
    hold: float = NEVER
    failures: int = 0
    running: bool = False
    cycles: int = 0
    waiting: dict[str, int] = field(default_factory=lambda: {"in": 0, "new": 0, "sign": 0})
    in_cycle: dict[str, int] = field(default_factory=dict)
    peers: dict[str, PlainPeer] = field(default_factory=dict)  # least recently seen first
    commitments: dict[str, tuple[str, float]] = field(default_factory=dict)
    overdue: set[str] = field(default_factory=set)  # when the running cycle began

    def fired(self, rules: dict[str, Any], now: float) -> tuple[str, ...]:
        if self.running or now < self.hold:
            return ()
        period, count, seen = rules["period_s"], rules["count"], self.waiting["in"]
        holds = {
            "promise_timeout": rules["promise_timeout"]
            and any(due <= now for _, due in self.commitments.values()),
            "farming": rules["farming"] and self.waiting["sign"] > 0,
            "new_peer": rules["new_peer"] and self.waiting["new"] > 0,
            "interaction_count": count is not None and seen >= count,
            "timer": period is not None and seen > 0 and now >= self.since + period,
        }
        return tuple(name for name, yes in holds.items() if yes)

    def moments(self, rules: dict[str, Any]) -> list[float]:
        """When what is due could change by time alone."""
        times = [due for _, due in self.commitments.values()]
        if rules["period_s"] is not None:
            times.append(self.since + rules["period_s"])
        return [time for time in times if time > self.hold]


class PlainEngine:
    """Takes the same calls as TriggerEngine, with valid arguments."""

    def __init__(self, **options: Any) -> None:
        self.rules = DEFAULTS | options
        self.now = NEVER
        self.by_id: dict[int, PlainAgent] = {}

    def _of(self, agent: int) -> tuple[PlainAgent, dict[str, Any]]:
        one = self.by_id.setdefault(agent, PlainAgent())
        return one, self.rules if one.own is None else one.own

    def _advance(self, time: float) -> float:
        self.now = max(self.now, time)
        return self.now

    def push(self, agent: int, kind: str, peer: str, time: float, size: float = 0.0) -> None:
        now = self._advance(time)
        one, rules = self._of(agent)
        if one.since == NEVER:
            one.since = now
        if kind in {"in", "out", "known"}:
            one.peers[peer] = known = one.peers.pop(peer, None) or PlainPeer()
            self._forget(one, rules["max_peers"])
        elif peer in one.peers:
            known = one.peers[peer]
        else:
            return
        if kind == "in":
            one.waiting["new"] += rules["new_peer"] and not known.met
            one.waiting["sign"] += known.message(now, size, rules)
            known.cycle = one.cycles
            one.commitments = {k: c for k, c in one.commitments.items() if c[0] != peer}
        elif kind == "out":
            known.outgoing += 1
        elif kind == "effort":
            one.waiting["sign"] += known.effort(size, rules)
        elif kind in {"good", "bad"}:
            taken_back = known.outcome(kind == "good") and known.cycle == one.cycles
            one.waiting["sign"] -= taken_back
        known.met = known.met or kind in {"in", "known"}
        one.waiting["in"] += kind == "in" or (kind == "out" and rules["count_outgoing"])

    @staticmethod
    def _forget(one: PlainAgent, most: int) -> None:
        while len(one.peers) > most:
            del one.peers[next(iter(one.peers))]

    def commit(self, agent: int, peer: str, due: float, key: str) -> bool:
        self.uncommit(agent, key)
        one, rules = self._of(agent)
        if len(one.commitments) >= rules["max_commitments"]:
            return False
        one.commitments[key] = (peer, due)
        return True

    def uncommit(self, agent: int, key: str) -> bool:
        one = self.by_id.get(agent)
        if one is None:
            return False
        one.overdue.discard(key)
        return one.commitments.pop(key, None) is not None

    def due(self, now: float) -> list[tuple[int, tuple[str, ...]]]:
        self._advance(now)
        fired = [(agent, self._fired(agent, self.now)) for agent in sorted(self.by_id)]
        return [(agent, names) for agent, names in fired if names]

    def _fired(self, agent: int, now: float) -> tuple[str, ...]:
        one, rules = self._of(agent)
        return one.fired(rules, now)

    def next_due(self, agent: int | None = None) -> float | None:
        agents = self.by_id if agent is None else self.by_id.keys() & {agent}
        times = {self.now}
        for each in agents:
            one, rules = self._of(each)
            times |= {one.hold, *one.moments(rules)}
        for time in sorted(time for time in times if time >= self.now):
            if any(self._fired(each, time) for each in agents):
                return time
        return None

    def begin(self, agent: int, now: float) -> tuple[str, ...]:
        self._advance(now)
        one, rules = self._of(agent)
        fired = one.fired(rules, self.now)
        one.running, one.in_cycle, one.cycles = True, dict(one.waiting), one.cycles + 1
        due = one.commitments.items() if rules["promise_timeout"] else ()
        one.overdue = {key for key, (_, time) in due if time <= self.now}
        return fired

    def finish(self, agent: int, now: float, interactions: int | None = None) -> None:
        one, _ = self._of(agent)
        one.since, one.running, one.failures, one.hold = self._advance(now), False, 0, NEVER
        if interactions is not None:
            one.in_cycle["in"] = min(interactions, one.waiting["in"])
        one.waiting = {name: count - one.in_cycle[name] for name, count in one.waiting.items()}
        one.commitments = {k: c for k, c in one.commitments.items() if k not in one.overdue}

    def fail(self, agent: int, now: float) -> None:
        one, rules = self._of(agent)
        wait = min(rules["retry_limit_s"], rules["retry_s"] * 2.0 ** min(one.failures, 60))
        one.hold, one.running = self._advance(now) + wait, False
        one.failures += 1

    def set_thresholds(self, agent: int | None = None, **options: Any) -> None:
        if agent is not None:
            one, rules = self._of(agent)
            one.own = rules | options
        else:
            self.rules |= options
            for each in self.by_id.values():
                each.own = each.own and each.own | options
        for each in self.by_id.values():
            self._forget(each, (each.own or self.rules)["max_peers"])

    def interactions(self, agent: int) -> int:
        return self.by_id[agent].waiting["in"] if agent in self.by_id else 0

    def thresholds(self, agent: int | None = None) -> dict[str, Any]:
        one = self.by_id.get(agent) if agent is not None else None
        return dict(self.rules if one is None or one.own is None else one.own)

    def agents(self) -> list[int]:
        return sorted(self.by_id)

    def peers(self, agent: int) -> list[str]:
        return list(self.by_id[agent].peers)[::-1] if agent in self.by_id else []

    def statistics(self, agent: int, peer: str) -> dict[str, Any]:
        known = self.by_id[agent].peers.get(peer) if agent in self.by_id else None
        return {} if known is None else known.told()

    def commitments(self, agent: int) -> list[tuple[str, str, float]]:
        found = self.by_id[agent].commitments if agent in self.by_id else {}
        return [(key, peer, due) for key, (peer, due) in found.items()]

    def running(self, agent: int) -> bool:
        return agent in self.by_id and self.by_id[agent].running

    def reloaded(self, now: float | None) -> PlainEngine:
        """What saving and loading makes of it."""
        out = deepcopy(self)
        shift = 0.0 if now is None or self.now == NEVER else now - self.now
        out.now = self.now + shift if now is None or self.now != NEVER else now
        for one in out.by_id.values():
            one.running, one.overdue = False, set()
            one.since, one.hold = one.since + shift, one.hold + shift
            one.commitments = {k: (p, due + shift) for k, (p, due) in one.commitments.items()}
            for peer in one.peers.values():
                peer.times = [time + shift for time in peer.times]
                peer.visits = [time + shift for time in peer.visits]
                peer.just_hurried = peer.just_hurried and peer.cycle == one.cycles
                peer.cycle = one.cycles
        return out
