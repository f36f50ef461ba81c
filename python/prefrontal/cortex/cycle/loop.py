"""The schedule of the cortex: starts, runs one due cycle at a time, stops."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...plugin import hookspecs
from ...plural import many
from ..context.material import fit
from ..context.prompt import TASK, system_prompt
from .announcement import announce_record
from .cycle import Cycle
from .materials import Materials

if TYPE_CHECKING:
    from ...settings.cortex import CortexSettings
    from ..host import Host
    from ..memory.memory import CortexMemory
    from ..models import ReflectionRecord
    from ..reflectors.choice import Factories
    from .oversight import Oversight

PATIENCE_S = 5.0
"""How long `stop` waits for a cycle that it cancelled."""
LOOK_S = 5.0
"""How often a running agent looks for the operator's wishes."""


class ReflectionLoop:
    """Runs cycles of a memory in its host. watching: whether hooks should feed it."""

    def __init__(
        self, memory: CortexMemory, host: Host, reflectors: Factories, oversight: Oversight
    ) -> None:
        self.memory = memory
        self.reflectors = reflectors
        self.registry = host.registry
        self.clock = host.clock
        self.cost = memory.cost
        self.log_warn = host.log_warn
        self.announce = host.announce
        self.watching = False
        self._host = host
        self._oversight = oversight
        self._started = False
        self._reflecting = False
        self._cycle_task: asyncio.Task[None] | None = None
        self._live_task: asyncio.Task[None] | None = None
        self._wakeup = asyncio.Event()

    @property
    def settings(self) -> CortexSettings:
        return self.memory.settings

    async def start(self) -> None:
        """Load the stored state and each peer's trust, and begin to watch."""
        memory, host = self.memory, self._host
        self._started = True
        memory.follow(memory.settings)
        if not memory.settings.enabled:
            host.log_info("The cortex is switched off")
        await memory.load(host)
        memory.follow(memory.settings)
        await self._oversight.obey()
        active = len(memory.beliefs.active(self.clock.now()))
        host.log_info(f"Loaded {many(active, 'belief')} and {many(len(memory.history), 'cycle')}")
        self.watching = memory.settings.enabled
        if getattr(self.registry, "background", False):
            self._live_task = asyncio.create_task(self._run_live(), name="cortex")

    async def stop(self) -> None:
        """Cancel the running cycle, without a part of it applied, and store the memory."""
        self.watching = False
        for task in (self._live_task, self._cycle_task):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=PATIENCE_S)
        if self._started:
            await self.memory.save(self._host)
            self._host.close()
            self._started = False

    def wake(self) -> None:
        """Check the triggers now."""
        self._wakeup.set()

    async def tick(self) -> None:
        """Run a due cycle to its end; returns at once while one is running."""
        if not self._started:
            return
        await self._look()
        if self._reflecting:
            self._log_skip()
        elif self._may_start():
            await asyncio.wait([self._begin()])

    async def reflect(self, reason: str) -> ReflectionRecord | None:
        """Reflect now, whatever the triggers say; None when a cycle runs, or none was started."""
        if self._reflecting:
            self._log_skip()
            return None
        memory = self.memory
        cycles = memory.state.cycle
        memory.triggers.ask(reason)
        await asyncio.wait([self._begin()])
        return memory.history[-1] if memory.history and memory.state.cycle > cycles else None

    def last_trust(self, peer_id: str) -> int | None:
        """The trust written last, from which the next one moves a bounded step."""
        return self.memory.limiter.last(peer_id)

    async def consult_context(self, peer_id: str) -> Mapping[str, Any]:
        """The context of one peer, bounded like every context."""
        material = await Materials(self.memory, self._host).of_peer(peer_id, "consult")
        prompt = system_prompt(self.registry.agent_id)
        return fit(material, self.settings.max_context_tokens, prompt, TASK).context

    async def _look(self) -> None:
        """Check the operator's wishes, and whether the clock was set back."""
        self.memory.settle()
        if not self.settings.enabled:
            self._oversight.reload()
        self.watching = self.settings.enabled
        await self._oversight.obey()

    def _log_skip(self) -> None:
        self._host.log_debug("Trigger skipped: reflection already in progress")

    def _may_start(self) -> bool:
        return self.watching and bool(self.memory.triggers.due())

    def _begin(self) -> asyncio.Task[None]:
        """Start a cycle in a task of its own. Nothing may be awaited between check and here."""
        self._reflecting = True
        self._cycle_task = asyncio.create_task(self._run_cycle(), name="cortex-cycle")
        return self._cycle_task

    async def _run_cycle(self) -> None:
        try:
            await self._cycle()
        except Exception as error:  # noqa: BLE001 - the loop goes on, beliefs stay as they are
            self._host.log_error(f"Reflection failed: {error!r}")
        finally:
            if self.memory.triggers.running:
                self.memory.triggers.fail()
            self._reflecting = False
            self.wake()

    async def _cycle(self) -> None:
        memory, host = self.memory, self._host
        self._oversight.reload()
        self.watching = memory.settings.enabled
        if not memory.settings.enabled:
            return
        triggers = memory.triggers.begin() or ("manual",)
        interactions = memory.triggers.interactions
        refusal = memory.cost.refusal(self.clock.now(), memory.settings.cost)
        if refusal:
            memory.triggers.fail()
            host.log_warn(f"No reflection: {refusal}")
            skipped: hookspecs.SkippedCycleContext = {
                "cycle": None,
                "trigger": triggers[0],
                "reason": "daily cost cap",
                "detail": refusal,
            }
            await host.announce(hookspecs.cortex_cycle_skipped, skipped)
            return
        mark = memory.buffer.mark()
        memory.state.cycle += 1
        memory.state.last_cycle_at = self.clock.now()
        cycle = Cycle(memory, host, self.reflectors, memory.state.cycle, triggers)
        try:
            await memory.save(host, state_only=True)
            rest = f" (also {', '.join(triggers[1:])})" if triggers[1:] else ""
            host.log_info(f"Reflection {memory.state.cycle} triggered by {triggers[0]}{rest}")
            record = await cycle.run(mark)
        except asyncio.CancelledError:
            cycle.stop()
            await self._close(cycle, mark, interactions, cancelled=True)
            raise
        await self._close(cycle, mark, interactions)
        host.log_debug(f"Cycle {record.cycle} ended: {record.status}")

    async def _close(
        self, cycle: Cycle, mark: int, interactions: int, cancelled: bool = False
    ) -> None:
        """Record a cycle, store the memory, announce the record, and consume the events."""
        memory, record = self.memory, cycle.record
        memory.history.append(record)
        if record.status == "ok":
            memory.state.left_out = cycle.left_out
            memory.state.last_reflection_at = record.timestamp
            move = memory.adaptive.observe(record.useful, record.triggers, memory.settings)
            if move:
                self._host.log_info(move)
        else:
            memory.state.skips[record.status] = memory.state.skips.get(record.status, 0) + 1
            memory.triggers.fail()
        if not cancelled:
            await memory.save(self._host)
            await announce_record(self._host, record)
        if record.status != "ok":
            return
        memory.buffer.consume(mark)
        memory.triggers.finish(interactions)
        thresholds = memory.adaptive.thresholds(memory.settings)
        memory.triggers.configure(memory.settings, thresholds)
        if not cancelled:
            await memory.save(self._host, state_only=True)

    async def _run_live(self) -> None:
        """Reflect whenever something is due, until cancelled."""
        while True:
            self._wakeup.clear()
            try:
                await self._look()
                if self._reflecting:
                    if self.memory.triggers.requests:
                        self._log_skip()
                elif self._may_start():
                    self._begin()
            except Exception as error:  # noqa: BLE001 - watching goes on
                self._host.log_error(f"Looking at the triggers failed: {error!r}")
            await self._pause()

    async def _pause(self) -> None:
        idle = self._reflecting or not self.watching
        due_s = None if idle else self.memory.triggers.next_due()
        seconds = LOOK_S if due_s is None else min(LOOK_S, max(0.05, due_s))
        try:
            async with asyncio.timeout(seconds):
                await self._wakeup.wait()
        except TimeoutError:
            pass
