"""`write_atomic`: whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from prefrontal.errors import SourceError
from prefrontal.storage import files, write_atomic
from prefrontal.storage.files import check_writable, sweep


def test_text_is_written_as_utf8_and_bytes_as_they_are(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a.txt", "wäke ✓\n")
    write_atomic(str(tmp_path / "b.bin"), b"\x00\xff")
    assert (tmp_path / "a.txt").read_bytes() == "wäke ✓\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\x00\xff"


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_atomic(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_atomic(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_atomic(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_name_of_the_longest_length_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_atomic(path, "new")
    assert path.read_text() == "new"


def test_a_missing_folder_is_named_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "report.html"
    with pytest.raises(SourceError) as caught:
        write_atomic(path, "x")
    assert str(caught.value) == f"{path} cannot be written: No such file or directory"


def test_a_folder_and_a_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="cannot be written: Is a directory"):
        write_atomic(tmp_path, "x")
    with pytest.raises(SourceError, match="cannot be written: it is not a plain file"):
        write_atomic(tmp_path / "pipe", "x")


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, step, fail)
    expected = SourceError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_atomic(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_being_written_stays(
    tmp_path: Path,
) -> None:
    left = tmp_path / f".report.html.{'0' * 16}.tmp"
    mine = tmp_path / ".notes.tmp"
    for path in (left, mine):
        path.write_text("half")
    write_atomic(tmp_path / "report.html", "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == [".notes.tmp", "report.html"]
    left.write_text("half")
    with left.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        sweep(tmp_path)
        assert left.exists()
    sweep(tmp_path)
    assert not left.exists()


def test_a_sweep_that_comes_before_the_lock_costs_another_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = [files._lock]

    def swept_first(file: BinaryIO) -> bool | None:
        if locks:
            Path(file.name).unlink()
            return locks.pop()(file)
        return True

    monkeypatch.setattr(files, "_lock", swept_first)
    write_atomic(tmp_path / "a.txt", "new")
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_folder_is_writable_when_the_nearest_one_above_it_is(tmp_path: Path) -> None:
    check_writable(tmp_path)
    check_writable(tmp_path / "not" / "there")
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match=r"cannot be used as a folder: .*file is none"):
        check_writable(tmp_path / "file" / "below")


def test_a_folder_that_lets_nobody_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(SourceError, match=rf"/new cannot be written: .* not write in {tmp_path}$"):
        check_writable(tmp_path / "new")
    with pytest.raises(SourceError, match=r"cannot be written: you may not write there$"):
        check_writable(tmp_path)
