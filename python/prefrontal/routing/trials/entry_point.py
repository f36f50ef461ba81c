"""Parses the signature of a tool's entry function without running it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...errors import InputError
from ..catalog.signature import source_of
from ..catalog.written_docstring import written_docstring

Kind = Literal["positional", "either", "rest", "keyword", "keywords"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. hint, default: source text; default is None when there is none.

    kind: "positional" (only so), "either", "rest" (*args), "keyword" (only so), "keywords"
    (**kwargs).
    """

    name: str
    kind: Kind
    hint: str | None
    default: str | None

    @property
    def required(self) -> bool:
        return self.default is None and self.kind not in {"rest", "keywords"}


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A tool's entry function. returns: its annotation. doc: of module and function."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: str | None
    waits: bool
    doc: str

    def stub(self) -> str:
        """One line of source with the same signature."""
        words = "async def" if self.waits else "def"
        returns = f" -> {self.returns}" if self.returns else ""
        return f"{words} {self.name}({', '.join(_parts(self.parameters))}){returns}: ..."


def entry_point(source: str | bytes) -> EntryPoint | None:
    """The module's run(), else its main(); None when it has neither.

    Where a name is defined twice the last definition counts, as it does at run time. Raises
    InputError with the line for source that is no Python.
    """
    module = _parsed(source)
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions[node.name] = node
    function = functions.get("run") or functions.get("main")
    if function is None:
        return None
    text = source if isinstance(source, str) else source.decode("utf-8-sig", "replace")
    docs = (written_docstring(one, text, (function.name,)) for one in (module, function))
    return _read(function, "\n\n".join(doc for doc in docs if doc))


def _parsed(source: str | bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the linter reports doubtful escapes
            return ast.parse(source)
    except SyntaxError as error:
        raise InputError(f"source must be Python, got {error.msg} (line {error.lineno})") from None
    except (ValueError, RecursionError, MemoryError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"source must be Python, got {reason}") from None


def _read(node: ast.FunctionDef | ast.AsyncFunctionDef, doc: str) -> EntryPoint:
    return EntryPoint(
        node.name,
        tuple(_parameters(node.args)),
        _text(node.returns),
        isinstance(node, ast.AsyncFunctionDef),
        doc,
    )


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    before = [*arguments.posonlyargs, *arguments.args]
    without = len(before) - len(arguments.defaults)
    defaults = [None] * without + [_text(default) for default in arguments.defaults]
    for place, (argument, default) in enumerate(zip(before, defaults, strict=True)):
        kind: Kind = "positional" if place < len(arguments.posonlyargs) else "either"
        yield Parameter(argument.arg, kind, _text(argument.annotation), default)
    if arguments.vararg:
        yield Parameter(arguments.vararg.arg, "rest", _text(arguments.vararg.annotation), None)
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(argument.arg, "keyword", _text(argument.annotation), _text(value))
    if arguments.kwarg:
        yield Parameter(arguments.kwarg.arg, "keywords", _text(arguments.kwarg.annotation), None)


def _text(node: ast.expr | None) -> str | None:
    return None if node is None else source_of(node)


def _parts(parameters: tuple[Parameter, ...]) -> Iterator[str]:
    """The parameters as written between the brackets, with / and * where they belong."""
    slash = sum(one.kind == "positional" for one in parameters)
    starred = False
    for place, one in enumerate(parameters):
        if place == slash and slash:
            yield "/"
        if one.kind == "keyword" and not starred:
            yield "*"
        starred = starred or one.kind in {"rest", "keyword"}
        stars = {"rest": "*", "keywords": "**"}.get(one.kind, "")
        hint = f": {one.hint}" if one.hint else ""
        yield f"{stars}{one.name}{hint}" + (f" = {one.default}" if one.default else "")
    if slash and slash == len(parameters):
        yield "/"
