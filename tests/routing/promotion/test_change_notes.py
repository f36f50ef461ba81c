from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import SourceError
from prefrontal.routing.promotion.change_notes import add_note

from ..project import write


def noted(path: Path, *notes: str) -> str:
    for note in notes:
        add_note(path, "Changes of analysis", note)
    return path.read_text(encoding="utf-8")


def test_the_newest_note_is_on_top(tmp_path: Path) -> None:
    text = noted(tmp_path / "deep" / "CHANGELOG.md", "one", "two")
    assert text == "# Changes of analysis\n\n- two\n- one\n"


def test_a_note_that_stands_there_is_not_written_again(tmp_path: Path) -> None:
    assert noted(tmp_path / "CHANGELOG.md", "one", "two", "one").count("- one") == 1


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    path = write(tmp_path / "CHANGELOG.md", "Ours.\n\n# Log\nWords.\n\n## Old\n- x\n")
    assert noted(path, "one") == "Ours.\n\n# Log\n\n- one\n\nWords.\n\n## Old\n- x\n"


def test_a_file_without_a_heading_gets_the_note_on_top(tmp_path: Path) -> None:
    assert noted(write(tmp_path / "CHANGELOG.md", "- x"), "one") == "- one\n- x"
    assert noted(write(tmp_path / "CHANGELOG.md", ""), "one") == "- one\n"


def test_bytes_that_are_no_text_stay(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    path.write_bytes(b"# \xff\r\n\r\n- old\r\n")
    add_note(path, "x", "new")
    add_note(path, "x", "old")
    assert path.read_bytes() == b"# \xff\r\n\n- new\n- old\r\n"


def test_what_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        add_note(tmp_path, "x", "y")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])), st.text("ab#- ", min_size=1))
def test_every_line_of_a_file_survives_a_note(
    tmp_path_factory: pytest.TempPathFactory, text: str, note: str
) -> None:
    path = tmp_path_factory.mktemp("notes") / "CHANGELOG.md"
    path.write_bytes(text.encode())
    add_note(path, "x", note)
    after = [line for line in path.read_bytes().split(b"\n") if line.strip()]
    line = f"- {note}".encode()
    before = [line for line in text.encode().split(b"\n") if line.strip()]
    assert line in [one.rstrip(b"\r") for one in after]
    if line not in [one.rstrip(b"\r") for one in before]:
        after.remove(line)
    assert after == before
