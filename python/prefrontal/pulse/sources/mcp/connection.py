"""How an MCP server is reached: a program that is started, or an address."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ....errors import InputError
from ....plain_text import visible

if TYPE_CHECKING:
    import httpx2

CONNECTING_S = 30.0
READING_S = 300.0
"""A stream on which nothing comes for so long, not even a sign of life, is given up."""
_LAST_WORDS = 500


@dataclass(frozen=True, slots=True)
class McpAddress:
    """A server: exactly one of command and url.

    command: a program and its arguments, spoken to over standard input and output. env: variables
    that it gets besides the usual few (PATH, HOME, ...). url: of streamable HTTP. token: sent as
    bearer token. name: what events call the server; the program's or the host's unless given.
    Raises InputError.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    token: str = field(default="", repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise InputError("MCP server must have exactly one of command and url")
        if self.url and urlsplit(self.url).scheme not in ("http", "https"):
            raise InputError(f"url must be an http or https address, got {self.url!r:.200}")

    @property
    def shown(self) -> str:
        """What events call the server."""
        if self.name:
            return self.name
        return urlsplit(self.url).netloc if self.url else PurePath(self.command[0]).name


class LastWords:
    """The end of what a program writes to its standard error: it may say why it stopped."""

    def __init__(self) -> None:
        self._kept = b""

    def __str__(self) -> str:
        lines = self._kept.decode("utf-8", "replace").strip().splitlines()
        return visible(lines[-1], 200) if lines else ""

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[Any]:
        """A file to write to, read by the loop for as long as it is open."""
        reading, writing = os.pipe()
        loop = asyncio.get_running_loop()
        os.set_blocking(reading, False)
        loop.add_reader(reading, self._read, reading)
        try:
            with os.fdopen(writing, "w") as file:
                yield file
            self._read(reading)
        finally:
            loop.remove_reader(reading)
            os.close(reading)

    def _read(self, reading: int) -> None:
        try:
            self._kept = (self._kept + os.read(reading, 1 << 16))[-_LAST_WORDS:]
        except BlockingIOError:
            return


def innermost(error: BaseException) -> BaseException:
    """The first error that the groups of the SDK's tasks hold."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@asynccontextmanager
async def transport(address: McpAddress, words: LastWords) -> AsyncIterator[Any]:
    """What the official client takes to speak with that server. words: get its standard error."""
    if address.url:
        from mcp.client.streamable_http import streamable_http_client

        async with _http(address) as http:
            yield streamable_http_client(address.url, http_client=http)
        return
    from mcp.client.stdio import StdioServerParameters, stdio_client

    logging.getLogger("mcp.client.stdio").addFilter(_is_no_stray_line)
    program, *arguments = address.command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(address.env))
    async with words.stream() as errors:
        yield stdio_client(parameters, errlog=errors)


def _is_no_stray_line(record: logging.LogRecord) -> bool:
    """Not of a line that the SDK passes over: some servers greet on standard output."""
    return "parse JSONRPC" not in str(record.msg)


def _http(address: McpAddress) -> httpx2.AsyncClient:
    import httpx2

    headers = {"Authorization": f"Bearer {address.token}"} if address.token else {}
    timeout = httpx2.Timeout(CONNECTING_S, read=READING_S)
    return httpx2.AsyncClient(headers=headers, timeout=timeout)
