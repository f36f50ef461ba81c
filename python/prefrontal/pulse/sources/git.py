"""New commits of a repository as signals, one window each, with an event for each changed file."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import SourceError
from ...git_access import check_files, commit_text
from ...home_folder import expanded
from ...types import SignalEvent
from .git_commands import tell
from .git_signs import head_signs
from .polling import Poller
from .source_place import SourcePlace

if TYPE_CHECKING:
    from .running import Outlet, Push

COMMITS = 1_000
"""New commits that are told of at once, the newest; the others are counted and logged."""
FILES = 2_000
"""Files of one commit that become events; the others are left out."""
TEXT = 2_000
"""Characters of what a commit says that are told, with each of its files."""

TIPS = 256
"""Commits told of that are remembered before those that others reach are forgotten."""

_MARK = b"\x01"
_KINDS = {"A": "created", "M": "modified", "T": "modified", "D": "deleted", "R": "renamed"}
log = logging.getLogger("prefrontal.pulse")


class GitSource:
    """Watches HEAD of the repository that holds `folder`, looking every `interval_s` seconds.

    A look reads a few small files; git runs only when one of them changed. Told of are commits
    that HEAD reaches and that neither HEAD nor a local branch reached before, oldest first: a
    commit, a pull, an amended or rebased commit is new, a switch to a branch is not. A merge
    tells what it brought to its first parent. A gate is handed a commit as one window. Events have
    the source "git", the file's absolute path as location, "created", "modified", "deleted" or
    "renamed", the moment at which the commit was seen, and the features commit, actor (author),
    text (subject; of a merged request with its title), repository (its top folder), branch (unless
    HEAD is on none), path (in the repository; what is no UTF-8 replaced), extension, and when
    renamed old_location and old_path. A module of commits reads them as a replay of the repository
    tells them. What was told is kept with what was decided about it, or, where
    events go somewhere else than to a gate, in the file `state_path`, which is also taken over; the
    next start goes on from there. Otherwise, and at the first start, commits that are there already
    are no event.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        interval_s: float = 2.0,
        *,
        state_path: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._folder = os.path.realpath(expanded(folder))
        self._clock = SystemClock() if clock is None else clock
        self._git_dir: Path | None = None
        self._signs: tuple[object, ...] = ()
        self._seen: set[str] | None = None
        self._top = ""
        self._commits = 0
        self._poller = Poller(f"prefrontal-git {self._folder}"[:200], interval_s, self._ask)
        kept_in = None if state_path is None else expanded(state_path)
        name = f"place git {self._folder!a}"
        self._place = SourcePlace(name, self._poller.outlet, kept_in)

    def start(self, push: Push) -> None:
        """Begin; a repository that cannot be read is looked for again. Takes one look first."""
        self._poller.outlet.push = push
        with suppress(SourceError):  # the thread will meet it too, and say so
            self._open()
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._poller.looked(timeout_s)

    def status(self) -> dict[str, object]:
        """repository, commits told of, and what went wrong."""
        return {"repository": self._folder, "commits": self._commits} | self._poller.status()

    def _ask(self, outlet: Outlet) -> None:
        self._open()
        assert self._git_dir is not None
        signs = head_signs(self._git_dir)
        if signs == self._signs:
            return
        if self._are_told():
            self._signs = signs  # only now: after a failure it is asked again

    def _open(self) -> None:
        """Find the repository and, once, what is not new."""
        if self._git_dir is None:
            check_files(self._folder)
            answer = os.fsdecode(tell(self._folder, "rev-parse", "--absolute-git-dir"))
            git_dir = Path(answer.rstrip("\n"))
            bare = tell(self._folder, "rev-parse", "--is-bare-repository").strip() == b"true"
            top = b"" if bare else tell(self._folder, "rev-parse", "--show-toplevel")
            self._top = os.fsdecode(top).rstrip("\n")
            self._git_dir = git_dir
        if self._seen is None:
            self._seen = self._saved()
        if self._seen is None:
            seen = self._tips()
            self._place.keep(_content(seen))
            self._seen = seen

    def _tips(self) -> set[str]:
        listed = tell(self._folder, "for-each-ref", "--format=%(objectname)", "refs/heads")
        head = self._head()
        return {*listed.decode("ascii", "replace").split(), *([head] if head else [])}

    def _head(self) -> str:
        answer = tell(self._folder, "for-each-ref", "--count=1")  # fails where nothing can be read
        try:
            answer = tell(self._folder, "rev-parse", "--verify", "--quiet", "HEAD")
        except SourceError:
            branch = tell(self._folder, "symbolic-ref", "--quiet", "HEAD").decode().strip()
            if tell(self._folder, "for-each-ref", "--count=1", branch):
                raise  # it has one, which could not be read
            return ""  # no commit yet
        return answer.decode("ascii", "replace").strip()

    def _branch(self) -> str:
        """The one that HEAD is on; "" for none."""
        name = tell(self._folder, "symbolic-ref", "--quiet", "--short", "HEAD", no=1)
        return name.decode("utf-8", "replace").strip()

    def _are_told(self) -> bool:
        """Tell of what is new, one commit after the other; False when the source ends before."""
        head = self._head()
        if not head or self._seen is None or head in self._seen:
            return True
        before, wanted = self._seen, [head, *(f"^{tip}" for tip in sorted(self._seen))]
        chosen = ("--first-parent", "--ignore-missing", "--stdin")
        count = int(tell(self._folder, "rev-list", "--count", *chosen, lines=wanted))
        if count > COMMITS:
            log.warning("%s has %d new commits; the last %d count", self._folder, count, COMMITS)
        output = tell(
            self._folder,
            "log", "--reverse", "-z", "--name-status", "-m", "--format=%x01%H%n%aN%n%s%n%b",
            "--encoding=UTF-8", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none",
            f"-O{os.devnull}", "-M", "-l200",
            f"--max-count={COMMITS}", *chosen,
            lines=wanted,
        )  # fmt: skip
        where = {"repository": self._top or str(self._git_dir)}
        if branch := self._branch():
            where["branch"] = branch
        for sha, events in self._commits_in(output, where):
            # Each is the first parent of the next: who reaches this one reaches those before it.
            seen = before | {sha}
            if not self._place.hand_on(events, _content(seen), together=True):
                return False
            self._seen = seen
            self._commits += 1
        self._seen = self._few(before | {head})
        return self._place.hand_on([], _content(self._seen))

    def _few(self, seen: set[str]) -> set[str]:
        """Without those that others reach, once there are many."""
        if len(seen) > TIPS:
            with suppress(SourceError):  # commits that git has thrown away since
                left = tell(self._folder, "merge-base", "--independent", *seen)
                return set(left.decode("ascii", "replace").split())
        return seen

    def _commits_in(
        self, output: bytes, where: Mapping[str, object]
    ) -> Iterator[tuple[str, list[SignalEvent]]]:
        """Each commit with its events. where: features of all of them."""
        tokens = iter(output.split(b"\0"))
        sha, shared = "", dict[str, object]()
        events, seen_at = list[SignalEvent](), 0.0
        for token in tokens:
            if token.startswith(_MARK):
                if sha:
                    yield sha, events
                fields = token[1:].decode("utf-8", "replace").split("\n", 3)
                sha, actor, subject, body = fields
                text = commit_text(subject, body)[:TEXT]
                shared = {**where, "commit": sha, "actor": actor, "text": text}
                events, seen_at = [], self._clock.now()
                continue
            kind = _KINDS.get(token.lstrip(b"\n")[:1].decode("ascii", "replace"))
            if kind is None:
                continue
            old = next(tokens, b"") if kind == "renamed" else b""
            path = next(tokens, b"")
            if len(events) < FILES:
                events.append(self._event(kind, path, old, seen_at, shared))
        if sha:
            yield sha, events

    def _event(
        self, kind: str, path: bytes, old: bytes, seen_at: float, shared: dict[str, object]
    ) -> SignalEvent:
        inside = path.decode("utf-8", "replace")
        features = shared | {"path": inside, "extension": Path(inside).suffix}
        if old:
            features["old_location"] = self._location(old)
            features["old_path"] = old.decode("utf-8", "replace")
        return SignalEvent("git", self._location(path), kind, 1.0, seen_at, features)

    def _location(self, path: bytes) -> str:
        return str(Path(self._top, os.fsdecode(path)))

    def _saved(self) -> set[str] | None:
        try:
            if (content := self._place.read()) is None:
                return None
            return {str(tip) for tip in json.loads(content)["seen"]}
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.error("What was told of %s is not known any more: %r", self._folder, error)
            return None


def _content(seen: set[str]) -> str:
    return json.dumps({"seen": sorted(seen)})
