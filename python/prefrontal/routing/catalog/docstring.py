"""Parses a tool's docstring: its summary, arguments and outputs.

Understands Google and NumPy sections and Sphinx fields; anything else is prose.
"""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Iterator

_SECTIONS = {
    name: kind
    for kind, names in {
        "args": "args|arguments|parameters|params|keyword args|keyword arguments|other parameters",
        "returns": "returns|return|yields|outputs",
        "example": "example|examples|usage",
        "other": "raises|note|notes|warning|warnings|see also|references|attributes|side effects|"
        "side-effects|todo|methods",
    }.items()
    for name in names.split("|")
}
_HEADING = re.compile(r"([A-Za-z][A-Za-z -]{2,20}?)\s*(:(?P<rest>.*))?\Z")
_UNDERLINE = re.compile(r"[-=~]{3,}\s*\Z")
_FIELD = re.compile(r":(?P<kind>\w++)(?P<words>[^:]*):\s*(?P<text>.*)\Z")
_ENTRY = re.compile(r"\*{0,2}`{0,2}(?P<name>\w+)`{0,2}\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)\Z")
_NUMPY_ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?\Z")
_TYPES = re.compile(
    "any|bool|bytes|complex|dict|float|frozenset|int|iterable|iterator|list|mapping|none|object|"
    "optional|sequence|set|str|string|tuple|union|array|ndarray|dataframe|series",
    re.IGNORECASE,
)
_ARGUMENT_FIELDS = ("param", "parameter", "arg", "argument", "key", "keyword")
_KEYS_FOLLOW = re.compile(r"\b(keys?|dict|dictionary|mapping)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[`'\"]([A-Za-z_]\w*)[`'\"]")

Lines = list[str]


def summary(doc: str) -> str:
    """The first paragraph on one line, or empty."""
    first = inspect.cleandoc(doc).split("\n\n", 1)[0]
    return " ".join(first.split())


def argument_docs(doc: str) -> dict[str, str]:
    """The description of each argument, by name, in order."""
    texts: dict[str, str] = {}
    for kind, numpy, lines in sections(doc):
        if kind == "args":
            texts |= _numpy_entries(lines) if numpy else _entries(lines)
    for field, words, text in _fields(doc):
        if field in _ARGUMENT_FIELDS and words:
            texts[words[-1].lstrip("*")] = text
    return {name: text for name, text in texts.items() if text}


def returned_names(doc: str) -> tuple[str, ...]:
    """The names of the outputs; ignores types and prose."""
    for kind, numpy, lines in sections(doc):
        if kind == "returns":
            entries = _numpy_entries(lines) if numpy else _entries(lines)
            return _outputs(entries) or _quoted_keys(" ".join(lines))
    for field, words, text in _fields(doc):
        if field in ("return", "returns"):
            return _outputs(dict.fromkeys(words, text)) or _quoted_keys(text)
    return ()


def sections(doc: str) -> Iterator[tuple[str, bool, Lines]]:
    """(kind, whether it is underlined, its lines) of each section after the introduction."""
    lines = inspect.cleandoc(doc).split("\n")
    kind, underlined, body, begun = "", False, Lines(), False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        heading = _heading(line, following)
        if heading is None:
            ended = not underlined and bool(line[:1].strip()) and begun
            heading = ("", False, "") if kind and ended else None
        if heading is None:
            body.append(line)
            begun = begun or _is_within(line)
            continue
        if kind:
            yield kind, underlined, _trimmed(body[underlined:])
        kind, underlined, rest = heading
        body, begun = [rest] if rest else [], rest[:1].isspace()
    if kind:
        yield kind, underlined, _trimmed(body[underlined:])


def _is_within(line: str) -> bool:
    """Whether an unindented line behind it ends the section."""
    return line[:1].isspace() or not line


def _heading(line: str, following: str) -> tuple[str, bool, str] | None:
    match = _HEADING.match(line)
    kind = _SECTIONS.get(match[1].lower()) if match else None
    if kind is None or match is None:
        return None
    if match["rest"] is None:
        return (kind, True, "") if _UNDERLINE.match(following) else None
    return kind, False, match["rest"].strip()


def _trimmed(lines: Lines) -> Lines:
    return inspect.cleandoc("\n" + "\n".join(lines)).split("\n")


def _entries(lines: Lines) -> dict[str, str]:
    """Google's entries: "name (type): text", longer text indented below."""
    entries: dict[str, str] = {}
    name = ""
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            name = entry["name"]
            entries[name] = entry["text"].strip()
        elif name and line[:1].isspace():
            entries[name] = f"{entries[name]} {line.strip()}".strip()
        elif line.strip():
            name = ""
    return entries


def _numpy_entries(lines: Lines) -> dict[str, str]:
    """NumPy's entries: "name : type" or "name, name : type", the text indented below."""
    entries: dict[str, str] = {}
    names = Lines()
    for line in lines:
        entry = _NUMPY_ENTRY.match(line)
        if entry:
            names = [name.strip(" *") for name in entry["names"].split(",")]
            entries |= dict.fromkeys(names, "")
        elif line.strip():
            for name in names:
                entries[name] = f"{entries[name]} {line.strip()}".strip()
    return entries


def _fields(doc: str) -> Iterator[tuple[str, Lines, str]]:
    """(kind, its words, text) of each field of Sphinx, ":param int n: how many"."""
    kind, words, text = "", Lines(), Lines()
    for line in [*inspect.cleandoc(doc).split("\n"), ""]:
        field = _FIELD.match(line)
        if kind and (field or not line.strip()):
            yield kind, words, " ".join(text)
            kind = ""
        if field:
            kind, words, text = field["kind"].lower(), field["words"].split(), [field["text"]]
        elif kind:
            text.append(line.strip())


def _outputs(entries: dict[str, str]) -> tuple[str, ...]:
    return tuple(
        name
        for name in entries
        if name.isidentifier() and not name[:1].isupper() and not _is_reserved(name)
    )


def _quoted_keys(text: str) -> tuple[str, ...]:
    """The quoted names of a sentence about a mapping: "a dict with `mean` and `count`"."""
    if not _KEYS_FOLLOW.search(text):
        return ()
    names = [name for name in _QUOTED.findall(text) if not _is_reserved(name)]
    return tuple(dict.fromkeys(names))


def _is_reserved(name: str) -> bool:
    return keyword.iskeyword(name) or _TYPES.fullmatch(name) is not None
