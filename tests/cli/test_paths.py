"""Paths as people write them, and as a shell reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.cli.paths import home_short, shell_word

SMUGGLED = ["\u202eé".encode(), "a\u034fb".encode(), "a\ufe0f".encode()]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["plain", "with a space", "it's", "$HOME", "~", "-x", ""])
def test_a_shell_reads_the_path_that_was_meant(home: Path, name: str) -> None:
    for path in (str(home / name), f"/elsewhere/{name}"):
        command = ["sh", "-c", f"printf %s {shell_word(path)}"]
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        assert told.stdout.rstrip("/") == path.rstrip("/")


@pytest.mark.parametrize("name", [b"n\xff\xfea", b"a\nb", b"\x1b[31m'q\\", *SMUGGLED])
def test_a_path_with_what_cannot_be_seen_is_shown_as_bash_reads_it(home: Path, name: bytes) -> None:
    for path in (os.fsdecode(bytes(home) + b"/" + name), os.fsdecode(b"/" + name)):
        word = shell_word(path)
        assert word.isascii() and word.isprintable()
        told = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True)
        assert os.fsdecode(told.stdout) == path


def test_text_that_can_name_no_file_is_shown_all_the_same() -> None:
    assert shell_word("a\ud800\udcff") == r"$'a\xed\xa0\x80\xff'"


def test_the_home_folder_is_short(home: Path) -> None:
    assert home_short(str(home / "in")) == "~/in"
    assert shell_word(str(home / "in")) == "~/in"
    assert home_short(f"{home}else") == f"{home}else"


def test_a_name_that_is_no_utf8_is_shown_as_one_that_cannot_be_shown(tmp_path: Path) -> None:
    """Half of a surrogate pair stands for the byte, and no terminal takes it."""
    environ = {**os.environ, "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    words = ["-m", "prefrontal", "cortex", "status", "--config", os.fsdecode(b"a\xff\xfe.yml")]
    done = subprocess.run(
        [sys.executable, *words],
        check=False,
        capture_output=True,
        timeout=60,
        env=environ,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    name = "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.yml"
    assert done.stderr.decode().startswith(f"Error: {name} cannot be read: No such file")
