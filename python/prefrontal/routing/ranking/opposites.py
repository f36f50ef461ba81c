"""Tools that do the opposite: "extract photos.zip into a folder" is not for `zip_folder`.

Such a pair shares all its objects, so that words alone may put the wrong one first.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..._core import routing as core
from ..stems import stems
from ..types import Tool
from .tool_words import words_of

_PAIRS = (
    ("zip compress pack archive", "unzip decompress uncompress unpack extract"),
    ("read load import", "write save store export"),
    ("upload push send", "download pull fetch receive"),
    ("encrypt", "decrypt"),
    ("encode", "decode"),
    ("install", "uninstall"),
    ("enable", "disable"),
    ("lock", "unlock"),
    ("start", "stop"),
    ("open", "close"),
    ("accept", "reject decline"),
    ("merge join combine", "split"),
    ("hide", "unhide reveal"),
    ("subscribe", "unsubscribe"),
    ("mount", "unmount"),
    ("backup dump", "restore recover"),
    ("deploy install apply commit", "undo revert rollback"),
    ("increase", "decrease reduce"),
)


_REQUEST = re.compile(
    r"(?:[,;.!?&]|\b(?:and|then|or|to|also|but|please))\s+([\w-]+)", re.IGNORECASE
)
"""Words where a request may begin; "extract the zip" asks to zip nothing."""


def undoes(prompt: str, tool: Tool) -> str:
    """Why the tool is not for the prompt: its name begins with the opposite of what the prompt
    begins with, the prompt asks for that nowhere, and no text of the tool has the prompt's verb.
    Empty where it may be.
    """
    verb, opposites, same = _asked(prompt)
    if not opposites & set(core.tokens(tool.name)[:1]):
        return ""
    return "" if same & words_of(tool) else f"it does the opposite of {verb}"


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _asked(prompt: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """The verb that the prompt begins with, stems of its opposites and of words for the same."""
    typed, verb = _first(prompt)
    later = frozenset(one for word in _REQUEST.findall(prompt) for one in core.tokens(word))
    opposites: frozenset[str] = frozenset()
    same: frozenset[str] = frozenset()
    for pair in _PAIRS:
        for words, others in (pair, pair[::-1]):
            if verb in stems(words) and not stems(others) & later:
                opposites, same = opposites | stems(others), same | stems(words)
    return typed, opposites, same


def _first(prompt: str) -> tuple[str, str]:
    """The first word with content, and its stem."""
    for typed in re.findall(r"\w+", prompt):
        for stem in core.tokens(typed):
            if not core.is_stop_word(stem):
                return typed.lower(), stem
    return "", ""
