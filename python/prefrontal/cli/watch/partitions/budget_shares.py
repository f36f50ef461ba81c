"""A budget of wakes divided among partitions, so that together they never spend more than it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ....errors import InputError
from ....settings.budget import Budget

if TYPE_CHECKING:
    from fractions import Fraction


def budget_shares(budget: Budget, modules: Mapping[int, int]) -> dict[int, Budget]:
    """Each partition's share, in proportion to its modules and at least one wake.

    modules: how many each partition has; one without any has no share. The shares add up to the
    budget, and every node comes to the same. Each share slides by itself, so no span holds more
    wakes of all than the budget. Raises InputError for a budget that leaves a partition none.
    """
    homes = sorted(number for number, count in modules.items() if count)
    spare = budget.wakes - len(homes)
    if spare < 0:
        raise InputError(
            f"policy.budget must leave one wake to each of the {len(homes)} partitions with"
            f" modules, got {budget}: a longer span, or module_budget, which each module has alone"
        )
    exact = _exact_shares(spare, {number: modules[number] for number in homes})
    wakes = {number: 1 + int(exact[number]) for number in homes}
    left = budget.wakes - sum(wakes.values())
    for number in sorted(homes, key=lambda each: (int(exact[each]) - exact[each], each))[:left]:
        wakes[number] += 1
    return {number: Budget(count, budget.span) for number, count in wakes.items()}


def _exact_shares(wakes: int, modules: Mapping[int, int]) -> dict[int, Fraction]:
    from fractions import Fraction

    total = sum(modules.values())
    return {number: Fraction(wakes * count, total) for number, count in modules.items()}
