"""What a regular expression speaks of: texts made of that make it work hardest."""

from __future__ import annotations

import re
import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as grammar  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any

_OF_CATEGORY = {kinds.CATEGORY_SPACE: " ", kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_WORD: "a"}
_REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
_INNER = {kinds.SUBPATTERN: 3, kinds.ASSERT: 1, kinds.ASSERT_NOT: 1} | dict.fromkeys(_REPEATS, 2)
"""Where the parts of a node stand in its value."""


class PatternWords:
    """letters: characters of the pattern; words: its runs of them."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.letters: set[str] = set()
        self.words: set[str] = set()
        self._word: list[str] = []
        self._read(grammar.parse(pattern.pattern, pattern.flags))

    def _read(self, nodes: Iterable[Any]) -> None:
        for kind, value in nodes:
            if kind is kinds.LITERAL:
                self.letters.add(chr(value))
                self._word.append(chr(value))
                continue
            self._end()
            if kind is kinds.IN:
                self._read_class(value)
            elif kind is kinds.BRANCH:
                for branch in value[1]:
                    self._read(branch)
            elif kind is kinds.ATOMIC_GROUP:
                self._read(value)
            elif kind in _INNER:
                self._read(value[_INNER[kind]])
        self._end()

    def _read_class(self, members: Iterable[tuple[Any, Any]]) -> None:
        for kind, value in members:
            if kind is kinds.LITERAL:
                self.letters.add(chr(value))
            elif kind is kinds.RANGE:
                self.letters.add(chr(value[0]))
            elif kind is kinds.CATEGORY:
                self.letters.add(_OF_CATEGORY.get(value, "."))

    def _end(self) -> None:
        if self._word:
            self.words.add("".join(self._word))
            self._word.clear()
