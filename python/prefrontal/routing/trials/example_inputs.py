"""Arguments for a dry run: from the tool's example, the rest from its type hints."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from ..catalog.docstring import argument_docs, summary
from .example_files import Content, ExampleFile, example_file, file_content, small_file
from .example_table import FIRST_COLUMN, columns_among, is_table, names_a_column
from .example_texts import example_text

if TYPE_CHECKING:
    from .entry_point import EntryPoint, Parameter

Encoded = list[Any]
"""[kind, plain value]: JSON values are "plain"; see child_program.decoded."""

_EMPTY: dict[str, Encoded] = {
    "str": ["plain", ""],
    "int": ["plain", 0],
    "float": ["plain", 0.0],
    "bool": ["plain", False],
    "bytes": ["bytes", ""],
    "None": ["plain", None],
    "Path": ["path", "example"],
    "PathLike": ["path", "example"],
    "date": ["date", "2025-01-01"],
    "datetime": ["datetime", "2025-01-01T00:00:00+00:00"],
    "tuple": ["tuple", []],
    "set": ["set", []],
    "Set": ["set", []],
    "frozenset": ["frozenset", []],
}
_LISTS = {"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence"}
_NUMBERS: dict[str, list[Any]] = {"int": [1, 2, 3], "float": [1.0, 2.0, 3.0]}
"""Of lists of numbers: many tools have no answer to none."""
_DICTS = {"dict", "Dict", "Mapping", "MutableMapping"}


@dataclass(frozen=True, slots=True)
class ExampleInputs:
    """The inputs of a call. guessed: some come from type hints alone. files: contents by name of
    those to be made: where guessed paths lead, and those of the example that are not there.
    """

    arguments: tuple[Encoded, ...]
    keywords: Mapping[str, Encoded]
    guessed: bool
    files: Mapping[str, Content] = field(default_factory=dict)

    @property
    def made_up(self) -> bool:
        """Whether something of them was made up, so that a failure says nothing of the tool."""
        return self.guessed or bool(self.files)

    def with_file(self, path: str) -> ExampleInputs | None:
        """With a small file at a path that is one of the inputs; None where there can be none."""
        values = [value for kind, value in (*self.arguments, *self.keywords.values())]
        content = file_content(path, columns_among(one for one in values if one != path))
        if content is None or path not in values or path in self.files:
            return None
        return replace(self, files={**self.files, path: content})


def example_inputs(entry: EntryPoint, example: Mapping[str, Any] | None) -> ExampleInputs | str:
    """The inputs, or a sentence why there are none.

    Arguments with a default that the example does not name are left out.
    """
    values = dict(example or {})
    arguments: list[Encoded] = []
    keywords: dict[str, Encoded] = {}
    files: dict[str, Content] = {}
    missing = [one for one in entry.parameters if _is_missing(one, values)]
    guesses = _guesses(missing, entry.doc, files)
    left_out = False
    for one in entry.parameters:
        if one.kind in {"rest", "keywords"}:
            continue
        if one.name not in values and not one.required:
            left_out = left_out or one.kind == "positional"
            continue
        told = one.name in values
        value = _told(one, values.pop(one.name)) if told else guesses[one.name]
        if value is None:
            return f"no example for {one.name}" + (f" ({one.hint})" if one.hint else "")
        if one.kind == "positional":
            if left_out:
                return f"the example must name what comes before {one.name}"
            arguments.append(value)
        else:
            keywords[one.name] = value
    if values and all(one.kind != "keywords" for one in entry.parameters):
        return f"the example names {', '.join(sorted(map(str, values)))}, which it does not take"
    rest = {str(name): ["plain", value] for name, value in values.items()}
    return ExampleInputs(tuple(arguments), keywords | rest, bool(guesses), files)


def from_hint(hint: str | None) -> Encoded | None:
    """The empty value of a type; None for a type without an obvious one."""
    try:
        return _value(ast.parse(hint or "", mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_missing(parameter: Parameter, values: Mapping[str, Any]) -> bool:
    named = parameter.kind not in {"rest", "keywords"}
    return named and parameter.required and parameter.name not in values


def _guesses(
    parameters: Sequence[Parameter], doc: str, files: dict[str, Content]
) -> dict[str, Encoded | None]:
    """A value for each, files to be read added to files; a column is the first of their tables."""
    guesses = {one.name: _guess(one, doc, files) for one in parameters}
    if any(map(is_table, files)):
        for one in parameters:
            if names_a_column(one.name) and (guesses[one.name] is not None or not one.hint):
                guesses[one.name] = _first_column(guesses[one.name])
    return guesses


def _first_column(guess: Encoded | None) -> Encoded:
    if guess is None or guess == ["plain", ""]:
        return ["plain", FIRST_COLUMN]
    return ["plain", [FIRST_COLUMN]] if guess == ["plain", []] else guess


def _guess(parameter: Parameter, doc: str, files: dict[str, Content]) -> Encoded | None:
    """The empty value of its type; of a path to be read a small file, which is added to files."""
    value = from_hint(parameter.hint)
    if value not in (None, ["plain", ""], _EMPTY["Path"]) or (value is None and parameter.hint):
        return value
    place = _place(parameter, doc, value == _EMPTY["Path"])
    if place is None:
        return ["plain", _text(parameter, doc)] if value == ["plain", ""] else value
    files.update(place.files)
    return ["path" if value == _EMPTY["Path"] else "plain", place.path]


def _text(parameter: Parameter, doc: str) -> str:
    return example_text(parameter.name, *_said(parameter, doc))


def _said(parameter: Parameter, doc: str) -> tuple[str, str]:
    """What is said of the parameter, and of the tool."""
    return argument_docs(doc).get(parameter.name, ""), summary(doc)


def _place(parameter: Parameter, doc: str, is_path: bool) -> ExampleFile | None:
    about, context = _said(parameter, doc)
    place = example_file(parameter.name, about, context)
    return small_file(parameter.name, about, context) if is_path and place is None else place


def _told(parameter: Parameter, value: Any) -> Encoded:
    if isinstance(value, date):  # YAML reads a bare date as one
        return ["datetime" if isinstance(value, datetime) else "date", value.isoformat()]
    kind = from_hint(parameter.hint)
    if kind is None or not isinstance(value, str):
        return ["plain", value]
    return (
        [kind[0], value] if kind[0] in {"path", "bytes", "date", "datetime"} else ["plain", value]
    )


def _value(node: ast.expr) -> Encoded | None:
    if isinstance(node, ast.Constant):
        return from_hint(node.value) if isinstance(node.value, str) else _named(str(node.value))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _first([node.left, node.right])
    if isinstance(node, ast.Subscript):
        return _subscript(node)
    return _named(_name(node))


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _named(name: str) -> Encoded | None:
    if name in _LISTS:
        return ["plain", []]
    return ["plain", {}] if name in _DICTS else _EMPTY.get(name)


def _subscript(node: ast.Subscript) -> Encoded | None:
    name = _name(node.value)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Optional":
        return ["plain", None]
    if name == "Literal":
        return ["plain", inner[0].value] if isinstance(inner[0], ast.Constant) else None
    if name == "Union":
        return _first(inner)
    if name == "Annotated":
        return _value(inner[0])
    if name in _LISTS and _name(inner[0]) in _NUMBERS:
        return ["plain", _NUMBERS[_name(inner[0])]]
    return _tuple(inner) if name in {"tuple", "Tuple"} else _named(name)


def _tuple(inner: list[ast.expr]) -> Encoded | None:
    last = inner[-1]
    if isinstance(last, ast.Constant) and last.value is ...:
        return ["tuple", []]
    values = [_value(one) for one in inner]
    return None if None in values else ["tuple", values]


def _first(nodes: list[ast.expr]) -> Encoded | None:
    """None where it is allowed, else the first known value."""
    values = [_value(node) for node in nodes]
    known = [value for value in values if value is not None]
    return next((value for value in known if value[1] is None), known[0] if known else None)
