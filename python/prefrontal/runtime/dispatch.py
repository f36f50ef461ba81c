"""Calling the implementers of an extension point; one that raises is logged and skipped."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import PrefrontalError
from ..plugin import Plugin

Implementations = Sequence[tuple[str, Plugin, str]]
Failed = Callable[[str, str, Exception], object]
"""Told of each failure: plugin id, point, error."""
Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Collected:
    """What the implementers gave, and the failures of those that raised, by plugin."""

    results: list[Any] = field(default_factory=list)
    failures: list[tuple[str, Exception]] = field(default_factory=list)


async def collect(
    point: str, implementations: Implementations, ctx: Any, failed: Failed
) -> Collected:
    """Call each with ctx (None: without an argument), in order; what is not None."""
    collected = Collected()
    arguments = () if ctx is None else (ctx,)
    for plugin_id, plugin, method in implementations:
        try:
            result = await resolved(getattr(plugin, method)(*arguments))
        except Exception as error:  # noqa: BLE001 - a plugin must not end the others
            collected.failures.append((plugin_id, error))
            failed(plugin_id, point, error)
            continue
        if result is not None:
            collected.results.append(result)
    return collected


async def chain(
    point: str, implementations: Implementations, ctx: dict[str, Any], failed: Failed
) -> dict[str, Any]:
    """Hand ctx from one to the next; ends when one asks to abort.

    Each may return a new one; a key that this one leaves out keeps its value.
    """
    for plugin_id, plugin, method in implementations:
        try:
            result = await resolved(getattr(plugin, method)(ctx))
        except Exception as error:  # noqa: BLE001 - a plugin must not end the others
            failed(plugin_id, point, error)
            result = None
        if isinstance(result, dict) and result is not ctx:
            ctx = {**ctx, **result}
        if ctx.get("abort"):
            break
    return ctx


async def resolved(value: Any | Awaitable[Any]) -> Any:
    """The value, awaited when it is to be.

    Raises PrefrontalError when what it waited for was cancelled, but this task was not: so it is
    with a plugin that ends a task of its own and awaits it.
    """
    if not inspect.isawaitable(value):
        return value
    try:
        return await value
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise PrefrontalError("what it waited for was cancelled") from error


def entry(ctx: Mapping[str, Any], key: str, kind: type[Kind], default: Kind) -> Kind:
    """The value under key; `default` where a hook removed it or changed its type."""
    value = ctx.get(key, default)
    return value if isinstance(value, kind) else default
