"""The life of the cortex: start, what is due, one reflection at a time, stop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ...plugin import Plugin
from ...protocols import PeerLedger, Reflector
from ...settings.cortex import CortexSettings, parse_cortex
from ..clamp import TrustLimiter
from ..memory.beliefs import BeliefStore
from ..memory.cost import DailyCost
from ..memory.directives import DirectiveQueue
from ..memory.keeper import Keeper
from ..memory.lessons import LessonBook
from ..memory.wishes import OperatorWishes
from ..models import ReflectionRecord
from ..state import CortexState
from ..triggers.adaptive import AdaptiveThresholds
from ..triggers.events import EventBuffer
from ..triggers.triggers import Triggers
from .cycle import Cycle
from .following import follow_settings, obey, reload
from .restoring import keep, restore
from .telling import tell

Result = TypeVar("Result")
PATIENCE_S = 5.0
"""How long `stop` waits for a cycle that it told to end."""
LOOK_S = 5.0
"""How often a running agent looks for the operator's wishes."""


class CortexLife(Plugin):
    """What the cortex holds, and when it reflects; `CortexPlugin` adds the hooks."""

    def __init__(self) -> None:
        self.reflectors: Mapping[str, Callable[[CortexSettings], Reflector]] = {}
        self.settings = CortexSettings()
        self.buffer = EventBuffer(self.settings.event_buffer_size)
        self.beliefs = BeliefStore(self.settings)
        self.limiter = TrustLimiter()
        self.history: deque[ReflectionRecord] = deque(maxlen=self.settings.history_size)
        self.triggers = Triggers(self.clock)
        self.state = CortexState()
        self.wishes = OperatorWishes()
        self.lessons = LessonBook()
        self.adaptive = AdaptiveThresholds()
        self.directives = DirectiveQueue()
        self.cost = DailyCost()
        self.started_at = 0.0
        self.raw_settings: object = None
        self._watching = False
        self._reflecting = False
        self._task: asyncio.Task[None] | None = None
        self._live: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._threads: ThreadPoolExecutor | None = None

    def configure(self, config: dict[str, Any]) -> None:
        """Read what stands below `cortex`. Raises InputError naming the key."""
        self.raw_settings = config.get("cortex")
        self.settings, warnings = parse_cortex(self.raw_settings)
        for sentence in warnings:
            self.log_warn(sentence)

    @property
    def ledger(self) -> PeerLedger:
        """The ledger, as far as the cortex may use it."""
        ledger: Any = self.registry.get("ledger")
        found: PeerLedger = ledger
        return found

    async def start(self) -> None:
        """Take up what was kept, learn where each peer stands, begin to watch."""
        self.triggers = Triggers(self.clock)
        self.keeper = Keeper(self.registry, self.log_warn)
        self._threads = ThreadPoolExecutor(1, "cortex")
        self._woken = asyncio.Event()
        self.started_at = self.clock.now()
        follow_settings(self)
        if not self.enabled:
            self.log_info("The cortex is switched off")
        await restore(self)
        follow_settings(self)
        await obey(self)
        held = len(self.beliefs.active(self.clock.now()))
        self.log_info(f"Loaded {held} beliefs and {len(self.history)} cycles")
        self._watching = self.enabled
        if getattr(self.registry, "background", False):
            self._live = asyncio.create_task(self._run_live(), name="cortex")

    async def stop(self) -> None:
        """End the running cycle, without a part of it applied, and keep what is known."""
        self._watching = False
        for task in (self._live, self._task):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=PATIENCE_S)
        self._live = self._task = None
        if self._threads is not None:
            await keep(self)
            self._threads.shutdown(wait=False)
            self._threads = None

    @property
    def enabled(self) -> bool:
        return self.settings.enabled

    def wake(self) -> None:
        """Look at the triggers now rather than later."""
        self._woken.set()

    async def tick(self) -> None:
        """Do what is due: a cycle, to its end. While one runs this returns at once."""
        if self._threads is None:
            return
        await self._look()
        if self._reflecting:
            self._log_skip()
        elif self._may_start():
            await asyncio.wait([self._begin()])

    async def reflect(self, reason: str = "manual") -> ReflectionRecord | None:
        """Reflect now, whatever the triggers say; None when a cycle runs, or none was started."""
        if self._reflecting:
            self._log_skip()
            return None
        cycles = self.state.cycle
        self.triggers.ask(reason)
        await asyncio.wait([self._begin()])
        return self.history[-1] if self.history and self.state.cycle > cycles else None

    async def announce(self, point: str, payload: Mapping[str, Any]) -> None:
        """Emit; a listener that raises is logged and disturbs nothing."""
        try:
            await self.registry.emit(point, payload)
        except Exception as error:  # noqa: BLE001 - listeners may be anybody's
            self.log_error(f"A listener of {point} failed: {error!r}")

    async def in_thread(self, function: Callable[..., Result], *args: Any) -> Result:
        """Call what waits for the disk without holding up the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, function, *args)

    def resize_history(self, limit: int) -> None:
        """Keep that many of the newest records from now on."""
        if self.history.maxlen != limit:
            self.history = deque(self.history, maxlen=limit)

    async def _look(self) -> None:
        """See what the operator wants."""
        if not self.enabled:
            reload(self)
        self._watching = self.enabled
        await obey(self)

    def _log_skip(self) -> None:
        self.log_debug("Trigger skipped: reflection already in progress")

    def _may_start(self) -> bool:
        return self._watching and bool(self.triggers.due())

    def _begin(self) -> asyncio.Task[None]:
        """Start a cycle in a task of its own. Nothing may be awaited between check and here."""
        self._reflecting = True
        self._task = asyncio.create_task(self._run_cycle(), name="cortex-cycle")
        return self._task

    async def _run_cycle(self) -> None:
        try:
            await self._cycle()
        except Exception as error:  # noqa: BLE001 - the loop goes on, beliefs stay as they are
            self.log_error(f"Reflection failed: {error!r}")
        finally:
            if self.triggers.running:
                self.triggers.fail()
            self._reflecting = False
            self.wake()

    async def _cycle(self) -> None:
        reload(self)
        self._watching = self.enabled
        if not self.enabled:
            return
        triggers, seen = self.triggers.begin() or ("manual",), self.triggers.interactions
        refusal = self.cost.refusal(self.clock.now(), self.settings.cost)
        if refusal:
            self.triggers.fail()
            self.log_warn(f"No reflection: {refusal}")
            skipped = {"cycle": None, "trigger": triggers[0], "reason": "daily cost cap"}
            await self.announce("cortex.cycle_skipped", {**skipped, "detail": refusal})
            return
        mark = self.buffer.mark()
        self.state.cycle += 1
        self.state.last_cycle_at = self.clock.now()
        await keep(self, state_only=True)
        more = f" (also {', '.join(triggers[1:])})" if triggers[1:] else ""
        self.log_info(f"Reflection {self.state.cycle} triggered by {triggers[0]}{more}")
        cycle = Cycle(self, self.state.cycle, triggers)
        try:
            record = await cycle.run(mark)
        except asyncio.CancelledError:
            await self._close(cycle, mark, seen, cut=True)
            raise
        await self._close(cycle, mark, seen)
        self.log_debug(f"Cycle {record.cycle} ended: {record.status}")

    async def _close(self, cycle: Cycle, mark: int, seen: int, cut: bool = False) -> None:
        """Record a cycle, keep what is known, tell it, and take off what it saw."""
        record = cycle.record
        self.history.append(record)
        if record.status == "ok":
            self.state.left_out = cycle.left_out
            self.state.last_reflection_at = record.timestamp
            moved = self.adaptive.observe(record.useful, record.triggers, self.settings)
            if moved:
                self.log_info(moved)
        else:
            self.state.skips[record.status] = self.state.skips.get(record.status, 0) + 1
            self.triggers.fail()
        if not cut:
            await keep(self)
            await tell(self, record)
        if record.status != "ok":
            return
        self.buffer.consume(mark)
        self.triggers.finish(seen)
        self.triggers.configure(self.settings, self.adaptive.thresholds(self.settings))
        if not cut:
            await keep(self, state_only=True)

    async def _run_live(self) -> None:
        """Reflect whenever something is due, until cancelled."""
        while True:
            self._woken.clear()
            try:
                await self._look()
                if self._reflecting:
                    if self.triggers.asked:
                        self._log_skip()
                elif self._may_start():
                    self._begin()
            except Exception as error:  # noqa: BLE001 - watching goes on
                self.log_error(f"Looking at the triggers failed: {error!r}")
            await self._pause()

    async def _pause(self) -> None:
        idle = self._reflecting or not self._watching
        until = None if idle else self.triggers.next_due()
        seconds = LOOK_S if until is None else min(LOOK_S, max(0.05, until))
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
