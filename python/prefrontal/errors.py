"""The kinds of failure that belong to the world rather than to the caller's code."""

from __future__ import annotations

import reprlib

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 160
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 10
_MOST_SHOWN = 240
"""Characters of a whole value, whose parts may each be as long as `_SHORT` lets them."""


class PrefrontalError(Exception):
    """Root of every error this package raises on purpose; its text is a sentence for people."""


class InputError(PrefrontalError, ValueError):
    """Something handed in (a file, an event, a fingerprint, an option) breaks a stated rule.

    The text names the field, the rule and the value. The command line ends with exit code 2.
    """


class SourceError(PrefrontalError):
    """A source of signals cannot be read: no such repository, git missing, a history in repair.

    The command line ends with exit code 2.
    """


def shown(value: object) -> str:
    """The value as an error shows it: its repr, shortened in the middle when it is long."""
    try:
        text = _SHORT.repr(value)
    except ValueError:  # an int past sys.get_int_max_str_digits() has no repr
        return f"{type(value).__name__} too long to show"
    if len(text) <= _MOST_SHOWN:
        return text
    half = _MOST_SHOWN // 2
    return f"{text[: half - 3]}...{text[-half:]}"
