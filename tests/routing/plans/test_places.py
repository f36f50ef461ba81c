from __future__ import annotations

import pytest

from prefrontal.routing.plans.places import (
    is_place,
    kinds_in,
    makes,
    places_of,
    same_kind,
    writes,
)

from ..sample_tools import arg, tool


def test_the_first_place_is_the_first_arguments() -> None:
    args = [arg("path: str"), arg("count: int"), arg("target: str"), arg("out_dir = 'x'")]
    assert places_of(args, "copy a.txt to b.txt in /c") == {"path": "a.txt", "target": "b.txt"}
    assert places_of(args, "copy a.txt") == {"path": "a.txt"}
    assert places_of(args, "copy it") == {}


def test_a_place_is_told_by_its_name() -> None:
    assert all(
        is_place(arg(name))
        for name in ("path", "csv_file", "fileName", "url", "target", "filepath")
    )
    assert not any(is_place(arg(name)) for name in ("text", "profile", "rows", "column"))
    assert same_kind("figure_file", "path")
    assert not same_kind("url", "path") and not same_kind("path_count", "path")


def test_a_tool_that_writes_is_told_by_its_verb() -> None:
    assert writes(tool("d/x/save_csv.py")) and writes(tool("d/x/exportRows.py"))
    assert not writes(tool("d/x/load_csv.py")) and not writes(tool("d/x/csv_writer.py"))


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("read the exif of the photo", "a.jpg"),
        ("resize all pictures", "a.png"),
        ("resize all pictures in out/", "a.png"),
        ("delete the zip", "a.tgz"),
        ("play the song", "a.flac"),
        ("convert the song", "a.mp3"),
        ("convert the large png to the pdf format", "a.png"),
        ("mail a.pdf", "b.pdf"),
    ],
)
def test_a_text_acts_on_files_of_a_kind(text: str, like: str) -> None:
    assert kinds_in(text) == kinds_in(like) != frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "extract the images",
        "draw a picture",
        "save it as csv",
        "turn it into a pdf",
        "list it",
        "",
        "convert it to the pdf format",
    ],
)
def test_what_is_made_or_lies_in_a_file_is_of_no_kind(text: str) -> None:
    assert kinds_in(text) == frozenset()


@pytest.mark.parametrize(
    ("name", "returns", "hint", "argument", "made"),
    [
        ("unzip", ["files"], None, "path", True),
        ("unzip", ["files"], None, "folder", False),
        ("unpack", ["directory"], None, "folder", True),
        ("copy_file", ["target"], None, "path", True),
        ("convert_song", [], "str", "path", True),
        ("convert_song", [], None, "path", True),
        ("convert_song", [], "None", "path", False),
        ("resize_image", ["done"], "bool", "path", False),
        ("read_csv", ["rows"], None, "path", False),
    ],
)
def test_a_tool_makes_something_for_a_place(
    name: str, returns: list[str], hint: str | None, argument: str, made: bool
) -> None:
    assert makes(tool(f"domains/d/x/{name}.py", ["path"], returns, hint), argument) == made
