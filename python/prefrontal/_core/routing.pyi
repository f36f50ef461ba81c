"""Words, edit distance and the index of tools; `prefrontal.routing` is the way in for people."""

from collections.abc import Sequence
from typing import Any

def tokens(text: str) -> list[str]:
    """The stems of the words of a name or sentence, in order: what all comparing of words uses.

    Words end at punctuation, underscores and camel case. "summarise", "Summarizing" and "summary"
    have one stem, "colour" and "color" too; a stem is for comparing, not for showing.
    """

def is_stop_word(stem: str) -> bool:
    """Whether a stem says nothing about which tool is meant: "the", "you", "please"."""

def calibrated(total: float, slope: float, reached: float) -> float:
    """The score of a weighted sum of features: a logistic curve that gives 0.60 at `reached`.

    total: the sum, rounded to millionths before; the score is rounded so after.
    """

def levenshtein(first: str, second: str) -> int:
    """The fewest inserted, deleted and replaced bytes of UTF-8 from one word to the other.

    Raises ValueError when `first` is longer than 64 bytes.
    """

def read_lexicon(file: bytes) -> dict[str, tuple[float, list[tuple[str, float]]]]:
    """The weight of each stem, and the stems near it with their likeness, the likest first.

    The lexicon that rankings use lies in this module; this reads another. Raises ValueError where
    the file is damaged.
    """

def read_word_vectors(file: bytes) -> dict[str, bytes]:
    """The vector of each stem, 64 signed bytes.

    Those that rankings use lie in this module; this reads others. Raises ValueError where the file
    is damaged.
    """

def word_cosine(first: str, second: str) -> float | None:
    """-1..1: the cosine of the vectors of two stems in this module; None where one has none."""

class UnreadableIndexError(ValueError):
    """A file is no whole index of this version; the text says why, without naming the file."""

class Moment:
    """When something is asked or happens, for the fading of old events.

    unix_s: seconds since 1970; -1 lets nothing fade. half_life_days: above 0.
    """

    def __init__(self, unix_s: float = -1.0, half_life_days: float = 30.0) -> None: ...

class ToolIndex:
    """Ranks tools for a prompt and learns from use; safe to call from several threads.

    The GIL is released while it works. The caller checks numbers; see prefrontal.routing.ToolIndex.
    """

    def __init__(self) -> None: ...
    def put(self, tools: list[dict[str, Any]]) -> None:
        """Add tools, replacing those of the same key; what use has taught about them stays.

        Keys of each dict: name, and optionally key (default: the name), doc, intents (texts),
        history (0..1, stands for the counted one). Raises ValueError, with nothing changed.
        """

    def remove(self, key: str) -> bool:
        """Forget a tool and what was learned about it; False when there was none."""

    def __len__(self) -> int: ...
    def __contains__(self, key: str) -> bool: ...
    def keys(self) -> list[str]:
        """All keys, in the order of their UTF-8 bytes."""

    def rank(
        self,
        intent: str,
        k: int,
        weights: tuple[float, float, float],
        calibration: tuple[float, float, float],
        now: Moment,
        similarities: Sequence[tuple[str, float]],
        similarity_share: float,
        explain: bool,
        relatives: bool,
        word_vectors: bool,
        successes: Sequence[tuple[str, float]],
    ) -> list[tuple[str, float, dict[str, float], tuple[str, ...], dict[str, Any] | None]]:
        """(key, score, features, matched words, explanation) of the best k tools, best first."""

    def relevance(
        self,
        intent: str,
        calibration: tuple[float, float, float],
        relatives: bool,
        word_vectors: bool,
    ) -> float:
        """The score of the best tool if none had a history; 0 without tools."""

    def accept(self, intent: str, key: str, now: Moment) -> bool:
        """Learn that the tool was right; False for an unknown key."""

    def reject(self, intent: str, key: str, now: Moment) -> bool:
        """Learn that the tool was wrong; False for an unknown key."""

    def save(self) -> bytes:
        """Everything, versioned and with a checksum."""

    def load(self, path: str) -> None:
        """Take over a saved index; its catalog stays in the mapped file.

        Raises UnreadableIndexError, with nothing changed, for a file that `save` did not write.
        """
