"""Between a score that would wake and the wake itself: quiet hours, cooldown, budgets."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..types import Reason, SignalEvent, Standing
from .budgets.fair_shares import KEPT, FairShares, Spender
from .budgets.wake_budgets import WakeBudgets
from .burst_holds import BurstHolds
from .seen_keys import SeenKeys

if TYPE_CHECKING:
    from ..settings.gate import PolicySettings
    from .burst_holds import Hold

MOST_KEYS = 50_000
"""Events remembered at once, as hashes of 64 bits; older ones are forgotten first."""
MOST_PEERS = 10_000
"""Peers whose budget is remembered; who has not woken for the longest is forgotten first."""

HOUR_S = 3600.0
LEAST_BURST = 2.0
"""Of an hourly budget that something is kept of for others."""


@dataclass(slots=True)
class TokenBucket:
    """So many tokens an hour, at most `burst` at once; starts full."""

    per_hour: float
    burst: float
    tokens: float = field(init=False)
    at: float | None = None

    def __post_init__(self) -> None:
        self.tokens = self.burst

    def has(self, now: float, others: float = 0.0) -> bool:
        """Whether a token is there at monotonic second `now`, besides those left to others."""
        if self.at is not None:
            self.tokens = min(self.burst, self.tokens + (now - self.at) * self.per_hour / 3600)
        self.at = now
        return self.tokens >= 1.0 + others - 1e-9

    def take(self) -> None:
        """Spend one; ask `has` first."""
        self.tokens -= 1.0

    def free_at(self, now: float, others: float = 1.0) -> float:
        """Monotonic second from which a token is there for what waits; changes nothing.

        others: tokens left besides, where a burst allows it. What waits leaves one for what comes:
        else a budget that is always used up would never let an audit through.
        """
        at = now if self.at is None else self.at
        missing = min(1.0 + others, self.burst) - self.tokens
        if self.per_hour <= 0.0:
            return math.inf if missing > 0.0 else at
        return at + max(0.0, missing) * 3600 / self.per_hour


class DeliveryPolicy:
    """Says of each would-be wake whether it may go out now. For one thread.

    fair: who spent much of a budget that all share leaves the others their part of it.
    """

    def __init__(self, settings: PolicySettings, *, fair: bool = True) -> None:
        self.settings = settings
        self._fair = fair
        self._modules: dict[str, bool] = {}
        self._last: dict[str, float] = {}
        self.holds = BurstHolds()
        self._buckets: dict[str, TokenBucket] = {}
        self._peers: OrderedDict[str, TokenBucket] = OrderedDict()
        self._all = _bucket(settings.wakes_per_hour, settings)
        self._shares: FairShares | None = None
        if fair and settings.wakes_per_hour is not None and settings.burst >= LEAST_BURST:
            self._shares = FairShares(settings.wakes_per_hour, HOUR_S)
        self._budgets = WakeBudgets(settings, fair=fair)
        self._seen = SeenKeys(MOST_KEYS)
        self._key_ttl_s = settings.key_ttl_s

    def know(self, module_id: str, hears_any: bool) -> None:
        """A module there is. hears_any: whether it hears sources of any name."""
        self._modules[module_id] = hears_any

    def see(self, source: str, wall: float, now: float) -> None:
        """A window of the source would wake a module."""
        self._budgets.see(source, wall)
        if self._shares is not None:
            self._shares.see(source, now)

    def repeated(self, window: Sequence[SignalEvent], now: float) -> bool:
        """Whether every event of the window was seen within `key_ttl_s`.

        Two events of a source are the same when their feature "idempotency_key" is, or, without
        one, their location, kind of change, time and text.
        """
        if self._key_ttl_s <= 0:
            return False
        again, since, fresh = self._seen.again, now - self._key_ttl_s, not window
        for event in window:
            named = event.features.get("idempotency_key")
            if isinstance(named, str):
                key = hash((event.source, named))
            else:
                text = event.features.get("text")
                what = event.source, event.location, event.delta_type, event.timestamp
                key = hash((*what, text if isinstance(text, str) else ""))
            if not again(key, now, since):  # each is remembered, known or not
                fresh = True
        return not fresh

    def free_at(
        self,
        module_id: str,
        wall: float,
        now: float,
        standing: Standing | None = None,
        hold: Hold | None = None,
        source: str = "",
    ) -> float:
        """Monotonic second from which nothing holds the module back, as far as is known now."""
        settings, free = self.settings, now
        if settings.quiet_hours is not None and _within(settings.quiet_hours, wall):
            free = now + _end(settings.quiet_hours, wall) - wall
        if (last := self._last.get(module_id)) is not None:
            free = max(free, last + settings.cooldown_s)
        if hold is not None:
            free = max(free, self.holds.end(module_id, now))
        for bucket in (self._own(module_id), self._of_peer(standing)):
            if bucket is not None:
                free = max(free, bucket.free_at(now))
        spender = Spender(module_id, source)
        if self._all is not None:
            free = max(free, self._all.free_at(now, self._left_by_what_waits(spender, now)))
        until = self._budgets.free_at(spender, self._modules, self._hears_any, wall)
        if until > wall or not self._fair:  # whose rules rounded this, too
            free = max(free, now + until - wall if self._budgets.longest_s else now)
        return free

    def admit(
        self,
        module_id: str,
        wall: float,
        now: float,
        standing: Standing | None = None,
        hold: Hold | None = None,
        source: str = "",
        *,
        wakes: bool = False,
    ) -> Reason | None:
        """None when the wake may go out, and it is then counted; otherwise why not.

        wall: Unix seconds, for quiet hours and `budget`, which outlives a start. now: monotonic
        seconds, for everything else.
        standing: of who is behind the signal, for a budget of their own. hold: of the module.
        source: of the signal. wakes: a window came that would wake, as of `BurstHolds.holds`.
        """
        spender = Spender(module_id, source)
        if pause := self._pause(spender, wall, now, hold, wakes):
            return pause
        others, whose = self._left(spender, now)
        spent = []
        for bucket, left, empty in (
            (self._own(module_id), 0, Reason.MODULE_BUDGET),
            (self._all, others, Reason.GLOBAL_BUDGET),
            (self._of_peer(standing), 0, Reason.PEER_BUDGET),
        ):
            if bucket is not None:
                if not bucket.has(now, left):
                    return whose if left and bucket.has(now) else empty
                spent.append(bucket)
        for bucket in spent:  # only now: a wake that is held back costs nobody a token
            bucket.take()
        self._budgets.take(spender, wall)
        if self._shares is not None:
            self._shares.spend(spender, now)
        self._last[module_id] = now
        if hold is not None:
            self.holds.question(module_id, now, hold)
        return None

    def _pause(
        self, spender: Spender, wall: float, now: float, hold: Hold | None, wakes: bool
    ) -> Reason | None:
        """What holds the module back that costs no token."""
        settings, module_id = self.settings, spender.module_id
        if settings.quiet_hours is not None and _within(settings.quiet_hours, wall):
            return Reason.QUIET_HOURS
        last = self._last.get(module_id)
        if last is not None and now - last < settings.cooldown_s:
            return Reason.COOLDOWN
        if hold is not None and self.holds.holds(module_id, now, hold, wakes=wakes):
            return Reason.GROUPED
        return self._budgets.refuses(spender, self._modules, self._hears_any, wall)

    @property
    def _hears_any(self) -> bool:
        return any(self._modules.values())

    def _left(self, spender: Spender, now: float) -> tuple[int, Reason]:
        """Tokens of the hourly budget of all that others must be left with, and who they are."""
        if self._shares is None:
            return 0, Reason.GLOBAL_BUDGET
        most = max(1, int(self.settings.burst) // KEPT)
        modules, sources = self._shares.others(spender, self._modules, self._hears_any, now)
        if modules >= sources:
            return min(most, modules), Reason.MODULE_BUDGET
        return min(most, sources), Reason.SOURCE_BUDGET

    def _left_by_what_waits(self, spender: Spender, now: float) -> int:
        """As of `_left`, and one more for what comes, where it has spent its part or has none."""
        others, _ = self._left(spender, now)
        shares, hears_any = self._shares, self._hears_any
        if shares is not None and shares.is_owed(spender, self._modules, hears_any, now):
            return others
        return others + 1

    def _own(self, module_id: str) -> TokenBucket | None:
        per_hour = self.settings.module_wakes_per_hour
        if per_hour is None:
            return None
        bucket = self._buckets.get(module_id)
        if bucket is None:
            bucket = self._buckets[module_id] = TokenBucket(per_hour, self.settings.burst)
        return bucket

    def _of_peer(self, standing: Standing | None) -> TokenBucket | None:
        if standing is None or standing.wakes_per_hour is None:
            return None
        peers, peer = self._peers, standing.peer
        bucket = peers.get(peer)
        if bucket is None:
            bucket = peers[peer] = TokenBucket(standing.wakes_per_hour, self.settings.burst)
            if len(peers) > MOST_PEERS:
                peers.popitem(last=False)
        peers.move_to_end(peer)
        bucket.per_hour = standing.wakes_per_hour  # trust may have moved it
        return bucket

    def spent(self, wall: float) -> float:
        """Share of `budget` that is spent at Unix second `wall`; 0.0 without one."""
        return self._budgets.spent(wall)

    @property
    def budgets_span_s(self) -> float:
        """The longest span of the sliding budgets; 0.0 without one."""
        return self._budgets.longest_s

    def spent_before(self, wakes: Iterable[tuple[float, Spender]]) -> None:
        """Count wakes of before this start into the sliding budgets: Unix seconds, in order."""
        self._budgets.restore(wakes)

    def go_on(self, wakes: Iterable[tuple[float, Spender]]) -> None:
        """Count wakes of before this start into cooldown and hourly budgets, the oldest first.

        wakes: with monotonic seconds, which may lie before the start of the clock.
        """
        for at, spender in wakes:
            self._last[spender.module_id] = at
            for bucket in (self._own(spender.module_id), self._all):
                if bucket is not None and bucket.has(at):
                    bucket.take()
            if self._shares is not None:
                self._shares.spend(spender, at)

    def forget(self, module_id: str) -> None:
        """Drop what is remembered of a module that is gone."""
        self._modules.pop(module_id, None)
        self._last.pop(module_id, None)
        self.holds.forget(module_id)
        self._buckets.pop(module_id, None)


def _bucket(per_hour: float | None, settings: PolicySettings) -> TokenBucket | None:
    return None if per_hour is None else TokenBucket(per_hour, settings.burst)


def _within(hours: tuple[int, int], wall: float) -> bool:
    start, end = hours
    return (time.localtime(wall).tm_hour - start) % 24 <= (end - start) % 24


def _end(hours: tuple[int, int], wall: float) -> float:
    """Unix second at which the quiet hours end that `wall` lies in; at most a day later."""
    end = wall
    for _ in range(26):  # hour by hour: a day on which clocks change has 23 or 25
        local = time.localtime(end)
        end += 3600 - local.tm_min * 60 - local.tm_sec - (end % 1.0)
        if not _within(hours, end):
            break
    return end
