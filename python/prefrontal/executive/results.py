"""What a tool returned, made fit to be kept and shown, and what it means for the wake."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..plain_text import ELLIPSIS, one_line, visible
from ..redaction import redact
from .nouns import Status

VALUE_BYTES = 16_384
"""Most bytes of JSON that are kept of a value."""
TEXT_LIMIT = 300
_STRING_LIMIT = 4_000
_KEY_LIMIT = 100
_LEAST_ROOM = 20
_SAYING = ("summary", "sentence", "text", "message", "result")
FINDINGS = ("findings", "problems", "found", "count")
"""Keys under which a tool says what it found; the first there is decides."""


def judged(status: Status, *, by_machine: bool = False) -> tuple[bool | None, bool | None]:
    """(useful, accepted) of an act: was the wake worth it, was the choice right; None: unknown.

    | status | useful | accepted |
    |---|---|---|
    | done: the tool found something | True | True |
    | nothing: it ran and found nothing, so the wake was for nothing | False | None |
    | invalid: it did not pass the trial before its first run | None | False |
    | failed: it raised, or used too much | None | False |
    | failed because of the machine (no sandbox, no such tool) | None | None |
    | asked, deferred: somebody else will say | None | None |
    """
    if status is Status.DONE:
        return True, True
    if status is Status.NOTHING:
        return False, None
    if status in (Status.INVALID, Status.FAILED) and not by_machine:
        return None, False
    return None, None


def is_nothing(value: Any) -> bool:
    """Whether a returned value says that there is nothing to do.

    None, a number 0, blank text and whatever is empty. Of a mapping a "summary" is something, else
    the first key of FINDINGS decides, and without one all its values must be nothing. False is an
    answer, not nothing.
    """
    if value is None:
        return True
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return value == 0
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Mapping):
        if not is_nothing(value.get("summary")):
            return False
        findings = [value[key] for key in FINDINGS if key in value][:1]
        return all(map(is_nothing, findings or value.values()))
    return not value


def cleaned(value: Any, most_bytes: int = VALUE_BYTES) -> Any:
    """The value without secrets and hidden characters, in at most `most_bytes` of JSON.

    value: JSON values. Lists and mappings keep their beginning, "…" stands for the rest.
    """
    room = most_bytes
    while room > _LEAST_ROOM:
        trimmed = _Room(room).take("", value)
        if len(json.dumps(trimmed)) <= most_bytes:
            return trimmed
        room = room * 3 // 4
    return ELLIPSIS


def in_words(value: Any) -> str:
    """What a cleaned value says, on one line of at most TEXT_LIMIT characters."""
    if isinstance(value, Mapping):
        saying = next((value[key] for key in _SAYING if isinstance(value.get(key), str)), None)
        finding = next((value[key] for key in FINDINGS if key in value), None)
        value = saying if saying is not None and saying.strip() else finding or value
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        count = f"{len(value)} findings: " if len(value) > 1 else ""
        value = count + "; ".join(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(text, TEXT_LIMIT)


def in_short(text: str) -> str:
    """A sentence about a tool, perhaps in its own words, fit to be kept."""
    return visible(redact(text), TEXT_LIMIT)


class _Room:
    """Counts the bytes that are left while a value is taken over."""

    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes

    def take(self, name: str, value: Any) -> Any:
        """name: under which it stands, since a secret may be known by it."""
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, list):
            return self._items(name, value)
        result = self._text(name, value) if isinstance(value, str) else value
        self._left -= len(json.dumps(result)) + 2
        return result if self._left >= 0 else ELLIPSIS

    def _mapping(self, value: Mapping[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        self._left -= 2
        for key, item in value.items():
            if self._left <= 0:
                result[ELLIPSIS] = ELLIPSIS
                break
            name = visible(redact(str(key)), _KEY_LIMIT)
            self._left -= len(json.dumps(name)) + 2
            result[name] = self.take(name, item)
        return result

    def _items(self, name: str, value: list[Any]) -> list[Any]:
        result: list[Any] = []
        self._left -= 2
        for item in value:
            if self._left <= 0:
                result.append(ELLIPSIS)
                break
            result.append(self.take(name, item))
        return result

    def _text(self, name: str, value: str) -> str:
        """Redacted before it is cut: half a secret is not recognised."""
        redacted = redact(value)
        named = redact(f"{name}={redacted}") if name else redacted
        if name and named.startswith(f"{name}="):
            redacted = named[len(name) + 1 :]
        lines = [one_line(line) for line in redacted.splitlines()]
        room = max(1, min(_STRING_LIMIT, self._left // 6))
        text = "\n".join(lines)
        return text if len(text) <= room else text[: room - 1] + ELLIPSIS
