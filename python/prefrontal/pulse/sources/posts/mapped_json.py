"""JSON of any shape as signals, by a mapping of paths; and what Slack and Discord sign."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Any

from ....errors import InputError
from ....types import SignalEvent
from ..event_lines import check_fields
from .ed25519 import verify

if TYPE_CHECKING:
    from ....settings.json_mapping import JsonMapping

TEXT_LIMIT = 2_000
SLACK_AGE_S = 300.0
"""A request that Slack signed longer ago, or will sign, is refused: somebody may replay it."""

DISCORD_AGE_S = 900.0
"""As of `SLACK_AGE_S`; Discord sends for ten minutes what was not answered."""
PING, EVENT = 0, 1
"""Types of what Discord sends; a type EVENT without an event is the ping of an interaction."""

_MILLISECONDS = 1e11
_MISSING = object()


@dataclass(frozen=True, slots=True)
class HookPath:
    """What is posted to /hooks/`name`.

    slack_secret: a Slack app's signing secret, or "". discord_key: a Discord application's public
    key, or none.
    """

    name: str
    mapping: JsonMapping
    slack_secret: str = field(default="", repr=False)
    discord_key: bytes = b""

    @property
    def is_signed(self) -> bool:
        """Whether what is posted must be signed, and so needs no token."""
        return bool(self.slack_secret or self.discord_key)


def is_signed_by_slack(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether the body was signed by Slack a short time ago. headers: names in lower case."""
    moment = headers.get("x-slack-request-timestamp", "")
    if (
        not (moment.isascii() and moment.isdecimal() and len(moment) < 16)
        or abs(now - int(moment)) > SLACK_AGE_S
    ):
        return False
    signed = hmac.new(secret.encode(), f"v0:{moment}:".encode() + body, hashlib.sha256)
    signature = headers.get("x-slack-signature", "").encode("utf-8", "replace")
    return hmac.compare_digest(signature, b"v0=" + signed.hexdigest().encode())


def is_signed_by_discord(key: bytes, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether the body was signed by Discord lately. headers: names in lower case."""
    moment = headers.get("x-signature-timestamp", "")
    if not (moment.isascii() and moment.isdecimal() and len(moment) < 16):
        return False
    if abs(now - int(moment)) > DISCORD_AGE_S:
        return False
    try:
        signature = bytes.fromhex(headers.get("x-signature-ed25519", ""))
    except ValueError:
        return False
    return verify(key, moment.encode() + body, signature)


def discord_pong(body: bytes) -> str | None:
    """What Discord wants to hear back when an address is entered there; None for an event."""
    document = _json(body)
    if isinstance(document, dict) and "event" not in document:
        if document.get("type") == PING:
            return ""
        if document.get("type") == EVENT and "token" in document:
            return '{"type": 1}'
    return None


def slack_challenge(body: bytes) -> str | None:
    """What Slack wants to hear back when an address is entered there; None for an event."""
    document = _json(body)
    if isinstance(document, dict) and document.get("type") == "url_verification":
        challenge = document.get("challenge")
        if not isinstance(challenge, str):
            raise InputError(f"challenge must be text, got {short_repr(challenge)}")
        return challenge
    return None


def mapped_events(
    name: str, mapping: JsonMapping, body: bytes, now: float
) -> Iterator[tuple[str, SignalEvent]]:
    """The events of one request, each with what tells its repetition, or "".

    Raises InputError naming the key of the mapping, its path, and what is there instead.
    """
    document = _json(body)
    if mapping.each is None:
        yield _event(name, mapping, document, now)
        return
    items = _looked_up(document, mapping.each)
    if not isinstance(items, list):
        raise _error("each", mapping.each, "a list", items)
    for item in items:
        yield _event(name, mapping, item, now)


def _event(
    name: str, mapping: JsonMapping, document: object, now: float
) -> tuple[str, SignalEvent]:
    if not isinstance(document, dict):
        raise InputError(f"event must be a JSON object, got {short_repr(document)}")
    features: dict[str, Any] = {}
    for key, path in (("text", mapping.text), ("actor", mapping.actor)):
        if path is not None and (words := _text(document, key, path, needed=False)):
            features[key] = words[:TEXT_LIMIT]
    for key, path in mapping.features.items():
        value = _looked_up(document, path)
        if isinstance(value, str | int | float):
            features[key] = value[:TEXT_LIMIT] if isinstance(value, str) else value
        elif value is not _MISSING and value is not None:
            raise _error(f"features.{key}", path, "text, a number, true or false", value)
    event = SignalEvent(
        name,
        _text(document, "location", mapping.location) if mapping.location else name,
        _text(document, "delta_type", mapping.delta_type) if mapping.delta_type else "posted",
        1.0,
        _moment(document, mapping.timestamp, now),
        features,
    )
    check_fields(event)
    mark = _text(document, "id", mapping.id) if mapping.id else ""
    return f"hooks\n{name}\n{mark}" if mark else "", event


def _json(body: bytes) -> object:
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"event must be JSON ({error})") from None
    return document


def _looked_up(document: object, path: str) -> object:
    """What is at the path, or _MISSING."""
    value = document
    for part in path.split("."):
        if isinstance(value, dict):
            value = value.get(part, _MISSING)
        elif isinstance(value, list) and part.isascii() and part.isdecimal() and len(part) < 9:
            value = value[int(part)] if int(part) < len(value) else _MISSING
        else:
            return _MISSING
    return value


def _text(document: object, key: str, path: str, *, needed: bool = True) -> str:
    """Text that is not blank, or a number, as text; "" when it is missing and not needed."""
    value = _looked_up(document, path)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and (value.strip() or not needed):
        return value
    if not needed and (value is _MISSING or value is None):
        return ""
    raise _error(key, path, "text that is not blank" if needed else "text", value)


def _moment(document: object, path: str | None, now: float) -> float:
    value = _MISSING if path is None else _looked_up(document, path)
    if path is None or value is _MISSING or value is None:
        return now
    try:
        if isinstance(value, str) and not _is_number(value):
            return datetime.fromisoformat(value).timestamp()
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise TypeError
        seconds = float(value)
        seconds = seconds / 1000 if seconds > _MILLISECONDS else seconds
        return datetime.fromtimestamp(seconds).timestamp()  # noqa: DTZ006 (a moment, in bounds)
    except (ValueError, TypeError, OverflowError, OSError):
        rule = "seconds, milliseconds or ISO 8601"
        raise _error("timestamp", path, rule, value) from None


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _error(key: str, path: str, rule: str, value: object) -> InputError:
    what = "nothing" if value is _MISSING else short_repr(value)
    return InputError(f"{key} must be {rule} at {path}, got {what}")
