"""Real repositories, made in a moment and apart from the set-up of whoever runs the tests.

A test module takes the fixtures it needs by name: `repository = repositories.repository`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

Git = Callable[..., str]
Change = tuple[int, str, Mapping[str, str | None]] | tuple[int, str, Mapping[str, str | None], str]
"""(time, message, {path: text or None to delete}) and, unless it is Jane Doe, the author."""


@pytest.fixture
def no_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git without anybody's configuration."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (tmp_path / "gitconfig").write_text(
        "[user]\nname = Jane Doe\nemail = jane@example.org\n[init]\ndefaultBranch = main\n"
        '[protocol "file"]\nallow = always\n[advice]\ndetachedHead = false\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def git(no_set_up: None) -> Git:
    """`git(folder, *words, at=1000, data=b"")`: what git prints; a failure raises."""

    def run(folder: Path, *words: str, at: int = 1_000, data: bytes = b"") -> str:
        date = f"@{at} +0000"
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            input=data,
            capture_output=True,
            check=True,
            env=os.environ | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        )
        return done.stdout.decode("utf-8", "replace").strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """An empty repository with a work tree."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


@pytest.fixture
def commit(repository: Path, git: Git) -> Callable[..., str]:
    """`commit(message, {path: text or None to delete}, at=1000)`: the new commit's hash."""

    def make(message: str, files: Mapping[str, str | None], at: int = 1_000) -> str:
        for name, text in files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--allow-empty", "-m", message, at=at)
        return git(repository, "rev-parse", "HEAD")

    return make


@pytest.fixture
def import_history(tmp_path: Path, git: Git) -> Callable[[Iterable[Change]], Path]:
    """A bare repository with one commit for each change."""

    def make(changes: Iterable[Change]) -> Path:
        folder = tmp_path / "imported.git"
        folder.mkdir()
        git(folder, "init", "--quiet", "--bare")
        stream = []
        for at, message, files, *author in changes:
            raw = message.encode()
            writer = author[0].encode() if author else b"Jane Doe"
            stream.append(
                b"commit refs/heads/main\nauthor %b <jane@example.org> %d +0000\n"
                b"committer Jane Doe <jane@example.org> %d +0000\ndata %d\n%b\n"
                % (writer, at, at, len(raw), raw)
            )
            for name, text in files.items():
                path = name.encode()
                if text is None:
                    stream.append(b"D %b\n" % path)
                else:
                    raw = text.encode()
                    stream.append(b"M 100644 inline %b\ndata %d\n%b\n" % (path, len(raw), raw))
        git(folder, "fast-import", "--quiet", "--date-format=raw-permissive", data=b"".join(stream))
        return folder

    return make


@pytest.fixture
def move_during(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Path, str, str], None]:
    """`move_during(folder, word, commit)`: main moves to the commit as git is first asked that."""

    def arrange(folder: Path, word: str, commit: str) -> None:
        real, bin_folder, once = shutil.which("git"), tmp_path / "bin", tmp_path / "moved"
        assert real is not None
        bin_folder.mkdir()
        program = bin_folder / "git"
        program.write_text(
            f'#!/bin/sh\ncase " $* " in *" {word} "*) if mkdir {once} 2>/dev/null; then\n'
            f"  {real} -C {folder} update-ref refs/heads/main {commit}\n"
            f'fi;; esac\nexec {real} "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")

    return arrange
