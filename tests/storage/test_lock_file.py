"""One holder at a time, whoever fails meanwhile."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.storage.lock_file import LockFile, holder, lock_owner, locked


def test_who_holds_it_is_known_and_nobody_else_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with LockFile(path) as one, LockFile(path) as other:
        assert one.take()
        assert not other.take()
        assert (other.owner(), lock_owner(path)) == (os.getpid(), os.getpid())
        one.close()
        assert other.take()
    assert path.read_bytes() == b"%d\n" % os.getpid()


def test_a_lock_that_nobody_took_has_no_owner(tmp_path: Path) -> None:
    (tmp_path / "a.lock").write_text("no number", encoding="ascii")
    assert lock_owner(tmp_path / "a.lock") is None
    assert lock_owner(tmp_path / "b.lock") is None


def test_whether_one_has_it_is_known_without_writing(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    assert holder(path) is None
    assert not path.exists()
    with LockFile(path) as lock:
        assert holder(path) is None
        assert lock.take()
        assert holder(path) == str(os.getpid())
    assert holder(path) is None


@pytest.mark.parametrize("act", ["flock", "write"])
def test_a_disk_that_fails_is_a_sentence_and_lets_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    import fcntl

    def failing(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "a.lock"
    with LockFile(path) as lock, monkeypatch.context() as patch:
        if act == "flock":
            patch.setattr(fcntl, "flock", failing)
        else:
            patch.setattr(os, "getpid", failing)
        with pytest.raises(SourceError, match=r"a\.lock cannot be (locked|written): Input/output"):
            lock.take()
        patch.undo()
        with LockFile(path) as other:
            assert other.take()


def test_what_is_no_place_for_a_lock_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "a.lock", tmp_path / "a\0b"):
        with pytest.raises(SourceError, match="cannot be opened: "), locked(path):
            pass


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "a.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="cannot be opened"):
        LockFile(tmp_path / "a.lock")
    assert not (tmp_path / "elsewhere").exists()
