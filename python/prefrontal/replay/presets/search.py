"""A sensible meaning of relevant for a repository, when its owner gives none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .followups import FollowupPreset
from .kinds import CHANGELOGS, FRAGMENTS, LEAST_TRIVIAL, REPAIRS, TESTS, TRIVIAL, Kind
from .presets import Preset, parse_preset, path_preset
from .spans import Span, spans_in_use
from .survey import Survey

if TYPE_CHECKING:
    from ...types import Window

LEAST_POSITIVES = 10
LEAST_SHARE, MOST_SHARE = 0.02, 0.60
"""A meaning that fits fewer or more changes than this has nothing to teach."""

SETTLED_POSITIVES, SETTLED_SHARE = 50, 0.20
"""A convention must have so many entries, or be in use for this part of the history."""

_NEARLY = 0.8  # an earlier glob wins with this part of the most: it hides the whole folder
_LATE = 0.05  # a convention that began within this part of the history was there all along
_SEAM = 0.05  # part of the history that may lie between the end of one and the next's begin
_LIKE = 2.0  # entries of the one may come so much more often than of the other
_FAMILIES = ((FRAGMENTS, CHANGELOGS), (TESTS,))


@dataclass(frozen=True, slots=True)
class PresetChoice:
    """A preset for a history, and where to begin.

    reason: why it, in a clause. begin: the window at which it began, 0 when it was there all along;
    start: what and when, in a clause. windows: how many the history has. notes: what else to know,
    in sentences.
    """

    preset: Preset
    reason: str
    begin: int
    start: str
    windows: int
    notes: tuple[str, ...]

    def beginning(self, replayed: bool) -> str:
        """When it began and what follows, as a sentence; replayed: only from there."""
        if replayed:
            left = self.windows - self.begin
            return f"{self.start}: {left:,} of {self.windows:,} changes are replayed."
        return (
            f"{self.start}, after the asked beginning: {self.begin:,} of {self.windows:,} changes"
            " count as not relevant for that alone."
        )


@dataclass(frozen=True, slots=True)
class _Use:
    """Globs of a kind and the span, in places, of their last use; `begins`: of each glob, less
    the exception at the end."""

    kind: Kind
    globs: tuple[str, ...]
    span: Span
    begins: tuple[int, ...]


def find_preset(history: Iterable[Window]) -> PresetChoice:
    """A preset that fits the history and is still in use; reads the history once.

    Tried in this order: folders of changelog entries, changelog files, tests that came along,
    follow-ups, words of repair in the text. Taken is the first that fits 2 to 60 % of the changes
    (a changelog file at least 10 %) and ten or more of them since it began and goes on until the
    end; conventions of the same sort that it took over from are united with it. When none fits, the
    last, and the reason says that it promises little.
    """
    survey = _PresetSearch()
    followups = [
        number
        for number, window in enumerate(FollowupPreset().apply(survey.of(history)))
        if window.relevant
    ]
    return survey.choose(followups)


def fits(positives: int, windows: int, least: float = LEAST_SHARE) -> bool:
    """Whether so many positives among so many windows can be learned from."""
    return positives >= LEAST_POSITIVES and least <= positives / windows <= MOST_SHARE


class _PresetSearch(Survey):
    """A survey that is asked for the best choice once the history was read."""

    def choose(self, followups: Sequence[int]) -> PresetChoice:
        endings: list[str] = []
        for family in _FAMILIES:
            uses = {kind: self._uses(kind) for kind in family}
            for kind in family:
                if choice := self._of_kind(kind, uses, endings):
                    return choice
                endings += self._endings(uses[kind])
        places = [self.place_of(window) for window in followups]
        words = parse_preset(f"message:{REPAIRS}")
        choice = self._of_windows(
            places,
            lambda begin: sum(window >= begin for window in followups),
            FollowupPreset(),
            "a later change reverted or fixed {share} within 30 days",
            endings,
            "Follow-ups",
        ) or self._of_windows(
            self.repairs,
            self.repairs_since,
            words,
            "a fix, bug, crash, regression or revert is in the text of {share}",
            endings,
            "Words of repair",
        )
        if choice is not None:
            return choice
        share = _share(self.repairs_since(0), self.windows)
        reason = (
            "no preset fits this history well, so a recall can hardly be promised:"
            f" a fix, bug, crash, regression or revert is in the text of {share}"
        )
        return self._choice(words, reason, 0, endings, "")

    def _of_windows(
        self,
        places: Sequence[int],
        count_since: Callable[[int], int],
        preset: Preset,
        reason: str,
        endings: Sequence[str],
        name: str,
    ) -> PresetChoice | None:
        """The choice of a preset that no files show, where it fits since it began."""
        begin = self._begin(_last(spans_in_use(places, self.places, LEAST_SHARE / 2), self.places))
        if begin is None:
            return None
        count, windows = count_since(begin), self.windows - begin
        if not fits(count, windows) or not self._settled(count, begin):
            return None
        reason = reason.format(share=_share(count, windows))
        return self._choice(preset, reason, begin, endings, name)

    def _of_kind(
        self, kind: Kind, uses: dict[Kind, list[_Use]], endings: Sequence[str]
    ) -> PresetChoice | None:
        earlier = [use for others in uses.values() for use in others]
        candidates = []
        for use in uses[kind]:
            if use.span.end < self.places:
                continue
            union = self._united(use, earlier)
            begin = self._begin(union.span) or 0
            own, _ = self.labels(use.globs, begin)
            union = replace(union, globs=self._without_trivial(union.globs, begin))
            count, windows = self.labels(union.globs, begin)
            if fits(count, windows, kind.least) and self._settled(count, begin):
                candidates.append((own, count, windows, begin, union))
        if not candidates:
            return None
        most = max(own for own, *_ in candidates)
        _, count, windows, begin, use = next(
            each for each in candidates if each[0] >= _NEARLY * most
        )
        preset = path_preset(use.globs)
        reason = kind.reason.format(globs=", ".join(use.globs), share=_share(count, windows))
        notes = [*endings, *self._successions(use)]
        return self._choice(preset, reason, begin, notes, kind.name)

    def _uses(self, kind: Kind) -> list[_Use]:
        """The last use of each glob that was a habit, whether it goes on or not."""
        uses = []
        for glob in kind.globs:
            if spans := spans_in_use(self.entries[glob], self.places, kind.least / 2):
                uses.append(_Use(kind, (glob,), spans[-1], (spans[-1].begin,)))
        return uses

    def _united(self, use: _Use, earlier: Sequence[_Use]) -> _Use:
        """With the conventions that it took over from, one after the other."""
        seam = max(50.0, _SEAM * self.places)
        while True:
            before = [
                other
                for other in earlier
                if other.globs[0] not in use.globs
                and use.span.begin - other.span.end <= seam
                and other.span.end < self.places
                and other.span.begin + other.span.end < 2 * use.span.begin
                and 1 / _LIKE <= other.span.rate / use.span.rate <= _LIKE
            ]
            if not before:
                return use
            other = max(before, key=lambda each: each.span.entries)
            entries = use.span.entries + other.span.entries
            span = Span(other.span.begin, use.span.end, entries)
            use = _Use(use.kind, use.globs + other.globs, span, use.begins + other.begins)

    def _without_trivial(self, globs: tuple[str, ...], begin: int) -> tuple[str, ...]:
        """The globs, with the exception of trivial entries where these are written often."""
        every, _ = self.labels(globs, begin)
        left, _ = self.labels((*globs, f"!{TRIVIAL}"), begin)
        return (*globs, f"!{TRIVIAL}") if left < (1 - LEAST_TRIVIAL) * every else globs

    def _settled(self, positives: int, begin: int) -> bool:
        return positives >= SETTLED_POSITIVES or self.windows - begin >= (
            SETTLED_SHARE * self.windows
        )

    def _begin(self, span: Span | None) -> int | None:
        """The window to begin with: the first of the span, or of all when that is about it."""
        if span is None:
            return None
        begin = self.window_at(span.begin)
        return begin if begin > _LATE * self.windows else 0

    def _endings(self, uses: Sequence[_Use]) -> list[str]:
        """What is no longer in use, the most used of a kind, as a sentence."""
        dead = [use for use in uses if use.span.end < self.places]
        if not dead or any(use.span.end == self.places for use in uses):
            return []
        use = max(dead, key=lambda each: each.span.entries)
        end = self.window_at(use.span.end - 1)
        return [
            f"{use.kind.name} ({use.globs[0]}) ended on {self._day(end)},"
            f" {self.windows - 1 - end:,} changes ago, so they say nothing of what matters now."
        ]

    def _successions(self, use: _Use) -> list[str]:
        if len(use.begins) == 1:
            return []
        parts = [
            f"in {glob} from {self._day(self.window_at(begin))}"
            for glob, begin in reversed(list(zip(use.globs, use.begins, strict=False)))
        ]
        return [f"One convention took over from another: {', '.join(parts)}."]

    def _choice(
        self, preset: Preset, reason: str, begin: int, notes: Sequence[str], name: str
    ) -> PresetChoice:
        start = f"{name} began on {self._day(begin)}" if begin else ""
        return PresetChoice(preset, reason, begin, start, self.windows, tuple(notes))

    def _day(self, window: int) -> str:
        return datetime.fromtimestamp(self.time_of(window), UTC).date().isoformat()


def _last(spans: Sequence[Span], end: int) -> Span | None:
    """The last span if it goes on until the end."""
    return spans[-1] if spans and spans[-1].end == end else None


def _share(positives: int, windows: int) -> str:
    share = f"{100 * positives / windows:.0f} %" if windows else "0 %"
    return f"{share} of {windows:,} changes ({positives:,})"
