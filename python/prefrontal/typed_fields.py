"""Reads JSON-like values into dataclasses by the annotations of their fields.

What a value must do besides having its type stands in the annotation: `Annotated[float, Must("be a
number in 0..1", lambda value: 0 <= value <= 1)]`. What does not is refused in one sentence, such as
"policies[2].recall must be a number in 0..1, got 7". pydantic reads the settings alone: its import
costs more than most commands take (docs/decisions/0006-pydantic.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import InputError, shown
from .nearest import LONGEST_KEY, did_you_mean, unknown_key

T = TypeVar("T")
Reader = Callable[[Any], Any]


class FieldError(InputError):
    """A value does not do what it must. path: where it stands, names and indexes from outside."""

    def __init__(
        self, rule: str, value: object, path: tuple[str | int, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(rule)
        self.rule, self.value, self.path, self.hint = rule, value, path, hint

    def __str__(self) -> str:
        return f"{dotted(self.path)} must {self.rule}, got {shown(self.value)}{self.hint}"

    def below(self, *path: str | int) -> FieldError:
        """The same, seen from further out."""
        return type(self)(self.rule, self.value, (*path, *self.path), self.hint)


class UnknownFieldError(FieldError):
    """An object has a key that nobody knows. value: the key. rule: the known keys, with commas."""

    def __str__(self) -> str:
        place = dotted(self.path)
        return unknown_key(place, self.value, self.rule.split(", "), shown(self.value))


@dataclass(frozen=True, slots=True)
class Must:
    """What a value of a type must do, in words. then: what is made of one that does.

    `then` may raise FieldError, too. covers_type: a value of another type breaks this rule, too.
    """

    words: str
    holds: Callable[[Any], bool] = lambda _: True
    then: Callable[[Any], Any] = lambda value: value
    covers_type: bool = False


def then(change: Callable[[Any], Any]) -> Must:
    """What is made of a value; a rule that it cannot break, but with a FieldError of `change`."""
    return Must("", then=change)


@dataclass(frozen=True, slots=True)
class Shape:
    """How strictly objects are read.

    noun: what an object is called. whole: no default stands in for a missing field. closed: unknown
    keys are refused. mending: an item, an entry, or a field with a default that breaks a rule is
    left out, and 3.0 is a whole number.
    """

    noun: str = "a mapping"
    whole: bool = False
    closed: bool = True
    mending: bool = False


_MENDING = Shape(closed=False, mending=True)
_STORED = Shape(closed=False)


def read(kind: Any, raw: object, shape: Shape, place: str = "", whole: str = "") -> Any:
    """The value of a type, which may be a dataclass or annotated with rules.

    place: where it stands. whole: what an error calls it, where it stands nowhere. Raises
    InputError naming the field, its rule and the value.
    """
    try:
        return _reader(kind, shape)(raw)
    except FieldError as error:
        start = place or ("" if error.path else whole)
        raise error.below(start) if start else error from None


def recover(kind: Any, raw: object, fallback: T) -> T:
    """The value of a type that was stored, without what is damaged in it, or the fallback."""
    try:
        value: T = _reader(kind, _MENDING)(raw)
    except FieldError:
        return fallback
    return value


def damage(kind: Any, raw: object) -> str:
    """The first thing that `recover` leaves out of a stored value, in a sentence; "" for none."""
    try:
        read(kind, raw, _STORED, "it")
    except InputError as error:
        return str(error)
    return ""


def check_keys(
    raw: object, needed: Iterable[str], shape: Shape, known: Collection[str] | None, *place: str
) -> None:
    """That it is an object with the needed keys. known: all that it may have; None: any."""
    if not isinstance(raw, dict | Mapping):
        raise FieldError(f"be {shape.noun}", raw, place)
    if known is not None:
        for key in raw:
            if key not in known:
                raise UnknownFieldError(", ".join(known), key, place)
    if missing := [name for name in needed if name not in raw]:
        strangers = () if shape.mending else [key for key in raw if key not in needed]
        hints = "".join(dict.fromkeys(did_you_mean(key, missing) for key in strangers))
        raise FieldError(f"have the keys {', '.join(missing)}", list(raw), place, hints)


def dotted(path: tuple[str | int, ...]) -> str:
    """`policies[2].recall`, with the start of a key that is long."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            key = str(part)  # YAML has keys of any type
            key = key if len(key) <= LONGEST_KEY else f"{key[:LONGEST_KEY]}..."
            text += f".{key}" if text else key
    return text


