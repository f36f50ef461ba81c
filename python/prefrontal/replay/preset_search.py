"""A sensible meaning of relevant for a repository, when its owner gives none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from ..types import Window
from .followups import FollowupPreset
from .globs import compile_glob
from .presets import MessagePreset, PathPreset, Preset

LEAST_POSITIVES = 10
LEAST_SHARE, MOST_SHARE = 0.02, 0.60
"""A meaning that fits fewer or more changes than this has nothing to teach."""

LEAST_EDITED = 0.10
"""A changelog edited with fewer changes than this is written at releases, about all of them."""

REPAIRS = r"(?i)\b(fix|bug|regress|crash|security|revert)"

_NEARLY = 0.8  # an earlier glob wins with this part of the most: it hides the whole folder
_FRAGMENTS = (
    *("changelog.d/**", "changelog/**", "changelogs/**", "changes/**", "CHANGES/**"),
    *(".changes/**", "news/**", "newsfragments/**", "**/newsfragments/**", "docs/changes/**"),
    *("docs/changelog/**", "doc/changelog.d/**", "doc/release/upcoming_changes/**"),
    *("doc/whats_new/upcoming_changes/**", "doc/source/whatsnew/**", "docs/releases/**"),
    *("releasenotes/notes/**", "Misc/NEWS.d/**", ".changeset/**", ".chloggen/**"),
)
_CHANGELOGS = (
    *("CHANGELOG*", "Changelog*", "ChangeLog*", "changelog.*", "CHANGES*", "Changes*", "changes.*"),
    *("HISTORY*", "History.*", "NEWS*", "RELEASE_NOTES*", "RELEASE-NOTES*", "release-notes*"),
)
_TESTS = (
    *("tests/**", "test/**", "testing/**", "spec/**", "**/tests/**", "**/test/**"),
    *("**/__tests__/**", "test_*", "*_test.*", "*.test.*", "*.spec.*"),
)
_PATH_KINDS = (
    (_FRAGMENTS, LEAST_SHARE, "changelog entries ({glob}) were written with {share}"),
    (_CHANGELOGS, LEAST_EDITED, "the changelog ({glob}) was edited with {share}"),
    (_TESTS, LEAST_SHARE, "tests ({glob}) came with {share}"),
)


def find_preset(history: Iterable[Window]) -> tuple[Preset, str]:
    """A preset that fits the history, and the reason in a sentence; reads the history once.

    Tried in this order: folders of changelog entries, changelog files, tests that came along,
    follow-ups, words of repair in the text. Taken is the first that fits 2 to 60 % of the changes
    (a changelog file at least 10 %) and ten or more of them; when none does, the last, and the
    reason says that it promises little.
    """
    survey = _Survey()
    followed = sum(window.relevant is True for window in FollowupPreset().apply(survey.of(history)))
    for globs, least, reason in _PATH_KINDS:
        fitting = [
            glob for glob in globs if fits(survey.positives[glob], survey.shown(glob), least)
        ]
        if fitting:
            most = max(survey.positives[glob] for glob in fitting)
            glob = next(glob for glob in fitting if survey.positives[glob] >= _NEARLY * most)
            share = _share(survey.positives[glob], survey.shown(glob))
            return PathPreset(glob, compile_glob(glob)), reason.format(glob=glob, share=share)
    if fits(followed, survey.windows):
        share = _share(followed, survey.windows)
        return FollowupPreset(), f"a later change reverted or fixed {share} within 30 days"
    repairs, share = MessagePreset(survey.pattern), _share(survey.repairs, survey.windows)
    if fits(survey.repairs, survey.windows):
        return repairs, f"a fix, bug, crash, regression or revert is in the text of {share}"
    return repairs, (
        "no preset fits this history well, so a recall can hardly be promised:"
        f" a fix, bug, crash, regression or revert is in the text of {share}"
    )


def fits(positives: int, windows: int, least: float = LEAST_SHARE) -> bool:
    """Whether so many positives among so many windows can be learned from."""
    return positives >= LEAST_POSITIVES and least <= positives / windows <= MOST_SHARE


class _Survey:
    """Counts, in one pass, of what each candidate would call relevant and what it would hide."""

    def __init__(self) -> None:
        self.pattern = re.compile(REPAIRS)
        self.windows = 0
        self.repairs = 0
        self.positives: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._patterns = [(glob, compile_glob(glob)) for globs, *_ in _PATH_KINDS for glob in globs]
        # Histories name the same files again and again; most paths are looked at once.
        self._globs_of = lru_cache(maxsize=2**16)(self._look)

    def of(self, history: Iterable[Window]) -> Iterator[Window]:
        """The windows as they come, counted as they pass, without their events."""
        for window in history:
            self.windows += 1
            self.repairs += self.pattern.search(window.text) is not None
            self._count_paths(window)
            yield replace(window, events=())  # follow-ups are held for long, and need none

    def shown(self, glob: str) -> int:
        """How many windows are left when the files of `glob` are hidden."""
        return self.windows - self._left_out[glob]

    def _count_paths(self, window: Window) -> None:
        touched: Counter[str] = Counter()
        written = set[str]()
        for event in window.events:
            if globs := self._globs_of(event.location):
                touched.update(globs)
                if event.delta_type != "deleted":
                    written.update(globs)
        for glob, files in touched.items():
            if files == len(window.events):
                self._left_out[glob] += 1
            elif glob in written:
                self.positives[glob] += 1

    def _look(self, location: str) -> tuple[str, ...]:
        return tuple([glob for glob, pattern in self._patterns if pattern.match(location)])


def _share(positives: int, windows: int) -> str:
    share = f"{100 * positives / windows:.0f} %" if windows else "0 %"
    return f"{share} of {windows:,} changes ({positives:,})"
