"""A token in a file: made once, for its owner alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.settings.secrets import file_secret


def test_it_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    before = os.umask(0)
    try:
        secret = file_secret(file)
    finally:
        os.umask(before)
    assert len(secret) == 48
    assert file.stat().st_mode & 0o777 == 0o600
    assert file_secret(file) == secret
    assert [each.name for each in tmp_path.iterdir()] == ["token"]
    assert file_secret(tmp_path / "other") != secret


def test_what_others_can_read_or_put_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a token that others know\n")
    file.chmod(0o644)
    with pytest.raises(SourceError, match=r"nobody else may read \(chmod 600\)"):
        file_secret(file)
    file.chmod(0o600)
    assert file_secret(file) == "a token that others know"

    link, pipe, empty = (tmp_path / name for name in ("link", "pipe", "empty"))
    link.symlink_to(file)
    with pytest.raises(SourceError, match="link cannot be read"):
        file_secret(link)
    os.mkfifo(pipe, 0o600)
    with pytest.raises(SourceError, match="must be a plain file"):
        file_secret(pipe)
    empty.touch(mode=0o600)
    with pytest.raises(SourceError, match="must hold a token, got an empty file"):
        file_secret(empty)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    with pytest.raises(SourceError, match="dangling cannot be read"):
        file_secret(tmp_path / "dangling")
    assert not (tmp_path / "nothing").exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written: No such file"):
        file_secret(tmp_path / "none" / "token")
