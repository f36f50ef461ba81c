"""The kinds of failure that belong to the world rather than to the caller's code."""

from __future__ import annotations


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
