"""The folder in which one installation keeps decisions, modules and what was learned."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

from ..errors import InputError, SourceError
from ..home_folder import expanded
from .files import sweep
from .lock_file import LockFile, holder, lock_owner

_NOT_OURS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
WATCH_LOCK, CALL_LOCK = "watch.lock", "gate.lock"
LOCK_STEP_S = 0.005
LONGEST_LOOK_S = 5.0
FIRST_END_IT = "end it first, adopt, and start it again"
"""What to do instead for `prefrontal adopt`, which a running watch would not take up."""
NAME_LIMIT = 150
"""Most characters of a file name made from an id; file systems take 255 bytes."""


def default_state() -> Path:
    """$XDG_STATE_HOME/prefrontal, usually ~/.local/state/prefrontal."""
    folder = os.environ.get("XDG_STATE_HOME", "")
    home = Path(folder) if Path(folder).is_absolute() else expanded("~/.local/state")
    return home / "prefrontal"


class StateFolder:
    """Names what lies where. path: the folder; it need not exist until `make`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def decisions(self) -> Path:
        """The log of decisions and labels."""
        return self.path / "decisions.sqlite"

    @property
    def modules(self) -> Path:
        """The folder of fingerprints."""
        return self.path / "modules"

    @property
    def seen_files(self) -> Path:
        """What the watched folders held when they were last looked at."""
        return self.path / "seen-files"

    @property
    def http_token(self) -> Path:
        """What requests to the page and to MCP over HTTP carry, where it is kept at all."""
        return self.path / "http.token"

    @property
    def shadow(self) -> StateFolder:
        """Of a watch that wakes nobody, beside the one of this folder."""
        return StateFolder(self.path / "shadow")

    def own_places(self) -> list[Path]:
        """What a watch writes here while it goes on."""
        ends = ("", "-wal", "-shm", "-journal")
        files = [self.decisions.with_name(f"{self.decisions.name}{end}") for end in ends]
        locks = [self.path / WATCH_LOCK, self.path / CALL_LOCK]
        return [*files, *locks, self.decisions.with_suffix(".slept"), self.shadow.path]

    def seen_commits(self, repository: Path) -> Path:
        """Which commits of the repository were already told of."""
        return self.path / f"seen-commits-{crc32(os.fsencode(repository)):08x}"

    def read_log(self, file: Path) -> Path:
        """How far the log file was read."""
        return self.path / f"read-log-{crc32(os.fsencode(file)):08x}"

    def make(self) -> None:
        """Create what is missing, private to its owner, and remove what killed processes left.

        Raises SourceError.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.modules.mkdir(mode=0o700, exist_ok=True)
        except (OSError, ValueError) as error:  # ValueError: a null character in the name
            reason = getattr(error, "strerror", None) or error
            refused = isinstance(error, OSError) and error.errno in _NOT_OURS
            other = "; --state, or `state` in the settings, names another" if refused else ""
            raise SourceError(f"{self.path} cannot be used as a folder: {reason}{other}") from None
        sweep(self.path)
        sweep(self.modules)

    def module_file(self, module_id: str) -> Path:
        """Where the module's fingerprint lies: always inside `modules`, whatever the id holds.

        Raises InputError for an id that UTF-8 cannot hold.
        """
        try:
            safe = quote(module_id, safe=" ")
        except UnicodeEncodeError:
            rule = "be text that UTF-8 can hold"
            raise InputError(f"module_id must {rule}, got {module_id!r}") from None
        if safe.startswith("."):
            safe = "%2E" + safe[1:]
        if len(safe) > NAME_LIMIT:
            safe = f"{safe[:NAME_LIMIT]}-{crc32(module_id.encode()):08x}"
        return self.modules / f"{safe}.json"

    @contextmanager
    def called(self, patience_s: float) -> Iterator[None]:
        """While inside, no other `prefrontal gate` is at work here; one that is, is waited for.

        Raises SourceError when it takes longer.
        """
        with LockFile(self.path / CALL_LOCK) as lock:
            end = time.monotonic() + patience_s
            while not lock.take():
                if time.monotonic() >= end:
                    raise SourceError(
                        f"another prefrontal gate is at work in {self.path} for more than"
                        f" {patience_s:g} s"
                    )
                time.sleep(LOCK_STEP_S)
            yield

    def watcher(self) -> int | None:
        """The process that has the folder to itself, or had it last; None where none did."""
        return lock_owner(self.path / WATCH_LOCK)

    def is_watched(self) -> bool:
        """Whether a process has the folder to itself now."""
        return holder(self.path / WATCH_LOCK) is not None

    @contextmanager
    def watched(self, instead: str = "--state takes another folder") -> Iterator[None]:
        """While inside, no other process watches with this folder; the one look of a
        `prefrontal gate` is waited for. Raises SourceError, which says what to do `instead`.
        """
        with LockFile(self.path / WATCH_LOCK) as lock:
            end = time.monotonic() + LONGEST_LOOK_S
            while not lock.take():
                owner = self.watcher()
                looks = (
                    owner is not None and owner == lock_owner(self.path / CALL_LOCK) != os.getpid()
                )
                if not looks or time.monotonic() >= end:
                    raise SourceError(
                        f"{self.path} is in use by another prefrontal watch (process"
                        f" {owner or 'unknown'}); {instead}"
                    )
                time.sleep(LOCK_STEP_S)
            yield
