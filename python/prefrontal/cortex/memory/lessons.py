"""Lessons of the cortex about itself and its work; unlike beliefs they do not expire."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ...origins import united
from ...plain_text import MORE, visible
from ...redaction import redact
from ...typed_fields import recover

if TYPE_CHECKING:
    from ...settings.cortex_growth import Lessons

_LIMIT = 200
_WORD = re.compile(r"[a-z0-9]{2,}")


@dataclass(frozen=True, slots=True)
class Lesson:
    """seen: how often it was drawn. first_cycle, last_cycle, last_at: when; Unix seconds.

    before: its text before the last revision. sources: see `origins`.
    """

    text: str
    seen: int
    first_cycle: int
    last_cycle: int
    last_at: float
    before: str = ""
    sources: tuple[str, ...] = (MORE,)


class LessonBook:
    """A few lessons; over the cap the one least recently drawn goes."""

    def __init__(self) -> None:
        self._lessons: list[Lesson] = []

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """The one drawn last first."""
        return tuple(self._lessons)

    def texts(self) -> list[str]:
        return [each.text for each in self._lessons]

    @property
    def sources(self) -> tuple[str, ...]:
        """The origins of all lessons."""
        return united(*(each.sources for each in self._lessons))

    def update(
        self,
        texts: Sequence[str],
        *,
        settings: Lessons,
        cycle: int,
        now: float,
        sources: tuple[str, ...] = (),
    ) -> None:
        """Add the lessons of a cycle. sources: the origins of its words.

        The same words again confirm a lesson; one that shares at least `settings.similarity` of
        its words with an old one replaces it and keeps the old text in `before`.
        """
        for raw in texts:
            lesson = visible(redact(raw), _LIMIT).strip()
            if lesson:
                self._learn(lesson, settings.similarity, cycle, now, sources)
        del self._lessons[settings.cap :]

    def save(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self._lessons]

    def load(self, raw: object) -> None:
        """Restore what `save` returned; ignores damaged entries."""
        self._lessons = recover(list[Lesson], raw, [])

    def _learn(
        self, lesson: str, similarity: float, cycle: int, now: float, sources: tuple[str, ...]
    ) -> None:
        old = next(
            (each for each in self._lessons if _alike(each.text, lesson) >= similarity), None
        )
        if old is None:
            entry = Lesson(lesson, 1, cycle, cycle, now, sources=sources)
        else:
            self._lessons.remove(old)
            before = old.text if old.text != lesson else old.before
            entry = replace(
                old,
                text=lesson,
                seen=old.seen + 1,
                last_cycle=cycle,
                last_at=now,
                before=before,
                sources=united(old.sources, sources),
            )
        self._lessons.insert(0, entry)


def _alike(one: str, other: str) -> float:
    """Share of the words of two texts that they have in common, 0..1."""
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    if not words or not others:
        return float(one == other)
    return len(words & others) / len(words | others)
