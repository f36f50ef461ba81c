"""Calling what another plugin provides: whatever it does fails the call, not the agent."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from ..errors import PrefrontalError
from .waiting import is_cancelled


async def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a plugin's function gives, awaited if it is awaitable.

    Raises what it raises, but PrefrontalError for SystemExit: what a plugin calls may end a
    program of its own (argparse does), never the agent.
    """
    try:
        return await resolved(function(*arguments))
    except SystemExit as error:
        raise ending(error) from error


async def resolved(value: Any | Awaitable[Any]) -> Any:
    """The value, awaited if it is awaitable.

    Raises PrefrontalError when the awaited task was cancelled but this one was not, as when a
    plugin cancels and awaits a task of its own.
    """
    if not inspect.isawaitable(value):
        return value
    try:
        return await value
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        raise cancelled() from error


def ending(error: SystemExit) -> PrefrontalError:
    """The failure of what would have ended the agent."""
    return PrefrontalError(f"it tried to end the agent, with status {error.code!r}")


def cancelled() -> PrefrontalError:
    """The failure of what passes on a cancellation that was not its caller's."""
    return PrefrontalError("what it waited for was cancelled")
