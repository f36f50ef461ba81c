"""Where the ledger lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.ledger.location import file_name, ledger_path, with_folder


@pytest.mark.parametrize("config", [{}, {"ledger": None}, {"ledger": {}}])
def test_without_a_word_it_is_a_file_of_the_workspace(config: dict[str, Any]) -> None:
    assert ledger_path(file_name(config), Path("/ws")) == Path("/ws/ledger.sqlite")


def test_a_path_is_relative_to_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    for told, meant in (
        ("peers.db", "/ws/peers.db"),
        ("/elsewhere/peers.db", "/elsewhere/peers.db"),
        ("~/peers.db", "/home/ada/peers.db"),
    ):
        assert ledger_path(file_name({"ledger": {"path": told}}), Path("/ws")) == Path(meant)


def test_without_a_workspace_all_is_kept_in_memory() -> None:
    assert ledger_path(file_name({}), None) == ":memory:"
    assert ledger_path(":memory:", Path("/ws")) == ":memory:"
    assert ledger_path("/elsewhere/peers.db", None) == Path("/elsewhere/peers.db")
    with pytest.raises(InputError, match=r"must be absolute without a workspace, got 'peers\.db'"):
        ledger_path("peers.db", None)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ([1], "ledger must be a mapping, got [1]"),
        (
            {"pth": "x"},
            "ledger must have only known keys, got 'pth' (did you mean 'path'?); known are path",
        ),
        ({"path": 3}, "ledger.path must be a path, got 3"),
        ({"path": " "}, "ledger.path must be a path, got ' '"),
        ({"path": "a\0b"}, "ledger.path must be a path, got 'a\\x00b'"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(told: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        file_name({"ledger": told})
    assert str(caught.value) == sentence


def test_nobodys_home_is_refused() -> None:
    with pytest.raises(InputError, match="path must name a user of this machine after ~"):
        ledger_path("~nobody-at-all/x", Path("/ws"))


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = with_folder(tmp_path / "new" / "ledger.sqlite")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert with_folder(path) == path


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="file/sub cannot be used as a folder: Not a directory"):
        with_folder(tmp_path / "file" / "sub" / "ledger.sqlite")
