"""The example call in a docstring, for a dry run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ..plain_values import plain
from .docstring import sections
from .signature import parse_python

_MOST_LINES = 400


def example_arguments(
    doc: str, callee: Sequence[str], names: Sequence[str]
) -> dict[str, Any] | None:
    """Arguments of the first call of one of `callee` with plain values, or None.

    Searches prompts (">>> run(3)") and sections named Example. names: of the arguments, in order,
    for positional values.
    """
    for source in _sources(doc):
        for call in _calls(source, callee):
            arguments = _plain_arguments(call, names)
            if arguments is not None:
                return arguments
    return None


def _sources(doc: str) -> Iterator[str]:
    yield from _prompted(doc)
    for kind, _, lines in sections(doc):
        if kind == "example":
            code = [line.strip("`") for line in lines[:_MOST_LINES]]
            yield "\n".join(code)
            yield from code


def _prompted(doc: str) -> Iterator[str]:
    """The code after each ">>>", with its continuation lines."""
    block: list[str] = []
    for line in [*doc.split("\n"), ""]:
        text = line.strip()
        if block and text.startswith("..."):
            block.append(text[4:])
            continue
        if block:
            yield "\n".join(block)
        block = [text[4:]] if text.startswith(">>> ") else []


def _calls(source: str, callee: Sequence[str]) -> Iterator[ast.Call]:
    if not any(name in source for name in callee):
        return
    try:
        tree = parse_python(source.strip())
    except SyntaxError:  # prose
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node.func) in callee:
            yield node


def _called(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def _plain_arguments(call: ast.Call, names: Sequence[str]) -> dict[str, Any] | None:
    if len(call.args) > len(names):
        return None
    pairs = [*zip(names, call.args, strict=False)]
    for keyword in call.keywords:
        if keyword.arg is None:  # **more
            return None
        pairs.append((keyword.arg, keyword.value))
    try:
        return {name: plain(ast.literal_eval(value)) for name, value in pairs}
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
