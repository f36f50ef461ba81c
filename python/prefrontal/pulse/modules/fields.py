"""The types that fields of fingerprints share, and how objects among them are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from ...errors import PrefrontalError
from ...home_folder import expanded
from ...typed_fields import FieldError, Must, Shape, then

SHAPE = Shape("a dict")
NOT_EMPTY = Must("be a list with at least one item", bool)


def _is_encodable(text: str) -> bool:
    """Whether UTF-8 can hold the text, as the compiled core takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _resolved(name: str) -> str:
    try:
        return str(expanded(name).resolve())
    except (OSError, ValueError, PrefrontalError) as error:
        raise FieldError(f"be a path that can be resolved ({error})", name) from error


def number(words: str, holds: Callable[[float], bool]) -> Must:
    """The rule of a number; -0.0 becomes 0.0: equal numbers are stored alike."""
    return Must(words, holds, lambda value: value + 0.0, covers_type=True)


NOT_BLANK = Must("be a non-blank string", lambda text: bool(text.strip()), covers_type=True)
ENCODABLE = Must("be text that UTF-8 can hold", _is_encodable)
Folder = Annotated[str, NOT_BLANK, then(_resolved), ENCODABLE]
"""A folder that need not exist: absolute, `~` expanded and links resolved."""
Stripped = Annotated[str, NOT_BLANK, then(str.strip)]
Word = Annotated[str, NOT_BLANK, then(str.strip), ENCODABLE]
