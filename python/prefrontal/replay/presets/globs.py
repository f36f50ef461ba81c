"""Path globs, with git's meaning of the stars, compiled to one regular expression."""

from __future__ import annotations

import re
import warnings

from ...errors import InputError

_OUTSIDE = re.compile(r"\\.|.", re.DOTALL)
_PARTS = re.compile(r"\\.|\[[!^]?\]?[^]]*\]|.", re.DOTALL)
_CLASS = re.compile(r"\[([!^]?)(\]?[^]]*)\]")


def globs_in(text: str) -> list[str]:
    """The globs between the commas, which do not count in brackets and after a backslash."""
    globs: list[list[str]] = [[]]
    end = text.rfind("]") + 1  # no bracket beyond is closed, and none of many must look for that
    for part in [*_PARTS.findall(text[:end]), *_OUTSIDE.findall(text[end:])]:
        if part == ",":
            globs.append([])
        else:
            globs[-1].append(part)
    return ["".join(parts).strip() for parts in globs]


def compile_glob(glob: str) -> re.Pattern[str]:
    """A pattern whose `match` accepts the paths that `glob` means, from the root or absolute.

    `**` stands for any folders, also none (at the end: for anything beneath), `*` and `?` for
    characters within one name, `[a-z]` and `[!a-z]` for one of them, `\\` takes the next character
    as it is. A glob without a slash means the file's own name, anywhere; one with a slash starts at
    the root, as does one with a leading slash; one that ends in a slash means all beneath a folder.
    Capitals matter. Raises InputError that names the rule and the glob.
    """
    rooted = "/" in glob.removesuffix("/")
    names = [name for name in glob.removeprefix("./").split("/") if name]
    if not names:
        raise InputError(f"path glob must name a file or a folder, got {glob!r}")
    if not rooted:
        names.insert(0, "**")
    if glob.endswith("/"):
        names.append("**")
    pattern = _path_pattern(names, glob)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about "--" in brackets: it means a range here
            return re.compile(f"/*{pattern}\\Z", re.DOTALL)
    except re.error as error:
        raise InputError(f"path glob must be well formed ({error.msg}), got {glob!r}") from None


def _path_pattern(names: list[str], glob: str) -> str:
    """What follows a `**` is taken where it comes first, for good: never tried again further on,
    which many stars would make take for ever.
    """
    chunks: list[list[str]] = [[]]
    for name in names:
        if name != "**":
            chunks[-1].append(_name_pattern(name, glob))
        elif chunks[-1] or len(chunks) == 1:
            chunks.append([])
    first, *later = ["/".join(chunk) for chunk in chunks]
    if not later:
        return first
    parts = [f"{first}/" if first else ""]
    parts += [f"(?>(?:[^/]*/)*?{chunk}/)" for chunk in later[:-1]]
    parts.append(f"(?:[^/]*/)*{later[-1]}" if later[-1] else ".+")
    return "".join(parts)


def _name_pattern(name: str, glob: str) -> str:
    pieces: list[list[str]] = [[]]
    place = 0
    while place < len(name):
        parts = pieces[-1]
        letter = name[place]
        if letter == "[":
            match = _CLASS.match(name, place)
            if match is None or not match[2]:
                raise InputError(f"path glob must close its bracket, got {glob!r}")
            members = re.sub(r"([\\\[\]^&~|])", r"\\\1", match[2])
            parts.append(f"(?!/)[{'^' if match[1] else ''}{members}]")
            place = match.end()
            continue
        if letter == "\\" and place + 1 < len(name):
            place += 1
            parts.append(re.escape(name[place]))
        elif letter == "*":
            if parts or len(pieces) == 1:  # two stars within a name mean no more than one
                pieces.append([])
        else:
            parts.append("[^/]" if letter == "?" else re.escape(letter))
        place += 1
    first, *later = ["".join(piece) for piece in pieces]
    middle = [f"(?>[^/]*?{piece})" for piece in later[:-1]]
    return "".join([first, *middle, *(f"[^/]*{piece}" for piece in later[-1:])])
