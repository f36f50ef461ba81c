"""What an installation writes and takes away: files, the table of cron, its receipt."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.installation.places import CrontabPlace, FilePlace, run_program
from prefrontal.installation.receipts import InstallReceipt, ReceiptEntry, ReceiptFolder


def test_a_file_that_cannot_be_removed_is_one_sentence(tmp_path: Path) -> None:
    place = FilePlace(tmp_path / "settings.json")
    place.write(None)  # nothing is there: nothing to do
    (tmp_path / "settings.json").mkdir()
    with pytest.raises(SourceError, match=r"settings\.json cannot be removed: "):
        place.write(None)


def test_a_file_that_can_neither_be_read_nor_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = FilePlace(tmp_path / "file" / "settings.json")
    with pytest.raises(SourceError, match=r"file/settings\.json cannot be read: Not a directory$"):
        place.read()
    with pytest.raises(SourceError, match=r"/file cannot be made: File exists$"):
        place.write("{}")


def program(folder: Path, code: int, errors: str) -> str:
    """A program that says this on standard error and ends with this code."""
    path = folder / "table"
    path.write_text(f"#!/bin/sh\necho '{errors}' >&2\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


def test_a_table_of_cron_that_is_refused_is_told_with_the_reason(tmp_path: Path) -> None:
    table = CrontabPlace(program(tmp_path, 1, "ada may not use cron"))
    with pytest.raises(SourceError, match=r"^crontab -l failed: .*ada may not use cron"):
        table.read()
    with pytest.raises(SourceError, match=r"^crontab - failed: .*ada may not use cron"):
        table.write("* * * * * true\n")
    with pytest.raises(SourceError, match=r"^crontab -r failed: .*ada may not use cron"):
        table.write(None)
    assert CrontabPlace(program(tmp_path, 1, "no crontab for ada")).read() is None


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"/none cannot be run: No such file or directory$"):
        run_program([str(tmp_path / "none")])


RECEIPT = InstallReceipt((ReceiptEntry("place", "before", "after", ()),), (("cron", "1"),))


def test_a_receipt_is_read_again_and_one_of_another_format_is_refused(tmp_path: Path) -> None:
    folder = ReceiptFolder(tmp_path, "cron")
    assert folder.read() is None
    folder.write(RECEIPT)
    assert folder.read() == RECEIPT
    receipt = folder.path / "receipt.json"
    receipt.write_text(receipt.read_text().replace('"format": 1', '"format": 9'))
    with pytest.raises(SourceError, match=r"receipt\.json cannot be used: format 9$"):
        folder.read()
    for torn in ("", "[]", "{}", '{"format": 1, "entries": [{}], "jobs": []}'):
        receipt.write_text(torn)
        with pytest.raises(SourceError, match=r"receipt\.json cannot be used: "):
            folder.read()
    receipt.unlink()
    receipt.mkdir()
    with pytest.raises(SourceError, match=r"receipt\.json cannot be used: Is a directory$"):
        folder.read()


def test_a_state_folder_in_which_nothing_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = ReceiptFolder(tmp_path / "file", "cron")
    with pytest.raises(SourceError, match=r"installed/cron cannot be made: Not a directory$"):
        folder.write(RECEIPT)
    with pytest.raises(SourceError, match=r"taken-out cannot be made: Not a directory$"):
        folder.keep("settings.json", "{}")