@cache
def _reader(kind: Any, shape: Shape) -> Reader:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _ruled(arguments[0], arguments[1:], shape)
    if origin in (Union, UnionType):
        [inner] = [_reader(each, shape) for each in arguments if each is not NoneType]
        return lambda value: None if value is None else inner(value)
    if origin is Literal:
        return _checked(lambda value: value in arguments, f"be one of {', '.join(arguments)}")
    if origin is list or arguments[1:] == (...,):
        return _list_reader(origin, _reader(arguments[0], shape), shape.mending)
    if origin is tuple:
        return _tuple_reader([_reader(each, shape) for each in arguments])
    if origin in (dict, Mapping) and arguments[1] is not Any:
        return _entries_reader(_reader(arguments[1], shape), shape.mending)
    if is_dataclass(kind) or hasattr(kind, "_field_defaults"):
        return _object_reader(kind, shape)
    return (_MENDED if shape.mending else _PLAIN).get(kind) or _PLAIN[origin or kind]


def _checked(holds: Callable[[Any], bool], words: str) -> Reader:
    def checked(value: Any) -> Any:
        if not holds(value):
            raise FieldError(words, value)
        return value

    return checked


def _ruled(kind: Any, rules: tuple[Must, ...], shape: Shape) -> Reader:
    plain, first = _reader(kind, shape), rules[0]

    def ruled(value: Any) -> Any:
        try:
            result = plain(value)
        except FieldError as error:
            if error.path or not first.covers_type:
                raise
            raise FieldError(first.words, value) from None
        for rule in rules:
            if not rule.holds(result):
                raise FieldError(rule.words, result)
            result = rule.then(result)
        return result

    return ruled


def _list_reader(kind: type, reader: Reader, mending: bool) -> Reader:
    def read_list(value: Any) -> Any:
        if not isinstance(value, list):
            raise FieldError("be a list", value)
        return kind(each for _, each in _parts(enumerate(value), repeat(reader), mending))

    return read_list


def _tuple_reader(readers: list[Reader]) -> Reader:
    def read_tuple(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise FieldError(f"be a list of {len(readers)}", value)
        return tuple(each for _, each in _parts(enumerate(value), readers))

    return read_tuple


def _entries_reader(reader: Reader, mending: bool) -> Reader:
    def read_entries(value: Any) -> Any:
        if not isinstance(value, dict):
            raise FieldError("be a mapping", value)
        return dict(_parts(value.items(), repeat(reader), mending))

    return read_entries


def _parts(
    parts: Iterable[tuple[Any, Any]], readers: Iterable[Reader], mending: bool = False
) -> Iterator[tuple[Any, Any]]:
    """Each part with its place."""
    for (place, value), reader in zip(parts, readers, strict=False):
        try:
            part = reader(value)
        except FieldError as error:
            if not mending:
                raise error.below(place) from None
        else:
            yield place, part


def _object_reader(kind: Any, shape: Shape) -> Reader:
    types = get_type_hints(kind, include_extras=True)
    has_default = _defaults(kind)
    readers = {name: _reader(types[name], shape) for name in has_default}
    needed = [name for name in readers if not shape.whole and not has_default[name]]

    def read_object(raw: Any) -> Any:
        check_keys(raw, needed, shape, readers if shape.closed else None)
        values = {}
        for name, reader in readers.items():
            try:
                if name in raw:
                    values[name] = reader(raw[name])
                elif shape.whole:
                    raise FieldError("be present", raw)
            except FieldError as error:
                if name in needed or not shape.mending:
                    raise error.below(name) from None
        return kind(**values)

    return read_object


def _defaults(kind: Any) -> dict[str, bool]:
    """Whether a field has a default, of a dataclass or a NamedTuple."""
    if not is_dataclass(kind):
        return {name: name in kind._field_defaults for name in kind._fields}
    return {
        each.name: each.default is not MISSING or each.default_factory is not MISSING
        for each in fields(kind)
        if each.init
    }


def _number(value: Any) -> float:
    if _is_number(value) and abs(value) <= sys.float_info.max:
        return float(value)
    raise FieldError("be a finite number", value)


def _mended_whole(value: Any) -> int:
    if _is_number(value) and abs(value) <= _MOST_WHOLE:
        return int(value)
    raise FieldError("be a whole number", value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_MOST_WHOLE = 1e15
"""More than any count."""
_PLAIN: dict[Any, Reader] = {
    str: _checked(lambda value: isinstance(value, str), "be text"),
    bool: _checked(lambda value: isinstance(value, bool), "be true or false"),
    int: _checked(
        lambda value: isinstance(value, int) and not isinstance(value, bool), "be a whole number"
    ),
    float: _number,
    dict: _checked(lambda value: isinstance(value, dict), "be a mapping"),
    Mapping: _checked(lambda value: isinstance(value, dict), "be a mapping"),
    Path: Path,
    Any: lambda value: value,
}
_MENDED: dict[Any, Reader] = {
    int: _mended_whole,
    float: _checked(
        lambda value: _is_number(value) and abs(value) <= sys.float_info.max, "be a finite number"
    ),
}
"""Numbers as they were written."""
