"""Rules for the program itself: its types, guardrails, tie-breakers and external programs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..generation.guardrails import inspect_code
from ..ranking.precedence import tie_rule
from ..trials.static_checks import missing_programs
from ..types import Candidate, Tool, ToolSpec

if TYPE_CHECKING:
    from ...settings.routing import Routing

_PACKAGE = Path(__file__).parents[2]
_GOOD = '''"""Adds.

Params:
    a: a number.

Returns:
    total: the number and one.

Side effects:
    none
"""


def run(a: int) -> dict[str, int]:
    """Add one."""
    return {"total": a + 1}
'''
REFUSED = {
    "a module for the network": _GOOD.replace("\n\n\ndef", "\nimport socket\n\n\ndef"),
    "a file that is written": _GOOD.replace("    return", '    open("x", "w").close()\n    return'),
    "no docstring": "def run(a: int) -> int:\n    return a\n",
    "no entry": '"""Nothing.\n\nParams: none\nReturns: none\nSide effects: none\n"""\n',
    "an import by name": _GOOD.replace("a + 1", '__import__("os").getpid()'),
    "text that is run": _GOOD.replace("a + 1", 'eval("a")'),
}
"""Modules that the guardrails must refuse, by their fault."""


def shared_types() -> list[str]:
    """Names of the classes of `routing.types`."""
    return [name for name, _ in _classes((_PACKAGE / "routing" / "types.py").read_bytes())]


def twin_types() -> list[str]:
    """Data classes that have the name of a shared type or stand twice in routing and sandbox."""
    shared = set(shared_types())
    of_shared = re.compile(rf"\bclass\s+({'|'.join(shared)})\b".encode())
    places: dict[str, list[str]] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        place = path.relative_to(_PACKAGE).as_posix()
        here = place.startswith(("routing/", "sandbox/"))
        source = path.read_bytes()
        if not here and not of_shared.search(source):
            continue
        for name, is_data in _classes(source):
            if is_data and (here or name in shared):
                places.setdefault(name, []).append(place)
    return [f"{name} is in {' and '.join(at)}" for name, at in places.items() if len(at) > 1]


def tie_rules(settings: Routing) -> list[str]:
    """Pairs of candidates that the tie-breakers do not order as they should."""
    first = _candidate("domains/a/b/x.py")
    pairs = {
        "domain over shared": _candidate("shared_tools/b/x.py", shared=True),
        "history": _candidate("domains/a/b/x.py", history=0.4),
        "depth": _candidate("domains/a/b/c/x.py"),
        "file name": _candidate("domains/a/b/y.py"),
        "score": _candidate("domains/a/b/x.py", score=0.699),
    }
    harmless = settings.ranker.harmless_first
    rules = {rule: tie_rule(first, other, harmless) for rule, other in pairs.items()}
    return [f"{rule}: decided by {got}" for rule, got in rules.items() if got != rule]


def unguarded() -> list[str]:
    """Bad modules that the guardrails let pass, and a good one that they refuse."""
    problems = [
        f"{what} is let through" for what, source in REFUSED.items() if not inspect_code(source)
    ]
    return problems + [f"a good module is refused: {one.text}" for one in inspect_code(_GOOD)]


def missing_tools(settings: Routing) -> list[str]:
    """Programs of the validation that are not installed and not forgiven."""
    if settings.validators.allow_missing:
        return []
    return [f"{name} is not installed" for name in missing_programs()]


def switches(settings: Routing) -> str:
    """How the optional parts are set."""
    parts = {
        "cache": settings.cache_enabled,
        "hints": settings.rag_enabled,
        "embeddings": settings.embeddings_enabled,
    }
    return ", ".join(f"{name} {'on' if on else 'off'}" for name, on in parts.items())


def _classes(source: bytes) -> Iterator[tuple[str, bool]]:
    """Each class of a file and whether it is a data class."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            yield node.name, any(mark.startswith("dataclass") for mark in marks)


def _candidate(
    relative: str, *, shared: bool = False, history: float = 0.5, score: float = 0.7
) -> Candidate:
    spec = ToolSpec(Path("/") / relative, "run", [], "Does.", score)
    tool = Tool(spec, "x", None if shared else "a", "b", shared, relative, "")
    return Candidate(tool, score, {"history_success": history})
