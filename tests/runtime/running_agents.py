"""An agent that really runs, in a task, and pipes to speak with it."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prefrontal.runtime import Runtime

PATIENCE_S = 60.0


@asynccontextmanager
async def running(runtime: Runtime) -> AsyncIterator[asyncio.Task[int | None]]:
    """Run it in a task until the block ends; nothing of it is left then."""
    tasks, threads = asyncio.all_tasks(), set(threading.enumerate())
    task = asyncio.create_task(runtime.run())
    try:
        yield task
    finally:
        if not task.done():
            runtime.stop_soon()
        await asyncio.wait_for(task, PATIENCE_S)
        assert asyncio.all_tasks() == tasks
        await until(
            lambda: set(threading.enumerate()) <= threads
        )  # one that answered may be ending


async def until(condition: Any) -> None:
    """Let the event loop run until the condition holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.001)


class Pipes:
    """Standard input and output of an agent: `stdin` and `stdout` are its ends."""

    def __init__(self) -> None:
        self.stdin, self._to = os.pipe()
        self._from, self.stdout = os.pipe()
        os.set_blocking(self._from, False)
        self._read = ""

    def write(self, text: str) -> None:
        os.write(self._to, text.encode())

    def end(self) -> None:
        """Nothing more comes in."""
        os.close(self._to)
        self._to = -1

    @property
    def text(self) -> str:
        """All that came out so far."""
        try:
            while chunk := os.read(self._from, 65536):
                self._read += chunk.decode()
        except BlockingIOError:
            pass
        return self._read

    @property
    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    def close(self) -> None:
        for descriptor in (self.stdin, self.stdout, self._from, self._to):
            if descriptor >= 0:
                os.close(descriptor)
