"""The question a module asks, with a small closed set of placeholders.

A parser of our own instead of `str.format`: a template can neither reach into an object, nor ask
for a ten-megabyte padding, nor fail when the event arrives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from ...errors import shown
from ...plain_text import one_line, visible
from ...typed_fields import FieldError
from .empty_fields import without_field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...types import SignalEvent

VALUE_LIMIT = 256
"""Most characters one placeholder may fill."""
QUESTION_LIMIT = 2000
"""Most characters of a whole question."""
LEAST_ROOM = 32
"""Fewest characters that a template leaves one placeholder."""

_PATH = ("question_template",)
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_DRIVE_OR_SHARE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def _words(value: object) -> str:
    """A string as it is, anything else as nothing: no object's repr reaches a question."""
    return value if isinstance(value, str) else ""


def _path(event: SignalEvent) -> PurePosixPath | PureWindowsPath:
    location = _words(event.location)
    if _DRIVE_OR_SHARE.match(location) or "/" not in location:
        return PureWindowsPath(location)
    return PurePosixPath(location)


def _extension(event: SignalEvent) -> str:
    features: object = event.features
    extension = features.get("extension") if isinstance(features, dict) else None
    return extension if isinstance(extension, str) else _path(event).suffix


def _feature(event: SignalEvent, name: str) -> str:
    features: object = event.features
    return _words(features.get(name)) if isinstance(features, dict) else ""


