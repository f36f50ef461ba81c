"""An HTTP server that answers what the test says, in place of a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

HANG = "hang"
CUT = "cut"
DRIP = "drip"


@dataclass
class ModelServer:
    """requests: (path, headers, body) of what came, in order.

    replies: a body, (status, body), HANG to never answer, CUT to end in the middle of the body,
    DRIP to send it byte by byte.
    """

    replies: Sequence[Any]
    address: str = ""
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                lines = [line.split(": ", 1) for line in head[1:] if ": " in line]
                headers = {name.lower(): value for name, value in lines}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.requests.append((head[0].split()[1], headers, json.loads(body)))
                if not await self._reply(writer, self.replies[len(self.requests) - 1]):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _reply(self, writer: asyncio.StreamWriter, reply: Any) -> bool:
        if reply == HANG:
            await asyncio.Event().wait()
        if reply == DRIP:
            await self._drip(writer)
        status, told = reply if isinstance(reply, tuple) else (200, reply)
        body = completion("half") if reply == CUT else told
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        length = len(data) + (1000 if reply == CUT else 0)
        head = f"HTTP/1.1 {200 if reply == CUT else status} X\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: {length}\r\n\r\n".encode() + data)
        await writer.drain()
        return bool(reply != CUT)

    async def _drip(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n")
        writer.write(b"content-length: 1000000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)


@asynccontextmanager
async def serving(*replies: Any) -> AsyncIterator[ModelServer]:
    """The server, on a free port of this machine."""
    scripted = ModelServer(replies)
    hands: set[asyncio.Task[None]] = set()

    async def hand(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        hands.add(task)
        try:
            await scripted.answer(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            with suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(hand, "127.0.0.1", 0)
    scripted.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield scripted
    finally:
        server.close()
        for task in hands:
            task.cancel()
        await asyncio.gather(*hands, return_exceptions=True)
        await server.wait_closed()


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    """What a server of the OpenAI chat API answers."""
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "tiny-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls" if message else "stop",
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }
