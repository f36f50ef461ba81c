"""Signals from other programs: JSON lines on a stream or a Unix socket."""

from __future__ import annotations

import errno
import logging
import os
import selectors
import socket
import stat
from abc import ABC, abstractmethod
from pathlib import Path
from threading import Lock, Thread, current_thread
from typing import IO, TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import InputError, SourceError
from ...home_folder import expanded
from ...standard_input import input_bytes
from .event_lines import LineSplitter, event_from_line
from .running import Outlet, Push
from .source_batch import SourceBatch

if TYPE_CHECKING:
    from ...types import SignalEvent

CLIENTS = 64
"""Programs that may be connected at once; more are turned away."""

log = logging.getLogger("prefrontal.pulse")
_CHUNK = 2**16
_PATH_LIMIT = 107  # bytes that the system has room for


class _Reader(ABC):
    """What both sources do: read what is ready, on one thread that a byte in a pipe can wake."""

    def __init__(self, name: str, clock: Clock | None) -> None:
        self._name = name
        self._clock = SystemClock() if clock is None else clock
        self._outlet = Outlet()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._wake = -1
        self._bad = 0
        self._last_error = ""

    def _begin(self, push: Push, selector: selectors.BaseSelector) -> None:
        self._outlet.push = push
        self._outlet.is_ended = lambda: self._thread is None
        ending, self._wake = os.pipe()
        selector.register(ending, selectors.EVENT_READ, None)
        self._thread = Thread(
            target=self._run, args=(selector, ending), name=self._name, daemon=True
        )
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is None:
                return
            os.close(self._wake)  # which wakes the thread, if it still reads
        if thread is not current_thread():
            thread.join(timeout_s)

    def status(self) -> dict[str, object]:
        """running, lines that were no event, the last complaint, and what became of the others."""
        running = self._thread is not None and self._thread.is_alive()
        facts = {"running": running, "bad_lines": self._bad, "last_error": self._last_error}
        return facts | self._outlet.counts()

    def _run(self, selector: selectors.BaseSelector, ending: int) -> None:
        try:
            while len(selector.get_map()) > 1:
                for key, _ in selector.select():
                    if key.fd == ending:
                        return
                    self._serve(selector, key)
        except Exception:
            log.exception("%s ends", self._name)
        finally:
            self._close(selector)
            selector.close()
            os.close(ending)

    @abstractmethod
    def _serve(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None: ...

    @abstractmethod
    def _close(self, selector: selectors.BaseSelector) -> None: ...

    def _take(self, splitter: LineSplitter, data: bytes) -> None:
        """Hand on what came; who writes waits while there is no room."""
        too_long = splitter.too_long
        events: list[SignalEvent] = []
        for line in splitter.feed(data) if data else splitter.end():
            try:
                events.append(event_from_line(line, self._clock.now()))
            except InputError as error:
                self._complain(str(error))
        if events:
            self._outlet.put(SourceBatch(self._name, tuple(events), ()))
        for _ in range(splitter.too_long - too_long):
            self._complain("line must be at most 1 MiB, got a longer one")

    def _complain(self, sentence: str) -> None:
        self._bad += 1
        self._last_error = sentence
        log.warning("%s: %s", self._name, sentence)


class LinesSource(_Reader):
    """Reads JSON lines from a stream (standard input) until it ends; see `event_from_line`.

    A line that is no event is counted, logged, and left out. The stream is not closed.
    """

    def __init__(
        self, stream: IO[bytes] | IO[str] | None = None, clock: Clock | None = None
    ) -> None:
        super().__init__("prefrontal-lines", clock)
        self._stream = input_bytes() if stream is None else stream

    def start(self, push: Push) -> None:
        with self._lock:
            if self._thread is None:
                selector = selectors.PollSelector()  # epoll refuses plain files
                selector.register(self._stream.fileno(), selectors.EVENT_READ, LineSplitter())
                self._begin(push, selector)

    def _serve(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        data = os.read(key.fd, _CHUNK)
        self._take(key.data, data)
        if not data:
            selector.unregister(key.fd)

    def _close(self, selector: selectors.BaseSelector) -> None:
        """The stream belongs to whoever handed it in."""


class SocketSource(_Reader):
    """Listens on a Unix socket that only this user may use; any program may write JSON lines.

    path: of the socket; a socket that nobody listens on any more is replaced, anything else there
    is refused. Raises SourceError when it cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str], clock: Clock | None = None) -> None:
        super().__init__("prefrontal-socket", clock)
        self.path = expanded(path).absolute()
        if len(os.fsencode(self.path)) > _PATH_LIMIT:
            rule = f"socket path must be at most {_PATH_LIMIT} bytes"
            raise InputError(f"{rule}, got {str(self.path)!r}")
        self._socket: socket.socket | None = None

    def start(self, push: Push) -> None:
        with self._lock:
            if self._thread is None:
                self._socket = listening = _listen(self.path)
                selector = selectors.DefaultSelector()
                selector.register(listening, selectors.EVENT_READ, listening)
                self._begin(push, selector)

    def _serve(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        if isinstance(key.data, socket.socket):
            client, _ = key.data.accept()
            if len(selector.get_map()) >= CLIENTS + 2:
                self._complain(f"programs must be at most {CLIENTS} at once, got one more")
                client.close()
                return
            client.setblocking(False)
            selector.register(client, selectors.EVENT_READ, LineSplitter())
            return
        client = key.fileobj  # type: ignore[assignment]
        try:
            data = client.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._take(key.data, data)
        if not data:
            selector.unregister(client)
            client.close()

    def _close(self, selector: selectors.BaseSelector) -> None:
        for key in list(selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self.path.unlink(missing_ok=True)


def _listen(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _clear(path)
        listening.bind(str(path))
        path.chmod(0o600)  # before anybody can connect
        listening.listen(CLIENTS)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise SourceError(f"socket {str(path)!r} cannot be listened on: {reason}") from error
    return listening


def _clear(path: Path) -> None:
    """Take away what a process that was killed left behind."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise OSError(errno.EEXIST, "something else than a socket is there")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise OSError(errno.EADDRINUSE, "another process listens there")
