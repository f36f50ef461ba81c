"""Random numbers in generated code must start from a constant seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

Reason = tuple[int, str]

_OWN = frozenset(("seed", "Random", "SystemRandom"))


def seed_reasons(tree: ast.Module, modules: Mapping[str, str]) -> Iterator[Reason]:
    """(line, sentence) of each use of `random` before the first `random.seed(<constant>)`, and of
    each generator without a constant seed."""
    imported = _imported(tree)
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    types = _in_annotations(tree)
    seeded, uses = [], []
    for node in ast.walk(tree):
        name = _name(node, modules, imported)
        if not name or id(node) in types or not isinstance(node, ast.Name | ast.Attribute):
            continue
        place = (node.lineno, node.col_offset)
        call = calls.get(id(node))
        if name in ("seed", "Random") and not _has_seed(call):
            yield node.lineno, f"random.{name} must be called with a constant seed"
        elif name == "seed":
            seeded.append(place)
        elif name not in _OWN:
            uses.append((place, name))
    first = min(seeded, default=None)
    for place, name in uses:
        if first is None or place < first:
            yield place[0], f"random.{name} must come after random.seed() with a constant"


def _imported(tree: ast.Module) -> dict[str, str]:
    """Names in the file -> names in random."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "random"
        for alias in node.names
    }


def _name(node: ast.AST, modules: Mapping[str, str], imported: Mapping[str, str]) -> str:
    """The name in random that the node uses; empty for others."""
    if isinstance(node, ast.Name):
        return imported.get(node.id, "")
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if modules.get(node.value.id) == "random" else ""
    return ""


def _in_annotations(tree: ast.Module) -> set[int]:
    ids: set[int] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            hint = getattr(node, name, None)
            ids |= {id(inner) for inner in ast.walk(hint)} if hint is not None else set()
    return ids


def _has_seed(call: ast.Call | None) -> bool:
    if call is None or call.keywords or len(call.args) != 1:
        return False
    seed = call.args[0]
    if isinstance(seed, ast.UnaryOp) and isinstance(seed.op, ast.USub):
        seed = seed.operand
    return isinstance(seed, ast.Constant) and seed.value is not None
