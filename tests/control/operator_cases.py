"""Small calls of each operator, for the tests that ask the same of all of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from prefrontal.control.ops import rule, scores

from .operator_contract import Case, Tensors


def drawn(*sizes: int, seed: int = 0) -> Tensor:
    """Normal numbers of one seed, the same wherever they are drawn."""
    return torch.randn(sizes, generator=torch.Generator().manual_seed(seed))


def linear(outputs: int, inputs: int, seed: int) -> list[Tensor]:
    """A weight and a bias whose layer keeps the size of what it is given."""
    return [drawn(outputs, inputs, seed=seed) * inputs**-0.5, 0.1 * drawn(outputs, seed=seed + 1)]


def rule_update_case(rules: int = 1, rows: int = 1, step: float = 0.05, width: int = 16) -> Case:
    tensors = [
        drawn(rules, width, seed=1),
        drawn(rows, 32, seed=2),
        drawn(rows, 32, seed=3),
        *linear(width, 32, 4),
        *linear(width, 32, 6),
    ]
    return Case(
        "rule_update",
        tensors,
        partial(rule.rule_update, step=step, pool=0.5),
        partial(rule.plain_rule_update, step=step, pool=0.5),
        lambda given: (*given, step, 0.5),
    )


def rule_bias_case(*sizes: int, hidden: int = 32, **options: Any) -> Case:
    """Of summaries [*sizes, 32]."""
    settings = {"scale": 0.6, "tanh": False, "centred": False} | options
    rules = sizes[0] if len(sizes) == 2 else 1
    tensors = [
        drawn(*sizes, 32, seed=1),
        drawn(rules, 16, seed=2),
        *linear(hidden, 48, 3),
        *linear(1, hidden, 5),
    ]
    return Case(
        "rule_bias",
        tensors,
        partial(rule.rule_bias, **settings),
        partial(rule.plain_rule_bias, **settings),
        lambda given: (*given, *settings.values()),
    )


def head(seed: int, hidden: int = 64) -> list[Tensor]:
    return [*linear(hidden, 32, seed), *linear(1, hidden, seed + 2)]


def residue(seed: int, places: int = 32, hidden: int = 64) -> list[Tensor]:
    return [
        0.5 * drawn(places, 32, seed=seed),
        drawn(places, seed=seed + 1),
        *linear(hidden, 32, seed + 2),
        *linear(hidden, hidden, seed + 4),
        *linear(1, hidden, seed + 6),
    ]


def scores_case(
    trajectories: int = 5,
    states: int = 4,
    *,
    hidden: int = 64,
    all_parts: bool = True,
    **options: Any,
) -> Case:
    """Tensors: world states, harm 4, residue 8, and with all parts benefit 4 and the goal."""
    settings = {"bandwidth": 3.0, "harm_sigmoid": True} | options
    tensors = [
        0.5 * drawn(trajectories, states, 32, seed=1),
        *head(2, hidden),
        *residue(6, hidden=hidden),
    ]
    if all_parts:
        tensors += [*head(20, hidden), drawn(32, seed=24)]

    def given(function: Any, *parts: Tensor) -> Tensor:
        benefit, goal = (list(parts[13:17]), parts[17]) if all_parts else (None, None)
        found: Tensor = function(
            parts[0], list(parts[1:5]), list(parts[5:13]), benefit=benefit, goal=goal, **settings
        )
        return found

    def arguments(parts: Tensors) -> tuple[Any, ...]:
        rest = (list(parts[13:17]), parts[17]) if all_parts else ([], None)
        harm, field = list(parts[1:5]), list(parts[5:13])
        return parts[0], harm, field, settings["bandwidth"], *rest, settings["harm_sigmoid"]

    return Case(
        "score_trajectories",
        tensors,
        partial(given, scores.score_trajectories),
        partial(given, scores.plain_score_trajectories),
        arguments,
    )


def same_bits_cases() -> list[Case]:
    """Calls whose results must not depend on the instruction set."""
    updates = [rule_update_case(rows=rows) for rows in (1, 3)]
    biases = [
        rule_bias_case(k, tanh=tanh, scale=0.4)
        for k in (1, 8, 16, 17, 33)
        for tanh in (False, True)
    ]
    scored = [scores_case(n, 11) for n in (1, 2, 3, 32)] + [scores_case(5, 3, hidden=21)]
    return [*updates, rule_update_case(3, 3), *biases, rule_bias_case(2, 20), *scored]
