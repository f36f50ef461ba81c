"""Windows that would have woken and were held back: they wait until a question tells of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ..decisions.payloads import FoldedWindow, WakePayload
from ..types import Reason
from .asking import brief_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..decisions.decision import Decision
    from ..decisions.payloads import Burst
    from ..types import SignalEvent, Standing

MOST_FOLDED = 500
"""Windows that one question tells of at most; the others wait for the next one."""

EAGER = frozenset({Reason.BUSY, Reason.DROPPED, Reason.QUIET_HOURS})
"""Nobody knows when handlers are done, and a wall clock may be set: looked at again each time."""


class HeldWindow(NamedTuple):
    """One window that waits. id: of its record in the log."""

    id: str
    time: float
    reason: Reason
    score: float
    threshold: float
    window: tuple[SignalEvent, ...]
    standing: Standing | None
    burst: Burst | None

    @classmethod
    def of(cls, record: Decision) -> HeldWindow:
        """The window of a record that waits."""
        payload = record.payload if isinstance(record.payload, WakePayload) else WakePayload()
        scored = record.score, record.threshold, record.window
        reason = Reason(record.reason)
        return cls(record.id, record.time, reason, *scored, payload.standing, payload.burst)

    def folded(self) -> FoldedWindow:
        """How the question that tells of it names it."""
        return FoldedWindow(self.id, self.time, str(self.reason), brief_name(self.window))


class LaneKey(NamedTuple):
    """A module, and the peer whose own budget was used up; "" where anything else holds back.

    written_on: whether what waits is about places that were asked about just before.
    """

    module_id: str
    peer: str = ""
    written_on: bool = False


@dataclass(slots=True)
class Lane:
    """What waits for the same hold to end, oldest first.

    due: monotonic second at which to look again. eager: look again whenever there is time.
    """

    due: float = math.inf
    eager: bool = False
    windows: list[HeldWindow] = field(default_factory=list)

    def strongest(self) -> HeldWindow:
        """The window of the highest score; of equals, the oldest."""
        return max(self.windows, key=attrgetter("score"))


class HeldWindows:
    """Everything that waits, lane by lane.

    Who has used up a budget of its own is told of in questions about itself alone: others' words
    do not carry theirs past the budget. count: how many windows wait.
    """

    def __init__(self) -> None:
        self._lanes: dict[LaneKey, Lane] = {}
        self.count = 0

    def __bool__(self) -> bool:
        return bool(self._lanes)

    def ids(self) -> list[str]:
        """Of every window that waits."""
        return [each.id for lane in self._lanes.values() for each in lane.windows]

    def add(
        self, module_id: str, held: HeldWindow, due: float, *, written_on: bool = False
    ) -> None:
        """Let a window wait until monotonic second `due`, and look again then.

        written_on: it is about a place that was asked about just before; the first one counts.
        """
        key = LaneKey(module_id, "", True) if written_on else _key(module_id, held)
        lane = self._lanes.setdefault(key, Lane())
        lane.windows.append(held)
        self.count += 1
        lane.due = min(lane.due, due) if written_on else due
        lane.eager = held.reason in EAGER

    def drop(self, ids: Collection[str]) -> None:
        """Let go of windows of which somebody else told."""
        for key, lane in self.lanes():
            remaining = [each for each in lane.windows if each.id not in ids]
            self.count -= len(lane.windows) - len(remaining)
            lane.windows = remaining
            if not remaining:
                del self._lanes[key]

    def take(
        self, module_id: str, standing: Standing | None, first: HeldWindow | None = None
    ) -> list[HeldWindow]:
        """What a question of the module tells of, the oldest MOST_FOLDED. first: in any case."""
        peer = standing.peer if standing else ""
        keys = {LaneKey(module_id), LaneKey(module_id, "", True), LaneKey(module_id, peer)}
        windows: list[HeldWindow] = []
        for key in sorted(keys):
            if lane := self._lanes.get(key):
                if first in lane.windows:
                    lane.windows.remove(first)
                    windows.append(first)
                room = MOST_FOLDED - len(windows)
                windows += lane.windows[:room]
                del lane.windows[:room]
                if not lane.windows:
                    del self._lanes[key]
        self.count -= len(windows)
        return sorted(windows, key=attrgetter("time"))

    def lanes(self) -> Iterator[tuple[LaneKey, Lane]]:
        """Each lane, the longest waiting first; lanes may go meanwhile."""
        yield from list(self._lanes.items())

    def due(self) -> float | None:
        """Monotonic second at which the next hold ends; None where nobody knows of any."""
        due = min((lane.due for lane in self._lanes.values()), default=math.inf)
        return None if due == math.inf else due

    def restore(self, records: Iterable[Decision], now: float) -> None:
        """Go on with what waited when another gate ended."""
        for record in records:
            self.add(record.subject, HeldWindow.of(record), now)


def _key(module_id: str, held: HeldWindow) -> LaneKey:
    own = held.reason is Reason.PEER_BUDGET and held.standing is not None
    return LaneKey(module_id, held.standing.peer if own and held.standing else "")
