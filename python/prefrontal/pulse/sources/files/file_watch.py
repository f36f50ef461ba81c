"""Being told by the system which paths changed, or asking it every so often."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

    from ....clock import Clock

STEP_MS = 5
"""How often the watch is asked for news while there are some."""
QUIET_STEP_MS = 400
"""How often it is asked once nothing came for QUIET_S: a machine at rest may sleep on."""
QUIET_S = 5.0
GROUP_MS = 50
LAG_S = (GROUP_MS + 2 * STEP_MS) / 1000
"""A change is heard of this late at most, unless the machine is busy or nothing came before."""
BURST = 2_000
"""Paths at once after which the system may have forgotten some: it keeps 16,384 reports."""

_WAIT_MS = 1_000
_DELETED = 3


class FileChanges(NamedTuple):
    """What a watch heard. deleted: paths said to be gone. rescan: some may have been missed."""

    paths: Sequence[str] = ()
    deleted: frozenset[str] = frozenset()
    rescan: bool = False


class FileWatch(Protocol):
    """Tells what changed below the folders it was made for."""

    def wait(self, interrupt: Event) -> FileChanges:
        """Changes, or none after a short while or when `interrupt` is set."""
        ...

    def close(self) -> None: ...


class WatchError(Exception):
    """The watch failed; it must be made anew and the folders be scanned. Its text says why."""


class SystemWatch:
    """The system's own reports, by way of watchfiles.

    Raises WatchError when the folders cannot be watched: a limit of the system, or gone.
    """

    def __init__(self, roots: Sequence[str], clock: Clock) -> None:
        from watchfiles._rust_notify import RustNotify

        try:
            self._notify: RustNotify = RustNotify(list(roots), False, False, 0, True, True)
        except (OSError, RuntimeError, ValueError) as error:
            raise WatchError(str(error)) from error
        self._clock = clock
        self._heard_at = clock.monotonic()

    def wait(self, interrupt: Event) -> FileChanges:
        is_quiet = self._clock.monotonic() - self._heard_at >= QUIET_S
        try:
            step_ms = QUIET_STEP_MS if is_quiet else STEP_MS
            changes = self._notify.watch(GROUP_MS, step_ms, _WAIT_MS, interrupt)
        except (OSError, RuntimeError) as error:
            raise WatchError(str(error)) from error
        if isinstance(changes, str):
            return FileChanges(rescan=changes == "stop")  # which throws away what it had heard
        if changes:
            self._heard_at = self._clock.monotonic()
        deleted = frozenset(path for kind, path in changes if kind == _DELETED)
        paths = {path for _, path in changes}
        return FileChanges(list(paths), deleted, rescan=len(paths) >= BURST)

    def close(self) -> None:
        self._notify.close()


class PollingWatch:
    """No reports at all: every `poll_s` seconds the folders are scanned."""

    def __init__(self, poll_s: float) -> None:
        self._poll_s = poll_s

    def wait(self, interrupt: Event) -> FileChanges:
        return FileChanges(rescan=not interrupt.wait(self._poll_s))

    def close(self) -> None:
        """Nothing is held."""
