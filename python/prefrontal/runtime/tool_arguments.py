"""Checks the arguments of a tool call against the tool's description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


def problem_with(arguments: object, definition: Mapping[str, Any]) -> str:
    """The first problem with the arguments, as a sentence; "" without one."""
    function = definition.get("function", definition)
    schema = function.get("parameters") or {}
    if not isinstance(arguments, Mapping):
        return f"arguments must be an object, got {arguments!r:.80}"
    properties: Mapping[str, Any] = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in arguments:
            return f"arguments must have {name!r}, got {sorted(map(str, arguments))}"
    for name, value in arguments.items():
        if name not in properties:
            if schema.get("additionalProperties", not properties):
                continue
            return f"arguments must have no names but {sorted(properties)}, got {name!r}"
        problem = _problem(name, value, properties[name])
        if problem:
            return problem
    return ""


def _problem(name: str, value: object, schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, str) and kind in _KINDS:
        wrong_bool = isinstance(value, bool) and kind != "boolean"
        if wrong_bool or not isinstance(value, _KINDS[kind]):
            return f"{name} must be of type {kind}, got {value!r:.80}"
    choices = schema.get("enum")
    if choices is not None and value not in choices:
        return f"{name} must be one of {list(choices)}, got {value!r:.80}"
    return ""