def _minute(event: SignalEvent) -> str:
    try:
        moment = datetime.fromtimestamp(event.timestamp, tz=UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        return "unknown"
    return moment.replace(tzinfo=None).isoformat(timespec="minutes") + "Z"


_VERBS = {"created": "created", "modified": "changed", "deleted": "deleted"}


def _what(window: Sequence[SignalEvent]) -> str:
    """What happened, to what, where and by whom, as far as the window says."""
    event, kind = window[-1], _words(window[-1].delta_type)
    places = {_words(each.location) for each in window}
    if len(places) > 1:
        change = _what_of_several(window, len(places))
    elif kind or _feature(event, "old_location"):
        return _what_of_one(event)
    else:
        change = _path(event).name or _words(event.location)
    actor, text = _feature(event, "actor"), _feature(event, "text")
    return change + (f" by {actor}" if actor else "") + (f": {text}" if text else "")


def _what_of_several(window: Sequence[SignalEvent], places: int) -> str:
    last, folders = _path(window[-1]), {_path(each).parent for each in window}
    kinds = {_words(each.delta_type) for each in window}
    verb = _VERBS.get(kinds.pop(), "changed") if len(kinds) == 1 else "changed"
    within = f" in {last.parent.name}" if len(folders) == 1 and last.parent.name else ""
    return f"{last.name} and {places - 1} more were {verb}{within}"


def _what_of_one(event: SignalEvent) -> str:
    path, kind = _path(event), _words(event.delta_type)
    name, folder = path.name or _words(event.location), path.parent.name
    within = f" in {folder}" if folder else ""
    if old := _feature(event, "old_location"):
        before = PurePosixPath(old)
        if before.parent.name == folder:
            change = f"{before.name} was renamed to {name}{within}"
        else:
            change = f"{before.name} was moved from {before.parent.name or '/'} to {folder}"
            change += "" if before.name == name else f", as {name}"
    elif kind in _VERBS:
        change = f"{name} was {_VERBS[kind]}{within}"
    else:
        change = f"{name}{within}: {kind}"
    actor, text = _feature(event, "actor"), _feature(event, "text")
    return change + (f" by {actor}" if actor else "") + (f": {text}" if text else "")


_OF_THE_EVENT: dict[str, Callable[[SignalEvent], str]] = {
    "location": lambda event: _words(event.location),
    "basename": lambda event: _path(event).name or _words(event.location),
    "extension": _extension,
    "delta_type": lambda event: _words(event.delta_type),
    "source": lambda event: _words(event.source),
    "time": _minute,
    "actor": lambda event: _feature(event, "actor"),
    "text": lambda event: _feature(event, "text"),
}
PLACEHOLDERS = (*_OF_THE_EVENT, "what", "count", "module_id")
"""Every name a template may hold in braces."""
_ALLOWED = (
    "hold nothing in braces but "
    + ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    + " ({{ and }} are literal braces)"
)


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """A parsed template: `literals[0] + value + literals[1] + value + ...`.

    names: one placeholder between each two literals.
    value_limit: most characters a value may fill, so that the question fits QUESTION_LIMIT.
    """

    literals: tuple[str, ...]
    names: tuple[str, ...]
    value_limit: int

    @classmethod
    def parse(cls, text: str) -> QuestionTemplate:
        """Read a template; what is not literal text or a placeholder is refused by name.

        The literal text is cleaned as values are (`plain_text.one_line`): a line break becomes a
        space. Raises TypeError when `text` is no string, `InputError` when it breaks a rule.
        """
        if not isinstance(text, str):
            raise TypeError(f"question_template must be a string, got {shown(text)}")
        literals, names, start = [""], [], 0
        for token in _TOKEN.finditer(text):
            literals[-1] += text[start : token.start()]
            start = token.end()
            whole, name = token.group(), token.group(1)
            if whole in ("{{", "}}"):
                literals[-1] += whole[0]
            elif name in PLACEHOLDERS:
                names.append(name)
                literals.append("")
            else:
                raise FieldError(_ALLOWED, _around(text, token), _PATH, f" in {shown(text)}")
        literals[-1] += text[start:]
        if "location" not in names:
            raise FieldError("contain {location}", text, _PATH)
        clean = tuple(map(one_line, literals))
        return cls(clean, tuple(names), _room(text, clean, len(names)))

    def render(
        self, window: Sequence[SignalEvent], module_id: str, *, as_before: bool = False
    ) -> str:
        """The question about the window's last event, one line, at most QUESTION_LIMIT long.

        {what} tells of the whole window, {count} is the number of its events, {time} the last one's
        minute in UTC ("unknown" when it has none). A value longer than `value_limit` keeps its
        start and its end with "…" between them; one that is empty leaves with the words that lead
        up to it (`empty_fields`). as_before: those words stay, and {what} tells of the last event
        alone, as before version 4 of the gate's rules.
        """
        parts, literal = list[str](), self.literals[0]
        for name, following in zip(self.names, self.literals[1:], strict=True):
            value = visible(_value(name, window, module_id, as_before), self.value_limit)
            if value.strip() or as_before:
                parts += (literal, value)
                literal = following
            else:
                literal = without_field(literal, following, first=not parts)
        last = literal if literal is self.literals[-1] else literal.rstrip()
        return "".join([*parts, last])


def _value(name: str, window: Sequence[SignalEvent], module_id: str, as_before: bool) -> str:
    if name == "count":
        return str(len(window))
    if name == "module_id":
        return module_id
    if not window:
        return ""
    if name == "what":
        return _what_of_one(window[-1]) if as_before else _what(window)
    return _OF_THE_EVENT[name](window[-1])


def _around(text: str, token: re.Match[str]) -> str:
    """What to show of a refused token: the braces, or a lone brace and what follows it."""
    if token.group(1) is None:
        return text[token.start() :][:20]
    return token.group()[: 60 if token.group().isprintable() else 20]  # escapes make it longer


def _room(text: str, literals: tuple[str, ...], count: int) -> int:
    room = (QUESTION_LIMIT - sum(map(len, literals))) // count
    if room < LEAST_ROOM:
        rule = f"leave each placeholder {LEAST_ROOM} of the question's {QUESTION_LIMIT} characters"
        raise FieldError(rule, text, _PATH)
    return min(VALUE_LIMIT, room)
