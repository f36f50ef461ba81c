"""Open questions gathered by what they are about: one card a file, however often it was asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from posixpath import basename, dirname
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..types import SignalEvent

REPOSITORY = "repository"
_FILE_SOURCES = frozenset({"filesystem", "git"})


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about: its name, where it belongs, and its full location.

    name: of the file, the page or the stream. place: the repository or the folder, "" where there
    is none.
    """

    name: str
    place: str
    location: str


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """The open questions of one module about one subject, the oldest first; never empty."""

    subject: Subject
    questions: tuple[tuple[int, Decision], ...]

    @property
    def key(self) -> int:
        """The number of the oldest: it stays while newer ones come."""
        return self.questions[0][0]

    @property
    def newest(self) -> Decision:
        """The question that a person answers."""
        return self.questions[-1][1]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of all of them."""
        return tuple(number for number, _ in self.questions)


def subject_of(decision: Decision) -> Subject:
    """What its newest event is about; the module where it has no event."""
    if not decision.window:
        return Subject(decision.subject, "", "")
    event = decision.window[-1]
    path = event.location.rstrip("/")
    name = basename(path) or event.location
    return Subject(name, _place(event, path), event.location)


def _place(event: SignalEvent, path: str) -> str:
    """The repository, or else the folder of a file."""
    named = event.features.get(REPOSITORY)
    if isinstance(named, str) and named:
        return named
    inside = event.features.get("path")
    if event.source == "git" and isinstance(inside, str) and path.endswith("/" + inside):
        return basename(path[: -len(inside) - 1])
    return basename(dirname(path)) if event.source in _FILE_SOURCES else ""


def grouped(questions: Iterable[tuple[int, Decision]]) -> list[QuestionGroup]:
    """The questions by module and location; first the group that was asked last.

    questions: number and decision, the oldest first.
    """
    members: dict[tuple[str, str], list[tuple[int, Decision]]] = {}
    subjects: dict[tuple[str, str], Subject] = {}
    for number, decision in questions:
        subject = subject_of(decision)
        key = decision.subject, subject.location
        subjects.setdefault(key, subject)
        members.setdefault(key, []).append((number, decision))
    groups = [QuestionGroup(subjects[key], tuple(each)) for key, each in members.items()]
    return sorted(groups, key=lambda group: -group.numbers[-1])
