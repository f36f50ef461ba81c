"""List the public names that a Python module exports, where a change added or removed one or gave
it new arguments.

Example:
    run(before="def one(): pass\\n", after="def one(n): pass\\n\\nclass Two: pass\\n")
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def run(before: str, after: str) -> dict[str, Any]:
    """Compare the public functions, classes, methods and constants of both versions.

    Args:
        before: the source as it was, or the path of a file that holds it; empty for a new module.
        after: the source as it is, or the path of a file that holds it; empty for a deleted one.

    Returns:
        findings: one line for each name, "added one(n)" or "one() is now one(n)".

    Raises:
        ValueError: one of both is no Python, and nothing can be said.
    """
    old, new = names_of(before), names_of(after)
    if old is None or new is None:
        raise ValueError(f"{'before' if old is None else 'after'} must be Python")
    findings = [f"removed {old[name]}" for name in old if name not in new]
    findings += [f"added {new[name]}" for name in new if name not in old]
    kept = [name for name in new if name in old and old[name] != new[name]]
    findings += [f"{old[name]} is now {new[name]}" for name in kept]
    return {"findings": findings}


def names_of(given: str) -> dict[str, str] | None:
    """Each public name with its signature; None for what is no Python."""
    try:
        tree = ast.parse(text_of(given))
    except (SyntaxError, ValueError):
        return None
    return dict(described(tree, ""))


def described(parent: ast.Module | ast.ClassDef, where: str) -> Iterator[tuple[str, str]]:
    """(name, name with its arguments) of what the module or the class defines."""
    for node in parent.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(node.name):
            yield where + node.name, f"{where}{node.name}({ast.unparse(node.args)})"
        elif isinstance(node, ast.ClassDef) and is_public(node.name):
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            yield where + node.name, f"class {where}{node.name}" + (f"({bases})" if bases else "")
            yield from described(node, f"{where}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not where:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and is_public(target.id):
                    yield target.id, target.id


def is_public(name: str) -> bool:
    """Whether others may use the name."""
    return not name.startswith("_") or name == "__init__"


def text_of(given: str) -> str:
    """The text itself, or that of the file it names."""
    if "\n" in given or not given or len(given) > 1000 or not Path(given).is_file():
        return given
    return Path(given).read_text(encoding="utf-8", errors="replace")
