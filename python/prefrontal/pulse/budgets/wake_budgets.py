"""The budgets of wakes that outlive a start: of all, of each module and of each source."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from ...settings.budget import parse_budget
from ...types import Reason
from .fair_shares import FairShares, Spender
from .sliding_budget import SlidingBudget

if TYPE_CHECKING:
    from ...settings.budget import Budget
    from ...settings.gate import PolicySettings

MOST_OWN = 10_000
"""Names whose own budget is remembered; who has not spent for the longest is forgotten first."""


class OwnBudgets:
    """The same budget for each of many names."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._by_name: OrderedDict[str, SlidingBudget] = OrderedDict()

    def has(self, name: str, wall: float) -> bool:
        """Whether one more may be spent."""
        own = self._by_name.get(name)
        return own is None or own.has(wall)

    def free_at(self, name: str, wall: float) -> float:
        """Unix second from which one more may be spent."""
        own = self._by_name.get(name)
        return wall if own is None else own.free_at(wall)

    def take(self, name: str, wall: float) -> None:
        """Spend one."""
        own = self._by_name.setdefault(name, SlidingBudget(self.budget))
        own.take(wall)
        self._by_name.move_to_end(name)
        if len(self._by_name) > MOST_OWN:
            self._by_name.popitem(last=False)


class WakeBudgets:
    """`budget`, `module_budget` and `source_budget` of a policy, all in Unix seconds.

    fair: who spent much of `budget` leaves the others their part, as of `FairShares`.
    """

    def __init__(self, settings: PolicySettings, *, fair: bool) -> None:
        whole = None if settings.budget is None else parse_budget(settings.budget)
        self._whole = None if whole is None else SlidingBudget(whole)
        self._shares = FairShares(whole.wakes, whole.span_s) if whole and fair else None
        self._of_module = _own(settings.module_budget)
        self._of_source = _own(settings.source_budget)

    def see(self, source: str, wall: float) -> None:
        """A window of the source would wake somebody."""
        if self._shares is not None:
            self._shares.see(source, wall)

    def refuses(
        self, spender: Spender, modules: Collection[str], hears_any: bool, wall: float
    ) -> Reason | None:
        """Which of them has no wake for the spender. modules, hears_any: as of `FairShares`."""
        if (whole := self._whole) is not None:
            left = whole.budget.wakes - whole.used(wall) - 1
            if left < 0:
                return Reason.GLOBAL_BUDGET
            if self._shares is not None:
                for_modules, for_sources = self._shares.others(spender, modules, hears_any, wall)
                if left < for_modules:
                    return Reason.MODULE_BUDGET
                if left < for_sources:
                    return Reason.SOURCE_BUDGET
        if self._of_module is not None and not self._of_module.has(spender.module_id, wall):
            return Reason.MODULE_BUDGET
        if self._of_source is not None and not self._of_source.has(spender.source, wall):
            return Reason.SOURCE_BUDGET
        return None

    def free_at(
        self, spender: Spender, modules: Collection[str], hears_any: bool, wall: float
    ) -> float:
        """Unix second from which none of them refuses, if nobody spends meanwhile."""
        free = wall
        if (whole := self._whole) is not None:
            left_over = 0
            if self._shares is not None:
                left_over = max(self._shares.others(spender, modules, hears_any, wall))
            free = whole.free_at(wall, left_over)
        if self._of_module is not None:
            free = max(free, self._of_module.free_at(spender.module_id, wall))
        if self._of_source is not None:
            free = max(free, self._of_source.free_at(spender.source, wall))
        return free

    def take(self, spender: Spender, wall: float) -> None:
        """Spend a wake of each; ask `refuses` first."""
        if self._whole is not None:
            self._whole.take(wall)
        if self._shares is not None:
            self._shares.spend(spender, wall)
        if self._of_module is not None:
            self._of_module.take(spender.module_id, wall)
        if self._of_source is not None:
            self._of_source.take(spender.source, wall)

    def restore(self, wakes: Iterable[tuple[float, Spender]]) -> None:
        """Count wakes of before this start, in the order of time."""
        for wall, spender in wakes:
            self.take(spender, wall)

    def spent(self, wall: float) -> float:
        """Share of `budget` that is spent; 0.0 without one."""
        whole = self._whole
        return 0.0 if whole is None else whole.used(wall) / whole.budget.wakes

    @property
    def longest_s(self) -> float:
        """The longest span of any of them; 0.0 without one."""
        budgets = [each.budget for each in (self._whole, self._of_module, self._of_source) if each]
        return max((each.span_s for each in budgets), default=0.0)


def _own(text: str | None) -> OwnBudgets | None:
    return None if text is None else OwnBudgets(parse_budget(text))
