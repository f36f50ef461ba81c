"""A parameter that is a path is given a small file in a dry run, so that a tool can read it."""

from __future__ import annotations

import csv
import json
import sqlite3
import tarfile
import tomllib
import wave
import zipfile
from collections.abc import Mapping
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode
from prefrontal.routing.trials.entry_point import entry_point
from prefrontal.routing.trials.example_binaries import BINARIES, MEMBER, TEXT, binary
from prefrontal.routing.trials.example_files import example_file
from prefrontal.routing.trials.example_inputs import ExampleInputs, example_inputs
from prefrontal.routing.trials.example_table import columns_among, table

from ..project import layout_of, write
from ..routes import Script, event, routed
from ..tools_on_trial import states, tried

READS = '''"""Read a file."""

from pathlib import Path


def run({parameter}) -> str:
    """Read a file.

    Returns:
        text: What it holds.
    """
    return Path({name}).read_text(encoding="utf-8")
'''
COUNTS = '''"""Count the words of a text."""


def run(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())
'''
READ_AND_COUNT = "read the file notes.txt and count its words"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def guessed(
    signature: str, doc: str = "", example: Mapping[str, str] | None = None
) -> tuple[Any, Any]:
    """What each argument is given, and the files that are made for it."""
    entry = entry_point(f'def run{signature}:\n    """{doc}"""\n')
    assert entry is not None
    found = example_inputs(entry, example)
    assert isinstance(found, ExampleInputs), found
    return {name: value[1] for name, value in found.keywords.items()}, dict(found.files)


@pytest.mark.parametrize(
    ("signature", "doc", "path"),
    [
        ("(path: str)", "Read it.", "path.txt"),
        ("(path)", "Read it.", "path.txt"),
        ("(csv_path: str)", "Read it.", "csv_path.csv"),
        ("(path: str)", "Load the rows of a CSV file.", "path.csv"),
        ("(path: str)", "Read notes.json.\n\nArgs:\n    path: The YAML file.", "path.yaml"),
        ("(source: pathlib.Path)", "Read it.", "source.txt"),
        ("(source: str)", "Read it.\n\nArgs:\n    source: The file to read.", "source.txt"),
        ("(notes: str)", "Read it.\n\nArgs:\n    notes: Path of the text file.", "notes.txt"),
    ],
)
def test_a_path_leads_to_a_file_that_is_made(signature: str, doc: str, path: str) -> None:
    values, files = guessed(signature, doc)
    assert list(values.values()) == [path]
    assert list(files) == [path]


@pytest.mark.parametrize(
    ("signature", "doc"),
    [
        ("(text: str)", "Count.\n\nArgs:\n    text: The text of a file."),
        ("(kind: str)", "Count.\n\nArgs:\n    kind: The file type."),
        ("(title: str)", "Count.\n\nArgs:\n    title: The file's title."),
    ],
)
def test_a_text_that_is_no_path_stays_empty(signature: str, doc: str) -> None:
    values, files = guessed(signature, doc)
    assert list(values.values()) == [""]
    assert files == {}


@pytest.mark.parametrize(
    ("signature", "doc", "text"),
    [
        ("(url: str)", "Fetch it.", "https://example.invalid/"),
        ("(due_date: str)", "Remind of it.", "2025-01-01"),
        ("(start: str)", "Days between two dates.", "2025-01-01"),
        ("(end: str)", "Cut a text.\n\nArgs:\n    end: The last day.", "2025-01-01"),
        ("(start: str)", "Cut a text.", ""),
        ("(day: int)", "Show a day.", 0),
        ("(holiday: str)", "Greet.", ""),
    ],
)
def test_a_text_that_is_a_day_or_an_address_is_one(
    signature: str, doc: str, text: str | int
) -> None:
    assert list(guessed(signature, doc)[0].values()) == [text]


def test_other_types_are_guessed_as_before() -> None:
    assert guessed("(path: int, files: list[str], file: str | None)") == (
        {"path": 0, "files": [], "file": None},
        {},
    )


def test_what_is_to_be_written_does_not_exist_yet() -> None:
    values, files = guessed("(path: str, target: str, output_file: Path)")
    assert values == {"path": "path.txt", "target": "target.txt", "output_file": "output_file.txt"}
    assert list(files) == ["path.txt"]


def test_a_folder_holds_a_file() -> None:
    doc = "List.\n\nArgs:\n    path: The folder."
    assert guessed("(path: str)", doc) == ({"path": "path"}, {"path/example.txt": "1\n"})
    assert guessed("(output_dir: Path)")[0] == {"output_dir": "output_dir"}


