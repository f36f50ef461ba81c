"""Calling the hooks of `hookspecs` with the types they specify."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from . import hookspecs

if TYPE_CHECKING:
    from .contract import Registry

Context = TypeVar("Context")
Arguments = ParamSpec("Arguments")


def hook_name(hook: Callable[..., object]) -> str:
    """`loop.on_message` of the function `loop_on_message`."""
    return hook.__name__.replace("_", ".", 1)


@cache
def hooks() -> Mapping[str, FunctionType]:
    """Each hook's specification, by name, in the order of `hookspecs`."""
    return {
        hook_name(value): value
        for value in vars(hookspecs).values()
        if isinstance(value, FunctionType) and value.__module__ == hookspecs.__name__
    }


def hooks_of(domain: str) -> list[str]:
    """The names of the hooks that begin with `domain` and a dot."""
    return [name for name in hooks() if name.startswith(f"{domain}.")]


def is_chain(hook: FunctionType) -> bool:
    """Whether the hook returns its own context."""
    types = hook.__annotations__
    return "ctx" in types and types["return"] == f"{types['ctx']} | None"


async def chain(
    registry: Registry, hook: Callable[[Context], Context | None], ctx: Context
) -> Context:
    """Hand ctx from plugin to plugin; a truthy `abort` ends it. Plugins may change any key."""
    result = await registry.call_extension_chain(hook_name(hook), cast("dict[str, Any]", ctx))
    return cast("Context", result)


async def announce(
    registry: Registry,
    hook: Callable[[Context], None],
    ctx: Context,
    correlation_id: str | None = None,
) -> None:
    """Record an event, then call each implementer."""
    await registry.emit(hook_name(hook), cast("Mapping[str, Any]", ctx), correlation_id)


async def collect(
    registry: Registry,
    hook: Callable[Arguments, object],
    *ctx: Arguments.args,
    **_: Arguments.kwargs,
) -> list[Any]:
    """What each implementer returned, in order, without None; not checked."""
    return await registry.call_extension(hook_name(hook), *ctx)
