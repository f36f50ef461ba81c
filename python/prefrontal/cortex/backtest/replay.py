"""A stream of ratings through the real ledger, triggers and clamp, on a clock that it drives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ..._core import cortex as core
from ..clamp import TrustLimiter, TrustPolicy
from .cautions import Cautions
from .proposals import MeanOfNew, Proposal, Proposer, Rules

if TYPE_CHECKING:
    from .ratings import Rating

Progress = Callable[[str, int, int], None]
"""Called with the stage, the work done, and the total."""

SAID_EVERY = 500
VERY_BAD, DISTRUST = -5, -3


@dataclass(frozen=True, slots=True)
class BacktestOptions:
    """How a stream is replayed; the defaults are those of a live agent.

    clamp: most that a cycle moves trust. per_hour: most that an hour does; None for no cap.
    batch: ratings of a peer that make a cycle; what is left at the end makes a last one. timer:
    a cycle starts too when schedule_minutes passed since the last one and a rating came. farming:
    it starts too when ratings come suspiciously fast, or one is far larger than those before.
    reflector: "mean" proposes the mean of the new ratings, "rules" the beta estimate; "llm" and
    "replay" name a proposer that the replay is given.
    """

    clamp: int = 3
    per_hour: int | None = 9
    policy: TrustPolicy = "corroborate"
    batch: int = 5
    timer: bool = True
    farming: bool = False
    schedule_minutes: float = 30.0
    reflector: Literal["mean", "rules", "llm", "replay"] = "rules"


class RatingLedger(Protocol):
    """What the replay needs of the memory of peers."""

    def record_interaction(
        self, peer_id: str, direction: Literal["in"], *, channel_type: str, preview: str, size: int
    ) -> object: ...
    def record_assessment(self, peer_id: str, trust: int, rationale: str) -> int: ...
    def get_peer_assessment_summary(
        self, peer_id: str, interactions: int = 0
    ) -> dict[str, Any]: ...


class StreamClock:
    """Stands at the time of the rating that is being replayed."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    monotonic = now


@dataclass(frozen=True, slots=True)
class CycleStep:
    """One cycle on a peer: when, after how many ratings, the proposed and the recorded trust.

    proposed: None when nothing was, and trust stayed.
    """

    time: float
    ratings: int
    proposed: int | None
    trust: int
    triggers: tuple[str, ...]


@dataclass(slots=True)
class TrustTrajectory:
    """A peer's ratings and the cycles on them."""

    peer_id: str
    ratings: list[Rating] = field(default_factory=list)
    steps: list[CycleStep] = field(default_factory=list)
    farming_at: float | None = None

    @property
    def trust(self) -> int:
        """Trust at the end."""
        return self.steps[-1].trust if self.steps else 0

    def trust_after(self, ratings: int) -> int | None:
        """Trust after the last cycle that had seen at most so many ratings; None before any."""
        values = [step.trust for step in self.steps if step.ratings <= ratings]
        return values[-1] if values else None


