"""Read a JSON or YAML file that a person wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InputError, PrefrontalError, SourceError
from .yaml_text import LimitError, compose_yaml, node_line, parse_yaml

SIZE_LIMIT = 1 << 20
"""Most bytes of such a file: a person writes less."""


def read_document(path: str | os.PathLike[str]) -> object:
    """What the file holds: JSON when its name ends in .json, else YAML; None when it is empty.

    A key that stands twice in one mapping is refused, since one of the two would be lost. Raises
    SourceError when the file cannot be read, InputError when it is no such document.
    """
    name = os.fspath(path)
    text = _text(name)
    try:
        return _json(text) if name.lower().endswith(".json") else parse_yaml(text)
    except RecursionError:
        raise InputError(f"{name} must be nested less deep") from None
    except LimitError as error:
        raise InputError(f"{name} {error}") from None
    except ValueError as error:
        raise InputError(f"{name} must be {_kind(name)} ({error})") from None


def line_of(
    path: str | os.PathLike[str], document: object, where: Sequence[int | str], value: object
) -> int | None:
    """The line, from 1, on which the value at `where` stands in the file that held the document.

    None where the document has another value there (the environment may stand in front of it), and
    where the file cannot be read any more.
    """
    here: Any = document
    for part in where:
        try:
            here = here[part]
        except (LookupError, TypeError):
            return None
    if here != value:
        return None
    with suppress(PrefrontalError, ValueError):  # it was changed meanwhile
        return node_line(compose_yaml(_text(os.fspath(path))), where)
    return None


def _kind(name: str) -> str:
    return "JSON" if name.lower().endswith(".json") else "YAML"


def _text(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{name} cannot be read: {reason}") from None
    if len(data) > SIZE_LIMIT:
        raise InputError(f"{name} must have at most {SIZE_LIMIT} bytes, got more")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} must be text in UTF-8 ({error})") from None


def _json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_once) if text.strip() else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise ValueError(f"the key {name!r:.80} stands twice")
        result[name] = value
    return result
