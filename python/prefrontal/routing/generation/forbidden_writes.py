"""Calls that write, move or delete files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath

WRITING = frozenset(
    ("write_text", "write_bytes", "unlink", "rmdir", "mkdir", "touch", "symlink_to")
    + ("hardlink_to", "link_to", "chmod", "lchmod", "rmtree", "makedirs", "copy_into", "move_into")
)
"""Methods of paths that write."""
_WITH_ONE_TARGET = frozenset(
    ("rename", "replace", "copy", "move")
)  # of a Path; str.replace takes two

Reason = tuple[int, str]


def write_reasons(tree: ast.Module, allow_writes: bool) -> Iterator[Reason]:
    """(line, sentence) of each write that is not allowed.

    With allow_writes those to a place outside the folder the code is run in, as far as it is
    written out; where it is not, the sandbox refuses.
    """
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass):
            for name in (WRITING | {"open"}) & set(node.kwd_attrs):
                yield node.lineno, f"patterns must not take .{name}"
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        call = calls.get(id(node))
        name = _written_by(node, call)
        if name and not allow_writes:
            yield node.lineno, f"files must not be written, got {name}"
        elif name:
            for place in _outside(node, call):
                rule = "files must be written below the current folder"
                yield node.lineno, f"{rule}, got {name} with {place!r}"


def _written_by(node: ast.Name | ast.Attribute, call: ast.Call | None) -> str:
    """What writes here, for people; empty when nothing does."""
    if isinstance(node, ast.Name):
        return _opened("open", call, 1) if node.id == "open" else ""
    if node.attr == "open":
        return _opened(".open", call, 0)
    if node.attr in WRITING:
        return f".{node.attr}"
    if node.attr in _WITH_ONE_TARGET and call and len(call.args) == 1 and not call.keywords:
        return f".{node.attr} with one argument"
    return ""


def _opened(name: str, call: ast.Call | None, place: int) -> str:
    """open() in any mode but reading; place: of the mode among its arguments."""
    if call is None:
        return f"{name} that is not called here"
    modes = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    modes += call.args[place : place + 1]
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return f"{name} with a mode that is not written out"
    for mode in modes:
        if not isinstance(mode, ast.Constant):
            return f"{name} with a mode that is not written out"
        if set(str(mode.value)) & set("wax+"):
            return f"{name} with mode {mode.value!r}"
    return ""


def _outside(node: ast.Name | ast.Attribute, call: ast.Call | None) -> Iterator[str]:
    """Places outside the current folder that stand in the call, or in the path it is called on."""
    parts: list[ast.AST] = [node.value] if isinstance(node, ast.Attribute) else []
    parts += call.args[:1] if call else []
    for part in parts:
        for inner in ast.walk(part):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                if _leaves(inner.value):
                    yield inner.value
            elif isinstance(inner, ast.Attribute) and inner.attr in ("home", "parent", "parents"):
                yield f".{inner.attr}"


def _leaves(place: str) -> bool:
    path = PurePosixPath(place.replace("\\", "/"))
    absolute = path.is_absolute() or bool(PureWindowsPath(place).drive)
    return absolute or ".." in path.parts or place.startswith("~")
