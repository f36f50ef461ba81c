"""What the attempts reach for: files, listeners and processes of the driver, nobody else's."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FILES = ("append", "truncate", "trunc", "hard", "mode", "time", "attribute", "secret")
SECRET = "PREFRONTAL_TEST_SECRET"
TOKEN = {"PREFRONTAL_TEST_TOKEN": "token-of-the-driver"}


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
        (self.root / "outside" / "link").symlink_to("secret")
        with suppress(OSError):
            os.setxattr(self.root / "outside" / "secret", "user.secret", b"secret")
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


class Answers(BaseHTTPRequestHandler):
    """Says which host and token it was asked with."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        text = f"HOST {self.headers['Host']} TOKEN {self.headers['X-Token']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@dataclass(slots=True)
class Decoys:
    """Listeners that greet, and processes that sleep."""

    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    sockets: list[socket.socket] = field(default_factory=list)
    places: dict[str, object] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    web: ThreadingHTTPServer | None = None

    def start(self) -> None:
        unique = f"prefrontal-{os.getpid()}"
        self.places = {"abstract": unique, "abstract_datagrams": unique + "-d", "unique": unique}
        [token] = TOKEN.values()
        self.places["token"] = hashlib.sha256(token.encode()).hexdigest()
        self.places["seen"] = Path(tempfile.mkdtemp(prefix=unique, dir="/tmp")).name
        self._serve()
        self._listen("tcp", socket.AF_INET, ("127.0.0.1", 0))
        self._listen("tcp2", socket.AF_INET, ("127.0.0.2", 0))
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
        if self.web is not None:
            self.web.shutdown()
            self.web.server_close()
            Path("/tmp", str(self.places["seen"])).rmdir()

    def _received(self) -> list[str]:
        heard = []
        for each in self.sockets:
            with suppress(OSError):
                while each.type == socket.SOCK_DGRAM and each.recv(100):
                    heard.append(f"a datagram at {each.getsockname()!r}")
        return heard

    def _serve(self) -> None:
        self.web = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.web.daemon_threads = True
        self.places["web"] = self.web.server_port
        threading.Thread(target=self.web.serve_forever, args=(0.02,), daemon=True).start()

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
            with client, suppress(OSError):
                client.settimeout(0.2)
                client.send(b"hello")
                client.recv(1)  # whoever sends something is not hung up on before
