"""Checks the syntax tree of generated code for what it must not contain.

Finds honest mistakes and simple tricks and says where they are. It is not a security boundary:
that is the sandbox.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

from ..types import Finding
from .forbidden_imports import import_reasons, module_names
from .forbidden_names import name_reasons
from .forbidden_writes import write_reasons
from .random_seeds import seed_reasons
from .tool_template import template_reasons

LARGEST = 200_000
"""Most characters of a generated module."""

_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_HIDING = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")

Reason = tuple[int, str]
"""(line, sentence)."""


def inspect_code(
    source: str,
    allowed_imports: Sequence[str] = (),
    allow_writes: bool = False,
    *,
    path: Path = Path("generated.py"),
) -> tuple[Finding, ...]:
    """Every reason to refuse the module, by line; none when it may be tried.

    allowed_imports: modules besides the harmless ones of the standard library, with all members.
    allow_writes: whether it may write files below its working folder. path: of the findings.
    """
    reasons = _text_reasons(source)
    if not reasons:
        tree = _parsed(source)
        reasons = (
            [tree] if isinstance(tree, tuple) else _reasons(tree, allowed_imports, allow_writes)
        )
    return tuple(Finding(path, line, text) for line, text in sorted(set(reasons)))


def _text_reasons(source: str) -> list[Reason]:
    if len(source) > LARGEST:
        return [(0, f"the module must have at most {LARGEST} characters, got {len(source)}")]
    reasons = []
    for number, line in enumerate(source.split("\n"), 1):
        cookie = _COOKIE.match(line) if number <= 2 else None
        if cookie and cookie[1].lower().replace("_", "-") not in ("utf-8", "utf8"):
            reasons.append((number, f"the text must be in UTF-8, got a declaration of {cookie[1]}"))
        if _HIDING.search(line):
            reasons.append((number, "the text must have no characters that hide or reorder others"))
    return reasons


def _parsed(source: str) -> ast.Module | Reason:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        return error.lineno or 0, f"it must be Python, got: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return 0, f"it must be Python, got: {str(error) or 'too deep nesting'}"


def _reasons(tree: ast.Module, allowed_imports: Sequence[str], allow_writes: bool) -> list[Reason]:
    try:
        modules = module_names(tree)
        return [
            *template_reasons(tree),
            *import_reasons(tree, modules, allowed_imports),
            *name_reasons(tree),
            *write_reasons(tree, allow_writes),
            *seed_reasons(tree, modules),
        ]
    except RecursionError:
        return [(0, "it must be nested less deep")]
