"""Debian's PostgreSQL with data of its own, on a socket in a folder or on the loopback address."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

PATIENCE_S = 60
_OPTIONS = {
    "unix_socket_directories": "{folder}",
    "listen_addresses": "127.0.0.1",
    "port": "{port}",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "logging_collector": "off",
    "autovacuum_naptime": "60s",
}


class PostgresServer:
    """A server that runs; `url` names a store in it that is nobody else's."""

    def __init__(self, folder: Path, programs: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self._programs = programs
        self._settings = _OPTIONS | settings
        self._owner = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        self._numbers = count(1)
        shutil.chown(folder, self._owner)
        self._run("initdb", "-D", str(folder / "data"), "-E", "UTF8", "--locale=C", "-A", "trust",
                  "-U", "prefrontal", "--no-sync")  # fmt: skip
        self.start()
        self._run("createdb", "-h", str(folder), "-p", str(self.port), "-U", "prefrontal", "store")

    def url(self, *, tcp: bool = False) -> str:
        """Of a schema that no test has used yet."""
        schema = f"schema=test{next(self._numbers)}"
        if tcp:
            return f"postgresql://prefrontal@127.0.0.1:{self.port}/store?{schema}"
        return f"postgresql://prefrontal@/store?host={self.folder}&port={self.port}&{schema}"

    def start(self) -> None:
        options = " ".join(
            f"-c {name}={value.format(folder=self.folder, port=self.port)}"
            for name, value in self._settings.items()
        )
        log = str(self.folder / "log")
        self._run(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start"
        )

    def stop(self, mode: str = "immediate") -> None:
        """As a crash does it, unless `mode` says otherwise."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def is_running(self) -> bool:
        return (self.folder / "data" / "postmaster.pid").exists()

    def _run(self, program: str, *arguments: str) -> None:
        owner = {"user": self._owner, "group": self._owner, "extra_groups": []}
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            **(owner if os.getuid() == 0 else {}),  # type: ignore[call-overload]
        )


def programs() -> Path | None:
    """Where Debian keeps the newest server's programs."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return folders[-1].parent if folders else None


@contextmanager
def server_in(programs: Path, **settings: str) -> Iterator[PostgresServer]:
    """A server for as long as that. settings: more of postgresql.conf."""
    with tempfile.TemporaryDirectory(prefix="prefrontal-postgres-") as name:
        server = PostgresServer(Path(name), programs, **settings)
        try:
            yield server
        finally:
            if server.is_running():
                server.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
