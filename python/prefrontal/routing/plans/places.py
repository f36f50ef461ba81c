"""Which arguments name a place, such as a file or a page, and which kinds of files a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from ..._core import routing
from ..place_names import places_in
from ..plurals import is_plural
from ..stems import stems
from ..types import ArgSpec, Tool

FILES = "path file filename filepath"
FOLDERS = "folder directory dir"
PLACES = f"{FILES} {FOLDERS} url uri location"
TARGETS = "target destination dest dst"
_MAKING = (
    "convert transform translate resize crop rotate compress unzip unpack decompress download "
    "encrypt decrypt copy rename move"
)
_NOTHING_MADE = ("None", "bool", "int", "float")
_KINDS = (
    "photo picture image screenshot jpg jpeg png gif bmp webp tiff heic svg",
    "archive zip tar gz tgz rar 7z",
    "spreadsheet csv tsv xls xlsx",
    "pdf",
    "song recording mp3 wav flac ogg",
    "video movie mp4 mov mkv avi webm",
)
"""Words and endings for files of one kind."""
_NO_TEXTS = (0, 1, 4, 5)
_IN_WORDS = "text txt string words json yaml html xml markdown base64 ascii transcript caption"
"""What a file that is no text may be turned into."""
_DRAWN = "chart plot graph diagram figure drawing map logo report slide page"
"""What may be exported as an image."""
_OF_OTHER_FILES = "extract count list find draw plot create make generate render"
"""Verbs whose object may lie in a file of another kind, or be made: "extract the images"."""
_CONVERTING = "convert"
"""What it makes stands behind "to", "into" or "as"."""
_BEFORE_THE_MADE = "to into as"
_NO_OBJECT = "a an to as into no without"
_WRITING = "save write store export persist dump"
_ONE_ALL_THE_SAME = "contents details settings"
"""Plurals of what is handed over as one value."""


def is_place(arg: ArgSpec) -> bool:
    """Whether the argument, by its name, says where something is or goes."""
    return bool(stems(f"{PLACES} {TARGETS}") & set(routing.tokens(arg.name)))


def is_of_files(argument: str) -> bool:
    """Whether an argument of this name is the place of a file or a page, and no folder."""
    words = stems(f"{PLACES} {TARGETS}") - stems(FOLDERS)
    return bool(words & set(routing.tokens(argument)[-1:]))


def same_kind(output: str, argument: str) -> bool:
    """Whether both names end in a word for a file, or both in one for a folder: what the one leads
    to, the other reads.
    """
    ends = [routing.tokens(name)[-1:] for name in (output, argument)]
    return any(all(set(end) & stems(kind) for end in ends) for kind in (FILES, FOLDERS))


def leads_to_a_place(output: str) -> bool:
    """Whether the name of an output ends in a word for a file, a folder or a page."""
    return bool(stems(PLACES) & set(routing.tokens(output)[-1:]))


def is_of_several(name: str) -> bool:
    """Whether what an argument or output of this name holds is several things: `page_names`."""
    return is_plural(name) and name.rpartition("_")[2] not in _ONE_ALL_THE_SAME.split()


def writes(tool: Tool) -> bool:
    """Whether its name begins with a verb for putting something somewhere."""
    return bool(set(routing.tokens(tool.name)[:1]) & stems(_WRITING))


def makes(tool: Tool, argument: str) -> bool:
    """Whether it leaves something for an argument that is a place: an output is such a place, or
    it returns something, and its name begins with a verb for making one thing of another.
    """
    of_files = bool(stems(FILES) & set(routing.tokens(argument)[-1:]))
    fitting = stems(f"{FILES} {FOLDERS} {TARGETS}" if of_files else FOLDERS)
    ends = (set(routing.tokens(output)[-1:]) for output in tool.returns)
    if any(end & fitting for end in ends):
        return True
    turns = bool(stems(_MAKING) & set(routing.tokens(tool.name)[:1]))
    return of_files and turns and tool.return_hint not in _NOTHING_MADE


def kinds_of(name: str) -> frozenset[int]:
    """The kinds of files that the name of an output speaks of: archives of `archive_path`."""
    return _kinds([name])


def kinds_in(text: str) -> frozenset[int]:
    """The kinds of files that the text acts on: of those that it names, else by its words."""
    places = [place for place in places_in(text) if not place.endswith("/")]
    if places:
        return _kinds(place.rpartition(".")[2] for place in places)
    words = re.findall(r"\w+", text.lower())
    verb = set(routing.tokens(" ".join(words[:1])))
    if stems(_OF_OTHER_FILES) & verb:
        return frozenset()
    if stems(_CONVERTING) & verb:
        words = list(takewhile(lambda one: one not in _BEFORE_THE_MADE.split(), words))
    before = ["", *words]
    return _kinds(
        one for one, front in zip(words, before, strict=False) if front not in _NO_OBJECT.split()
    )


def _kinds(words: Iterable[str]) -> frozenset[int]:
    named = {stem for word in words for stem in routing.tokens(word)}
    return frozenset(kind for kind, known in enumerate(_KINDS) if stems(known) & named)


def leaves_no_text(tool: Tool, text: str) -> bool:
    """Whether what it returns leads to a file that is no text, such as an image: it makes one of
    another, by its name and by what it or the text, which asks for it, speaks of.
    """
    about = kinds_of(f"{tool.name} {tool.spec.doc}") | kinds_in(text)
    in_words = stems(_IN_WORDS) & stems(tool.name, tool.spec.doc, *tool.returns)
    return not in_words and bool(about & {*_NO_TEXTS}) and makes(tool, FILES.split(maxsplit=1)[0])


def is_written_elsewhere(tool: Tool, text: str, other: str) -> bool:
    """Whether the tool writes what the text asks for to a file that is none of a kind that the
    other text acts on: "export the orders" and "resize the photo".
    """
    kinds = kinds_in(other) & {*_NO_TEXTS}
    about = stems(text, tool.name, tool.spec.doc)
    is_drawing = 0 in kinds and bool(about & stems(_DRAWN))
    known = kinds_of(f"{tool.name} {tool.spec.doc}") | kinds_in(text)
    return writes(tool) and bool(kinds) and not (is_drawing or kinds & known)


def places_of(args: Sequence[ArgSpec], text: str) -> dict[str, str]:
    """The place that the text names for each required argument that is one, in their order."""
    names = [arg.name for arg in args if arg.required and is_place(arg)]
    return dict(zip(names, places_in(text), strict=False))
