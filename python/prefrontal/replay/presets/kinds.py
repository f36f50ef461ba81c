"""What is looked for when nobody says what matters: files of conventions, and work of routine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...types import Window

REPAIRS = r"(?i)\b(fix|bug|regress|crash|security|revert)"

MOST_FILES = 10
"""A change that writes more changelog files than this moves or collects entries."""


TRIVIAL, LEAST_TRIVIAL = "*.trivial*", 0.05
"""Entries that say themselves that they do not matter, where that is a part of all entries."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A convention by the files in which it shows.

    least: the share of the changes that must follow it. most_files: a change that writes more of
    them is not counted. name, reason: for people.
    """

    globs: tuple[str, ...]
    least: float
    most_files: int | None
    name: str
    reason: str


FRAGMENTS = Kind(
    globs=(
        *("changelog.d/**", "changelog/**", "changelogs/**", "changes/**", "CHANGES/**"),
        *(".changes/**", "news/**", "newsfragments/**", "**/newsfragments/**", "docs/changes/**"),
        *("docs/changelog/**", "doc/changelog.d/**", "doc/release/upcoming_changes/**"),
        *("doc/whats_new/upcoming_changes/**", "doc/source/whatsnew/**", "docs/releases/**"),
        *("releasenotes/notes/**", "Misc/NEWS.d/**", ".changeset/**", ".chloggen/**"),
        *("RELEASE.rst", "RELEASE.md"),
    ),
    least=0.02,
    most_files=MOST_FILES,
    name="Changelog entries",
    reason="changelog entries ({globs}) were written with {share}",
)
CHANGELOGS = Kind(
    globs=(
        *("CHANGELOG*", "Changelog*", "ChangeLog*", "changelog.*"),
        *("CHANGES*", "Changes*", "changes.*", "HISTORY*", "History.*", "NEWS*"),
        *("RELEASE_NOTES*", "RELEASE-NOTES*", "release-notes*"),
    ),
    least=0.10,  # edited with fewer changes, it is written at releases
    most_files=MOST_FILES,
    name="Edits of the changelog",
    reason="the changelog ({globs}) was edited with {share}",
)
TESTS = Kind(
    globs=(
        *("tests/**", "test/**", "testing/**", "spec/**", "**/tests/**", "**/test/**"),
        *("**/__tests__/**", "test_*", "*_test.*", "*.test.*", "*.spec.*"),
    ),
    least=0.02,
    most_files=None,
    name="Tests that came along",
    reason="tests ({globs}) came with {share}",
)

_BOT = re.compile(
    r"\[bot\]|^(?:[a-z0-9]+[-_])?(?:dependabot|renovate|pyup|greenkeeper|snyk|pre-commit-ci)\b"
    r"|^[a-z0-9_-]*bot$",
)
_BOT_BRANCH = re.compile(
    r"Merge pull request #\d+ from \S*"
    r"(?:dependabot|renovate|pyup|greenkeeper|snyk|pre-commit-ci|create-pull-request)"
)
_REQUEST = re.compile(r"Merge pull request #\d+ |Auto merge of #\d+ ")
_FROM_A_LINE = re.compile(
    r"Merge (?:remote-tracking )?(?:branch(?:es)?|tag|commit) '?(?:origin/|upstream/)?"
    r"(?:stable|main|master|develop|dev|maint|release|v?\d)"
)
LONGEST = 1_000
"""Characters of a subject that are read."""
_RELEASE = re.compile(
    r"(?:Merge pull request #\d+ from \S+: )?(?:\w+(?:\([^)]*\))?!?: *)?\W*"
    r"(?:"
    r"v?\d+\.\d+[\w.+-]*\W*$"
    r"|(?:(?:prepar\w+|bump\w*|cut\w*|tag\w*|start|begin|publish\w*|make|set)\W+(?:\S+\W+){0,5}?)?"
    r"(?:for\W+)?(?:releas\w+|version\w*)\W*(?:of\W+|to\W+|for\W+|\S+\W+)?v?\d+(?:\.\d+)+"
    r"|(?:prepar\w+|bump\w*|publish\w*|releas\w+|version)\W+(?:for\W+|to\W+)?v?\d+(?:\.\d+)+"
    r"|(?:prepar\w+|bump\w*|cut)\W+(?:for\W+)?(?:the\W+|a\W+|next\W+|new\W+)*"
    r"(?:releas\w+|versions?)\b"
    r"|version packages\b|publish$|release$"
    r"|(?:updat\w+|collect\w*|generat\w+|compil\w+|finali[sz]\w+|assembl\w+)\W+(?:the\W+)?"
    r"(?:change-?log|changes|history|news|release notes)\b"
    r")",
    re.IGNORECASE,
)


def is_routine(window: Window) -> bool:
    """Whether a change is one of the project's machinery: of a bot, a release, a merged line.

    A merged request is its author's, whoever merged it.
    """
    text = window.text[:LONGEST]
    if _REQUEST.match(text):
        return _BOT_BRANCH.match(text) is not None or _RELEASE.match(text) is not None
    return (
        _BOT.search(window.actor) is not None
        or _FROM_A_LINE.match(text) is not None
        or _RELEASE.match(text) is not None
    )
