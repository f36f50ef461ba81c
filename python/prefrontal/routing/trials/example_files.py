"""Small files for a dry run: what a parameter that is a path is given when nobody said."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..plans.places import FILES, FOLDERS, TARGETS
from .example_binaries import BINARIES, binary
from .example_table import is_table, table

_FILE_NAMES = frozenset(FILES.split())
_FOLDER_NAMES = frozenset(FOLDERS.split())
_WRITTEN_NAMES = frozenset(f"output out {TARGETS}".split())
_OF_A_FILE = "file|path|document|folder|directory|image|photo|picture"
_KINDS_OF_FILES = frozenset(["image", "photo", "picture", "pdf"])
_SAYS_PLACE = re.compile(
    rf"(?:(?:the|a|an|which|what|path of|path to)\s+)*(?:[\w-]+\s+){{0,2}}?(?P<noun>{_OF_A_FILE})"
    r"(?:\s*name)?(?=$|[.,;:]|\s(?:that|which|to|with|of|from|in|whose|or|is|and|for|on|below)\b)",
    re.IGNORECASE,
)
_LINE = "1\n"
"""A text, a number, JSON, YAML and the head of a table: whichever a tool reads it as."""
_CONTENTS = {
    "csv": table("a.csv"),
    "tsv": table("a.tsv"),
    "json": "{}\n",
    "jsonl": "{}\n",
    "yaml": "{}\n",
    "yml": "{}\n",
    "toml": "",
    "ini": "[example]\n",
    "xml": "<example/>\n",
    "svg": "<svg/>\n",
    "html": "<p>1</p>\n",
    "md": _LINE,
    "log": _LINE,
    "txt": _LINE,
}
_FORMATS = (
    {name: name for name in (*_CONTENTS, *BINARIES)}
    | {"markdown": "md", "jpeg": "jpg", "htm": "html", "gzip": "gz", "tarball": "tgz"}
    | {"wave": "wav", "sqlite3": "sqlite", "db": "sqlite"}
)
_USUAL_FORMATS = {
    **dict.fromkeys(("photo", "photos", "photograph", "exif"), "jpg"),
    **dict.fromkeys(("image", "images", "picture", "pictures", "thumbnail"), "png"),
    **dict.fromkeys(("archive",), "zip"),
    **dict.fromkeys(("audio", "sound", "recording"), "wav"),
}
"""Of what has several, where none is said."""


Content = str | bytes


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """path: what the parameter is given. files: contents, by names in the folder of the trial;
    none where the path is to be written.
    """

    path: str
    files: dict[str, Content]


def example_file(name: str, about: str, context: str) -> ExampleFile | None:
    """The file or folder that a parameter names by its name or its description.

    about: what is said of the parameter; context: of the tool, which may name a format, too. None
    for a parameter that is no path.
    """
    words = set(_words(name))
    noun = _SAYS_PLACE.match(about.strip())
    place = (noun["noun"] if noun else "").lower()
    if words & _FOLDER_NAMES or place in _FOLDER_NAMES:
        return ExampleFile(name, {f"{name}/example.txt": _LINE})
    if words & _WRITTEN_NAMES:
        return ExampleFile(f"{name}.{_format(name, about, context)}", {})
    is_file = words & _FILE_NAMES or set(_words(name)[-1:]) & _KINDS_OF_FILES or place
    return small_file(name, about, context) if is_file else None


def small_file(name: str, about: str, context: str) -> ExampleFile:
    """A small file in the format of which one of the texts speaks, the first before the last."""
    kind = _format(name, about, context)
    path = f"{name}.{kind}"
    return ExampleFile(path, {path: _content(kind)})


def file_content(path: str, columns: Iterable[str] = ()) -> Content | None:
    """What a small file of that name holds; None for a name that no file in the folder of the trial
    may have, or that may as well be a folder's. columns: that a table has.
    """
    where = PurePosixPath(path)
    if where.is_absolute() or ".." in where.parts or not where.suffix:
        return None
    if is_table(path):
        return table(path, columns)
    return _content(_FORMATS.get(where.suffix[1:].lower(), "txt"))


def _content(kind: str) -> Content:
    return binary(kind) if kind in BINARIES else _CONTENTS[kind]


def _format(*texts: str) -> str:
    words = [word for text in texts for word in _words(text)]
    tables = (_FORMATS, _USUAL_FORMATS)
    named = (formats[word] for formats in tables for word in words if word in formats)
    return next(named, "txt")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())
