"""What comes in from a channel and what goes out to one."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

SYSTEM_SENDER = "system"
WORDS_OF = "words_of"
"""Metadata key: the origins of a directive that others' words went into and nobody approved."""
_INTERNAL_CHANNELS = frozenset({"cron", "cortex"})


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message to the agent.

    id: unique in its channel. channel_type: id of the channel's plugin; channel_id: the
    conversation in it. sender_id: who wrote it, the key of the peer everywhere; sender_name: for
    people only. timestamp: when it was written. metadata: what the channel adds.
    """

    id: str
    channel_type: str
    channel_id: str
    sender_id: str
    sender_name: str
    content: str
    timestamp: datetime
    reply_to: str | None = None
    media: list[Any] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def event_id(self) -> str:
        """The same for the same message delivered twice."""
        return f"{self.channel_type}:{self.channel_id}:{self.id}"

    @property
    def is_internal(self) -> bool:
        """Made by the runtime itself (cron, directives): no interaction with a peer."""
        return is_internal(self.sender_id, self.channel_type, self.metadata)

    @property
    def is_group(self) -> bool:
        """Written where several read the answer, as its channel says."""
        return self.metadata.get("group") is True


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message of the agent. metadata["recipient"]: id of the peer it is for."""

    channel_type: str
    channel_id: str
    content: str
    reply_to: str | None = None
    media: list[Any] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)


def is_internal(sender_id: object, channel_type: object, metadata: object = None) -> bool:
    """Whether a message with this sender, channel and metadata was made by the runtime itself."""
    marks = metadata if isinstance(metadata, dict) else {}
    return (
        sender_id == SYSTEM_SENDER
        or channel_type in _INTERNAL_CHANNELS
        or bool(marks.get("is_cron") or marks.get("is_cortex"))
    )


current_message: ContextVar[IncomingMessage | None] = ContextVar("current_message", default=None)
"""The message that is being handled in this task: messages are handled concurrently."""
