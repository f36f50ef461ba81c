"""What a page shows under a command, held against what the command said.

A line `...` stands for any lines, `...` within one for anything. Times, dates, durations, the
strength of the sandbox and ids may differ; an id that was shown is remembered with the one that
took its place. Whether a new file and its first bytes are told of as one change or as two, the
second of which is coalesced, is up to the machine.
"""

from __future__ import annotations

import re

HOME = "/home/ada"
"""How pages call the home of whoever reads them."""
_ID = r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{8,32}\b"
_LOOSE = (
    ("lines", r"^[ ]*\.\.\.[ ]*$\n?", r"(?:[^\n]*\n)*?"),
    ("rest", r"\.\.\.", r"[^\n]*?"),
    ("date", r"\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?", r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?"),
    ("moment", r"\b(?:\d\d-\d\d )?\d\d:\d\d(?::\d\d(?:\.\d+Z?)?)?\b", r"[\d:.-]+(?: [\d:]+)?Z?"),
    ("seconds", r"\b\d+(?:\.\d+)?(?: ?s| ms| us)\b", r"\d+(?:\.\d+)?(?: ?s| ms| us)"),
    ("revision", r"\brev-\d{8}-", r"rev-\d{8}-"),
    ("sandbox", r"sandbox=\S+", r"sandbox=\S+"),
    ("space", r"[ ]{2,}", r"[ ]+"),
    ("id", _ID, ""),
)
_TOKEN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern, _ in _LOOSE), re.M)
_INSTEAD = {name: instead for name, _, instead in _LOOSE}


def pattern_of(shown: str) -> tuple[re.Pattern[str], list[str]]:
    """What fits a shown text, and the ids in it, one for each group."""
    parts, ids, end = [], [], 0
    text = _tidy(shown)
    for token in _TOKEN.finditer(text):
        parts.append(re.escape(text[end : token.start()]))
        end = token.end()
        if token.lastgroup == "id":
            ids.append(token[0])
            parts.append(rf"([0-9a-f]{{{len(token[0])}}})")
        else:
            parts.append(_INSTEAD[token.lastgroup or ""])
    return re.compile("".join([*parts, re.escape(text[end:])])), ids


def fits(shown: str, said: str, home: str = HOME) -> dict[str, str] | None:
    """The real id for each shown one; None when the texts differ."""
    pattern, ids = pattern_of(shown)
    if "coalesced" not in shown:
        said = re.sub(r", \d+ coalesced\b", "", said)
    found = pattern.fullmatch(_tidy(said.replace(home, HOME)))
    if found is None:
        return None
    known: dict[str, str] = {}
    for told, real in zip(ids, found.groups(), strict=True):
        if known.setdefault(told, real) != real:
            return None
    return known


def with_real_ids(command: str, known: dict[str, str]) -> str:
    """A command with the real id, as far as it was shown, where the page has its own."""

    def real(word: re.Match[str]) -> str:
        for told, instead in known.items():
            if told.startswith(word[0]):
                return instead[: len(word[0])]
        return word[0]

    return re.sub(r"\b[0-9a-f]{4,32}\b", real, command)


def _tidy(text: str) -> str:
    """Without spaces at the ends of lines and empty lines at the ends of the text."""
    lines = [line.rstrip() for line in text.splitlines()]
    return "".join(f"{line}\n" for line in "\n".join(lines).strip("\n").splitlines())
