"""Read a JSON or YAML file that a person wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import InputError, SourceError

SIZE_LIMIT = 1 << 20
"""Most bytes of such a file: a person writes less, and YAML takes its time."""


def read_document(path: str | os.PathLike[str]) -> object:
    """What the file holds: JSON when its name ends in .json, else YAML; None when it is empty.

    A key that stands twice in one mapping is refused, since one of the two would be lost. Raises
    SourceError when the file cannot be read, InputError when it is no such document.
    """
    name = os.fspath(path)
    text = _text(name)
    try:
        return _json(text) if name.lower().endswith(".json") else _yaml(text)
    except RecursionError:
        raise InputError(f"{name} must be nested less deep") from None
    except ValueError as error:
        raise InputError(f"{name} must be {_kind(name)}, got: {error}") from None


def _kind(name: str) -> str:
    return "JSON" if name.lower().endswith(".json") else "YAML"


def _text(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{name} cannot be read: {reason}") from None
    if len(data) > SIZE_LIMIT:
        raise InputError(f"{name} must have at most {SIZE_LIMIT} bytes, got more")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} must be text in UTF-8, got: {error}") from None


def _json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_once) if text.strip() else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return result


def _yaml(text: str) -> object:
    import yaml  # type: ignore[import-untyped]

    try:
        _refuse_twins(yaml.compose(text, Loader=yaml.SafeLoader), yaml)
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        raise ValueError(" ".join(_marked(error))) from None
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError(" ".join(str(error).split())) from None


def _marked(error: Any) -> list[str]:
    parts = [part for part in (error.context, error.problem) if part]
    mark = error.problem_mark or error.context_mark
    return [*parts, f"(line {mark.line + 1}, column {mark.column + 1})"] if mark else parts


def _refuse_twins(root: Any, yaml: Any) -> None:
    pending, seen = [root], set()
    while pending:
        node = pending.pop()
        if node is None or id(node) in seen:  # an alias may point at its own parent
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
        elif isinstance(node, yaml.MappingNode):
            keys = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and (key.tag, key.value) in keys:
                    line = key.start_mark.line + 1
                    raise ValueError(f"the key {key.value!r} stands twice (line {line})")
                keys.add((key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key))
                pending += (key, value)
