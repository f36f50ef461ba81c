"""An index of tools: ranks them for a prompt and learns from what was accepted."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..._core import routing as _core
from ...errors import InputError, SourceError
from ...storage.files import write_atomic

DEFAULT_WEIGHTS = {"name": 0.4, "doc": 0.4, "history": 0.2}
DEFAULT_CALIBRATION = (11.0, 0.40, 0.52)
_KEYS = {"name", "key", "doc", "intents", "history", "domain", "action"}


class RankedTool(NamedTuple):
    """A tool in a ranking.

    name: its key. score: 0..1, calibrated, so that .6 is where tools are good enough. features:
    name_similarity, doc_keywords, history_success and, with embeddings, embedding_similarity.
    matched: words of the prompt that the tool's texts or phrasings have. explanation: what the
    score follows from, when it was asked for.
    """

    name: str
    score: float
    features: dict[str, float]
    matched: tuple[str, ...]
    explanation: dict[str, Any] | None = None


class ToolIndex:
    """Tools under unique keys, ranked by their words and by the prompts they were accepted for.

    The same tools and events give the same scores on every machine. Several threads may use one
    index: rankings run at the same time, changes one by one. Wrong arguments raise InputError.
    """

    def __init__(self) -> None:
        self._index = _core.ToolIndex()

    @classmethod
    def build(cls, tools: Iterable[Mapping[str, Any]]) -> ToolIndex:
        """An index of `tools`: mappings with "name", and optionally "doc", "intents" (prompts the
        tool is for), "key" (default: the name) and "history" (0..1, in place of the counted one).
        """
        index = cls()
        index.update(tools)
        return index

    def update(self, tools: Iterable[Mapping[str, Any]]) -> None:
        """Add tools; one of a known key takes its place and keeps what was learned about it."""
        try:
            self._index.put([_plain(tool) for tool in tools])
        except ValueError as error:
            raise InputError(str(error)) from error

    def remove(self, name: str) -> None:
        """Forget the tool of this key and what was learned about it."""
        _text(name, "name")
        if not self._index.remove(name):
            raise _unknown(name)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> list[str]:
        """All keys, in the order of their UTF-8 bytes."""
        return self._index.keys()

    def rank(
        self,
        intent: str,
        k: int = 10,
        *,
        weights: Mapping[str, float] | None = None,
        calibration: tuple[float, float, float] = DEFAULT_CALIBRATION,
        similarities: Mapping[str, float] | None = None,
        similarity_share: float = 0.5,
        now: float | None = None,
        half_life_days: float = 30.0,
        explain: bool = False,
        relatives: bool = True,
        word_vectors: bool = True,
        successes: Mapping[str, float] | None = None,
    ) -> list[RankedTool]:
        """The best `k` tools for a prompt, best first; equal ones by name.

        A tool that the prompt calls by its whole name ("create_meeting", "use create meeting")
        comes before all others, of several the one of the longest name.

        weights: name, doc and history, which sum to 1. calibration: the slope of the score, and
        where a score of .6 is reached without and with learning, or later where the best is unsure,
        and by as much as good records raise the first five tools alike.
        similarities: likeness 0..1 by an embedder by key, which get `similarity_share` of the doc
        feature. now: unix seconds; events count half after each half_life_days, and do not age
        without it. relatives: a word of the prompt that no tool has stands for those near it that
        some have (photo, picture). word_vectors: where no similarities are given, what the words of
        a tool and of its phrasings mean raises its doc feature; of more than 1,024 tools that of
        the 10 best by words and of those that use taught something about. The scores are fitted
        with both. successes: rates 0..1 by key, in place of what was counted here.
        """
        _text(intent, "intent")
        if not isinstance(k, int) or not 1 <= k <= 1_000_000:
            raise InputError(f"k must be between 1 and 1000000, got {k!r}")
        rows = self._index.rank(
            intent,
            k,
            _weights(weights or DEFAULT_WEIGHTS),
            _calibration(calibration),
            _moment(now, half_life_days),
            _similarities(similarities or {}),
            _share(similarity_share, "similarity_share"),
            explain,
            relatives,
            word_vectors,
            _successes(successes or {}),
        )
        return list(map(RankedTool._make, rows))

    def relevance(
        self,
        intent: str,
        *,
        calibration: tuple[float, float, float] = DEFAULT_CALIBRATION,
        relatives: bool = True,
        word_vectors: bool = True,
    ) -> float:
        """How likely any tool is needed at all, 0..1: the best score if none had a history."""
        return self._index.relevance(
            _text(intent, "intent"), _calibration(calibration), relatives, word_vectors
        )

    def accept(
        self, intent: str, name: str, *, now: float | None = None, half_life_days: float = 30.0
    ) -> None:
        """Learn that the tool was right for the prompt."""
        moment = _moment(now, half_life_days)
        if not self._index.accept(_text(intent, "intent"), _text(name, "name"), moment):
            raise _unknown(name)

    def reject(
        self, intent: str, name: str, *, now: float | None = None, half_life_days: float = 30.0
    ) -> None:
        """Learn that the tool was wrong for the prompt."""
        moment = _moment(now, half_life_days)
        if not self._index.reject(_text(intent, "intent"), _text(name, "name"), moment):
            raise _unknown(name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into one file, whole or not at all. Raises SourceError."""
        write_atomic(path, self._index.save())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ToolIndex:
        """A saved index, read where it lies (mapped). Raises SourceError for any other file."""
        index = cls()
        try:
            index._index.load(os.fspath(path))
        except _core.UnreadableIndexError as error:
            raise SourceError(f"{os.fspath(path)} cannot be read as an index: {error}") from error
        return index