class Replay:
    """One pass over a stream. Each rated user is a peer whom an agent of its own reflects on.

    open_proposer: another proposer than the two that are built in; Ctrl-C then ends the pass with
    what was done, and `stopped` is True.
    """

    def __init__(
        self,
        options: BacktestOptions,
        open_ledger: Callable[[StreamClock], RatingLedger],
        progress: Progress | None = None,
        open_proposer: OpenProposer | None = None,
    ) -> None:
        self.options = options
        self.clock = StreamClock()
        self.ledger = open_ledger(self.clock)
        self.limiter = TrustLimiter(options.clamp, options.per_hour, options.policy)
        self.proposer = open_proposer(self) if open_proposer else _built_in(options.reflector)
        self.stopped = False
        self.trajectories: dict[str, TrustTrajectory] = {}
        self.cautions = Cautions()
        self.cycles = 0
        self._progress = progress
        self._said_every = 1 if open_proposer else SAID_EVERY
        self._is_stoppable = open_proposer is not None
        self._order: list[TrustTrajectory] = []
        self._agents: dict[str, int] = {}
        self._pending: list[list[Rating]] = []
        self._engine = core.TriggerEngine(
            period_s=options.schedule_minutes * 60 if options.timer else None,
            count=options.batch,
            farming=options.farming,
            farming_tempo_gap_s=0.0,
            farming_jump_from="usual",
            farming_jump_min_size=0.0,
        )

    def run(
        self, ratings: Sequence[Rating], what: str = "replaying"
    ) -> Mapping[str, TrustTrajectory]:
        """Replay all; returns the result of each rated user."""
        try:
            self._replay(ratings, what)
        except KeyboardInterrupt:
            if not self._is_stoppable:
                raise
            self.stopped = True
        return self.trajectories

    def statistics(self, peer_id: str) -> Mapping[str, Any]:
        """As `TriggerEngine.statistics` says."""
        return self._engine.statistics(self._agents[peer_id], peer_id)

    def _replay(self, ratings: Sequence[Rating], what: str) -> None:
        for number, rating in enumerate(ratings):
            if self._progress is not None and number % self._said_every == 0:
                self._progress(what, number, len(ratings))
            if self.options.timer:
                self._timers_until(rating.time)
            self._take(rating)
        self._finish()
        if self._progress is not None:
            self._progress(what, len(ratings), len(ratings))

    def _timers_until(self, time: float) -> None:
        while (due := self._engine.next_due()) is not None and due < time:
            self._reflect_on_due(max(due, self.clock.time))

    def _take(self, rating: Rating) -> None:
        agent = self._agent_of(rating.target)
        self.clock.time = rating.time
        if rating.value <= VERY_BAD:
            self.cautions.ask(rating.target, rating.time)
        self.ledger.record_interaction(
            rating.target,
            "in",
            channel_type="ratings",
            preview=f"rated {rating.value:+d} by {rating.source}",
            size=abs(rating.value),
        )
        self._engine.push(agent, "in", rating.target, rating.time, abs(rating.value))
        outcome = "bad" if rating.value < 0 else "good"
        self._engine.push(agent, outcome, rating.target, rating.time)
        self._order[agent].ratings.append(rating)
        self._pending[agent].append(rating)
        self._reflect_on_due(rating.time)

    def _agent_of(self, user: str) -> int:
        agent = self._agents.setdefault(user, len(self._agents))
        if agent == len(self._order):
            trajectory = self.trajectories[user] = TrustTrajectory(user)
            self._order.append(trajectory)
            self._pending.append([])
        return agent

    def _reflect_on_due(self, now: float) -> None:
        for agent, triggers in self._engine.due(now):
            self._reflect(agent, tuple(triggers), now)

    def _finish(self) -> None:
        """Fire the pending timers, and run a last cycle on the rest of a batch."""
        for agent, trajectory in self._in_waiting():
            last = trajectory.ratings[-1].time
            self._reflect(agent, ("timer" if self.options.timer else "manual",), last)

    def _in_waiting(self) -> Iterator[tuple[int, TrustTrajectory]]:
        for agent, pending in enumerate(self._pending):
            if pending:
                yield agent, self._order[agent]

    def _reflect(self, agent: int, triggers: tuple[str, ...], now: float) -> None:
        trajectory, new = self._order[agent], self._pending[agent]
        self.clock.time = max(self.clock.time, now)
        self._engine.begin(agent, now)
        peer, count = trajectory.peer_id, len(trajectory.ratings)
        proposal = self.proposer.propose(peer, new, now, triggers)
        if proposal is None:
            trajectory.steps.append(CycleStep(now, count, None, trajectory.trust, triggers))
        else:
            self._apply(trajectory, proposal, now, triggers)
        if "farming" in triggers and trajectory.farming_at is None:
            trajectory.farming_at = now
        self._engine.finish(agent, now, len(new))
        self._pending[agent] = []
        self.cycles += 1

    def _apply(
        self, trajectory: TrustTrajectory, proposal: Proposal, now: float, triggers: tuple[str, ...]
    ) -> None:
        peer, count = trajectory.peer_id, len(trajectory.ratings)
        proposed = proposal.trust
        trust = self.limiter.limit(peer, proposed, now=now, evidence=count).trust
        self.ledger.record_assessment(peer, trust, proposal.why)
        self.limiter.record(peer, trust, now, count, proposed)
        trajectory.steps.append(CycleStep(now, count, proposed, trust, triggers))
        if trust <= DISTRUST or "farming" in triggers:
            self.cautions.write(peer, f"trust {trust:+d}", cycle=self.cycles + 1, now=now)


OpenProposer = Callable[[Replay], Proposer]
"""Who proposes in a replay that is about to begin."""


def _built_in(reflector: str) -> Proposer:
    if reflector == "mean":
        return MeanOfNew()
    if reflector == "rules":
        return Rules()
    raise ValueError(f"a replay must be given the proposer of the reflector {reflector!r}")
