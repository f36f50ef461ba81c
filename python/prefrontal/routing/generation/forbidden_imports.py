"""Which modules generated code may import, and which members of them it may use."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType

STANDARD = (
    "__future__",
    "typing",
    "dataclasses",
    "pathlib",
    "json",
    "csv",
    "math",
    "statistics",
    "re",
    "datetime",
    "collections",
    "itertools",
    "functools",
    "random",
)
"""Modules that generated code may always import, with their submodules."""

_EVALUATING = {
    "typing": ("get_type_hints", "ForwardRef", "evaluate_forward_ref"),
    "dataclasses": ("make_dataclass",),
    "random": ("SystemRandom",),
}
_EVALUATING_ANYWHERE = frozenset(name for names in _EVALUATING.values() for name in names)
_REACHED = frozenset(("os", "sys", "io", "subprocess", "socket", "shutil", "builtins", "importlib"))

Reason = tuple[int, str]


def module_names(tree: ast.Module) -> dict[str, str]:
    """The names bound to modules anywhere in the file -> the module."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                names[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and _below(node.module or "", STANDARD):
            for alias in node.names:
                value = _value(node.module or "", alias.name)
                if isinstance(value, ModuleType):
                    names[alias.asname or alias.name] = value.__name__
    return names


def import_reasons(
    tree: ast.Module, modules: Mapping[str, str], extras: Sequence[str]
) -> Iterator[Reason]:
    """(line, sentence) of each forbidden import and of each detour around one."""
    dotted: set[int] = set()
    for node in ast.walk(tree):  # an attribute comes before what it is an attribute of
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _refused(node.lineno, alias.name, extras)
        elif isinstance(node, ast.ImportFrom):
            yield from _from(node, extras)
        elif isinstance(node, ast.Attribute):
            dotted.add(id(node.value))
            yield from _reached(node, modules, extras)
        elif isinstance(node, ast.Name) and node.id in modules and id(node) not in dotted:
            rule = "modules must only be used with a dot and a name behind them"
            yield node.lineno, f"{rule}, got {node.id} alone"


def _refused(line: int, name: str, extras: Sequence[str]) -> Iterator[Reason]:
    if not _allowed(name, extras):
        more = f" and {', '.join(extras)}" if extras else ""
        listed = f"{', '.join(STANDARD[1:])}{more}"
        yield line, f"imports must be among {listed}, got {name!r}"


def _from(node: ast.ImportFrom, extras: Sequence[str]) -> Iterator[Reason]:
    if node.level:
        yield node.lineno, "imports must be absolute, got a relative one"
        return
    name = node.module or ""
    if not _allowed(name, extras):
        yield from _refused(node.lineno, name, extras)
        return
    for alias in node.names:
        if alias.name == "*":
            yield node.lineno, f"imports must name what they import, got * from {name}"
        else:
            yield from _member(node.lineno, name, alias.name, extras)


def _reached(
    node: ast.Attribute, modules: Mapping[str, str], extras: Sequence[str]
) -> Iterator[Reason]:
    """Checks an attribute: of a known module by its member, else by its name."""
    path = _dotted(node.value)
    module = modules.get(path[0]) if path else None
    if module is not None:
        reasons = list(_member(node.lineno, ".".join([module, *path[1:]]), node.attr, extras))
        if reasons or not _below(module, STANDARD):
            yield from reasons
            return
    if node.attr.strip("_") in _REACHED or node.attr in _EVALUATING_ANYWHERE:
        yield node.lineno, f"nothing may be reached through other modules, got .{node.attr}"


def _member(line: int, module: str, name: str, extras: Sequence[str]) -> Iterator[Reason]:
    """Refuses a member of an allowed module that is a module, private, or evaluates text."""
    if _below(module, extras) or not _below(module, STANDARD):
        return
    value = _value(module, name)
    if isinstance(value, ModuleType):
        if not _allowed(value.__name__, extras):
            yield line, f"nothing may be reached through other modules, got {module}.{name}"
    elif name.startswith("_") and module != "__future__":
        yield line, f"names of modules must be public ones, got {module}.{name}"
    elif name in _EVALUATING.get(module, ()):
        yield line, f"{module}.{name} must not be used"


def _value(module: str, name: str) -> object:
    """The member of a module of the standard library; None when there is none."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:  # a class's path, or no such module: an error when it is tried out
        return None


def _dotted(node: ast.expr) -> list[str]:
    """["a", "b"] of a.b; empty for anything but names and attributes."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []


def _allowed(name: str, extras: Sequence[str]) -> bool:
    return _below(name, STANDARD) or _below(name, extras)


def _below(name: str, roots: Sequence[str]) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in roots)
