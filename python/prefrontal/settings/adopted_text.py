"""Puts an adopted history into the text of a prefrontal.yml; all the rest of it stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..storage.yaml_text import compose_yaml, line_end, node_end, parse_yaml

KEY = "adopted"
HEAD = "# Histories that `prefrontal adopt` replayed; what it learned is in the state folder."
Entry = Mapping[str, Any]


def with_adopted(text: str, entry: Entry) -> str:
    """The text with the entry instead of the one of the same module, or behind the others.

    Raises InputError, and says what to write by hand, where the text is laid out in a way that
    cannot be extended without touching the rest.
    """
    import yaml  # type: ignore[import-untyped]

    before = parse_yaml(text)
    extended = _extended(text, before, entry, yaml)
    if extended is None or not _reads(extended, _meant(before, entry)):
        raise InputError(
            "settings must be a block of `key: value` lines to be extended; write this there:\n"
            f"{KEY}:\n{_item(entry, 2)}"
        )
    return extended


def _reads(text: str, document: dict[str, Any]) -> bool:
    try:
        return bool(parse_yaml(text) == document)
    except ValueError:
        return False


def _meant(before: Any, entry: Entry) -> dict[str, Any]:
    document = dict(before or {})
    entries = list(document.get(KEY) or [])
    at = _place(entries, entry)
    entries[at : at + 1] = [dict(entry)]
    return document | {KEY: entries}


def _place(entries: list[Any], entry: Entry) -> int:
    """Where the entry of the same module stands; behind the last when there is none."""
    modules = [each.get("module") if isinstance(each, dict) else None for each in entries]
    return modules.index(entry["module"]) if entry["module"] in modules else len(modules)


def _extended(text: str, before: Any, entry: Entry, yaml: Any) -> str | None:
    root = compose_yaml(text)
    if root is None or before is None:
        return f"{_ended(text)}{HEAD}\n{KEY}:\n{_item(entry, 2)}"
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    pair = next((pair for pair in root.value if pair[0].value == KEY), None)
    if pair is None:
        return f"{_ended(text)}\n{HEAD}\n{KEY}:\n{_item(entry, 2)}"
    key, entries = pair
    if not isinstance(entries, yaml.SequenceNode) or entries.flow_style:
        if before[KEY]:
            return None
        begin, end = key.start_mark.index, line_end(text, entries.end_mark.index)
        return f"{text[:begin]}{KEY}:\n{_item(entry, 2)}{text[end:]}"
    return _among(text, entries, before[KEY], entry, yaml)


def _among(text: str, sequence: Any, entries: list[Any], entry: Entry, yaml: Any) -> str:
    """In place of the one of the same module, or behind the last."""
    nodes, column = sequence.value, sequence.start_mark.column
    at = _place(entries, entry)
    if at == len(nodes):
        begin = end = line_end(text, node_end(nodes[-1]))
    else:
        begin = text.rfind("\n", 0, nodes[at].start_mark.index) + 1
        end = line_end(text, node_end(nodes[at]))
    return _ended(text[:begin]) + _item(entry, column) + text[end:]


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _item(entry: Entry, column: int) -> str:
    lines = [f"{key}: {_scalar(value)}" for key, value in entry.items()]
    first, *rest = lines
    return "".join([f"{' ' * column}- {first}\n", *(f"{' ' * (column + 2)}{x}\n" for x in rest)])


def _scalar(value: Any) -> str:
    """JSON is YAML but for floats without a point, such as 1e-05."""
    if isinstance(value, float):
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
