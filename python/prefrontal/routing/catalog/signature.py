"""The signature of a module's `run` or `main`, from its syntax tree; runs nothing."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import TypeAlias

from ..plain_values import mended
from ..types import ArgSpec

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

ENTRIES = ("run", "main")
"""Names of entry functions; the first one defined wins."""


def parse_python(source: str) -> ast.Module:
    """The syntax tree. Raises SyntaxError for anything wrong, with the line if known."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes and the like: ruff says them
            return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:
        reason = "it holds a null character" if isinstance(error, ValueError) else "too deep"
        raise SyntaxError(f"cannot be parsed: {reason}") from None


def entry_of(tree: ast.Module) -> Function | None:
    """The top-level function `run`, else `main`; the last definition counts."""
    for name in ENTRIES:
        for node in reversed(tree.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                return node
    return None


def indirect_entry(tree: ast.Module) -> tuple[int, str] | None:
    """(line, how) when `run` or `main` is imported or assigned rather than defined."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names = [alias.asname or alias.name for alias in node.names]
            how = "imported"
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            how = "assigned"
        else:
            continue
        for name in ENTRIES:
            if name in names:
                return node.lineno, f"{name} must be defined in the file, got it {how}"
    return None


def refusal(function: Function) -> str:
    """Why the function cannot be called by name with plain arguments; empty when it can."""
    if isinstance(function, ast.AsyncFunctionDef):
        return f"{function.name}() must be a plain function, got an async one"
    unnamed = [argument.arg for argument in function.args.posonlyargs]
    if unnamed:
        return f"{function.name}() must take its arguments by name, got {unnamed[0]!r} before /"
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function)):
        return f"{function.name}() must return its result, got a generator"
    return ""


def arguments(function: Function) -> list[ArgSpec]:
    """Its arguments, in order, without *args and **kwargs."""
    plain, named = function.args.args, function.args.kwonlyargs
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(function.args.defaults))
    defaults += [*function.args.defaults, *function.args.kw_defaults]
    return [
        ArgSpec(argument.arg, hint(argument.annotation), default is None, _source(default))
        for argument, default in zip([*plain, *named], defaults, strict=True)
    ]


def takes_any_name(function: Function) -> bool:
    """Whether it has **kwargs."""
    return function.args.kwarg is not None


def hint(annotation: ast.expr | None) -> str | None:
    """The annotation as source, without the quotes of a string annotation."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return mended(annotation.value.strip())
    return _source(annotation)


def returned_keys(function: Function) -> tuple[str, ...]:
    """Keys that every returned dict has, in order; none when anything but a plain dict is returned.

    Follows a returned name to its only assignment.
    """
    key_lists = [_keys(value, function) for value in _returned(function)]
    if not key_lists or any(keys is None for keys in key_lists):
        return ()
    first, *rest = [keys for keys in key_lists if keys is not None]
    return tuple(mended(key) for key in first if all(key in keys for keys in rest))


def _returned(function: Function) -> list[ast.expr | None]:
    returns = (node for node in own_nodes(function) if isinstance(node, ast.Return))
    return [node.value for node in sorted(returns, key=lambda node: node.lineno)]


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of its body, without nested functions and classes."""
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        yield node
        inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        if not isinstance(node, inner):
            pending += ast.iter_child_nodes(node)


def _keys(value: ast.expr | None, function: Function) -> list[str] | None:
    if isinstance(value, ast.Name):
        value = _only_value(value.id, function)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and not value.args:
        names = [keyword.arg for keyword in value.keywords]
        return [name for name in names if name] if value.func.id == "dict" else None
    if not isinstance(value, ast.Dict):
        return None
    keys = [key.value for key in value.keys if isinstance(key, ast.Constant)]
    return list(dict.fromkeys(key for key in keys if isinstance(key, str)))


def _only_value(name: str, function: Function) -> ast.expr | None:
    values: list[ast.expr] = []
    for node in own_nodes(function):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        values += [value for item in targets if isinstance(item, ast.Name) and item.id == name]
    return values[0] if len(values) == 1 else None


def source_of(node: ast.expr) -> str:
    """The expression as source; "..." for one that Python parses but cannot print."""
    try:
        return ast.unparse(node)
    except ValueError:  # a number of more than 4,300 digits
        return "..."


def _source(node: ast.expr | None) -> str | None:
    return None if node is None else source_of(node)
