"""The ledger as a plugin: records messages, and adds the peer's history to the prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ..errors import PrefrontalError, SourceError
from ..plugin import Plugin, PluginError, PluginMeta, hear, hookspecs
from ..plugin.hooks import announce, hooks_of
from ..plugin.messages import current_message, is_internal
from ..plural import many
from ..settings.agent_file import workspace_folder
from . import tools
from .backlog import Backlog, Unrecorded
from .info_score import compute_info_score
from .ledger import Ledger
from .location import FILE_NAME, file_name, ledger_path, with_folder
from .prompt import peer_block, unknown_peer_block, without_words
from .scale import SCORE_GUIDE

if TYPE_CHECKING:
    from .drafts import Details
    from .models import Assessment, Direction, Peer, Recorded

_Ctx = dict[str, Any]
OPERATOR_CHANNEL = "terminal"
"""The conversation of who runs the agent, who may read what every peer wrote."""


class LedgerPlugin(Plugin):
    """Remembers peers, their messages and their assessments.

    ledger: one that is open already, closed at the end. Configuration: ledger.path, relative to the
    workspace; ":memory:", or an agent without a workspace, keeps it in memory.
    """

    meta = PluginMeta(
        id="ledger",
        version="1",
        capabilities=["ledger", "tools"],
        optional_dependencies=["config", "workspace"],
        priority=21,
        extension_points=hooks_of("ledger"),
        implements={
            "loop.on_message": "record_incoming",
            "loop.after_send": "record_outgoing",
            "loop.transform_system_prompt": "enrich_prompt",
        },
    )
    score_guide = SCORE_GUIDE
    compute_info_score = staticmethod(compute_info_score)

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._name = FILE_NAME
        self._folder: Path | None = None
        self._ledger = ledger
        self._backlog = Backlog()

    def configure(self, config: dict[str, Any]) -> None:
        self._name = file_name(config)
        workspace = config.get("workspace")
        self._folder = None if workspace is None else workspace_folder(workspace)

    async def start(self) -> None:
        """Open the ledger. Raises SourceError, also when another process writes it."""
        if self._ledger is None:  # started again in a new event loop: still open
            self._ledger = Ledger(self._path(), clock=self.clock)

    async def stop(self) -> None:
        """Wait for pending writes and what a failing disk did not take, then close the ledger."""
        if self._ledger is not None:
            await self._catch_up()
        if self._backlog:
            self.log_error(f"{_unrecorded(len(self._backlog))}: the disk took none")
        ledger, self._ledger = self._ledger, None
        if ledger is not None:
            try:
                await asyncio.wrap_future(ledger.finish())
            finally:
                ledger.close()

    @property
    def ledger(self) -> Ledger:
        """The store. Raises PluginError before the start."""
        if self._ledger is None:
            raise PluginError("ledger must be started before it is asked")
        return self._ledger

    @property
    def assessing(self) -> bool:
        """Whether the conversation may judge peers: only without an active cortex."""
        cortex = self._registry.get("cortex") if self._registry is not None else None
        active = cortex is not None and self.registry.is_started("cortex")
        return not (active and getattr(cortex, "enabled", True))

    def record_interaction(
        self, peer_id: str, direction: Direction, **details: Unpack[Details]
    ) -> int | None:
        """As `Ledger.record_interaction`: waits for the disk, announces nothing."""
        return self.ledger.record_interaction(peer_id, direction, **details)

    def record_assessment(
        self, peer_id: str, trust: int, rationale: str, origins: Iterable[str] | None = None
    ) -> int:
        """As `protocols.PeerLedger`: waits for the disk, announces nothing."""
        return self.ledger.record_assessment(peer_id, trust, rationale, origins)

    def list_peers(self) -> Sequence[Peer]:
        """As `protocols.PeerLedger`."""
        return self.ledger.list_peers()

    def get_peer_assessment_summary(self, peer_id: str, interactions: int = 0) -> dict[str, Any]:
        """As `protocols.PeerLedger`."""
        return self.ledger.get_peer_assessment_summary(peer_id, interactions)

    async def record_incoming(self, ctx: _Ctx) -> _Ctx:
        """Record a peer's message; returns once it is on the disk."""
        if not _is_internal(ctx):
            text = ctx.get("message")
            await self._record(
                ctx,
                ctx.get("sender_id"),
                "in",
                text,
                display_name=str(ctx.get("sender") or ""),
                event_id=ctx.get("event_id"),
            )
        return ctx

    async def record_outgoing(self, ctx: _Ctx) -> _Ctx:
        """Record a sent message; internal ones make nobody a peer."""
        peer_id = ctx.get("recipient_id") or ctx.get("peer_id")
        if peer_id:
            internal = _is_internal(ctx)  # then the recipient's name is that of the runtime
            name = "" if internal else str(ctx.get("recipient") or "")
            await self._record(
                ctx,
                peer_id,
                "out",
                ctx.get("text"),
                display_name="" if name == peer_id else name,
                only_known=internal,
            )
        return ctx

    async def enrich_prompt(self, ctx: _Ctx) -> _Ctx:
        """Add the peer's facts to the system prompt."""
        peer_id = ctx.get("peer_id")
        if not peer_id or _is_internal(ctx):
            return ctx
        try:
            block = self._block(peer_id)
        except PrefrontalError as error:
            self.log_error(f"Failed to read what is known of {peer_id}: {error}")
            return ctx
        return {**ctx, "prompt": f"{ctx.get('prompt', '').rstrip()}\n\n{block}".lstrip()}

    def get_definitions(self) -> list[dict[str, Any]]:
        """The tools query_peer and list_peers, and assess_peer while no cortex judges."""
        return tools.definitions(self.assessing)

    async def execute(self, name: str, args: Mapping[str, Any]) -> str:
        """Run a tool of `get_definitions`; returns a refusal as text."""
        assessed = self._announce_assessment if self.assessing else None
        return await tools.execute(
            self.ledger, name, args, assessed, _asking_peer(), in_group=_in_group()
        )

    def _path(self) -> Path | str:
        folder = getattr(self.registry.get("workspace"), "path", None)
        path = ledger_path(self._name, folder if isinstance(folder, Path) else self._folder)
        return path if isinstance(path, str) else with_folder(path)

    def _block(self, peer_id: str) -> str:
        try:
            summary = self.ledger.get_peer_assessment_summary(peer_id)
            if _in_group():
                return peer_block(without_words(summary))
            hear(self.ledger.latest_origins(peer_id))
            return peer_block(summary)
        except ValueError:
            return unknown_peer_block(peer_id)

    async def _record(
        self,
        ctx: _Ctx,
        peer_id: object,
        direction: Direction,
        text: object,
        **details: Unpack[Details],
    ) -> None:
        """Record a message and announce it; logs a failure."""
        content = text if isinstance(text, str) else ""
        facts: Details = {
            "channel_type": str(ctx.get("channel_type") or ""),
            "channel_id": str(ctx.get("channel_id") or ""),
            "correlation_id": ctx.get("correlation_id"),
            "preview": content,
            "size": len(content),
            **details,
        }
        try:
            if self._backlog:
                await self._catch_up()
            recorded = await self._submit(peer_id, direction, facts)
        except SourceError as error:
            self.log_error(f"Failed to record interaction for {peer_id}: {error}")
            facts.setdefault("created_at", self.clock.now())
            self._put_back([Unrecorded(str(peer_id), direction, facts)])
        except (ValueError, PrefrontalError) as error:
            self.log_error(f"Failed to record interaction for {peer_id}: {error}")
        else:
            if recorded is not None:
                await self._announce_interaction(str(peer_id), direction, facts, recorded)

    async def _catch_up(self) -> None:
        """Record what a failing disk did not take, as far as it takes it now."""
        waiting, done = self._backlog.take(), 0
        try:
            for each in waiting:
                try:
                    recorded = await self._submit(*each)
                except ValueError as error:
                    self.log_error(f"Failed to record interaction for {each.peer_id}: {error}")
                    recorded = None
                done += 1
                if recorded is not None:
                    await self._announce_interaction(*each, recorded)
        except SourceError:
            return
        finally:
            self._put_back(waiting[done:])

    def _put_back(self, messages: Sequence[Unrecorded]) -> None:
        before = self._backlog.lost
        self._backlog.add(messages)
        if self._backlog.lost > before:
            self.log_error(f"{_unrecorded(self._backlog.lost)}: the disk takes none")

    async def _submit(
        self, peer_id: object, direction: Direction, details: Details
    ) -> Recorded | None:
        waiting = self.ledger.submit_interaction(peer_id, direction, **details)  # type: ignore[arg-type]
        return waiting.result() if waiting.done() else await asyncio.wrap_future(waiting)

    async def _announce_interaction(
        self, peer_id: str, direction: Direction, details: Details, recorded: Recorded
    ) -> None:
        ctx: hookspecs.InteractionContext = {
            "peer_id": peer_id,
            "direction": direction,
            "channel_type": details["channel_type"],
            "interaction_id": recorded.interaction_id,
            "interaction_count": recorded.interaction_count,
            "event_id": details.get("event_id"),
            "created_at": recorded.created_at,
        }
        correlation_id = details["correlation_id"]
        await announce(self.registry, hookspecs.ledger_after_record, ctx, correlation_id)

    async def _announce_assessment(self, assessment: Assessment) -> None:
        ctx: hookspecs.AssessmentContext = {
            "assessment_id": assessment.id,
            "peer_id": assessment.peer_id,
            "info_score": assessment.info_score,
            "trust": assessment.trust,
            "rationale": assessment.rationale,
            "created_at": assessment.created_at,
        }
        await announce(self.registry, hookspecs.ledger_after_assess, ctx)


def _asking_peer() -> str:
    """The peer in whose conversation a tool runs; "" for the operator's terminal and the runtime's
    own messages."""
    message = current_message.get()
    if message is None or message.is_internal or message.channel_type == OPERATOR_CHANNEL:
        return ""
    return message.sender_id


def _in_group() -> bool:
    """Whether others than the peer read the answer."""
    message = current_message.get()
    return message is not None and message.is_group


def _is_internal(ctx: Mapping[str, Any]) -> bool:
    """Whether the runtime itself wrote the message (cron, directives)."""
    return bool(ctx.get("internal")) or is_internal(
        ctx.get("sender_id"), ctx.get("channel_type"), ctx.get("metadata")
    )


def _unrecorded(count: int) -> str:
    return f"{many(count, 'message is', 'messages are')} not recorded"


def create_plugin() -> LedgerPlugin:
    return LedgerPlugin()
