"""Names by which code escapes its namespace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .forbidden_writes import WRITING

_BUILTINS = frozenset(
    ("__import__", "eval", "exec", "compile", "globals", "locals", "vars", "setattr", "delattr")
    + ("breakpoint", "input", "help", "exit", "quit", "__builtins__", "__loader__")
    + ("__spec__", "__build_class__", "__dict__")
)
_FRAMES = frozenset(
    ("f_globals", "f_locals", "f_builtins", "f_back", "f_code", "tb_frame", "tb_next", "gi_frame")
    + ("gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code", "mro", "func_globals")
)
_HARMLESS = frozenset(
    ("__init__", "__post_init__", "__name__", "__doc__", "__main__", "__all__", "__file__")
    + ("__version__", "__future__", "__len__", "__iter__", "__str__", "__repr__", "__eq__")
)
_DUNDER = re.compile(r"__\w+__\Z")
_FORMAT = re.compile(r"\{[^{}]*(?:\.|\[)_")

Reason = tuple[int, str]


def name_reasons(tree: ast.Module) -> Iterator[Reason]:
    """(line, sentence) of each use of such a name."""
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield from _name(node, calls.get(id(node)))
        elif isinstance(node, ast.Attribute):
            yield from _attribute(node.lineno, node.attr)
        elif isinstance(node, ast.MatchClass):
            for attribute in node.kwd_attrs:
                yield from _attribute(node.lineno, attribute)
        elif isinstance(node, ast.Constant):
            yield from _text(node)


def _text(node: ast.Constant) -> Iterator[Reason]:
    if isinstance(node.value, str) and _FORMAT.search(node.value):
        yield node.lineno, f"text must not reach for private names, got {node.value!r:.80}"


def _name(node: ast.Name, call: ast.Call | None) -> Iterator[Reason]:
    if node.id in _BUILTINS:
        yield node.lineno, f"{node.id} must not be used"
    elif node.id in ("getattr", "hasattr") and not _plain_getattr(call):
        rule = f"{node.id} must be called with a constant public name"
        yield node.lineno, rule
    elif _DUNDER.match(node.id) and node.id not in _HARMLESS:
        yield node.lineno, f"{node.id} must not be used"


def _plain_getattr(call: ast.Call | None) -> bool:
    if call is None or len(call.args) < 2 or not isinstance(call.args[1], ast.Constant):
        return False
    name = call.args[1].value
    reaches = name in _FRAMES or name in WRITING or name == "open"
    return isinstance(name, str) and not name.startswith("_") and not reaches


def _attribute(line: int, name: str) -> Iterator[Reason]:
    if name in _FRAMES or (_DUNDER.match(name) and name not in _HARMLESS):
        yield line, f".{name} must not be used"
