"""Semantic versions: computes the bump from the old and the new signature."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

from ...errors import InputError
from ..trials.entry_point import EntryPoint, Parameter, entry_point

Bump = Literal["major", "minor", "patch"]
Change = tuple[Bump, str]

FIRST_VERSION = "1.0.0"

_ORDER: tuple[Bump, ...] = ("patch", "minor", "major")
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)\Z")


def larger(first: Bump, second: Bump) -> Bump:
    """The larger bump."""
    return max(first, second, key=_ORDER.index)


def grown(version: str, bump: Bump) -> str:
    """The version after that bump: 1.4.2 becomes 2.0.0, 1.5.0 or 1.4.3. Raises InputError."""
    major, minor, patch = version_parts(version)
    if bump == "major":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if bump == "minor" else f"{major}.{minor}.{patch + 1}"


def version_parts(version: str) -> tuple[int, int, int]:
    """The three numbers, comparable. Raises InputError for an invalid version."""
    match = _VERSION.match(version)
    if match is None or len(version) > 100:
        raise InputError(f"version must be three whole numbers and two dots, got {version!r}")
    return int(match[1]), int(match[2]), int(match[3])


def bump_between(
    old_source: str | bytes | None,
    new_source: str | bytes,
    *,
    relocated: bool = False,
    plan_changed: bool = False,
) -> tuple[Bump, str]:
    """How much the new source breaks, and why, as a sentence for people.

    old_source: None when it is not known any more (then "patch", the usual case); the one line
    of `EntryPoint.stub` does as well. Raises InputError when the new source is no tool.
    """
    new = entry_point(new_source)
    if new is None:
        raise InputError("source must define run() or main(), got neither")
    changes: list[Change] = []
    if relocated:
        changes.append(("major", "the tool has another place"))
    if plan_changed:
        changes.append(("minor", "the composition has other steps"))
    changes += _changes(old_source, new)
    if not changes:
        return "patch", "the signature is the same"
    bump = max((change for change, _ in changes), key=_ORDER.index)
    return bump, "; ".join(why for change, why in changes if change == bump)


def _changes(old_source: str | bytes | None, new: EntryPoint) -> list[Change]:
    if old_source is None:
        return []
    try:
        old = entry_point(old_source)
    except InputError:
        old = None
    if old is None:
        return [("major", "the old source defines no tool to compare with")]
    if old.name != new.name:
        return [("major", f"{old.name}() became {new.name}()")]
    return [*_function_changes(old, new), *_parameter_changes(old, new)]


def _function_changes(old: EntryPoint, new: EntryPoint) -> Iterator[Change]:
    if old.waits != new.waits:
        yield "major", "the function is awaited" if new.waits else "the function is not awaited"
    if old.returns != new.returns and None not in (old.returns, new.returns):
        yield "minor", f"it returns {new.returns} instead of {old.returns}"


def _parameter_changes(old: EntryPoint, new: EntryPoint) -> Iterator[Change]:
    before = {one.name: one for one in old.parameters}
    after = {one.name: one for one in new.parameters}
    for name in sorted(before.keys() - after.keys()):
        yield "major", f"{name} was removed"
    for name in sorted(after.keys() - before.keys()):
        if after[name].required:
            yield "major", f"{name} is new and required"
        else:
            yield "minor", f"{name} is new"
    for name, parameter in before.items():
        if name in after:
            yield from _change(parameter, after[name])
    old_order = [one.name for one in _placed(old) if one.name in after]
    if old_order != _up_to_last(_placed(new), old_order):
        yield "major", "the arguments have another order"


def _placed(entry: EntryPoint) -> list[Parameter]:
    return [one for one in entry.parameters if one.kind in {"positional", "either"}]


def _up_to_last(placed: list[Parameter], names: list[str]) -> list[str]:
    """Names of the parameters up to the last known one: a new one between them moves the rest."""
    last = max((place for place, one in enumerate(placed) if one.name in names), default=-1)
    return [one.name for one in placed[: last + 1]]


def _change(old: Parameter, new: Parameter) -> Iterator[Change]:
    if new.required and not old.required:
        yield "major", f"{new.name} became required"
    elif old.required and not new.required:
        yield "minor", f"{new.name} became optional"
    if old.kind != new.kind:
        widened = new.kind == "either" and old.kind in {"positional", "keyword"}
        yield ("minor" if widened else "major"), f"{new.name} is given in another way"
    if _type_of(old.default) != _type_of(new.default) and old.default and new.default:
        yield "major", f"the default of {new.name} has another type"
    if old.hint != new.hint and None not in (old.hint, new.hint):
        yield "minor", f"{new.name} takes {new.hint} instead of {old.hint}"


def _type_of(default: str | None) -> str | None:
    """The type of a default that is a literal; other defaults count as one type of their own."""
    if default is None:
        return None
    try:
        return type(ast.literal_eval(default)).__name__
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return "an expression"
