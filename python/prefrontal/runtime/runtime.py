"""A running agent: its plugins and its loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..plugin import IncomingMessage, OutgoingMessage, Plugin, PluginError, hookspecs
from ..plugin.hooks import collect
from .live_loop import LiveLoop
from .plugins import communication, conversation, logger, loop, session, tools
from .plugins import config as config_plugin
from .plugins.loop import LoopPlugin
from .plugins.session import SessionPlugin, is_message
from .registry import PluginRegistry
from .signals import is_cancelled_by, stopped_by_signals

if TYPE_CHECKING:
    from ..clock import Clock

CORE: tuple[ModuleType, ...] = (
    *(config_plugin, logger, communication, session, conversation, tools, loop),
)
CORE_IDS = ("config", "logger", "communication", "session", "conversation", "tools", "loop")
POLL_ROUNDS = 10
POLL_INTERVAL_S = 30.0


class Runtime:
    """One agent: `plugins` beside the core (configuration, log, session, conversation, tools,
    loop).

    A plugin with the id of a core plugin replaces it. background: whether plugins may run tasks of
    their own, as in `run`; otherwise timed work happens in `tick`. Raises PluginError when the
    plugins do not fit together or refuse the configuration.
    """

    def __init__(
        self,
        config: dict[str, Any] | None = None,
        *,
        clock: Clock | None = None,
        plugins: Sequence[type[Plugin] | Plugin] = (),
        agent_id: str | None = None,
        background: bool = False,
    ) -> None:
        self.config = dict(config or {})
        name = (self.config.get("identity") or {}).get("name")
        self.registry = PluginRegistry(
            clock, agent_id or str(name or "agent"), background=background
        )
        ids = {getattr(getattr(plugin, "meta", None), "id", None) for plugin in plugins}
        for module in CORE:
            plugin = module.create_plugin()
            if plugin.meta.id not in ids:
                self.registry.register(plugin)
        for each in plugins:
            self.registry.register(each)
        self._interval_s = _interval(self.config)
        self.registry.configure_all(self.config)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The envelopes of all events, in order."""
        return self.registry.events

    @property
    def logs(self) -> list[tuple[str, str, str]]:
        """(level, plugin id, message) of each log line, in order."""
        return self.registry.logs

    @property
    def sent(self) -> list[OutgoingMessage]:
        """The sent messages, in order."""
        plugin = self.registry.get("session")
        return plugin.sent if isinstance(plugin, SessionPlugin) else []

    @property
    def loop(self) -> LoopPlugin:
        """The plugin that answers messages."""
        plugin = self.registry.get("loop")
        if not isinstance(plugin, LoopPlugin):
            raise PluginError(f"the plugin 'loop' must be a LoopPlugin, got {plugin!r}")
        return plugin

    async def start(self) -> None:
        """Start every plugin, in load order. Raises PluginError naming the one that failed."""
        await self.registry.start_all()

    async def stop(self) -> None:
        """Stop every plugin, in reverse order; one that raises is logged."""
        await self.registry.stop_all()

    async def receive(self, message: IncomingMessage) -> OutgoingMessage | None:
        """Handle one message; returns the answer as sent, or None.

        Raises PluginError unless the agent runs, InputError for what is no message.
        """
        if not self.registry.is_started("loop"):
            raise PluginError("the agent must be started before it receives a message")
        if not is_message(message):
            rule = "be an IncomingMessage whose ids and content are text"
            raise InputError(f"message must {rule}, got {message!r:.200}")
        return await self.loop.handle(message)

    async def tick(self) -> None:
        """Do what is due now, and handle the messages that follow from it."""
        clock = self.registry.clock
        moment: hookspecs.Tick = {"now": clock.now(), "monotonic": clock.monotonic()}
        await collect(self.registry, hookspecs.runtime_tick, moment)
        for _ in range(POLL_ROUNDS):
            messages = await self.loop.poll()
            if not messages:
                return
            await self.loop.handle_all(messages)

    async def run(self) -> int | None:
        """Run until SIGINT, SIGTERM or `stop_soon`; restarts when a tool requests it.

        Returns the number of the signal that ended it, if any. A second signal cancels the messages
        in hand; a start that hangs is cancelled soon after the first.
        """
        self.registry.background = True
        signals: list[int] = []
        while await self._run_once(signals):
            self.registry.log("info", "runtime", "Starting anew, as a tool asked", {})
        return signals[0] if signals else None

    def stop_soon(self) -> None:
        """End `run`. From any thread."""
        self.registry.request_stop()

    async def _run_once(self, signals: list[int]) -> bool:
        """Run once; returns whether a tool requested another run."""
        live = LiveLoop(self.loop, self._interval_s)
        requests: list[bool] = []
        self.registry.on_wake = live.wake
        self.registry.on_stop = lambda patient: live.stop(patient=patient)
        try:
            with stopped_by_signals(live, signals, self.registry.calls):
                await self.start()
                live.after_each = self._restart_watch(live, requests)
                await live.run()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or not is_cancelled_by(signals, live):
                raise
            task.uncancel()
        finally:
            self.registry.on_wake = self.registry.on_stop = None
            if signals:  # one that came while this task ran cancels what it waits for next
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0)
            await self.stop()
        return bool(requests)

    def _restart_watch(self, live: LiveLoop, requests: list[bool]) -> Callable[[], None]:
        """A check, after each message, for a restart requested since the start."""
        before = self._restart_requested

        def look() -> None:
            if self._restart_requested and not before and not requests:
                requests.append(True)
                live.stop()

        return look

    @property
    def _restart_requested(self) -> bool:
        return bool(getattr(self.registry.get("tools"), "restart_requested", False))


def _interval(config: dict[str, Any]) -> float:
    seconds = (config.get("polling") or {}).get("interval_seconds", POLL_INTERVAL_S)
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds < 1e6:
        raise PluginError(f"polling.interval_seconds must be a number above 0, got {seconds!r}")
    return float(seconds)
