from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.plugin import PluginError
from prefrontal.runtime import PluginRegistry
from prefrontal.runtime.registry import get_registry, reset_registry
from prefrontal.testing import ManualClock

from .sample_plugins import Diary, Noted, plugin_class


def registry_of(*plugins: Any) -> PluginRegistry:
    registry = PluginRegistry(ManualClock())
    for plugin in plugins:
        registry.register(plugin)
    return registry


async def test_plugins_start_in_load_order_and_stop_in_reverse() -> None:
    diary: Diary = []
    registry = registry_of(
        Noted("cortex", diary, priority=23, dependencies=["ledger"]),
        Noted("ledger", diary, priority=21),
        Noted("config", diary, priority=1),
    )
    registry.configure_all({})
    await registry.start_all()
    await registry.stop_all()
    names = ["config", "ledger", "cortex"]
    steps = [("configure", names), ("start", names), ("stop", names[::-1])]
    assert diary == [f"{what} {name}" for what, each in steps for name in each]


async def test_starting_twice_starts_once() -> None:
    diary: Diary = []
    registry = registry_of(Noted("a", diary))
    await registry.start_all()
    await registry.start_all()
    assert diary == ["start a"]
    assert registry.is_started("a")


async def test_the_registry_is_handed_over_when_plugins_start() -> None:
    registry = registry_of(plugin_class("a"))
    plugin = registry.get("a")
    assert plugin is not None
    with pytest.raises(PluginError, match="a must be started"):
        plugin.registry  # noqa: B018
    await registry.start_all()
    assert plugin.registry is registry


async def test_a_plugin_that_does_not_start_is_named_and_the_others_are_stopped() -> None:
    diary: Diary = []
    registry = registry_of(
        Noted("a", diary), Noted("b", diary), Noted("c", diary, fails="start"), Noted("d", diary)
    )
    with pytest.raises(PluginError, match="c cannot be started: start went wrong"):
        await registry.start_all()
    assert diary == ["start a", "start b", "start c", "stop b", "stop a"]
    assert not registry.is_started("a")


async def test_a_plugin_that_does_not_stop_is_logged_and_the_others_stop() -> None:
    diary: Diary = []
    registry = registry_of(Noted("a", diary), Noted("b", diary, fails="stop"))
    await registry.start_all()
    await registry.stop_all()
    assert diary[-2:] == ["stop b", "stop a"]
    assert [line[:2] for line in registry.logs] == [("error", "b")]
    assert "stop went wrong" in registry.logs[0][2]


def test_a_plugin_that_refuses_its_configuration_is_named() -> None:
    registry = registry_of(Noted("picky", [], fails="configure"))
    with pytest.raises(PluginError, match="picky cannot be configured: configure went wrong"):
        registry.configure_all({})


def test_a_missing_dependency_is_told_at_configuration() -> None:
    registry = registry_of(plugin_class("cortex", dependencies=["ledger"]))
    with pytest.raises(PluginError, match="cortex must have the plugin 'ledger'"):
        registry.configure_all({})


def test_restart_starts_all_again_in_a_new_event_loop_without_stopping() -> None:
    diary: Diary = []
    registry = registry_of(Noted("a", diary))
    asyncio.run(registry.start_all())
    asyncio.run(registry.restart_all())
    assert diary == ["start a", "start a"]
    assert registry.is_started("a")


def test_hooks_are_found_in_load_order_not_in_that_of_registration() -> None:
    point = "loop.transform_system_prompt"
    hook = {point: lambda self, ctx: ctx}
    registry = registry_of(
        plugin_class("cortex", hook, priority=23), plugin_class("ledger", hook, priority=21)
    )
    assert [found[0] for found in registry.get_implementations(point)] == ["ledger", "cortex"]


def test_a_plugin_that_comes_later_is_found_too() -> None:
    hook = {"loop.on_message": lambda self, ctx: ctx}
    registry = registry_of(plugin_class("b", hook))
    assert len(registry.get_implementations("loop.on_message")) == 1
    registry.register(plugin_class("a", hook))
    assert [each[0] for each in registry.get_implementations("loop.on_message")] == ["a", "b"]


def test_of_two_with_a_capability_the_one_registered_first_is_given() -> None:
    registry = registry_of(
        plugin_class("late", capabilities=["llm"], priority=90),
        plugin_class("early", capabilities=["llm"], priority=1),
    )
    first = registry.get_by_capability("llm")
    assert first is not None
    assert first.meta.id == "late"
    assert [each.meta.id for each in registry.all_with_capability("llm")] == ["late", "early"]
    assert registry.get_by_capability("wallet") is None


def test_the_registry_of_the_process_is_one_until_it_is_reset() -> None:
    reset_registry()
    first = get_registry()
    assert get_registry() is first
    reset_registry()
    assert get_registry() is not first
    reset_registry()


async def test_stopping_twice_at_once_stops_each_plugin_once() -> None:
    stopped: list[str] = []

    def slow(name: str) -> Any:
        async def stop() -> None:
            await asyncio.sleep(0)
            stopped.append(name)

        plugin = plugin_class(name)()
        plugin.stop = stop  # type: ignore[method-assign]
        return plugin

    registry = registry_of(slow("a"), slow("b"))
    await registry.start_all()
    await asyncio.gather(registry.stop_all(), registry.stop_all())
    assert stopped == ["b", "a"]


async def test_a_plugin_that_passes_on_the_end_of_its_own_task_lets_the_others_stop() -> None:
    async def stop() -> None:
        task = asyncio.ensure_future(asyncio.Event().wait())
        task.cancel()
        await task

    diary: Diary = []
    careless = plugin_class("careless", priority=99)()
    careless.stop = stop  # type: ignore[method-assign]
    registry = registry_of(Noted("a", diary), careless)
    await registry.start_all()
    await registry.stop_all()
    assert diary == ["start a", "stop a"]
    assert any("Stop failed" in line[2] for line in registry.logs)
