"""The configuration and the result of a PlanSelector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...control.field_checks import Bounds, Count, Natural, Positive, Share, check_fields

__all__ = ["PlanPick", "PlanSelectionConfig"]


@dataclass(frozen=True, slots=True)
class PlanSelectionConfig:
    """How ranked plans are weighed. A cost of 1 is that of certain harm at full precision.

    context_dim, plan_dim: widths of the vectors that named numbers become.

    leaving: cost of any plan but the first. order_weight: cost of a plan per unit of score that it
    lies below the first one. order_step: cost of each place further down.
    kappa: largest cost or credit by the cue's action bias. bias_scale: the same by the rule.

    commitment: share of the guessing error that the error of what is foreseen must be below before
    any plan but the first is taken; it is asked after `least_outcomes` outcomes. forgiveness: how
    far above the guessing error it may rise afterwards. variance_alpha: of both running averages.
    probing: where the best plan is expected to do harm (above 0.5) another is tried, at most
    probing x sqrt(selections) times. temperature: of that draw, in units of cost.

    experience: outcomes remembered. batch, steps: outcomes of a step of learning, and steps for
    each outcome. consolidation_steps: steps on entering offline_consolidation after something new.
    learning_rate, weight_decay: of Adam, at an open gate. blur: spread of the noise on what is
    remembered, in units of its own spread: what is like it counts, too. recency: share of the
    newest outcome in what went well lately.
    """

    context_dim: Count = 64
    plan_dim: Count = 16
    leaving: Annotated[float, Bounds(0, 1000000)] = 0.35
    order_weight: Annotated[float, Bounds(0, 1000000)] = 0.5
    order_step: Annotated[float, Bounds(0, 1000000)] = 0.02
    kappa: Annotated[float, Bounds(0, 1000000)] = 0.05
    bias_scale: Positive = 0.3
    commitment: Share = 0.9
    least_outcomes: Natural = 20
    forgiveness: Annotated[float, Bounds(0, 1000000)] = 0.02
    variance_alpha: Share = 0.02
    probing: Annotated[float, Bounds(0, 1000000)] = 0.2
    temperature: Positive = 0.1
    experience: Count = 512
    batch: Count = 32
    steps: Count = 2
    consolidation_steps: Natural = 2
    learning_rate: Positive = 1e-3
    weight_decay: Share = 1e-3
    blur: Annotated[float, Bounds(0, 1000000)] = 0.5
    recency: Share = 0.3

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class PlanPick:
    """Which plan to follow, and why.

    index: of the plan, in the order in which they were given. scores: the cost of each plan, lower
    is better. why: (term, amount), largest first; above 0 speaks for the pick, against the first
    plan (or, where that is the pick, against the best other one).
    harm_precision, goal_precision: 0..1, how much foreseen harm and use count in this situation.
    rule: the state of the rule that biased the plans. committed: whether what was learned may
    change the order; until then index is 0. probing: whether the plan was tried, not the best.
    """

    index: int
    scores: tuple[float, ...]
    why: tuple[tuple[str, float], ...]
    harm_precision: float
    goal_precision: float
    rule: tuple[float, ...]
    committed: bool
    probing: bool = False
