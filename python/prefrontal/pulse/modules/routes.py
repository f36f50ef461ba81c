"""Which signals concern a module at all, as its fingerprint says; all others are never scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .fingerprint import ModuleFingerprint


class Interests(TypedDict):
    """What one module wants to see; with nothing in it, everything.

    directories: of files, absolute. irrelevant_extensions: of files in them, never wanted.
    namespaces: of the agent's memory. ticks: whether time itself is of interest.
    """

    directories: list[str]
    irrelevant_extensions: list[str]
    namespaces: list[str]
    ticks: bool


def interests(fingerprint: ModuleFingerprint) -> Interests:
    """The interests of one module, fit for `Routes.add`."""
    files = fingerprint.filesystem
    return {
        "directories": fingerprint.watch_directories(),
        "irrelevant_extensions": list(files.irrelevant_extensions) if files else [],
        "namespaces": fingerprint.watch_namespaces(),
        "ticks": fingerprint.time is not None,
    }
