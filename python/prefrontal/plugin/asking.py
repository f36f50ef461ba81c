"""How one question with its context is written down for a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_CLOSING = "Answer from this context alone, in the form that was asked for."


def user_message(task: str, context: Mapping[str, Any] | None = None) -> str:
    """The whole message of the asking side."""
    parts = [f"**Task:** {task}"]
    if context:
        parts.append(f"**Context:**\n```json\n{context_text(context)}\n```")
    return "\n\n".join((*parts, _CLOSING))


def context_text(context: Mapping[str, Any]) -> str:
    """JSON for reading: what holds nothing nested stands on one line.

    No text in it can end the code fence it stands in: backticks are written as \\u0060.
    """
    return _laid_out(context, "").replace("`", "\\u0060")


def _laid_out(value: object, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, Mapping) and any(map(_is_nested, value.values())):
        lines = [f"{_flat(str(key))}: {_laid_out(each, inner)}" for key, each in value.items()]
        return _broken("{", lines, "}", indent)
    if isinstance(value, list | tuple) and any(map(_is_nested, value)):
        return _broken("[", [_laid_out(each, inner) for each in value], "]", indent)
    return _flat(value)


def _broken(start: str, lines: Sequence[str], end: str, indent: str) -> str:
    inside = f",\n{indent} ".join(lines)
    return f"{start}\n{indent} {inside}\n{indent}{end}"


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple) and bool(value)