def _plain(tool: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(tool, Mapping):
        raise InputError(f"a tool must be a mapping, got {tool!r}")
    if not tool.keys() <= _KEYS:
        unknown = sorted(map(str, tool.keys() - _KEYS))
        raise InputError(f"a tool must have keys of {sorted(_KEYS)} only, got {unknown}")
    return tool if type(tool) is dict else dict(tool)


def _text(value: str, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, got {value!r}")
    return value


def _share(value: float, what: str) -> float:
    if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise InputError(f"{what} must be between 0 and 1, got {value!r}")
    return float(value)


def _weights(weights: Mapping[str, float]) -> tuple[float, float, float]:
    if weights.keys() != DEFAULT_WEIGHTS.keys():
        raise InputError(f"weights must have the keys name, doc and history, got {weights!r}")
    name, doc, history = (_share(weights[key], f"weights[{key!r}]") for key in DEFAULT_WEIGHTS)
    if abs(name + doc + history - 1.0) > 1e-9:
        raise InputError(f"weights must sum to 1, got {weights!r}")
    return name, doc, history


def _calibration(calibration: tuple[float, float, float]) -> tuple[float, float, float]:
    slope, cold, learned = calibration
    if not (math.isfinite(slope) and slope > 0.0):
        raise InputError(f"calibration must start with a slope above 0, got {calibration!r}")
    return float(slope), _share(cold, "calibration[1]"), _share(learned, "calibration[2]")


def _moment(now: float | None, half_life_days: float) -> _core.Moment:
    if not (math.isfinite(half_life_days) and half_life_days > 0.0):
        raise InputError(f"half_life_days must be above 0, got {half_life_days!r}")
    if now is None:
        return _core.Moment(half_life_days=half_life_days)
    if not (math.isfinite(now) and now >= 0.0):
        raise InputError(f"now must be unix seconds from 0 up, got {now!r}")
    return _core.Moment(now, half_life_days)


def _similarities(similarities: Mapping[str, float]) -> list[tuple[str, float]]:
    for key, cosine in similarities.items():
        if not (isinstance(key, str) and math.isfinite(cosine)):
            raise InputError(f"similarities must map keys to numbers, got {key!r}: {cosine!r}")
    return list(similarities.items())


def _successes(successes: Mapping[str, float]) -> list[tuple[str, float]]:
    for key, rate in successes.items():
        if not isinstance(key, str):
            raise InputError(f"successes must map keys to rates, got {key!r}")
        _share(rate, f"successes[{key!r}]")
    return list(successes.items())


def _unknown(name: str) -> InputError:
    return InputError(f"name must be a tool of the index, got {name!r}")
