"""The cortex's view of the agent around it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..plugin.hooks import Context, announce, hook_name
from .keeper import Keeper

if TYPE_CHECKING:
    from ..plugin.contract import Registry
    from ..protocols import PeerLedger

Result = TypeVar("Result")


class Host:
    """The agent's clock, ledger, memory, log and listeners, and a thread for disk access."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.clock = registry.clock
        self.log_debug = partial(self._log, "debug")
        self.log_info = partial(self._log, "info")
        self.log_warn = partial(self._log, "warn")
        self.log_error = partial(self._log, "error")
        self.keeper = Keeper(registry, self.log_warn)
        self._thread: ThreadPoolExecutor | None = ThreadPoolExecutor(1, "cortex")

    @property
    def ledger(self) -> PeerLedger:
        """The ledger, as far as the cortex may use it."""
        plugin: Any = self.registry.get("ledger")
        ledger: PeerLedger = plugin
        return ledger

    async def announce(self, hook: Callable[[Context], None], ctx: Context) -> None:
        """Emit; logs a listener that raises."""
        try:
            await announce(self.registry, hook, ctx)
        except Exception as error:  # noqa: BLE001 - listeners may be anybody's
            self.log_error(f"A listener of {hook_name(hook)} failed: {error!r}")

    async def in_thread(self, function: Callable[..., Result], *args: Any) -> Result:
        """Call a function that blocks on the disk, without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)

    def close(self) -> None:
        """End the thread; later calls use the event loop's pool."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _log(self, level: str, message: str) -> None:
        self.registry.log(level, "cortex", message, {})
