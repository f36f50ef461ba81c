"""Asks an MCP server that is started for it which tools it has."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InputError, SourceError
from ...mcp_sdk import require_mcp_sdk
from ...plain_text import visible
from ...settings.secrets import environment_secret

if TYPE_CHECKING:
    from ...pulse.sources.mcp.connection import McpAddress

MOST_S = 60.0
"""From the start of the server to its whole list."""
MOST_PAGES = 1000


def tools_of_server(command: str, variables: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """What the server calls itself, and its tools as `tools/list` names them.

    command: as in a shell, without its expansions. variables: names of those of this environment
    that the server gets besides the usual few. Raises InputError for a command or a variable that
    is none, SourceError when the server cannot be asked.
    """
    require_mcp_sdk("--command")
    from ...pulse.sources.mcp.connection import McpAddress

    env = {name: environment_secret("--env", name) or "" for name in variables}
    return asyncio.run(_asked(McpAddress(_words(command), env=env)))


def _words(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(f"--command must be a command line ({error}), got {command!r}") from None
    if not words:
        raise InputError(f"--command must start a server, got {command!r}")
    return words


async def _asked(address: McpAddress) -> tuple[str, dict[str, Any]]:
    from ...pulse.sources.mcp.connection import LastWords

    words = LastWords()
    try:
        async with asyncio.timeout(MOST_S):
            return await _listed(address, words)
    except Exception as error:  # noqa: BLE001 - whatever it was, the server could not be asked
        reason = _reason(error)
        last_words = f" ({words})" if str(words) else ""
        raise SourceError(
            f"{address.shown} cannot be asked for its tools: {reason}{last_words}"
        ) from None


async def _listed(address: McpAddress, words: Any) -> tuple[str, dict[str, Any]]:
    from mcp import Client

    from ...pulse.sources.mcp.connection import CONNECTING_S, transport

    async with (
        transport(address, words) as reached,
        Client(reached, read_timeout_seconds=CONNECTING_S, cache=None) as client,
    ):
        tools: list[Mapping[str, Any]] = []
        cursor = None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += [each.model_dump(by_alias=True, exclude_none=True) for each in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        else:
            raise ValueError(f"its list has more than {MOST_PAGES:,} pages")
        info = client.server_info
        return (info.name if info else "") or address.shown, {"tools": tools}


def _reason(error: BaseException) -> str:
    from ...pulse.sources.mcp.connection import innermost

    error = innermost(error)
    if isinstance(error, TimeoutError):
        return f"no answer within {MOST_S:g} s"
    return visible(str(error) or type(error).__name__, 300)
