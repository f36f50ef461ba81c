"""Debian's Redis and NATS on the loopback address; tests are skipped where they are missing."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

PATIENCE_S = 60.0
STREAM = "signals"


class StreamServer(Protocol):
    """A server with one stream; `add` returns once it has the entries."""

    url: str

    def add(self, *contents: str) -> None: ...
    def trim(self, left: int) -> None: ...
    def empty(self) -> None: ...
    def fail(self, source: Any) -> None:
        """Let one look of that source meet a fault."""


class RedisServer:
    """A stream of Redis."""

    def __init__(self, port: int) -> None:
        import redis

        self.url = f"redis://127.0.0.1:{port}/0"
        self.client: Any = redis.Redis.from_url(self.url, protocol=2)

    def add(self, *contents: str) -> None:
        for each in contents:
            self.client.xadd(STREAM, {"event": each})

    def trim(self, left: int) -> None:
        self.client.xtrim(STREAM, maxlen=left, approximate=False)

    def empty(self) -> None:
        self.client.delete(STREAM)

    def fail(self, source: Any) -> None:
        self.client.rename(STREAM, "away")
        self.client.set(STREAM, "no stream")
        source._poller.call()
        self.client.rename("away", STREAM)


class NatsServer:
    """A stream of NATS JetStream."""

    def __init__(self, port: int) -> None:
        self.url = f"nats://127.0.0.1:{port}"
        self._call(lambda stream: stream.add_stream(name=STREAM, subjects=["signals.>"]))

    def add(self, *contents: str) -> None:
        async def publish(stream: Any) -> None:
            for each in contents:
                await stream.publish("signals.app", each.encode())

        self._call(publish)

    def trim(self, left: int) -> None:
        self._call(lambda stream: stream.purge_stream(STREAM, keep=left))

    def empty(self) -> None:
        async def anew(stream: Any) -> None:
            await stream.delete_stream(STREAM)
            await stream.add_stream(name=STREAM, subjects=["signals.>"])

        self._call(anew)

    def fail(self, source: Any) -> None:
        source._loop.run_until_complete(source._client.close())
        source._poller.call()

    def _call(self, act: Callable[[Any], Any]) -> None:
        import nats

        async def call() -> None:
            client = await nats.connect(self.url)
            await act(client.jetstream())
            await client.close()

        asyncio.run(call())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def stream_server(kind: str, folder: Path) -> Iterator[StreamServer]:
    """A server for as long as that; skips where it, or its library, is not installed."""
    program = shutil.which({"redis": "redis-server", "nats": "nats-server"}[kind])
    if os.environ.get("PREFRONTAL_REQUIRE_STREAMS"):
        assert program is not None, f"{kind}-server must be installed"
    else:
        pytest.importorskip(kind, reason=f"needs the extra [{kind}]")
    if program is None:
        pytest.skip(f"needs Debian's {kind}-server")
    port = free_port()
    words = {
        "redis": [
            *("--port", str(port), "--bind", "127.0.0.1", "--save", ""),
            "--dir",
            str(folder),
        ],
        "nats": [*("-a", "127.0.0.1", "-p", str(port)), "-js", "-sd", str(folder)],
    }
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen([program, *words[kind]], stdout=output, stderr=output)
    try:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < end
        yield RedisServer(port) if kind == "redis" else NatsServer(port)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
