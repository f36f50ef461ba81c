"""Converts an MCP tool's JSON schema to arguments with type hints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..plain_values import plain

if TYPE_CHECKING:
    from ..types import SideEffects

INTENTS = "prefrontal/intents"
LONGEST_NAME = 256
MOST_ARGUMENTS = 256
MOST_CHOICES = 32
"""Values of an argument that are read; of a longer list, as of all time zones, none."""
LONGEST_SENTENCE = 240
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")

_HINTS = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "array": "list",
    "object": "dict",
}


def read_tool(raw: object) -> dict[str, Any]:
    """name, doc, args, arg_docs, returns, hint, side_effects and intents as JSON values.

    args: [name, hint, required, default] each. Raises ValueError with the rule that is broken
    ("have a name, got None").
    """
    if not isinstance(raw, dict):
        raise ValueError(f"be a mapping, got {type(raw).__name__}")
    tool = plain(raw)
    schema = _mapping(tool, "inputSchema")
    properties = _mapping(schema, "properties")
    if len(properties) > MOST_ARGUMENTS:
        raise ValueError(f"have at most {MOST_ARGUMENTS} arguments, got {len(properties)}")
    output = _mapping(tool, "outputSchema")
    return {
        "name": _name(tool.get("name")),
        "doc": _doc(tool, properties),
        "args": _arguments(schema, properties),
        "arg_docs": _descriptions(properties),
        "returns": list(_mapping(output, "properties")),
        "hint": _hint(output) if output else None,
        "side_effects": _side_effects(_mapping(tool, "annotations")),
        "intents": intents_in(_mapping(tool, "_meta")),
    }


def intents_in(meta: Mapping[str, Any]) -> list[str]:
    """The phrasings that were kept for a tool here, in its `_meta`."""
    value = meta.get(INTENTS)
    texts = value if isinstance(value, list) else []
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"have a name, got {value!r}")
    if not value.isprintable() or len(value) > LONGEST_NAME or "::" in value:
        rule = f"have a printable name of at most {LONGEST_NAME} characters, without ::"
        raise ValueError(f"{rule}, got {value[:LONGEST_NAME]!a}")
    return value


def _doc(tool: Mapping[str, Any], properties: Mapping[str, Any]) -> str:
    """Its title, its description and its arguments, without repetition."""
    title = tool.get("title") or _mapping(tool, "annotations").get("title")
    arguments = "\n".join(_argument_doc(name, about) for name, about in properties.items())
    parts = [title, tool.get("description"), arguments]
    texts = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
    return "\n\n".join(dict.fromkeys(texts))


def _argument_doc(name: str, about: object) -> str:
    """A line: the argument's name, the first sentence of its description, what it may be."""
    if not isinstance(about, dict):
        return name
    text = about.get("description")
    sentence = _SENTENCE_END.split(text.strip(), 1)[0] if isinstance(text, str) else ""
    values = list(dict.fromkeys(_choices(about)))
    choices = ", ".join(values) if len(values) <= MOST_CHOICES else ""
    return ": ".join(filter(None, (name, " ".join(sentence[:LONGEST_SENTENCE].split()), choices)))


def _choices(schema: Mapping[str, Any]) -> Iterator[str]:
    """The words that it allows, itself, as a list of them or as one of several."""
    for part in (schema, schema.get("items"), *_options(schema)):
        values = part.get("enum") if isinstance(part, dict) else None
        if isinstance(values, list):
            yield from (one for one in values if isinstance(one, str))


def _mapping(raw: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = raw.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"have a mapping as its {key}, got {type(value).__name__}")
    return value


def _arguments(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> list[list[Any]]:
    required = schema.get("required") or []
    if not isinstance(required, list):
        raise ValueError(f"have a list as its required, got {type(required).__name__}")
    rows = []
    for name, about in properties.items():
        must = name in required
        default = about.get("default") if isinstance(about, dict) else None
        rows.append([name, _hint(about), must, None if must else repr(default)])
    return rows


def _descriptions(properties: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: about["description"]
        for name, about in properties.items()
        if isinstance(about, dict) and isinstance(about.get("description"), str)
    }


def _hint(schema: object) -> str | None:
    """The schema's type as a Python hint; None when unspecified."""
    if not isinstance(schema, dict):
        return None
    kinds = schema.get("type")
    if isinstance(kinds, list | str):
        names = [kinds] if isinstance(kinds, str) else kinds
        hints = [_one(name, schema) for name in names if isinstance(name, str)]
    else:
        hints = [_hint(option) for option in _options(schema)]
    if not hints or None in hints:
        return None
    return " | ".join(dict.fromkeys(name for name in hints if name))


def _options(schema: Mapping[str, Any]) -> list[Any]:
    options = schema.get("anyOf") or schema.get("oneOf") or []
    return options if isinstance(options, list) else []


def _one(name: str, schema: Mapping[str, Any]) -> str | None:
    inner = _hint(schema.get("items")) if name == "array" else None
    return f"list[{inner}]" if inner else _HINTS.get(name)


def _side_effects(annotations: Mapping[str, Any]) -> SideEffects | None:
    """From the server's annotations; None when it says nothing."""
    if annotations.get("readOnlyHint") is True:
        return "none"
    if annotations.get("destructiveHint") is True:
        return "delete"
    if annotations.get("destructiveHint") is False:
        return "write"
    return None
