"""Windows that would have woken and were held back: they wait until a question tells of them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..decisions.payloads import FoldedWindow, WakePayload
from ..types import Reason
from .asking import brief_name
from .budgets.fair_shares import source_of
from .event_bytes import size_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..decisions.decision import Decision
    from ..decisions.payloads import Burst
    from ..types import SignalEvent, Standing

MOST_BYTES = 16_000_000
"""Of events that wait in memory; those of others are read from the log when they are told of."""
AGAIN_S = 1.0
"""After which a log that could not be read is read again."""
MOST_FOLDED = 500
"""Windows that one question tells of at most; the others wait for the next one."""

MOST_WAITING = 5_000
"""Windows of a module that wait at most; a question counts those beyond, which the log keeps."""
RESERVE = 8
"""One part in so many of these places is left to sources of which fewer than LITTLE wait."""
LITTLE = 64
CROWD = "crowd"
"""Name of the state that says how many windows the next question of each module counts."""

EAGER = frozenset({Reason.BUSY, Reason.DROPPED, Reason.QUIET_HOURS})
"""Nobody knows when handlers are done, and a wall clock may be set: looked at again each time."""
BUDGETS = frozenset(
    {Reason.MODULE_BUDGET, Reason.GLOBAL_BUDGET, Reason.PEER_BUDGET, Reason.SOURCE_BUDGET}
)


Load = Callable[[Sequence[str]], "Sequence[Decision]"]
"""Gives the records of these ids, as far as they can be read."""


class HeldWindow(NamedTuple):
    """One window that waits. id: of its record in the log. away: its events are only there.

    source: whose budget a question about it is spent of.
    """

    id: str
    time: float
    reason: Reason
    score: float
    threshold: float
    window: tuple[SignalEvent, ...]
    standing: Standing | None
    burst: Burst | None
    away: bool = False
    source: str = ""

    @classmethod
    def of(cls, record: Decision) -> HeldWindow:
        """The window of a record that waits."""
        payload = record.payload if isinstance(record.payload, WakePayload) else WakePayload()
        reason, source = Reason(record.reason), source_of(record.window)
        scored = record.score, record.threshold, record.window
        behind = payload.standing, payload.burst
        return cls(record.id, record.time, reason, *scored, *behind, source=source)

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

    def leads(self) -> list[HeldWindow]:
        """The strongest window of each source, the strongest first; of equals, the oldest."""
        of_source: dict[str, HeldWindow] = {}
        for held in self.windows:
            if (best := of_source.get(held.source)) is None or held.score > best.score:
                of_source[held.source] = held
        return sorted(of_source.values(), key=attrgetter("score"), reverse=True)


class HeldWindows:
    """Everything that waits, lane by lane.

    Who has used up a budget of its own is told of in questions about itself alone: others' words
    do not carry theirs past the budget. count: how many windows wait. bytes: about how much memory
    their events take. gathers: whether who has a budget is gathered apart, before it is used up.
    fair: whether who asked longest ago comes first, and nobody puts off when others of a lane ask.
    bounded: whether only so many of a module wait. crowd: by module, windows beyond these since its
    last question. crowded: such windows since the start.
    """

    def __init__(self, *, gathers: bool = True, fair: bool = True, bounded: bool = True) -> None:
        self._gathers = gathers
        self._fair = fair
        self._bounded = bounded
        self._waiting = Counter[str]()
        self._of_source = Counter[tuple[str, str]]()
        self.crowd = Counter[str]()
        self.crowded = 0
        self._counts = False
        self._lanes: dict[LaneKey, Lane] = {}
        self._questions = 0
        self._asked: dict[str, int] = {}
        self.count = 0
        self.bytes = 0
        self._load: Load = lambda _: []

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
        key = LaneKey(module_id, self._apart(held), written_on)
        lane = self._lanes.setdefault(key, Lane())
        lane.windows.append(held)
        self.count += 1
        self._waiting[module_id] += 1
        self._of_source[module_id, held.source] += 1
        self.bytes += size_of(held.window)
        earliest = written_on or (self._fair and held.reason in BUDGETS)
        lane.due = min(lane.due, due) if earliest else due
        lane.eager = held.reason in EAGER

    def has_room(self, module_id: str, source: str) -> bool:
        """Whether one more window of the module, of that source, may wait."""
        if not self._bounded:
            return True
        few = self._of_source[module_id, source] < LITTLE
        reserve = 0 if few else MOST_WAITING // RESERVE
        return self._waiting[module_id] < MOST_WAITING - reserve

    def turn_away(self, module_id: str) -> None:
        """A window had no room: the module's next question counts it."""
        self.crowd[module_id] += 1
        self.crowded += 1
        self._counts = True

    def crowd_state(self) -> dict[str, bytes]:
        """Name and content of the state to be kept with what was decided; nothing until it counts.

        Without content it is to be forgotten.
        """
        if not self._counts:
            return {}
        return {CROWD: json.dumps(self.crowd).encode() if self.crowd else b""}

    def restore_crowd(self, crowd: Mapping[str, int]) -> None:
        """Go on counting where another gate ended."""
        self.crowd.update(crowd)
        self._counts = self._counts or bool(crowd)

    def drop(self, ids: Collection[str]) -> None:
        """Let go of windows of which somebody else told."""
        for key, lane in self.lanes():
            self._let_go(key, lane, [each for each in lane.windows if each.id in ids])

    def spill(self, load: Load) -> None:
        """All that waits is in the log: forget the events of what is told of last, if need be.

        load: the records of these ids, as far as they can be read.
        """
        if self.bytes <= MOST_BYTES:
            return
        self._load, room = load, MOST_BYTES // 2
        for lane in self._lanes.values():
            for place, held in enumerate(lane.windows):
                size = size_of(held.window)
                if size > room:
                    lane.windows[place] = held._replace(window=(), away=True)
                    self.bytes -= size
                room = max(0, room - size)

    def fetch(self, lane: Lane, held: HeldWindow, now: float) -> HeldWindow | None:
        """A window of the lane with its events, at monotonic second `now`.

        None where the log cannot be read: it is tried again soon.
        """
        if not held.away:
            return held
        whole = self._whole([held])
        if not whole:
            lane.due, lane.eager = now + AGAIN_S, False
            return None
        lane.windows[lane.windows.index(held)] = whole[0]
        self.bytes += size_of(whole[0].window)
        return whole[0]

    def take(
        self, module_id: str, standing: Standing | None, first: HeldWindow | None = None
    ) -> list[HeldWindow]:
        """What a question of the module tells of, the oldest MOST_FOLDED. first: in any case."""
        self._questions += 1
        self._asked[module_id] = self._questions
        peer = standing.peer if standing else ""
        keys = {LaneKey(module_id, each, on) for each in ("", peer) for on in (False, True)}
        lanes = {key: lane for key in sorted(keys) if (lane := self._lanes.get(key))}
        chosen = self._chosen(list(lanes.values()), first)
        windows: list[HeldWindow] = []
        for key, lane in lanes.items():
            whole = self._whole([each for each in lane.windows if each.id in chosen])
            windows += whole
            self._let_go(key, lane, whole)
        return sorted(windows, key=attrgetter("time"))

    def _chosen(self, lanes: Sequence[Lane], first: HeldWindow | None) -> set[str]:
        """The ids of what one question tells of: the oldest, or, where it is fair, of each source
        alike."""
        chosen: dict[str, None] = {}
        if not self._fair:
            for lane in lanes:
                if first is not None and first in lane.windows:
                    chosen[first.id] = None
                rest = (each.id for each in lane.windows if each is not first)
                chosen |= dict.fromkeys(islice(rest, max(0, MOST_FOLDED - len(chosen))))
            return set(chosen)
        if first is not None:
            chosen[first.id] = None
        of_source: dict[str, list[str]] = {}
        for lane in lanes:
            for held in lane.windows:
                of_source.setdefault(held.source, []).append(held.id)
        turns = chain.from_iterable(zip_longest(*of_source.values()))
        for each in islice((each for each in turns if each is not None), MOST_FOLDED):
            chosen[each] = None
        return set(islice(chosen, MOST_FOLDED))

    def _whole(self, chosen: Sequence[HeldWindow]) -> list[HeldWindow]:
        """With their events; without those that the log does not give now, which go on waiting."""
        away = [each.id for each in chosen if each.away]
        records = {each.id: HeldWindow.of(each) for each in self._load(away)} if away else {}
        whole = (records.get(each.id) if each.away else each for each in chosen)
        return [each for each in whole if each is not None]

    def _let_go(self, key: LaneKey, lane: Lane, gone: Sequence[HeldWindow]) -> None:
        """These wait no more."""
        ids = {each.id for each in gone}
        self.bytes -= sum(size_of(each.window) for each in lane.windows if each.id in ids)
        self.count -= len(ids)
        for each in lane.windows:
            if each.id in ids:
                _subtract(self._waiting, key.module_id)
                _subtract(self._of_source, (key.module_id, each.source))
        lane.windows = [each for each in lane.windows if each.id not in ids]
        if not lane.windows:
            del self._lanes[key]

    def lanes(self) -> Iterator[tuple[LaneKey, Lane]]:
        """Each lane; lanes may go meanwhile. The longest waiting first, or, where it is fair, those
        of modules that asked longest ago."""
        lanes = list(self._lanes.items())
        if self._fair and len(lanes) > 1:
            lanes.sort(key=lambda each: self._asked.get(each[0].module_id, 0))
        yield from lanes

    def of_others(self, modules: Collection[str]) -> dict[str, int]:
        """How many windows wait for each module that is none of these."""
        return {each: many for each, many in dict(self._waiting).items() if each not in modules}

    def due(self, modules: Collection[str]) -> float | None:
        """Monotonic second at which the next hold of these modules ends; None where nobody knows
        of any. What waits for another one is asked about by a gate that has it."""
        lanes = (lane for key, lane in self._lanes.items() if key.module_id in modules)
        due = min((lane.due for lane in lanes), default=math.inf)
        return None if due == math.inf else due

    def restore(self, records: Iterable[Decision], now: float) -> None:
        """Go on with what waited when another gate ended."""
        for record in records:
            self.add(record.subject, HeldWindow.of(record), now)

    def _apart(self, held: HeldWindow) -> str:
        """The peer whose own budget it costs to tell of the window; "" where nobody's counts."""
        standing = held.standing
        if standing is None:
            return ""
        may_cost = self._gathers and standing.wakes_per_hour is not None
        costs = held.reason is Reason.PEER_BUDGET or (may_cost and held.reason is Reason.GROUPED)
        return standing.peer if costs else ""


def _subtract(counts: Counter[Any], key: object) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
