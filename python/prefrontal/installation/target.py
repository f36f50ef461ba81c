"""What `prefrontal install` puts in front of one runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .jobs import TimedJob
from .own_part import OwnPart
from .places import TextPlace

Piece = tuple[TextPlace, OwnPart]


@dataclass(frozen=True, slots=True)
class InstallTarget:
    """name: as on the command line. key: of its receipt. title: for people. pieces: what is written
    where. jobs: what the runtime keeps. following: commands that come next, and what each does.
    notes: what a person should know."""

    name: str
    key: str
    title: str
    pieces: Sequence[Piece]
    jobs: Sequence[TimedJob] = ()
    following: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = field(default=())
