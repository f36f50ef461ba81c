"""What the attempts reach for: files, listeners and processes of the driver, nobody else's."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

FILES = ("append", "truncate", "trunc", "hard", "mode", "time", "attribute", "secret")
SECRET = "PREFRONTAL_TEST_SECRET"


@dataclass(frozen=True, slots=True)
class Tree:
    """The folders of one attempt."""

    root: Path

    @property
    def scratch(self) -> Path:
        return self.root / "scratch"

    def make(self) -> None:
        for name in ("scratch", "outside/empty", "readable"):
            (self.root / name).mkdir(parents=True)
        for name in FILES:
            (self.root / "readable" / name).write_text("secret")
        for name in ("secret", "in", "delete"):
            (self.root / "outside" / name).write_text("secret")
        (self.scratch / "planted").symlink_to(self.root / "outside")

    def outside(self) -> list[tuple[str, int, int, float]]:
        """Everything beside the scratch folder: name, mode, size, time of change."""
        found = []
        for folder in ("outside", "readable"):
            for path in sorted((self.root / folder).rglob("*")):
                facts = path.lstat()
                size = 0 if path.is_dir() else facts.st_size
                found.append((str(path), facts.st_mode, size, facts.st_mtime))
        return found

    def survived(self) -> bool:
        """Whether a process of the attempt wrote after the run was over."""
        return (self.scratch / "survived").exists()


@dataclass(slots=True)
class Decoys:
    """Listeners that greet, and processes that sleep."""

    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    sockets: list[socket.socket] = field(default_factory=list)
    places: dict[str, object] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        unique = f"prefrontal-{os.getpid()}"
        self.places = {"abstract": unique, "abstract_datagrams": unique + "-d", "unique": unique}
        self._listen("tcp", socket.AF_INET, ("127.0.0.1", 0))
        with suppress(OSError):
            self._listen("tcp6", socket.AF_INET6, ("::1", 0))
        self._listen("", socket.AF_UNIX, "\0" + unique)
        self._listen("", socket.AF_UNIX, str(self.folder / "socket"))
        self._receive("", socket.AF_UNIX, f"\0{unique}-d")
        self._receive("udp", socket.AF_INET, ("127.0.0.1", 0))
        self.places["socket"] = str(self.folder / "socket")
        self.places.setdefault("tcp6", 1)
        self.revive()
        self.processes["stopped"].send_signal(19)

    def revive(self) -> None:
        """Start the processes that an attempt without sandbox has ended."""
        with self.lock:
            self._revive()

    def _revive(self) -> None:
        for name in ("decoy", "victim", "stopped"):
            if name not in self.processes or self.processes[name].poll() is not None:
                self.processes[name] = subprocess.Popen(
                    ["/bin/sleep", "200"], start_new_session=True, env={SECRET: "1"}
                )
            self.places[name] = self.processes[name].pid

    def harmed(self) -> list[str]:
        """What somebody did to them."""
        ended = [name for name, process in self.processes.items() if process.poll() is not None]
        stat = Path(f"/proc/{self.processes['stopped'].pid}/stat").read_text()
        resumed = [] if stat.rpartition(")")[2].split()[0] == "T" else ["stopped was resumed"]
        return ended + resumed + self._received()

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        for each in self.sockets:
            each.close()

    def _received(self) -> list[str]:
        heard = []
        for each in self.sockets:
            with suppress(OSError):
                while each.type == socket.SOCK_DGRAM and each.recv(100):
                    heard.append(f"a datagram at {each.getsockname()!r}")
        return heard

    def _listen(self, name: str, family: int, address: object) -> None:
        server = socket.socket(family)
        server.bind(address)  # type: ignore[arg-type]
        server.listen()
        if name:
            self.places[name] = server.getsockname()[1]
        self.sockets.append(server)
        threading.Thread(target=_greet, args=(server,), daemon=True).start()

    def _receive(self, name: str, family: int, address: object) -> None:
        receiver = socket.socket(family, socket.SOCK_DGRAM)
        receiver.bind(address)  # type: ignore[arg-type]
        receiver.setblocking(False)
        if name:
            self.places[name] = receiver.getsockname()[1]
        self.sockets.append(receiver)


@contextmanager
def decoys(folder: Path) -> Iterator[Decoys]:
    """Running decoys whose socket lies in the folder."""
    made = Decoys(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def _greet(server: socket.socket) -> None:
    with suppress(OSError):
        while True:
            client, _ = server.accept()
            client.send(b"hello")
            client.close()
