"""A backtest as figures, as JSON, and how it is run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .metrics import (
    Auc,
    Lies,
    Turncoats,
    false_alarms,
    lies,
    separation,
    tempo,
    turncoats,
)
from .ratings import BENIGN, FRAUD, Rating
from .replay import (
    BacktestOptions,
    Progress,
    RatingLedger,
    Replay,
    StreamClock,
    TrustTrajectory,
)

if TYPE_CHECKING:
    from .asking import Questions

FIRST = (1, 2, 3, 5, 10)
FARMING_MIN_RATINGS = 5


@dataclass(frozen=True, slots=True)
class FarmingFigures:
    """For how many peers with at least 5 ratings the farming trigger fired.

    tempo: how well the fastest run of ratings alone tells frauds before their first very bad one.
    """

    peers: int
    fired: int
    frauds: int
    frauds_fired: int
    benign: int
    benign_fired: int
    tempo: Auc | None


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """What a replay of a stream of ratings showed.

    separation: by trust at the end. untrusted: the same in a replay without the ratings by benign
    peers, on whose word the labels rest. first: by trust after the first so many ratings. The
    figures that need labels are None without them. cautions: beliefs written; warned: ratings of
    -5 or worse that came while one about the rated peer was held, of very_bad. ratings: those that
    were replayed, fewer than there are when it was stopped. tokens: what a model was asked and
    answered, 0 without one. asked, failed: questions to it, also in the second replay, and those
    of them without an answer that could be used; failure: why the last of these had none. model:
    who answered last.
    """

    options: BacktestOptions
    ratings: int
    peers: int
    cycles: int
    triggers: Mapping[str, int]
    separation: Auc | None
    untrusted: Auc | None
    first: Mapping[int, Auc]
    turncoats: Turncoats
    lies: Lies | None
    false_alarms: int | None
    farming: FarmingFigures
    cautions: int
    warned: int
    very_bad: int
    tokens: int
    asked: int
    failed: int
    failure: str
    model: str
    stopped: bool
    seconds: float
    trajectories: Mapping[str, TrustTrajectory]

    def to_json(self) -> dict[str, Any]:
        """All figures, and of every peer the trust at the end and each cycle on the way."""
        figures = {
            name: getattr(self, name)
            for name in (
                "ratings",
                "peers",
                "cycles",
                "false_alarms",
                "cautions",
                "warned",
                "very_bad",
                "tokens",
                "asked",
                "failed",
                "failure",
                "model",
                "stopped",
                "seconds",
            )
        }
        return {
            "options": asdict(self.options),
            **figures,
            "triggers": dict(self.triggers),
            **{
                name: None if value is None else asdict(value)
                for name, value in (
                    ("separation", self.separation),
                    ("untrusted", self.untrusted),
                    ("turncoats", self.turncoats),
                    ("lies", self.lies),
                    ("farming", self.farming),
                )
            },
            "first": {str(ratings): asdict(value) for ratings, value in self.first.items()},
            "trust": {peer: trajectory.trust for peer, trajectory in self.trajectories.items()},
            "trajectories": {
                peer: _steps(trajectory) for peer, trajectory in self.trajectories.items()
            },
        }


def _steps(trajectory: TrustTrajectory) -> list[dict[str, Any]]:
    return [
        {
            "time": step.time,
            "ratings": step.ratings,
            "proposed": step.proposed,
            "trust": step.trust,
            "triggers": list(step.triggers),
        }
        for step in trajectory.steps
    ]


def run_backtest(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    options: BacktestOptions,
    open_ledger: Callable[[StreamClock], RatingLedger],
    progress: Progress | None = None,
    *,
    untrusted: bool = True,
    questions: Questions | None = None,
) -> BacktestResult:
    """Replay the ratings and, with labels and `untrusted`, again without those of benign peers.

    open_ledger: a fresh ledger on the clock it is given. labels may be empty. questions: to the
    model that proposes, where one does; Ctrl-C then ends the replay with what was done.
    """
    start = time.perf_counter()
    open_proposer = questions.proposer if questions is not None else None
    replay, second = (Replay(options, open_ledger, progress, open_proposer) for _ in range(2))
    trajectories = replay.run(ratings)
    rest = without_trusted(ratings, labels) if untrusted and not replay.stopped else None
    others = {} if rest is None else second.run(rest, "without trusted raters")
    return BacktestResult(
        options=options,
        ratings=sum(len(trajectory.ratings) for trajectory in trajectories.values()),
        peers=len(trajectories),
        cycles=replay.cycles,
        triggers=_counted(trajectories),
        separation=separation(_trust(trajectories), labels),
        untrusted=None if second.stopped else separation(_trust(others), labels),
        first=_first(trajectories, labels, options),
        turncoats=turncoats(trajectories),
        lies=lies(replay, labels) if labels else None,
        false_alarms=false_alarms(trajectories, labels) if labels else None,
        farming=_farming(trajectories, labels),
        cautions=replay.cautions.written,
        warned=replay.cautions.warned,
        very_bad=replay.cautions.asked,
        tokens=questions.usage.tokens_in + questions.usage.tokens_out if questions else 0,
        asked=questions.asked if questions else 0,
        failed=questions.failed if questions else 0,
        failure=questions.failure if questions else "",
        model=questions.model if questions else "",
        stopped=replay.stopped or second.stopped,
        seconds=time.perf_counter() - start,
        trajectories=trajectories,
    )


def _trust(trajectories: Mapping[str, TrustTrajectory]) -> dict[str, float]:
    return {peer: trajectory.trust for peer, trajectory in trajectories.items()}


def _counted(trajectories: Mapping[str, TrustTrajectory]) -> dict[str, int]:
    """How many cycles each trigger started; of several that fired the first counts."""
    counts: dict[str, int] = {}
    for trajectory in trajectories.values():
        for step in trajectory.steps:
            counts[step.triggers[0]] = counts.get(step.triggers[0], 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def without_trusted(
    ratings: Sequence[Rating], labels: Mapping[str, int]
) -> Sequence[Rating] | None:
    """The ratings that benign peers did not give; None when that is all of them."""
    rest = [rating for rating in ratings if labels.get(rating.source) != BENIGN]
    return None if len(rest) == len(ratings) else rest


def _first(
    trajectories: Mapping[str, TrustTrajectory], labels: Mapping[str, int], options: BacktestOptions
) -> dict[int, Auc]:
    """Only from the number of ratings on that makes a cycle by itself."""
    figures: dict[int, Auc] = {}
    for ratings in FIRST:
        if ratings < options.batch and not options.timer:
            continue
        trust = {
            peer: value
            for peer, trajectory in trajectories.items()
            if peer in labels and (value := trajectory.trust_after(ratings)) is not None
        }
        if (figure := separation(trust, labels)) is not None:
            figures[ratings] = figure
    return figures


def _farming(
    trajectories: Mapping[str, TrustTrajectory], labels: Mapping[str, int]
) -> FarmingFigures:
    long = {
        peer: trajectory
        for peer, trajectory in trajectories.items()
        if len(trajectory.ratings) >= FARMING_MIN_RATINGS
    }
    alarms = {peer for peer, trajectory in long.items() if trajectory.farming_at is not None}
    frauds = {peer for peer in long if labels.get(peer) == FRAUD}
    benign = {peer for peer in long if labels.get(peer) == BENIGN}
    return FarmingFigures(
        peers=len(long),
        fired=len(alarms),
        frauds=len(frauds),
        frauds_fired=len(frauds & alarms),
        benign=len(benign),
        benign_fired=len(benign & alarms),
        tempo=tempo(trajectories, labels),
    )
