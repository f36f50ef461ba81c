"""A docstring as it was meant: in the line of an example call "\\n" is two characters of code.

Python makes a line end of it, which cuts the call in two and ends the section around it; a "\\t"
becomes spaces.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Sequence

_LINE_END = re.compile(r"(?<!\\)((?:\\\\)*)\\(?=[nrt])")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.) ")

Documented = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


def written_docstring(node: Documented, source: str, callee: Sequence[str]) -> str | None:
    """The docstring without its indentation; None without one. callee: names of the function that
    the examples call.
    """
    plain = ast.get_docstring(node)
    if plain is None or "\\" not in source:
        return plain
    segment = ast.get_source_segment(source, _constant(node)) or ""
    lines = segment.split("\n")
    text = "\n".join(_escaped(line) if _is_code(line, callee) else line for line in lines)
    if text == segment or segment[:1] not in "\"'":  # a raw one is as it was written
        return plain
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the linter reports doubtful escapes
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return plain
    return inspect.cleandoc(value) if isinstance(value, str) else plain


def _constant(node: Documented) -> ast.expr:
    statement = node.body[0]
    assert isinstance(statement, ast.Expr), "a docstring is an expression"
    return statement.value


def _is_code(line: str, callee: Sequence[str]) -> bool:
    return bool(_PROMPT.match(line)) or any(f"{name}(" in line for name in callee)


def _escaped(line: str) -> str:
    return _LINE_END.sub(r"\1\\\\", line)
