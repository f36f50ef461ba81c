"""The cortex as a plugin: watches the loop, reflects in its own task, and steers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

from ..clock import SystemClock
from ..origins import tool_origin
from ..plugin import IncomingMessage, Plugin, PluginError, PluginMeta, hear
from ..plugin.hearing import heard
from ..plugin.hooks import hooks_of
from ..plugin.messages import WORDS_OF, current_message, is_internal
from ..settings.cortex import CortexSettings, parse_cortex
from .consultation.consultation import Consultation
from .context.prompt import BeliefBlock
from .cycle.loop import ReflectionLoop
from .cycle.oversight import Oversight
from .host import Host
from .memory.directives import refusal
from .memory.memory import CortexMemory
from .triggers import events

if TYPE_CHECKING:
    from ..protocols import Reflector
    from .models import Belief, ReflectionRecord

_Context = dict[str, Any]
_Handle = Callable[["CortexPlugin", _Context], Coroutine[Any, Any, _Context]]


def _hook(handle: _Handle) -> _Handle:
    """The hook while the cortex watches; logs its failures, which must never disturb the loop."""

    @wraps(handle)
    async def guarded(cortex: CortexPlugin, ctx: _Context) -> _Context:
        try:
            return await handle(cortex, ctx) if cortex._watching else ctx
        except Exception as error:  # noqa: BLE001 - a message or a tool call goes on
            cortex.log_error(f"Hook error: {error}")
            return ctx

    return guarded


@dataclass(frozen=True, slots=True)
class _Parts:
    """The objects that work on the memory, made at each start."""

    host: Host
    loop: ReflectionLoop
    consultation: Consultation
    block: BeliefBlock


class CortexPlugin(Plugin):
    """Reflects on what happened, judges peers within bounds, and holds beliefs for a while.

    memory: what it knows; a new one with each start. While it runs the ledger offers no assessment
    tool of its own.
    """

    meta = PluginMeta(
        id="cortex",
        version="1",
        priority=23,
        capabilities=["cortex"],
        dependencies=["config", "ledger"],
        optional_dependencies=["memory", "soul", "session", "observability"],
        consumes=["subagent"],
        extension_points=hooks_of("cortex"),
        implements={
            "loop.on_message": "_on_message",
            "loop.after_send": "_on_after_send",
            "loop.after_llm": "_on_after_llm",
            "loop.after_tool": "_on_after_tool",
            "loop.transform_system_prompt": "_on_transform_system_prompt",
            "loop.before_tool": "_on_before_tool",
            "loop.transform_response": "_on_transform_response",
            "session.poll_messages": "_on_poll_messages",
            "runtime.tick": "_on_tick",
        },
        timeouts={"runtime.tick": None},  # a reflection has its own
    )

    def __init__(self) -> None:
        self.memory = CortexMemory(CortexSettings(), SystemClock())
        self._reflectors: dict[str, Callable[[CortexSettings], Reflector]] = {}
        self._raw_settings: object = None
        self._parts: _Parts | None = None

    def configure(self, config: dict[str, Any]) -> None:
        """Read the key `cortex`. Raises InputError naming the key."""
        self._raw_settings = config.get("cortex")
        self.memory.settings, warnings = parse_cortex(self._raw_settings)
        for sentence in warnings:
            self.log_warn(sentence)

    async def start(self) -> None:
        """Load the stored state and each peer's trust, and begin to watch."""
        host = Host(self.registry)
        self.memory = memory = CortexMemory(self.memory.settings, host.clock)
        oversight = Oversight(memory, host, self._raw_settings)
        loop = ReflectionLoop(memory, host, self._reflectors, oversight)
        block = BeliefBlock(memory.beliefs.render)
        self._parts = _Parts(host, loop, Consultation(loop), block)
        await loop.start()

    async def stop(self) -> None:
        """Cancel the running cycle, without a part of it applied, and store the memory."""
        if self._parts is not None:
            await self._parts.loop.stop()

    @property
    def settings(self) -> CortexSettings:
        """Those in force: a running cortex follows a changed configuration."""
        return self.memory.settings

    @property
    def enabled(self) -> bool:
        """Whether it reflects; while it does not, the ledger judges inline."""
        return self.settings.enabled

    @property
    def host(self) -> Host:
        """The agent as the cortex sees it. Raises PluginError before the start."""
        return self._running.host

    @property
    def consultation(self) -> Consultation:
        """Rules on steps that need consent. Raises PluginError before the start."""
        return self._running.consultation

    @property
    def _running(self) -> _Parts:
        if self._parts is None:
            raise PluginError("cortex must be started before it reflects")
        return self._parts

    @property
    def _watching(self) -> bool:
        return self._parts is not None and self._parts.loop.watching

    def use_reflectors(
        self, factories: Mapping[str, Callable[[CortexSettings], Reflector]]
    ) -> None:
        """Offer more names for `cortex.llm_provider`."""
        self._reflectors.update(factories)

    def wake(self) -> None:
        """Check the triggers now."""
        self._running.loop.wake()

    async def reflect(self, reason: str = "manual") -> ReflectionRecord | None:
        """Reflect now, whatever the triggers say; None when a cycle runs, or none was started."""
        return await self._running.loop.reflect(reason)

    def last_trust(self, peer_id: str) -> int | None:
        """The trust written last, from which the next one moves a bounded step."""
        return self.memory.limiter.last(peer_id)

    @property
    def _beliefs(self) -> dict[str, Belief]:
        return self.memory.beliefs.by_key

    @property
    def _event_buffer(self) -> deque[events.Event]:
        return self.memory.buffer.events

    @property
    def _interaction_count(self) -> int:
        return self.memory.triggers.interactions

    @_hook
    async def _on_message(self, ctx: _Context) -> _Context:
        if not _is_internal(ctx):
            peer_id = str(ctx.get("peer_id") or ctx.get("sender_id") or "")
            size = events.size_of(ctx.get("message"))
            channel = ctx.get("channel_type")
            self._note("on_message", peer_id, direction="in", channel_type=channel, size=size)
            if peer_id:
                self.memory.triggers.push("in", peer_id, size)
                self.wake()
        return ctx

    @_hook
    async def _on_after_send(self, ctx: _Context) -> _Context:
        self._hear_sender(str(ctx.get("peer_id") or ctx.get("recipient_id") or ""))
        if not _is_internal(ctx):
            peer_id = str(ctx.get("peer_id") or ctx.get("recipient_id") or "")
            size = events.size_of(ctx.get("text"))
            channel = ctx.get("channel_type")
            self._note("after_send", peer_id, direction="out", channel_type=channel, size=size)
            if peer_id:
                self.memory.triggers.push("out", peer_id, size)
        return ctx

    @_hook
    async def _on_after_llm(self, ctx: _Context) -> _Context:
        peer_id = _peer_of(ctx)
        names = ("model", "tokens_in", "tokens_out", "has_tool_calls")
        self._note("after_llm", peer_id, **{name: ctx.get(name) for name in names})
        if peer_id:
            tokens = ctx.get("tokens_out") or 0
            self.memory.triggers.push("effort", peer_id, events.CHARACTERS_PER_TOKEN * tokens)
        return ctx

    @_hook
    async def _on_after_tool(self, ctx: _Context) -> _Context:
        peer_id = _peer_of(ctx)
        names = ("tool", "channel_type")
        self._note("after_tool", peer_id, **{name: ctx.get(name) for name in names})
        if about := str(ctx.get("peer_id") or ""):
            self.memory.origins.hear(about, [tool_origin(str(ctx.get("tool") or ""))])
        if peer_id:
            self.memory.triggers.push("effort", peer_id, events.TOOL_EFFORT)
        return ctx

    @_hook
    async def _on_transform_system_prompt(self, ctx: _Context) -> _Context:
        """Add the beliefs of this moment to the prompt; in a group only those that anybody sees."""
        message, beliefs = current_message.get(), self.memory.beliefs
        peer_id, now = str(ctx.get("peer_id") or ""), self.clock.now()
        reader = "" if message is not None and message.is_group else peer_id
        ctx["prompt"] += self._running.block.text(reader, beliefs.version, now)
        if peer_id:
            hear(self.memory.origins.of_peer(peer_id))
            hear(beliefs.origins(reader, now))
        return ctx

    @_hook
    async def _on_before_tool(self, ctx: _Context) -> _Context:
        why = refusal(current_message.get(), str(ctx.get("tool") or ""), ctx.get("args"))
        if why:
            return {**ctx, "abort": True, "abort_message": why}
        return await self.consultation.before_tool(ctx)

    @_hook
    async def _on_transform_response(self, ctx: _Context) -> _Context:
        return await self.consultation.before_reply(ctx)

    def _hear_sender(self, recipient: str) -> None:
        """Note whose words a message may repeat that goes to somebody else than who wrote."""
        message, origins = current_message.get(), self.memory.origins
        if message is None or not recipient:
            return
        origins.hear(recipient, message.metadata.get(WORDS_OF) or ())
        origins.hear(recipient, heard())
        if not message.is_internal and message.sender_id != recipient:
            origins.hear(recipient, origins.of_peer(message.sender_id))

    def _note(self, kind: str, peer_id: str, **facts: Any) -> None:
        now = self.clock.now()
        self.memory.buffer.append({"type": kind, "timestamp": now, "peer_id": peer_id, **facts})

    async def _on_poll_messages(self) -> list[IncomingMessage]:
        """Directives that are due, each once."""
        messages = self.memory.directives.poll(self.clock.now()) if self._watching else []
        if messages:
            await self.memory.save(self.host, state_only=True)
        return messages

    async def _on_tick(self, ctx: Mapping[str, Any]) -> None:
        if self._parts is not None:
            await self._parts.loop.tick()


def _is_internal(ctx: Mapping[str, Any]) -> bool:
    if "internal" in ctx:
        return bool(ctx["internal"])
    return is_internal(ctx.get("sender_id"), ctx.get("channel_type"))


def _peer_of(ctx: Mapping[str, Any]) -> str:
    """The peer on whose behalf the agent works; "" when it is none."""
    return "" if _is_internal(ctx) else str(ctx.get("peer_id") or "")


def create_plugin() -> CortexPlugin:
    return CortexPlugin()
