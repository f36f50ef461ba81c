"""The required form of a generated module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..catalog.signature import Function, entry_of, own_nodes

_SECTIONS = (
    ("its parameters (Args:)", r"args|arguments|parameters|params?"),
    ("what it returns (Returns:)", r"returns?|outputs?"),
    ("its side effects (Side effects:)", r"side[ -]effects?"),
)


def template_reasons(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, sentence) of each missing part."""
    function = entry_of(tree)
    reasons = list(_docstring_reasons(ast.get_docstring(tree) or "", function))
    if function is None:
        return [*reasons, (0, "it must define run() or main() at the top")]
    return [*reasons, *_entry_reasons(function)]


def _docstring_reasons(doc: str, function: Function | None) -> Iterator[tuple[int, str]]:
    if not doc.strip():
        yield 1, "the file must begin with a docstring: summary, Args:, Returns:, Side effects:"
        return
    takes = function is None or bool(_arguments(function)) or function.args.kwarg is not None
    for what, names in _SECTIONS if takes else _SECTIONS[1:]:
        if not re.search(rf"(?im)^[ \t]*:?(?:{names})\b[^\n:]*(?::|\n[ \t]*-{{3,}})", doc):
            yield 1, f"the docstring of the file must tell {what}"
    if re.match(rf"(?i)(?:{'|'.join(names for _, names in _SECTIONS)})[ \t]*:", doc.strip()):
        yield 1, "the docstring of the file must begin with a summary"


def _entry_reasons(function: Function) -> Iterator[tuple[int, str]]:
    line, name = function.lineno, f"{function.name}()"
    if isinstance(function, ast.AsyncFunctionDef):
        yield line, f"{name} must be a plain function, got an async one"
    if function.args.posonlyargs:
        yield line, f"{name} must take its arguments by name, got some before /"
    if function.args.vararg or (function.args.kwarg and function.name == "run"):
        yield line, f"{name} must name each argument, got * or **"
    for argument in _arguments(function):
        if argument.annotation is None:
            yield line, f"{name} must have a type for each argument, got none for {argument.arg}"
    if not any(isinstance(node, ast.Return) and node.value for node in own_nodes(function)):
        yield line, f"{name} must return a value"
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function)):
        yield line, f"{name} must return its value, got a generator"


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
