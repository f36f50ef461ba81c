"""The twin's own reading of csrc/routing/lexicon.bin."""

from __future__ import annotations

from array import array
from itertools import pairwise
from pathlib import Path

FILE = Path(__file__).parents[2] / "csrc/routing/lexicon.bin"
RELATIVES, NONE = 16, 65_535


def _read() -> tuple[dict[str, float], dict[str, list[tuple[str, float]]]]:
    """What each stem's idf is multiplied by, and its relatives with their likeness."""
    data = FILE.read_bytes()
    count, letters = array("I", data[4:12])
    starts = array("I", data[12 : 16 + 4 * count])
    text = data[16 + 4 * count :][:letters]
    rest = data[16 + 4 * count + letters :]
    common, near, likeness = (
        rest[:count],
        rest[count:][: 2 * RELATIVES * count],
        rest[-16 * count :],
    )
    places = array("H", near)
    stems = [text[one:other].decode() for one, other in pairwise(starts)]
    weights = {
        stem: 1.0 - 0.5 * (1.0 - byte / 255.0) for stem, byte in zip(stems, common, strict=True)
    }
    relatives = {
        stem: [
            (stems[places[at]], 0.8 * (likeness[at] / 255.0))
            for at in range(RELATIVES * row, RELATIVES * (row + 1))
            if places[at] != NONE
        ]
        for row, stem in enumerate(stems)
    }
    return weights, relatives


_WEIGHTS, _RELATIVES = _read()


def lexical_weight(stem: str) -> float:
    return _WEIGHTS.get(stem, 1.0)


def related_words(stem: str) -> list[tuple[str, float]]:
    return _RELATIVES.get(stem, [])
