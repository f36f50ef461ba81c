"""Streams of requests with ranked plans, for what choosing among plans is worth.

hidden: the words of a request are always the same, and so is the router's order; the situation
decides which plan is right. crowded: the same with 64 more numbers that say nothing. spells: what
is right turns every 100 requests, and nothing but the outcomes tells. ordered: the router's order
is right, outcomes are noisy. hard: as ordered, and in some situations every plan mostly fails.
shuffled: as hidden, but the context that is told belongs to another request.

    python benchmarks/plan_stream.py [--seeds N] [--length N]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Protocol

Numbers = Mapping[str, float]
STREAMS = ("hidden", "crowded", "spells", "ordered", "hard", "shuffled")
SPELL = 100


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """A situation, the router's plans, the chances of harm and use of each, and draws [0, 1) that
    decide what comes of it. good: the plan of the highest chance of use less that of harm."""

    context: Numbers
    plans: tuple[Numbers, ...]
    harm: Sequence[float]
    goal: Sequence[float]
    draws: tuple[float, float]

    @property
    def good(self) -> int:
        worth = [g - h for g, h in zip(self.goal, self.harm, strict=True)]
        return worth.index(max(worth))

    def outcome(self, plan: int) -> tuple[float, float]:
        """Harm and goal, 0 or 1 each."""
        return (
            float(self.draws[0] < self.harm[plan]),
            float(self.draws[1] < self.goal[plan]),
        )


class Picks(Protocol):
    """What is read of a selector's answer."""

    @property
    def index(self) -> int: ...


class Selects(Protocol):
    """A selector of plans, such as `prefrontal.executive.selector.selection.PlanSelector`."""

    def enter(self, mode: str) -> None: ...
    def select(self, context: Numbers, plans: Sequence[Numbers]) -> Picks: ...
    def learn(self, context: Numbers, plan: Numbers, harm: float, goal: float) -> None: ...


@dataclass(frozen=True, slots=True)
class PlanRun:
    """What a stream came to. good, harmed: shares of the requests; late: of good picks in the last
    half; worth: mean of what the picks were likely to be worth, use less harm."""

    good: float
    late: float
    harmed: float
    worth: float


def stream(name: str, seed: int, length: int) -> list[PlanRequest]:
    """Requests of one of STREAMS; the same seed gives the same ones."""
    drawn = random.Random(f"{'hidden' if name == 'shuffled' else name}:{seed}")
    requests = [_REQUESTS[name](drawn, place) for place in range(length)]
    if name != "shuffled":
        return requests
    contexts = [it.context for it in requests]
    random.Random(seed).shuffle(contexts)
    return [replace(it, context=context) for context, it in zip(contexts, requests, strict=True)]


