"""The timer and the count of many agents: ours, NumPy over all, plain loops.

NumPy and `Plain` keep what these two triggers need; ours and `PlainPeers` keep the statistics of
each peer too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from prefrontal._core.cortex import TriggerEngine

PERIOD_S, COUNT = 1800.0, 5
NAMES = {1: ("interaction_count",), 2: ("timer",), 3: ("interaction_count", "timer")}

Due = list[tuple[int, tuple[str, ...]]]


class Fleet(Protocol):
    """Agents 0..n-1, each of whom has been pushed once at time 0."""

    def ingest(self, agents: Sequence[int], now: float) -> None: ...
    def evaluate(self, now: float) -> Due: ...
    def settle(self, agents: Sequence[int], now: float) -> None:
        """A cycle of each of them begins and finishes."""


class Ours:
    """The trigger engine."""

    def __init__(self, agents: int) -> None:
        self.engine = TriggerEngine(period_s=PERIOD_S, count=COUNT)
        self.evaluate = self.engine.due
        for agent in range(agents):
            self.engine.push(agent, "known", "bo", 0.0)

    def ingest(self, agents: Sequence[int], now: float) -> None:
        push = self.engine.push
        for agent in agents:
            push(agent, "in", "bo", now, 80.0)

    def settle(self, agents: Sequence[int], now: float) -> None:
        for agent in agents:
            self.engine.begin(agent, now)
            self.engine.finish(agent, now)


class Dense:
    """NumPy: a few comparisons over every agent."""

    def __init__(self, agents: int) -> None:
        self.interactions = np.zeros(agents, dtype=np.int64)
        self.since = np.zeros(agents)
        self.hold = np.full(agents, -np.inf)

    def ingest(self, agents: Sequence[int], now: float) -> None:
        np.add.at(self.interactions, agents, 1)

    def evaluate(self, now: float) -> Due:
        counted = self.interactions >= COUNT
        timed = (self.interactions > 0) & (now >= self.since + PERIOD_S)
        due = ((counted | timed) & (now >= self.hold)).nonzero()[0]
        fired = counted[due] + 2 * timed[due]
        return [(a, NAMES[f]) for a, f in zip(due.tolist(), fired.tolist(), strict=True)]

    def settle(self, agents: Sequence[int], now: float) -> None:
        self.interactions[agents] = 0
        self.since[agents] = now


class Plain:
    """Python: a loop over every agent."""

    def __init__(self, agents: int) -> None:
        self.interactions = [0] * agents
        self.since = [0.0] * agents
        self.hold = [-np.inf] * agents

    def ingest(self, agents: Sequence[int], now: float) -> None:
        interactions = self.interactions
        for agent in agents:
            interactions[agent] += 1

    def evaluate(self, now: float) -> Due:
        found = []
        columns = zip(self.interactions, self.since, self.hold, strict=True)
        for agent, (interactions, since, hold) in enumerate(columns):
            if interactions and now >= hold:
                fired = (interactions >= COUNT) + 2 * (now >= since + PERIOD_S)
                if fired:
                    found.append((agent, NAMES[fired]))
        return found

    def settle(self, agents: Sequence[int], now: float) -> None:
        for agent in agents:
            self.interactions[agent] = 0
            self.since[agent] = now


class PlainPeers(Plain):
    """Python, with the statistics of each agent's peer."""

    def __init__(self, agents: int) -> None:
        super().__init__(agents)
        self.peers: list[dict[str, Peer]] = [{"bo": Peer()} for _ in range(agents)]

    def ingest(self, agents: Sequence[int], now: float) -> None:
        interactions, peers = self.interactions, self.peers
        for agent in agents:
            interactions[agent] += 1
            peers[agent]["bo"].message(now, 80.0)


class Peer:
    """Counts, sizes and intervals of one peer, as the engine keeps them."""

    __slots__ = ("count", "first", "interval", "largest", "last", "mean", "open", "squares")

    def __init__(self) -> None:
        self.count = 0
        self.mean = self.squares = self.largest = self.open = self.interval = 0.0
        self.first = self.last = 0.0

    def message(self, now: float, size: float) -> None:
        if self.count:
            step = self.open - self.mean
            self.mean += step / self.count
            self.squares += step * (self.open - self.mean)
            self.largest = max(self.largest, self.open)
            interval = now - self.last
            self.interval += (interval - self.interval) * (1.0 if self.count == 1 else 0.25)
        else:
            self.first = now
        self.count += 1
        self.last = now
        self.open = size
