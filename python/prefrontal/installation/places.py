"""Where texts of others lie: files, and the table of cron behind its program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..errors import SourceError
from ..storage.files import write_atomic

PATIENCE_S = 60.0


class TextPlace(Protocol):
    """A text of somebody else. All raise SourceError in a sentence."""

    @property
    def name(self) -> str:
        """How it is called, for people and in a receipt."""
        ...

    def read(self) -> str | None:
        """None when nothing is there. Bytes that are no UTF-8 survive reading and writing."""
        ...

    def write(self, text: str | None) -> list[str]:
        """Replace it in one step; None takes it away. Returns folders that had to be made."""
        ...


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file; a link is followed, and what it leads to is replaced with its permissions kept."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def target(self) -> Path:
        return Path(os.path.realpath(self.path))

    def read(self) -> str | None:
        try:
            return self.path.read_bytes().decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SourceError(f"{self.path} cannot be read: {error.strerror}") from None

    def write(self, text: str | None) -> list[str]:
        if text is None:
            self._remove()
            return []
        folders = self._make_folders()
        write_atomic(self.target, text.encode("utf-8", "surrogateescape"))
        return folders

    def _remove(self) -> None:
        try:
            self.target.unlink(missing_ok=True)
        except OSError as error:
            raise SourceError(f"{self.path} cannot be removed: {error.strerror}") from None

    def _make_folders(self) -> list[str]:
        folder = self.target.parent
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(f"{folder} cannot be made: {error.strerror}") from None
        return [str(each) for each in missing]


@dataclass(frozen=True, slots=True)
class CrontabPlace:
    """The user's table of cron. program: what reads (`-l`), takes (`-`) and removes (`-r`) it."""

    program: str = "crontab"

    @property
    def name(self) -> str:
        return "crontab"

    def read(self) -> str | None:
        done = run_program([self.program, "-l"])
        if done.returncode == 0:
            return done.stdout
        if "no crontab for" in done.stderr:
            return None
        raise SourceError(f"crontab -l failed: {_reason(done)}")

    def write(self, text: str | None) -> list[str]:
        words = [self.program, "-r"] if text is None else [self.program, "-"]
        done = run_program(words, text)
        if done.returncode != 0:
            raise SourceError(f"crontab {words[1]} failed: {_reason(done)}")
        return []


def remove_folders(folders: Sequence[str]) -> None:
    """Take away folders that were made, deepest first, as far as they are empty."""
    for each in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            Path(each).rmdir()


def run_program(words: Sequence[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program of the machine. Raises SourceError when it is missing or does not end."""
    try:
        return subprocess.run(
            list(words),
            check=False,
            input=text if text is not None else "",
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=PATIENCE_S,
        )
    except OSError as error:
        raise SourceError(f"{words[0]} cannot be run: {error.strerror or error}") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"{words[0]} did not end within {PATIENCE_S:g} s") from None


def checked_run(words: Sequence[str], text: str | None = None) -> str:
    """What a program printed. Raises SourceError when it fails."""
    done = run_program(words, text)
    if done.returncode != 0:
        raise SourceError(f"{' '.join(words[:3])} failed: {_reason(done)}")
    return done.stdout


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
