"""Reads the data.* files of WordNet 3.0 (Debian: wordnet-base)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Synset:
    """kind: of the file. words: as people write them. links: (sign, place, kind) of other synsets.
    gloss: its meaning, with examples behind it.
    """

    kind: str
    place: str
    words: list[str]
    links: list[list[str]]
    gloss: str


def synsets(folder: Path) -> Iterator[Synset]:
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text("latin-1").splitlines():
            if not line.startswith("  "):
                yield _read(kind, line)


def _read(kind: str, line: str) -> Synset:
    head, _, gloss = line.partition(" | ")
    cells = head.split()
    first = 5 + 2 * int(cells[3], 16)
    words = [word.partition("(")[0].replace("_", " ") for word in cells[4 : first - 1 : 2]]
    links = [cells[first + 4 * at :][:3] for at in range(int(cells[first - 1]))]
    return Synset(kind, cells[0], words, links, gloss)
