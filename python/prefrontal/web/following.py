"""Keeps the page's state up with the log, which other processes write, and with the workspace."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from threading import Event, Thread
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

from ..cortex.state import HISTORY_KEY, parse_history
from ..decisions.decision import new_id
from ..decisions.pages import DecisionPages
from ..decisions.payloads import ACT, ASSESSMENT, BELIEF, DIRECTIVE, ROUTE
from ..decisions.threshold_wishes import THRESHOLDS, parse_thresholds
from ..errors import PrefrontalError
from ..pulse.status_note import STATUS
from ..storage.text_memory import open_memory
from .changes import keep_later
from .part_decisions import (
    REFLECTIONS_READ,
    ROUTES_READ,
    clamps_of,
    reflection_pieces,
    route_pieces,
)
from .part_directives import directive_pieces
from .part_facts import FactRegion
from .part_health import health_pieces, inode_of, parse_status, standstill
from .part_memory import belief_pieces, damaged, peer_pieces
from .part_modules import module_pieces
from .part_questions import Queue
from .part_today import Strip, figures, legend, so_far
from .regions import PageChange, Regions, difference
from .tallies import Tallies

if TYPE_CHECKING:
    from ..cortex.models import ReflectionRecord
    from ..replay.live_figures import LiveFigures
    from .dash_context import DashContext
    from .later_answers import LaterAnswer
    from .markup import Html

WATCHED_S = 0.01
"""How often the log is asked whether it grew, while a page is open."""
UNWATCHED_S, UNWATCHED = 0.5, 5
"""The same while none is open, and how many times rarer everything else is looked at then."""
SLOW_S, IDLE_S = 0.25, 1.0
"""The least time between two looks at what need not follow at once: when the log grew, and else."""
LATER_S = 0.1
"""How long that waits at least when the log grew."""
WORKSPACE_S = 1.5
"""How often the agent's files are looked at."""
RESTS = 2.0
"""Times as long as a look took, before the next."""
GAP_S = 0.025
"""At least so long when the log just grew: many events in a second are shown in one go."""

REFLECTED = frozenset({ASSESSMENT, BELIEF, DIRECTIVE})
ALL_KINDS = frozenset({ROUTE, ACT, *REFLECTED})

log = logging.getLogger("prefrontal.web")


