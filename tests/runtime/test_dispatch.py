from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from prefrontal.plugin import Plugin
from prefrontal.runtime import PluginRegistry

from .sample_plugins import plugin_class

POINT = "test.point"


def registry_with(*hooks: Callable[..., Any], point: str = POINT) -> PluginRegistry:
    registry = PluginRegistry()
    for i, hook in enumerate(hooks):
        registry.register(plugin_class(f"p{i}", {point: hook}))
    return registry


async def slow(self: Plugin, ctx: Any = None) -> str:
    return "async"


def broken(self: Plugin, ctx: Any = None) -> Any:
    raise RuntimeError("no")


async def test_results_are_collected_in_order_from_plain_and_async_hooks() -> None:
    registry = registry_with(slow, lambda self: "plain", lambda self: None, lambda self: 0)
    assert await registry.call_extension(POINT) == ["async", "plain", 0]


async def test_without_ctx_hooks_get_no_argument_and_with_one_they_get_it() -> None:
    registry = registry_with(lambda self, *given: list(given))
    assert await registry.call_extension(POINT) == [[]]
    assert await registry.call_extension(POINT, {}) == [[{}]]


async def test_a_hook_that_tries_to_end_the_agent_is_logged_and_skipped() -> None:
    def ending(self: Plugin, ctx: Any = None) -> Any:
        raise SystemExit(2)

    registry = registry_with(lambda self, ctx: {"a": 1}, ending, lambda self, ctx: {"b": 2})
    assert await registry.call_extension(POINT, {}) == [{"a": 1}, {"b": 2}]
    assert await registry.call_extension_chain(POINT, {}) == {"a": 1, "b": 2}
    assert all("tried to end the agent, with status 2" in text for _, _, text in registry.logs)


async def test_a_hook_that_raises_is_logged_by_name_and_skipped() -> None:
    registry = registry_with(lambda self, ctx: 1, broken, lambda self, ctx: 2)
    assert await registry.call_extension(POINT, {}) == [1, 2]
    ((level, plugin_id, text),) = registry.logs
    assert (level, plugin_id) == ("error", "p1")
    assert POINT in text
    assert "RuntimeError('no')" in text


async def test_a_chain_hands_on_what_a_hook_returns_and_keeps_ctx_when_it_returns_none() -> None:
    registry = registry_with(
        lambda self, ctx: {"n": ctx["n"] + 1},
        lambda self, ctx: None,
        lambda self, ctx: {"n": ctx["n"] * 10},
    )
    assert await registry.call_extension_chain(POINT, {"n": 1}) == {"n": 20}


async def test_a_chain_ends_where_somebody_aborts() -> None:
    seen: list[str] = []
    registry = registry_with(
        lambda self, ctx: {**ctx, "abort": True},
        lambda self, ctx: seen.append("too late"),
    )
    assert (await registry.call_extension_chain(POINT, {}))["abort"] is True
    assert seen == []


async def test_a_hook_that_raises_does_not_end_the_chain() -> None:
    registry = registry_with(broken, lambda self, ctx: {**ctx, "reached": True})
    assert await registry.call_extension_chain(POINT, {"n": 1}) == {"n": 1, "reached": True}
    assert [line[1] for line in registry.logs] == ["p0"]


async def test_a_point_that_nobody_implements_changes_nothing() -> None:
    registry = registry_with()
    ctx = {"n": 1}
    assert await registry.call_extension_chain("loop.nowhere", ctx) is ctx
    assert await registry.call_extension("loop.nowhere") == []


async def test_a_key_that_a_hook_leaves_out_keeps_its_value() -> None:
    registry = registry_with(lambda self, ctx: {"m": 2}, lambda self, ctx: {})
    assert await registry.call_extension_chain(POINT, {"n": 1}) == {"n": 1, "m": 2}


async def ends_its_own_task(self: Any, ctx: Any = None) -> None:
    """As a plugin does that forgets that awaiting a cancelled task raises."""
    task = asyncio.ensure_future(asyncio.Event().wait())
    task.cancel()
    await task


async def test_a_hook_that_passes_on_a_cancellation_of_its_own_is_logged_and_skipped() -> None:
    registry = registry_with(ends_its_own_task, lambda self, ctx: {"reached": True})
    assert await registry.call_extension_chain(POINT, {}) == {"reached": True}
    assert await registry.call_extension(POINT, {}) == [{"reached": True}]
    assert [line[1] for line in registry.logs] == ["p0", "p0"]


async def test_a_hook_whose_task_is_cancelled_is_not_kept_alive() -> None:
    async def hangs(self: Any, ctx: Any) -> None:
        await asyncio.Event().wait()

    asked = asyncio.create_task(registry_with(hangs).call_extension(POINT, {}))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
