"""Trust from outcomes alone: a beta estimate that forgets, and that notices a turn."""

from __future__ import annotations

from dataclasses import dataclass, field

FORGETTING = 2 ** (-1 / 20)
"""What is left of an outcome's weight after one more outcome: half after twenty."""
PRIOR = 5.0
"""Weight of the assumption that nothing is known; an outcome weighs its size, 0..10."""
STRONG = -5.0
TURN_S = 60 * 86400.0


@dataclass(slots=True)
class BetaTrust:
    """Trust in -10..+10 from outcomes in -10..+10.

    10 (good - bad) / (good + bad + prior), where good and bad are sums of outcomes whose weight
    fades with each new one (beta reputation, Josang and Ismail 2002). One outcome of -5 or worse
    holds trust at 0 at most for 60 days. Two within 60 days are a turn: then at most
    -10 n / (n + 1) for n of them, whatever was before.
    """

    forgetting: float = FORGETTING
    prior: float = PRIOR
    good: float = 0.0
    bad: float = 0.0
    strong_at: list[float] = field(default_factory=list)

    def add(self, outcome: float, time: float, weight: float = 1.0) -> None:
        """Add one outcome at `time` (Unix seconds). weight: 1 for what the agent saw itself."""
        self.good = self.good * self.forgetting + weight * max(outcome, 0.0)
        self.bad = self.bad * self.forgetting + weight * max(-outcome, 0.0)
        if outcome <= STRONG:
            self.strong_at.append(time)

    def trust(self, now: float) -> float:
        """The estimate at `now`; 0.0 when nothing is known."""
        estimate = 10.0 * (self.good - self.bad) / (self.good + self.bad + self.prior)
        self.strong_at = [time for time in self.strong_at if now - time <= TURN_S]
        strong = len(self.strong_at)
        if strong == 0:
            return estimate
        return min(estimate, -10.0 * strong / (strong + 1) if strong > 1 else 0.0)
