"""The cost of asking a model about a stream of ratings, without asking it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..memory.cost import TYPICAL_OUT, tokens_of
from .proposals import MeanOfNew, Proposal
from .replay import BacktestOptions, Progress, RatingLedger, Replay, StreamClock
from .result import without_trusted

if TYPE_CHECKING:
    from .asking import Questions, Scene
    from .ratings import Rating

MEASURED_EVERY = 20


@dataclass(frozen=True, slots=True)
class AskingCost:
    """Questions and their tokens in and out; answers count as typical ones."""

    questions: int
    tokens: int

    def __str__(self) -> str:
        count = "once" if self.questions == 1 else f"{self.questions:,} times"
        return f"The model is asked {count}, for about {self.tokens:,} tokens."


def asking_cost(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    options: BacktestOptions,
    open_ledger: Callable[[StreamClock], RatingLedger],
    questions: Questions,
    progress: Progress | None = None,
) -> AskingCost:
    """What `run_backtest` with these questions would ask.

    The cycles are those of a replay that proposes the mean; every 20th question is measured.
    """
    measures: list[_Measure] = []

    def measure(scene: Scene) -> _Measure:
        measures.append(_Measure(questions, scene))
        return measures[-1]

    for stream in (ratings, without_trusted(ratings, labels)):
        if stream is not None:
            Replay(options, open_ledger, progress, measure).run(stream, "counting questions")
    count = sum(each.asked for each in measures)
    samples = sum(each.measured for each in measures)
    tokens_in = sum(each.tokens for each in measures)
    return AskingCost(count, round(count * (tokens_in / max(samples, 1) + TYPICAL_OUT)))


class _Measure:
    """Proposes the mean, and looks at the questions that a reflector would have got."""

    def __init__(self, questions: Questions, scene: Scene) -> None:
        self.asked = self.measured = self.tokens = 0
        self._questions = questions
        self._scene = scene
        self._mean = MeanOfNew()

    def propose(
        self, peer_id: str, new: Sequence[Rating], now: float, triggers: tuple[str, ...] = ()
    ) -> Proposal:
        if self.asked % MEASURED_EVERY == 0:
            gathered = self._questions.gathered(self._scene, peer_id, len(new), now, triggers)
            self.measured += 1
            self.tokens += tokens_of(self._questions.text(gathered))
        self.asked += 1
        return self._mean.propose(peer_id, new, now)
