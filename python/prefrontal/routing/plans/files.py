"""Reads plans from YAML or JSON files; errors name the line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...storage.documents import read_document
from ...storage.yaml_text import compose_yaml
from .plan import parse_plan

if TYPE_CHECKING:
    from ..types import Plan

_PLACE = re.compile(r"(?:a )?((?:plan|io)(?:\.\w+|\[\d+\])*)")


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """The plan of a file: JSON when its name ends in .json, else YAML.

    Raises SourceError when the file cannot be read, InputError naming the file, the line, the
    place, the rule and the value when it is no plan.
    """
    document = read_document(path)
    try:
        return parse_plan(document)
    except InputError as error:
        line = _line_of(path, str(error))
        where = f"{os.fspath(path)}:{line}" if line else os.fspath(path)
        raise InputError(f"{where}: {error}") from None


def _line_of(path: str | os.PathLike[str], sentence: str) -> int:
    """The line of the place that a sentence begins with; 0 when unknown."""
    place = _PLACE.match(sentence)
    if place is None:
        return 0
    try:
        node = compose_yaml(Path(path).read_text(encoding="utf-8-sig"))  # JSON is YAML
    except (OSError, ValueError):
        return 0
    return _descend(node, re.findall(r"\w+", place[1]))


def _descend(node: Any, parts: list[str]) -> int:
    """The line of the deepest part that exists."""
    if node is None:  # an empty file
        return 0
    line: int = node.start_mark.line + 1
    for part in parts:
        key, node = _child(node, part)
        if node is None:
            return line
        line = key.start_mark.line + 1
    return line


def _child(node: Any, part: str) -> tuple[Any, Any]:
    """(the node with the line, the value); None where there is no such part."""
    if isinstance(node.value, list) and node.id == "mapping":
        return next(((key, value) for key, value in node.value if key.value == part), (None, None))
    if node.id == "sequence" and part.isdigit() and int(part) < len(node.value):
        return node.value[int(part)], node.value[int(part)]
    return None, None
