"""Which signals concern a module at all, as its fingerprint says; all others are never scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .fingerprint import ModuleFingerprint
    from .source_interest import SourceInterest


class Interests(TypedDict):
    """What one module wants to see; with nothing in it, everything.

    directories: of files, absolute. irrelevant_extensions: of files in them, never wanted.
    namespaces: of the agent's memory. ticks: whether time itself is of interest. sources: what of
    other sources is. undeclared: whether all of those are, declared or not.
    """

    directories: list[str]
    irrelevant_extensions: list[str]
    namespaces: list[str]
    ticks: bool
    sources: list[SourceInterest]
    undeclared: bool


def interests(fingerprint: ModuleFingerprint, *, undeclared: bool = False) -> Interests:
    """The interests of one module, fit for `Routes.add`.

    undeclared: let signals of sources without a folder, a namespace or a clock reach it whatever it
    declares, as gates did before version 4 of their rules.
    """
    files = fingerprint.filesystem
    return {
        "directories": fingerprint.watch_directories(),
        "irrelevant_extensions": list(files.irrelevant_extensions) if files else [],
        "namespaces": fingerprint.watch_namespaces(),
        "ticks": fingerprint.time is not None,
        "sources": fingerprint.source_interests(),
        "undeclared": undeclared,
    }
