"""The cortex as a plugin: it watches the loop, reflects in a task of its own, and steers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..plugin import IncomingMessage, PluginMeta
from ..plugin.messages import is_internal
from ..protocols import Reflector
from ..settings.cortex import CortexSettings
from .consultation.consultation import Consultation
from .context.context import fit
from .context.prompt import TASK, BeliefBlock, system_prompt
from .cycle.gathering import gather_peer
from .cycle.life import CortexLife
from .cycle.restoring import keep
from .triggers import events as observation

if TYPE_CHECKING:
    from collections import deque

    from .models import Belief, ReflectionRecord

_Context = dict[str, Any]


class CortexPlugin(CortexLife):
    """Reflects on what happened, judges peers within bounds, and holds beliefs for a while.

    enabled: as the settings say. While it runs the ledger offers no assessment tool of its own.
    """

    meta = PluginMeta(
        id="cortex",
        version="1",
        priority=23,
        capabilities=["cortex"],
        dependencies=["config", "ledger"],
        optional_dependencies=["memory", "soul", "session", "observability"],
        consumes=["subagent"],
        extension_points=[
            "cortex.after_reflect",
            "cortex.after_assess",
            "cortex.after_directive",
            "cortex.after_consult",
            "cortex.cycle_skipped",
            "cortex.audit",
        ],
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
    )

    def __init__(self) -> None:
        super().__init__()
        self.consultation = Consultation(self)
        self._block = BeliefBlock(self.beliefs.render)

    def use_reflectors(
        self, factories: Mapping[str, Callable[[CortexSettings], Reflector]]
    ) -> None:
        """Offer more names for `cortex.llm_provider`."""
        self.reflectors = dict(factories)

    def last_trust(self, peer_id: str) -> int | None:
        """The trust written last, of which the next one is a bounded step away."""
        return self.limiter.last(peer_id)

    async def consult_context(self, peer_id: str) -> dict[str, Any]:
        """What a reflector is told of one peer, bounded like every context."""
        material = await gather_peer(self, peer_id, "consult")
        prompt = system_prompt(self.registry.agent_id)
        return fit(material, self.settings.max_context_tokens, prompt, TASK).context

    @property
    def _beliefs(self) -> dict[str, Belief]:
        return self.beliefs.by_key

    @property
    def _last_trust(self) -> dict[str, int]:
        return {peer_id: entry[0] for peer_id, entry in self.limiter.save().items()}

    @property
    def _event_buffer(self) -> deque[observation.Event]:
        return self.buffer.events

    @property
    def _reflection_history(self) -> deque[ReflectionRecord]:
        return self.history

    @property
    def _interaction_count(self) -> int:
        return self.triggers.interactions

    async def _on_message(self, ctx: _Context) -> _Context:
        try:
            if self._watching and not _is_internal(ctx):
                peer_id = str(ctx.get("peer_id") or ctx.get("sender_id") or "")
                size = observation.size_of(ctx.get("message"))
                event = observation.message_event(ctx, peer_id, size, self.clock.now())
                self.buffer.append(event)
                if peer_id:
                    self.triggers.push("in", peer_id, size)
                    self.wake()
        except Exception as error:  # noqa: BLE001 - watching must never disturb the loop
            self.log_error(f"Hook error: {error}")
        return ctx

    async def _on_after_send(self, ctx: _Context) -> _Context:
        try:
            if self._watching and not _is_internal(ctx):
                peer_id = str(ctx.get("peer_id") or ctx.get("recipient_id") or "")
                size = observation.size_of(ctx.get("text"))
                self.buffer.append(observation.sent_event(ctx, peer_id, size, self.clock.now()))
                if peer_id:
                    self.triggers.push("out", peer_id, size)
        except Exception as error:  # noqa: BLE001
            self.log_error(f"Hook error: {error}")
        return ctx

    async def _on_after_llm(self, ctx: _Context) -> _Context:
        try:
            if self._watching:
                peer_id = _peer_of(ctx)
                self.buffer.append(observation.model_event(ctx, peer_id, self.clock.now()))
                if peer_id:
                    tokens = ctx.get("tokens_out") or 0
                    effort = observation.CHARACTERS_PER_TOKEN * tokens
                    self.triggers.push("effort", peer_id, effort)
        except Exception as error:  # noqa: BLE001
            self.log_error(f"Hook error: {error}")
        return ctx

    async def _on_after_tool(self, ctx: _Context) -> _Context:
        try:
            if self._watching:
                peer_id = _peer_of(ctx)
                self.buffer.append(observation.tool_event(ctx, peer_id, self.clock.now()))
                if peer_id:
                    self.triggers.push("effort", peer_id, observation.TOOL_EFFORT)
        except Exception as error:  # noqa: BLE001
            self.log_error(f"Hook error: {error}")
        return ctx

    async def _on_transform_system_prompt(self, ctx: _Context) -> _Context:
        """Add the beliefs of this moment to the prompt."""
        try:
            if self._watching:
                peer_id = str(ctx.get("peer_id") or "")
                now = self.clock.now()
                ctx["prompt"] += self._block.text(peer_id, self.beliefs.version, now)
        except Exception as error:  # noqa: BLE001
            self.log_error(f"Hook error: {error}")
        return ctx

    async def _on_before_tool(self, ctx: _Context) -> _Context:
        try:
            return await self.consultation.before_tool(ctx) if self._watching else ctx
        except Exception as error:  # noqa: BLE001
            self.log_error(f"Hook error: {error}")
            return ctx

    async def _on_transform_response(self, ctx: _Context) -> _Context:
        try:
            return await self.consultation.before_reply(ctx) if self._watching else ctx
        except Exception as error:  # noqa: BLE001
            self.log_error(f"Hook error: {error}")
            return ctx

    async def _on_poll_messages(self) -> list[IncomingMessage]:
        """Directives that are due, each once."""
        messages = self.directives.poll(self.clock.now()) if self._watching else []
        if messages:
            await keep(self, state_only=True)
        return messages

    async def _on_tick(self, ctx: Mapping[str, Any]) -> None:
        await self.tick()


def _is_internal(ctx: Mapping[str, Any]) -> bool:
    if "internal" in ctx:
        return bool(ctx["internal"])
    return is_internal(ctx.get("sender_id"), ctx.get("channel_type"))


def _peer_of(ctx: Mapping[str, Any]) -> str:
    """The peer on whose behalf the agent works; "" when it is none."""
    return "" if _is_internal(ctx) else str(ctx.get("peer_id") or "")


def create_plugin() -> CortexPlugin:
    return CortexPlugin()
