"""A repository's history as windows: one commit, one window, its files the events."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from ...errors import InputError, SourceError
from ...git_access import commit_text
from ...plural import many
from ...types import SignalEvent, Window
from . import git_process
from .dates import parse_date
from .git_repository import EXACT, lack, open_repository
from .recording import Readable, Recording
from .windows import LATEST

FILES_KEPT = 2_000
"""Files of one commit that become events, the first in git's order; the others are counted."""

_CHUNK = 2**16
_MARK = b"\x01"
_FORMAT = "--format=%x01%H%n%ct%n%aN%n%s%n%b"
_KINDS = {
    start + bytes((letter,)): word
    for start in (b"", b"\n")  # git puts a line end before the first file of a commit
    for letter, word in zip(b"AMTD", ("created", "modified", "modified", "deleted"), strict=True)
}
_Change = tuple[str, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Commit(Window):
    """A window that is a commit, with what only labels need; the gate never sees it.

    body: the message below the subject. files: how many files the commit changed, kept or not.
    """

    body: str = ""
    files: int = 0


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a history was read. tips: commits it came to, the latest last; time: of the last
    change, Unix seconds."""

    tips: tuple[str, ...] = ()
    time: float = 0.0


class GitHistory:
    """The commits of HEAD, oldest first, read from one `git log` while they are asked for.

    Each merge is one window that holds what it brought to the first parent, so a merged pull
    request is one change; with `all_commits` every commit stands alone and merges are left out.
    Commits that changed no file are left out, and so are those at the edge of a shallow clone.
    actor is the author's name; text the subject, for a merged request with its title behind it.
    A renamed file is one "renamed" event at its new place with `old_location` in its features.

    time is the committer's, made to never go back: a commit dated before the one it follows, or
    after the newest commit (a wrong clock), has the time of the one before: `Repository.newest`.

    since, until: see `parse_date`. limit: only that many of the newest commits. now: Unix seconds
    that "2 weeks ago" counts from, by default the clock.
    begin: this many of the oldest windows are left out; may be set between readings.
    revision: whose commits, instead of HEAD's. reached: only what came after that; the times go on
    from there.
    Iterating again reads what git said the first time.
    Raises InputError and SourceError in one sentence.
    """

    def __init__(
        self,
        path: str | Path,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        *,
        all_commits: bool = False,
        now: float | None = None,
        revision: str = "HEAD",
        reached: Reached = Reached(),
    ) -> None:
        moment = time.time() if now is None else now
        self._chosen = ["--no-merges", "--date-order"] if all_commits else ["--first-parent"]
        if since is not None and (age := parse_date(since, moment, field="since")) > 0:
            self._chosen.append(f"--max-age={age:.0f}")
        if until is not None:
            age = max(parse_date(until, moment, field="until", end=True), 0.0)
            self._chosen.append(f"--min-age={age:.0f}")
        if limit is not None:
            if isinstance(limit, bool) or limit < 1:
                raise InputError(f"limit must be a whole number of at least 1, got {limit!r}")
            self._chosen.append(f"--max-count={limit}")
        if reached.tips:
            self._chosen.append("--ignore-missing")  # of commits that git has thrown away since
        self._asked = (revision, *(f"^{tip}" for tip in reached.tips), "--")
        self._reached = reached
        self._repository = open_repository(path, revision)
        self._cropped = 0
        self.begin = 0
        self._exact = self._repository.partial
        self._recording = Recording(self._log)

    @property
    def notes(self) -> list[str]:
        """What a reader of the result should know; complete once all commits were read."""
        notes = list(self._repository.notes)
        if self._exact and not self._repository.partial:
            notes.append("contents of files are missing in this clone: " + EXACT)
        if self._cropped:
            commits = many(self._cropped, "commit")
            notes.append(
                f"{commits} changed more than {FILES_KEPT:,} files: only so many of each were read"
            )
        return notes

    @property
    def is_first_parents(self) -> bool:
        """Whether each change follows the one before, rather than any of them."""
        return "--first-parent" in self._chosen

    @property
    def folder(self) -> str:
        return self._repository.folder

    @property
    def revisions(self) -> tuple[str, ...]:
        """What `git log` is asked for, to go through the same commits."""
        return (*self._chosen, *self._asked)

    def count(self) -> int:
        """How many commits git will go through; the windows are as many or a few less."""
        options = ("--count", *self._chosen, *self._asked)
        return int(git_process.tell(self._repository.folder, "rev-list", *options))

    def _log(self) -> AbstractContextManager[IO[bytes]]:
        similarity = "-M100%" if self._exact else "-M"
        options = (
            "log", "--reverse", "-z", "--name-status", "-m", _FORMAT, "--encoding=UTF-8",
            "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", f"-O{os.devnull}",
            similarity, "-l200", *self._chosen, *self._asked,
        )  # fmt: skip
        return git_process.stream(self._repository.folder, *options)

    def __iter__(self) -> Iterator[Commit]:
        commits = self._commits()
        for _ in islice(commits, self.begin):
            pass
        yield from commits

    def _commits(self) -> Iterator[Commit]:
        """The commits; where contents are missing read again from there, by names alone."""
        last = ""
        try:
            for commit in self._read():
                last = commit.key
                yield commit
            return
        except git_process.MissingObjectError:
            if self._exact:
                raise SourceError(lack(self._repository)) from None
        self._exact = True
        again = self._commits()
        if last:
            for commit in again:
                if commit.key == last:
                    break
        yield from again

    def _read(self) -> Iterator[Commit]:
        self._cropped = 0
        last = self._reached.time
        first = not last
        newest = min(self._repository.newest, LATEST)
        with self._recording.open() as output:
            for header, changes, files in _records(output):
                fields = header.decode("utf-8", "replace").split("\n", 4)
                sha, seconds, actor, subject, body = fields
                committed = float(seconds or 0)
                if first:
                    first, last = False, max(last, min(committed, newest))
                elif last < committed <= newest:
                    last = committed
                if not changes or sha in self._repository.cut:
                    continue
                if files > FILES_KEPT:
                    self._cropped += 1
                text = commit_text(subject, body)
                events = _events(changes, last, actor, text)
                yield Commit(sha, last, events, actor, text, None, None, body, files)


def _events(
    changes: list[_Change], moment: float, actor: str, text: str
) -> tuple[SignalEvent, ...]:
    shared = {"actor": actor, "text": text}
    events = []
    for kind, path, old in changes:
        location = path.decode("utf-8", "replace")
        features = shared if not old else shared | {"old_location": old.decode("utf-8", "replace")}
        events.append(SignalEvent("filesystem", location, kind, 1.0, moment, features))
    return tuple(events)


def _records(output: Readable) -> Iterator[tuple[bytes, list[_Change], int]]:
    """Header, changed files (at most FILES_KEPT) and their true number, commit by commit."""
    header, changes, files = b"", list[_Change](), 0
    tokens = _tokens(output)
    for token in tokens:
        # A path is always taken together with its kind, so it cannot pass for a header.
        if token.startswith(_MARK):
            if header:
                yield header, changes, files
            header, changes, files = token[1:], [], 0
            continue
        kind, old = _KINDS.get(token, ""), b""
        path = next(tokens, b"")
        if not kind:
            kind = "modified"
            if token.lstrip(b"\n").startswith(b"R"):  # the one kind that is followed by two paths
                kind, old, path = "renamed", path, next(tokens, b"")
        files += 1
        if files <= FILES_KEPT:
            changes.append((kind, path, old))
    if header:
        yield header, changes, files


def _tokens(output: Readable) -> Iterator[bytes]:
    rest = b""
    while chunk := output.read(_CHUNK):
        parts = (rest + chunk).split(b"\0")
        rest = parts.pop()
        yield from parts