class Follower:
    """Follows on a thread of its own; `tell` is called on it with each change.

    is_watched: asked whether anybody looks; where nobody does, a look is rare. instance: another
    one after each start. state: its number, and all regions of the page.
    """

    def __init__(self, context: DashContext) -> None:
        self.instance = new_id()[:12]
        self.state: tuple[int, Regions] = (0, {})
        self.is_watched: Callable[[], bool] = lambda: True
        self.tell: Callable[[PageChange], object] = lambda _: None
        self._context = context
        self._now = Event()
        self._ended = False
        self._strip, self._queue, self._facts = Strip(), Queue(), FactRegion()
        self._looked = dict.fromkeys(("slow", "workspace"), perf_counter())
        self._grew = False
        self._cycles: list[ReflectionRecord] = []
        self._later: list[LaterAnswer] = []
        self._trouble = ""
        self._inode = inode_of(context.log.path)
        self._pages = DecisionPages(context.log.path)
        try:
            self._tallies = Tallies(self._pages, context.clock.now(), context.prices)
            self._figures: LiveFigures = self._tallies.figures()
            self._seen = self._pages.version()
            self.state = (1, self._everything())
        except BaseException:
            self._pages.close()
            raise
        self._thread = Thread(target=self._run, name="prefrontal-dash-follower", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and give the log back."""
        self._ended = True
        self._now.set()
        if self._thread.is_alive():
            self._thread.join()
        try:
            self._keep_later(inf)  # a person had no other word on them
        finally:
            self._pages.close()

    def figures(self) -> LiveFigures:
        """What the gate did so far, as the page shows it; from any thread."""
        return self._figures

    def look(self) -> None:
        """Look at everything soon, the workspace too: a person changed something."""
        self._looked = dict.fromkeys(self._looked, -IDLE_S - WORKSPACE_S)
        self._now.set()

    def _run(self) -> None:
        rest = 0.0
        while not self._ended:
            self._now.wait(max(rest, WATCHED_S if self.is_watched() else UNWATCHED_S))
            self._now.clear()
            begun = perf_counter()
            try:
                self._follow()
                self._trouble = ""
            except PrefrontalError as error:  # a full disk or a lock passes
                self._complain(str(error))
            except Exception as error:  # noqa: BLE001 - a defect must not end the thread unseen
                self._complain(f"this is a defect of prefrontal: {error!r:.200}", exc_info=error)
            took = perf_counter() - begun
            rest = max(RESTS * took, GAP_S if self._grew else 0.0)

    def _complain(self, sentence: str, exc_info: Exception | None = None) -> None:
        """In the log and on the page, once; the next look at health takes it off the page."""
        if sentence != self._trouble:
            log.warning("the page stands still: %s", sentence, exc_info=exc_info)
            self._trouble = sentence
            self._publish({"health": {**standstill(sentence), **self.state[1].get("health", {})}})

    def _keep_later(self, now: float) -> None:
        """Make labels of the answers that nobody took back."""
        self._context.later.keep_due(now, partial(keep_later, self._context))

    def _follow(self) -> None:
        """Publish what came, the log first."""
        self._keep_later(monotonic())
        if (later := self._context.later.waiting()) != self._later:
            self._later = later
            self._publish({"questions": self._queue.pieces(self._tallies, self._pages, later)})
        version = self._pages.version()
        now = self._context.clock.now()
        if self._tallies.is_over(now):
            self._tallies = Tallies(self._pages, now, self._context.prices)
            self._publish(self._everything())
        if version != self._seen:
            kinds = self._tallies.take(self._pages, now)
            self._publish(self._at_once(ALL_KINDS if self._trouble else kinds))
            self._seen = version
            if not self._grew:  # the rest waits until the browser has painted this
                self._looked["slow"] = max(self._looked["slow"], perf_counter() - SLOW_S + LATER_S)
            self._grew = True
        if self._is_due("slow", SLOW_S if self._grew else IDLE_S):
            self._grew = False
            self._publish(self._slow())
        if self._is_due("workspace", WORKSPACE_S):
            self._publish(self._workspace())

    def _is_due(self, name: str, every_s: float) -> bool:
        now = perf_counter()
        if now < self._looked[name] + every_s * (1 if self.is_watched() else UNWATCHED):
            return False
        self._looked[name] = now
        return True

    def _publish(self, new: Regions) -> None:
        number, before = self.state
        changed = difference(before, new)
        if changed:
            self.state = (number + 1, {**before, **new})
            self.tell(PageChange(number, number + 1, changed))

    def _everything(self) -> Regions:
        self._cycles = self._read_cycles()
        return {**self._at_once(ALL_KINDS), **self._slow(), **self._workspace()}

    def _at_once(self, kinds: Collection[str]) -> Regions:
        """What follows the log within milliseconds. kinds: of the decisions that came."""
        tallies, pages = self._tallies, self._pages
        self._figures = tallies.figures()
        regions: dict[str, dict[str, Html]] = {
            "figures": figures(tallies),
            "so-far": so_far(self._figures),
            "legend": legend(tallies),
            "strip": self._strip.pieces(tallies),
            "questions": self._queue.pieces(tallies, pages, self._later),
        }
        if not {ROUTE, ACT}.isdisjoint(kinds):
            routes = pages.of_kinds((ROUTE,), ROUTES_READ, self._context.clock.now())
            regions["routes"] = route_pieces(routes, {r.id: pages.led_to(r.id) for _, r in routes})
        if not REFLECTED.isdisjoint(kinds):
            regions["reflections"] = self._reflections()
        return regions

    def _slow(self) -> Regions:
        wished = parse_thresholds(self._pages.state(THRESHOLDS) or b"{}")
        gate = parse_status(self._pages.state(STATUS)).get("gate")
        return {
            "modules": module_pieces(self._tallies, self._context, wished, gate),
            "health": health_pieces(self._tallies, self._pages, self._context, self._inode),
        }

    def _workspace(self) -> Regions:
        """What the agent keeps in its folder; a damaged file is shown in its place."""
        regions: dict[str, dict[str, Html]] = {}
        records = self._context.records
        with _in_its_place(regions, "beliefs"):
            regions["beliefs"] = belief_pieces(records)
        with _in_its_place(regions, "directives"):
            regions["directives"] = directive_pieces(records)
        with _in_its_place(regions, "reflections"):
            self._cycles = self._read_cycles()
            regions["reflections"] = self._reflections()
        with _in_its_place(regions, "facts"):
            regions["facts"] = self._facts.pieces(records)
        with _in_its_place(regions, "peers"):
            regions["peers"] = peer_pieces(records, clamps_of(self._cycles))
        return regions

    def _reflections(self) -> dict[str, Html]:
        now = self._context.clock.now()
        decisions = self._pages.of_kinds(sorted(REFLECTED), REFLECTIONS_READ, now)
        return reflection_pieces(decisions, self._cycles[-REFLECTIONS_READ:], now)

    def _read_cycles(self) -> list[ReflectionRecord]:
        texts = open_memory(self._context.records.folder)
        try:
            return list(parse_history(texts.retrieve(HISTORY_KEY)))
        except ValueError:
            return []


@contextmanager
def _in_its_place(regions: dict[str, dict[str, Html]], name: str) -> Iterator[None]:
    try:
        yield
    except PrefrontalError as error:
        regions[name] = damaged(name, str(error))


@contextmanager
def read_pages(context: DashContext) -> Iterator[DecisionPages]:
    """The log to read, on a connection of its own, for a question of one page."""
    with closing(DecisionPages(context.log.path)) as pages:
        yield pages
