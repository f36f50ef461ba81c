"""Calling the implementers of a hook; one that raises is reported and skipped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..plugin import Plugin

Call = Callable[..., Awaitable[Any]]
"""Calls a hook: plugin, name of the hook, function, its arguments."""
Implementations = Sequence[tuple[str, Plugin, str]]
Failed = Callable[[str, str, Exception], object]
"""Called with each failure: plugin id, hook, error."""
Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Collected:
    """The results of a hook, and (plugin id, error) for each implementer that raised."""

    results: list[Any] = field(default_factory=list)
    failures: list[tuple[str, Exception]] = field(default_factory=list)


async def collect(
    point: str, implementations: Implementations, ctx: Any, call: Call, failed: Failed
) -> Collected:
    """Call each in order with ctx (None: no argument); collects results that are not None."""
    collected = Collected()
    arguments = () if ctx is None else (ctx,)
    for plugin_id, plugin, method in implementations:
        try:
            result = await call(plugin, point, getattr(plugin, method), *arguments)
        except Exception as error:  # noqa: BLE001 - a plugin must not end the others
            collected.failures.append((plugin_id, error))
            failed(plugin_id, point, error)
            continue
        if result is not None:
            collected.results.append(result)
    return collected


async def chain(
    point: str,
    implementations: Implementations,
    ctx: dict[str, Any],
    call: Call,
    failed: Failed,
) -> dict[str, Any]:
    """Pass ctx from one to the next until one sets `abort`.

    Keys of a returned dict replace those of ctx.
    """
    for plugin_id, plugin, method in implementations:
        try:
            result = await call(plugin, point, getattr(plugin, method), ctx)
        except Exception as error:  # noqa: BLE001 - a plugin must not end the others
            failed(plugin_id, point, error)
            result = None
        if isinstance(result, dict) and result is not ctx:
            ctx = {**ctx, **result}
        if ctx.get("abort"):
            break
    return ctx


def entry(ctx: Mapping[str, Any], key: str, kind: type[Kind], default: Kind) -> Kind:
    """The value under key; `default` where a hook removed it or changed its type."""
    value = ctx.get(key, default)
    return value if isinstance(value, kind) else default
