"""Messages as JSON objects."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ...errors import InputError
from ...nearest import unknown_key
from ...plugin import IncomingMessage, OutgoingMessage
from ...plugin.messages import SYSTEM_SENDER

LONGEST_CONTENT = 100_000
_LONGEST_NAME = 200
KEYS = ("id", "channel_id", "sender_id", "sender_name", "content", "reply_to", "metadata")


def parse_message(data: bytes | str, channel_type: str, now: float) -> IncomingMessage:
    """Parse a JSON object with `sender_id`, `content` and optional keys. now: Unix seconds.

    A missing id is generated, a missing channel_id is the sender's id. metadata goes under
    "client", so that clients cannot set marks of the runtime, but for "group": whether others read
    the conversation. Raises InputError naming the key, the
    rule and the value.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"message must be a JSON object ({error})") from None
    return message_of(document, channel_type, now)


def message_of(document: object, channel_type: str, now: float) -> IncomingMessage:
    """As `parse_message`, from a decoded object."""
    if not isinstance(document, dict):
        raise InputError(f"message must be a JSON object, got {document!r:.80}")
    unknown = sorted(set(document) - set(KEYS))
    if unknown:
        raise InputError(unknown_key("message", unknown[0], KEYS, f"{unknown[0]!r:.80}"))
    sender_id = _name(document, "sender_id")
    if sender_id != sender_id.strip():
        raise InputError(f"sender_id must not begin or end with a space, got {sender_id!r}")
    if sender_id.casefold() == SYSTEM_SENDER:
        raise InputError(f"sender_id must not be the agent's own, got {sender_id!r}")
    content = document.get("content")
    if not isinstance(content, str) or not content.strip():
        raise InputError(f"content must be a non-blank string, got {content!r:.80}")
    if len(content) > LONGEST_CONTENT:
        rule = f"have at most {LONGEST_CONTENT} characters"
        raise InputError(f"content must {rule}, got {len(content)}")
    metadata = document.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise InputError(f"metadata must be an object, got {metadata!r:.80}")
    return IncomingMessage(
        id=_name(document, "id", secrets.token_hex(8)),
        channel_type=channel_type,
        channel_id=_name(document, "channel_id", sender_id),
        sender_id=sender_id,
        sender_name=_name(document, "sender_name", sender_id),
        content=content,
        timestamp=datetime.fromtimestamp(now, UTC),
        reply_to=_name(document, "reply_to", "") or None,
        metadata=_marks(metadata),
    )


def _marks(metadata: dict[str, Any]) -> dict[str, Any]:
    group = metadata.get("group", False)
    if not isinstance(group, bool):  # taken for false, a room would hear what was said in private
        raise InputError(f"metadata.group must be true or false, got {group!r:.80}")
    return ({"client": metadata} if metadata else {}) | ({"group": True} if group else {})


def _name(document: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = document.get(key)
    if value is None and default is not None:
        return default
    if isinstance(value, int) and not isinstance(value, bool) and key == "id":
        value = str(value)
    usable = isinstance(value, str) and value.strip() and len(value) <= _LONGEST_NAME
    if not usable or not isinstance(value, str) or not value.isprintable():
        rule = f"be a string of 1 to {_LONGEST_NAME} visible characters"
        raise InputError(f"{key} must {rule}, got {value!r:.80}")
    return value


def reply_document(message: OutgoingMessage) -> dict[str, Any]:
    """A message of the agent: a "reply", or a "message" on its own initiative."""
    return {
        "type": "reply" if message.reply_to else "message",
        "reply_to": message.reply_to,
        "channel_id": message.channel_id,
        "recipient": message.metadata.get("recipient"),
        "content": message.content,
    }


def silence_document(message: IncomingMessage) -> dict[str, Any]:
    """The empty reply to a message that got no answer."""
    return {
        "type": "reply",
        "reply_to": message.id,
        "channel_id": message.channel_id,
        "recipient": message.sender_id,
        "content": None,
    }
