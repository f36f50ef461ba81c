"""Checks for one field of a JSON-like document, each told the field's dotted path.

Every refusal is an `InputError` that reads "<path> must <rule>, got <value>".
"""

from __future__ import annotations

import reprlib
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeGuard

from ...errors import InputError
from ...nearest import did_you_mean, unknown_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 160
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 10


def shown(value: object) -> str:
    """The value as an error shows it: its repr, shortened in the middle when it is long."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # an int past sys.get_int_max_str_digits() has no repr
        return f"{type(value).__name__} too long to show"


def refuse(path: str, rule: str, value: object, hint: str = "") -> NoReturn:
    """Raise the `InputError` that says `path` must `rule`; `hint` ends the sentence."""
    raise InputError(f"{path} must {rule}, got {shown(value)}{hint}")


def mapping(path: str, value: object, keys: Iterable[str]) -> dict[object, object]:
    """A dict that holds no key outside `keys`."""
    if not isinstance(value, dict):
        refuse(path, "be a dict", value)
    names = tuple(keys)
    for key in value:
        if key not in names:
            raise InputError(unknown_key(path, key, names, shown(key)))
    return value


def required(path: str, present: Collection[object], keys: Collection[str]) -> None:
    """Refuse a dict, or its keys, that lacks one of `keys`; the error names every missing one."""
    missing = [key for key in keys if key not in present]
    if missing:
        hints = "".join(did_you_mean(key, missing) for key in present if key not in keys)
        refuse(path, f"have the keys {', '.join(missing)}", list(present), hints)


def items(path: str, value: object, *, at_least_one: bool = False) -> list[object]:
    """A list, its items unchecked."""
    if not isinstance(value, list):
        refuse(path, "be a list", value)
    if at_least_one and not value:
        refuse(path, "be a list with at least one item", value)
    return value


def text(path: str, value: object) -> str:
    """A string with something in it besides white space, as given."""
    if not isinstance(value, str) or not value.strip():
        refuse(path, "be a non-blank string", value)
    return value


def folder(path: str, value: object) -> str:
    """A folder that need not exist: absolute, `~` expanded and links resolved."""
    name = text(path, value)
    try:
        return str(Path(name).expanduser().resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(
            f"{path} must be a path that can be resolved ({error}), got {shown(value)}"
        ) from error


def strings(path: str, value: object, *, at_least_one: bool = False) -> list[str]:
    """A list of strings, as given."""
    result = []
    for index, item in enumerate(items(path, value, at_least_one=at_least_one)):
        if not isinstance(item, str):
            refuse(f"{path}[{index}]", "be a string", item)
        result.append(item)
    return result


def number(path: str, value: object, rule: str) -> float:
    """A finite number that is no bool; `rule` is the field's whole rule, for the error."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        refuse(path, rule, value)
    try:
        result = float(value) + 0.0  # -0.0 becomes 0.0: equal numbers are stored alike
    except OverflowError:
        refuse(path, rule, value)
    if not isfinite(result):
        refuse(path, rule, value)
    return result


def is_whole(value: object, low: int, high: int) -> TypeGuard[int]:
    """Whether the value is an int, and no bool, in low..high."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_encodable(value: str) -> bool:
    """Whether UTF-8 can hold the text, as the compiled core takes it."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