def test_a_path_of_the_example_makes_no_file() -> None:
    assert guessed("(path: str)", "Read it.", {"path": "a.txt"}) == ({"path": "a.txt"}, {})


def test_each_small_file_is_of_its_format() -> None:
    content = {kind: content_of(kind) for kind in ("csv", "json", "toml", "xml", "yaml", "txt")}
    assert len(list(csv.DictReader(content["csv"].splitlines()))) == 3
    assert json.loads(content["json"]) == {}
    assert tomllib.loads(content["toml"]) == {}
    assert ET.fromstring(content["xml"]).tag == "example"
    assert json.loads(content["txt"]) == int(content["txt"]) == 1


def content_of(kind: str) -> str:
    found = example_file("path", f"A {kind} file.", "")
    assert found is not None
    [content] = found.files.values()
    assert isinstance(content, str)
    return content


SUMS = '''"""Sum the numbers in a column of a CSV file."""

import csv


def run(column: str, path: str) -> float:
    """Sum the numbers in a column of a CSV file."""
    with open(path, newline="", encoding="utf-8") as file:
        return sum(float(row[column]) for row in csv.DictReader(file))
'''


def test_a_table_has_rows_and_the_columns_that_are_asked_for(layout: Layout) -> None:
    report = tried(layout, SUMS)
    assert states(report)[3] == "ok", report.steps
    said = "called with inputs guessed from type hints (path.csv with made-up rows, made for"
    assert said in report.steps[3]
    report = tried(layout, SUMS, example={"column": "unit price", "path": "shop.csv"})
    assert states(report)[3] == "ok", report.steps
    assert "(shop.csv with made-up rows, made for the trial)" in report.steps[3]
    made = (layout.route_tmp("route-001") / "shop.csv").read_text("utf-8")
    rows = list(csv.DictReader(made.splitlines()))
    assert [row["unit price"] for row in rows] == ["3", "5", "7"]


def test_a_column_is_guessed_where_a_table_is_made() -> None:
    values, _ = guessed("(csv_path: str, column: str, columns: list[str], by_field)")
    del values["csv_path"]
    assert values == {"column": "1", "columns": ["1"], "by_field": "1"}
    assert guessed("(path: str, column: str)") == (
        {"path": "path.txt", "column": ""},
        {"path.txt": "1\n"},
    )


@pytest.mark.parametrize(
    ("signature", "doc", "path", "head"),
    [
        ("(path: str)", "Read the EXIF of a photo.", "path.jpg", b"\xff\xd8\xff"),
        ("(image: str)", "Shrink it.", "image.png", b"\x89PNG"),
        ("(path: str)", "Turn a GIF image into frames.", "path.gif", b"GIF89a"),
        ("(path: str)", "Read a bitmap (BMP).", "path.bmp", b"BM"),
        ("(scan: str)", "Shrink.\n\nArgs:\n    scan: The picture.", "scan.png", b"\x89PNG"),
        ("(pdf: str)", "Count the pages.", "pdf.pdf", b"%PDF-"),
        ("(path: Path)", "How long a recording is.", "path.wav", b"RIFF"),
    ],
)
def test_a_file_that_is_no_text_is_one_of_its_format(
    signature: str, doc: str, path: str, head: bytes
) -> None:
    values, files = guessed(signature, doc)
    assert list(values.values()) == [path] and files[path].startswith(head)


def test_made_images_can_be_read() -> None:
    images = pytest.importorskip("PIL.Image")
    for kind in ("png", "jpg", "gif", "bmp"):
        with images.open(BytesIO(binary(kind))) as image:
            image.load()
            assert image.format == {"jpg": "JPEG"}.get(kind, kind.upper())


def test_archives_sounds_and_databases_can_be_read(tmp_path: Path) -> None:
    for kind in BINARIES:
        (tmp_path / f"a.{kind}").write_bytes(binary(kind))
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.read(MEMBER) == TEXT
    for kind in ("tar", "tgz"):
        with tarfile.open(tmp_path / f"a.{kind}") as tar:
            assert tar.getnames() == [MEMBER]
    with wave.open(str(tmp_path / "a.wav")) as sound:
        assert sound.getnframes() == 800
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as database:
        assert database.execute("SELECT number FROM example").fetchall() == [(1,)]
    pdf = binary("pdf")
    start = int(pdf.split(b"startxref\n")[1].split()[0])
    places = [int(line[:10]) for line in pdf[start:].split(b"\n")[3:8]]
    assert [pdf[place:].split(b" ")[0] for place in places] == [b"1", b"2", b"3", b"4", b"5"]
    assert pdf[start:].startswith(b"xref\n0 6\n")