def played(requests: Iterable[PlanRequest], selector: Selects | None = None) -> PlanRun:
    """Follow the router's first plan, or a selector's that plans, acts, learns and reflects."""
    good, harmed, worth = [], [], []
    for it in requests:
        picked = 0
        if selector is not None:
            selector.enter("internal_planning")
            picked = selector.select(it.context, it.plans).index
        harm, goal = it.outcome(picked)
        if selector is not None:
            selector.enter("external_task")
            selector.learn(it.context, it.plans[picked], harm, goal)
            selector.enter("offline_consolidation")
        good.append(picked == it.good)
        harmed.append(harm)
        worth.append(it.goal[picked] - it.harm[picked])
    return PlanRun(_mean(good), _mean(good[len(good) // 2 :]), _mean(harmed), _mean(worth))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _situation(drawn: random.Random) -> dict[str, float]:
    """What is known when a request comes: few of the numbers matter, and none is a word of it."""
    hour = drawn.uniform(0, 2 * pi)
    situation = {
        "hour.sin": sin(hour),
        "hour.cos": cos(hour),
        "trust": float(drawn.randint(-8, 8)),
        "freeze": float(drawn.random() < 0.3),
        "failures": drawn.random() * 0.4,
        "source.timer": float(drawn.random() < 0.5),
    }
    return situation | {f"module.{place}": drawn.gauss(0, 0.5) for place in range(8)}


def _plan(score: float, best: float, **features: float) -> dict[str, float]:
    return {"score": score, "margin": best - score, **features}


_RISKY = _plan(0.82, 0.82, successes=0.9, failures=2.0, side_effect=0.5, steps=1.0, trust=0.3)
_CAREFUL = _plan(0.74, 0.82, successes=0.8, failures=1.0, side_effect=0.0, steps=3.0, trust=0.3)
_OTHER = _plan(0.52, 0.82, successes=0.4, failures=6.0, side_effect=0.0, steps=2.0, trust=0.1)


def _hidden(drawn: random.Random, _: int) -> PlanRequest:
    """In a freeze, or for a peer that is not trusted, the first plan does harm."""
    context = _situation(drawn)
    return _either(drawn, context, context["freeze"] > 0.5 or context["trust"] < -5)


def _crowded(drawn: random.Random, place: int) -> PlanRequest:
    request = _hidden(drawn, place)
    noise = {f"noise.{number}": drawn.gauss(0, 0.3) for number in range(64)}
    return replace(request, context={**request.context, **noise})


def _spells(drawn: random.Random, place: int) -> PlanRequest:
    return _either(drawn, _situation(drawn), (place + SPELL // 2) // SPELL % 2 == 1)


def _either(drawn: random.Random, context: Numbers, dangerous: bool) -> PlanRequest:
    harm = (0.9, 0.05, 0.3) if dangerous else (0.05, 0.05, 0.3)
    goal = (0.05, 0.8, 0.2) if dangerous else (0.9, 0.15, 0.2)
    return _request(drawn, context, (_RISKY, _CAREFUL, _OTHER), harm, goal)


def _ordered(drawn: random.Random, _: int) -> PlanRequest:
    """A plan is as good as the router says, whatever the situation."""
    scores = sorted((drawn.uniform(0.4, 0.95) for _ in range(3)), reverse=True)
    plans = tuple(_random_plan(drawn, score, scores[0]) for score in scores)
    return _request(drawn, _situation(drawn), plans, [0.5 - 0.5 * s for s in scores], scores)


def _hard(drawn: random.Random, place: int) -> PlanRequest:
    """As ordered; but in a freeze every plan has a quarter of its use, and thrice its harm."""
    request = _ordered(drawn, place)
    if request.context["freeze"] < 0.5:
        return request
    harm, goal = [3 * it for it in request.harm], [it / 4 for it in request.goal]
    return replace(request, harm=harm, goal=goal)


def _random_plan(drawn: random.Random, score: float, best: float) -> dict[str, float]:
    return _plan(
        score,
        best,
        successes=min(max(score + drawn.gauss(0, 0.1), 0), 1),
        failures=float(drawn.randint(0, 5)),
        side_effect=drawn.choice((0.0, 0.5, 1.0)),
        steps=float(drawn.randint(1, 4)),
        trust=drawn.uniform(0, 1),
    )


def _request(
    drawn: random.Random,
    context: Numbers,
    plans: tuple[Numbers, ...],
    harm: Sequence[float],
    goal: Sequence[float],
) -> PlanRequest:
    return PlanRequest(context, plans, harm, goal, (drawn.random(), drawn.random()))


_REQUESTS: dict[str, Callable[[random.Random, int], PlanRequest]] = {
    "hidden": _hidden,
    "crowded": _crowded,
    "spells": _spells,
    "ordered": _ordered,
    "hard": _hard,
    "shuffled": _hidden,
}


def main() -> None:
    """Print every stream without and with a selector, the means over the seeds and each seed."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--length", type=int, default=500, help="requests of a stream")
    options = parser.parse_args()
    import torch

    from prefrontal.executive.selector.selection import PlanSelector

    torch.set_num_threads(1)
    print("| stream | | good picks | of the last half | harmed | worth | good picks by seed |")
    print("|---|---|---|---|---|---|---|")
    for name in STREAMS:
        for what in ("router", "selector"):
            runs = [
                played(
                    stream(name, seed, options.length),
                    PlanSelector(seed=seed) if what == "selector" else None,
                )
                for seed in range(options.seeds)
            ]
            columns = [_mean([getattr(it, c) for it in runs]) for c in PlanRun.__slots__]
            figures = " | ".join(f"{it:.3f}" for it in columns)
            print(f"| {name} | {what} | {figures} | {' '.join(f'{it.good:.3f}' for it in runs)} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
