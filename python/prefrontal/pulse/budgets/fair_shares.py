"""Who spends a budget of wakes, so that one who floods leaves some of it to the others."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...types import SignalEvent

KEPT = 4
"""One part in so many of a budget is kept for those who spent little of it."""
MOST_NAMES = 32
"""Sources that are told apart within a span; the others share their part."""


class Spender(NamedTuple):
    """Of a wake: its module, and the source of its last event."""

    module_id: str
    source: str = ""


def source_of(window: Sequence[SignalEvent]) -> str:
    """Whose budget a wake about the window is spent of."""
    return window[-1].source if window else ""


class FairShares:
    """What each module and each source may count on of a budget's wakes within a span.

    A quarter of the wakes is kept, in equal parts of at least one, for the modules that there are;
    and so for the sources that would have woken somebody within the span, and, where a module hears
    any, for one more. A module that has spent its part may take what is left but for the parts of
    other modules, and about a source that has spent its own but for those of other sources.
    times: in the order of their calls, of any clock that does not go back.
    """

    def __init__(self, wakes: float, span_s: float) -> None:
        self._kept = int(wakes) // KEPT
        self._span_s = span_s
        self._spent: deque[tuple[float, Spender]] = deque()
        self._modules: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()
        self._seen: dict[str, float] = {}

    def see(self, source: str, now: float) -> None:
        """A window of the source would wake somebody."""
        self._forget(now)
        if source in self._seen or len(self._seen) < MOST_NAMES:
            self._seen.pop(source, None)
            self._seen[source] = now

    def spend(self, spender: Spender, now: float) -> None:
        """A wake is spent."""
        self._forget(now)
        spender = Spender(spender.module_id, self._named(spender.source))
        self._spent.append((now, spender))
        self._modules[spender.module_id] += 1
        self._sources[spender.source] += 1

    def others(
        self, spender: Spender, modules: Collection[str], hears_any: bool, now: float
    ) -> tuple[int, int]:
        """Wakes that must be left when this one is spent: to other modules, and to other sources.

        modules: all that there are. hears_any: whether one of them hears sources of any name.
        """
        self._forget(now)
        if self._owes(spender.module_id, modules, self._modules):
            return 0, 0
        sources = self._names(spender.source, hears_any)
        return (
            self._unspent(spender.module_id, modules, self._modules),
            self._unspent(self._named(spender.source), sources, self._sources),
        )

    def is_owed(
        self, spender: Spender, modules: Collection[str], hears_any: bool, now: float
    ) -> bool:
        """Whether its module, or its source, has not spent its part. Arguments as of `others`."""
        self._forget(now)
        sources = self._names(spender.source, hears_any)
        return self._owes(spender.module_id, modules, self._modules) or self._owes(
            self._named(spender.source), sources, self._sources
        )

    def _names(self, source: str, hears_any: bool) -> set[str]:
        """The sources with a part, this one among them."""
        return {*self._seen, *self._sources, self._named(source), *([""] if hears_any else [])}

    def _owes(self, name: str, names: Collection[str], spent: Counter[str]) -> bool:
        is_shared = self._kept > 0 and len(names) > 1
        return is_shared and spent[name] < max(1, self._kept // len(names))

    def _unspent(self, name: str, names: Collection[str], spent: Counter[str]) -> int:
        """What is left of the parts of others; 0 for a name that has not spent its own."""
        if not self._kept or len(names) < 2 or self._owes(name, names, spent):
            return 0
        part = max(1, self._kept // len(names))
        left = sum(max(0, part - spent[each]) for each in names if each != name)
        return min(self._kept, left)

    def _named(self, source: str) -> str:
        known = source in self._seen or source in self._sources
        return source if known or len(self._seen) < MOST_NAMES else ""

    def _forget(self, now: float) -> None:
        """What is older than the span."""
        spent, since = self._spent, now - self._span_s
        while spent and spent[0][0] <= since:
            _, spender = spent.popleft()
            for counts, name in (
                (self._modules, spender.module_id),
                (self._sources, spender.source),
            ):
                counts[name] -= 1
                if not counts[name]:
                    del counts[name]
        while self._seen and next(iter(self._seen.values())) <= since:
            del self._seen[next(iter(self._seen))]