def test_a_tool_that_reads_an_image_passes(layout: Layout) -> None:
    source = '''"""Read the size of a PNG image."""

import struct
from pathlib import Path


def run(path: str) -> dict[str, int]:
    """Read the size of a PNG image."""
    head = Path(path).read_bytes()[:24]
    if not head.startswith(b"\\x89PNG"):
        raise ValueError("no PNG")
    width, height = struct.unpack(">II", head[16:24])
    return {"width": width, "height": height}
'''
    for example in (None, {"path": "pictures/cat.png"}):
        assert states(tried(layout, source, example=example))[3] == "ok"


def test_a_zip_file_is_one(layout: Layout) -> None:
    source = '''"""Unpack a zip."""

import zipfile


def run(path: str, folder: str) -> list[str]:
    """Unpack a zip."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
        return archive.namelist()
'''
    report = tried(layout, source)
    assert states(report)[3] == "ok" and "(path.zip, folder/" in report.steps[3], report.steps


def test_days_are_days_and_each_column_stands_once() -> None:
    rows = list(csv.DictReader(table("a.tsv", ["due date", "n", "n"]).splitlines(), delimiter="\t"))
    assert list(rows[0]) == ["due date", "n"]
    assert [row["due date"] for row in rows] == ["2025-01-01", "2025-01-02", "2025-01-03"]
    assert columns_among(["price", "a.csv", "", 3, ["day", "7"]]) == ["price", "day"]


def test_a_tool_that_only_reads_passes_and_what_was_made_is_said(layout: Layout) -> None:
    source = READS.format(parameter="path: str", name="path")
    report = tried(layout, source)
    assert states(report)[3] == "ok", report.steps
    said = ": called with inputs guessed from type hints (path.txt, made for the trial)"
    assert report.steps[3].endswith(said)
    assert (layout.route_tmp("route-001") / "path.txt").read_text("utf-8") == "1\n"


def test_what_fails_on_a_file_that_was_made_is_not_the_tools_fault(layout: Layout) -> None:
    source = READS.format(parameter="path: str", name="path").replace(
        'read_text(encoding="utf-8")', 'read_text(encoding="utf-8").split("=")[1]'
    )
    report = tried(layout, source)
    assert report.ok and states(report)[3] == "not runnable", report.steps
    assert "hints (path.txt, made for the trial) failed: IndexError" in report.summary
    report = tried(layout, source, example={"path": "notes/none.csv"})
    assert report.ok and states(report)[3] == "not runnable", report.steps
    assert (
        "of the example (notes/none.csv with made-up rows, made for the trial) failed: Index"
        in report.summary
    )


def test_a_file_that_only_the_example_has_is_made(layout: Layout) -> None:
    source = READS.format(parameter="path: str", name="path")
    report = tried(layout, source, example={"path": "notes.json"})
    assert states(report)[3] == "ok", report.steps
    said = ": called with the inputs of the example (notes.json, made for the trial)"
    assert report.steps[3].endswith(said)
    (layout.route_tmp("route-001") / "there.txt").write_text("mine")
    report = tried(layout, source, example={"path": "there.txt"})
    assert report.steps[3].partition(" (")[0] == "dry-run: ok" and "made" not in report.summary


@pytest.mark.parametrize("path", ["/none.txt", "../none.txt", "folder"])
def test_what_lies_elsewhere_or_may_be_a_folder_is_not_made(layout: Layout, path: str) -> None:
    report = tried(layout, READS.format(parameter="path: str", name="path"), example={"path": path})
    assert not report.ok and states(report)[3] == "failed", report.steps


def test_a_file_that_the_tool_looks_for_by_itself_is_not_made(layout: Layout) -> None:
    source = READS.format(parameter="path: str", name='"settings.ini"')
    report = tried(layout, source, example={"path": "notes.txt"})
    assert not report.ok and states(report)[3] == "failed", report.steps


def test_a_composition_that_reads_a_file_is_kept_without_an_example(layout: Layout) -> None:
    reads = READS.format(parameter="path: str", name="path")
    write(layout.domains / "files/read/read_file.py", reads)
    write(layout.domains / "text/count/count_words.py", COUNTS)
    for place in ("calendar/create/create_event", "mail/send/send_mail", "web/fetch/fetch_page"):
        write(layout.domains / f"{place}.py", COUNTS.replace("Count the words of a text", place))
    route = routed(layout, READ_AND_COUNT, operator=Script())
    assert (route.decision.policy, route.exit_code) == ("compose", 0), route.sentence
    assert "path.txt, made for the trial" in event(route, "validate")["detail"]["reason"]
    assert routed(layout, READ_AND_COUNT, Mode(dry_run=True)).exit_code == 0
