from __future__ import annotations

from typing import Any

import pytest

from prefrontal.plugin import Plugin, PluginError, PluginMeta
from prefrontal.runtime import PluginRegistry

from .sample_plugins import plugin_class


def refused(plugin: Any, *words: str) -> None:
    with pytest.raises(PluginError) as caught:
        PluginRegistry().register(plugin)
    for word in words:
        assert word in str(caught.value)


def test_a_class_that_is_no_plugin_is_refused() -> None:
    refused(int, "int must be a subclass of Plugin")


def test_a_thing_that_is_no_plugin_is_refused() -> None:
    refused("cortex", "must be a Plugin", "'cortex'")


def test_a_plugin_without_meta_is_refused() -> None:
    class Nameless(Plugin):
        async def start(self) -> None: ...
        async def stop(self) -> None: ...

    refused(Nameless, "Nameless must have a PluginMeta")


def test_meta_needs_an_id_and_a_version() -> None:
    for plugin_id, version in (("", "1"), ("a", " ")):
        with pytest.raises(ValueError, match="must be a non-empty string"):
            PluginMeta(plugin_id, version)


@pytest.mark.parametrize("priority", ["high", None, True, float("nan")])
def test_a_priority_that_is_no_number_is_refused_by_name(priority: Any) -> None:
    odd = plugin_class("odd", priority=priority)
    refused(odd, f"odd: priority must be a number, got {priority!r}")


def test_a_plugin_that_needs_arguments_is_refused_by_name() -> None:
    class Demanding(plugin_class("demanding")):  # type: ignore[misc]
        def __init__(self, something: int) -> None: ...

    refused(Demanding, "demanding (Demanding) must be made without arguments")


def test_a_plugin_without_start_is_refused_by_name() -> None:
    class Endless(Plugin):
        meta = PluginMeta("endless", "1")

    refused(Endless, "endless (Endless) must define start, stop")


def test_a_hook_without_its_method_is_refused_with_plugin_and_hook() -> None:
    class Broken(plugin_class("broken")):  # type: ignore[misc]
        meta = PluginMeta("broken", "1", implements={"loop.on_message": "missing"})

    refused(Broken, "broken", "'loop.on_message'", "must be a method of Broken", "'missing'")


@pytest.mark.parametrize("point", ["loop.on_message", "cortex.after_assess"])
def test_a_hook_that_takes_too_much_is_refused_with_plugin_and_hook(point: str) -> None:
    greedy = plugin_class("greedy", {point: lambda self, ctx, more: ctx})
    refused(greedy, "greedy", f"{point!r}", "must take one argument", "(self, ctx, more)")


def test_a_hook_of_the_loop_that_takes_no_ctx_is_refused() -> None:
    refused(plugin_class("deaf", {"loop.on_message": lambda self: None}), "deaf", "one argument")


def test_a_hook_that_is_called_without_ctx_must_not_want_one() -> None:
    wanting = plugin_class("wanting", {"session.poll_messages": lambda self, ctx: []})
    refused(wanting, "wanting", "'session.poll_messages'", "must take no argument")


def test_a_hook_of_an_announcement_may_take_ctx_or_nothing() -> None:
    registry = PluginRegistry()
    registry.register(plugin_class("a", {"cron.after_job": lambda self: None}))
    registry.register(plugin_class("b", {"cron.after_job": lambda self, ctx: None}))
    assert registry.list_plugins() == ["a", "b"]


def test_a_list_that_is_a_string_is_refused() -> None:
    refused(plugin_class("stringy", dependencies="ledger"), "stringy: dependencies", "'ledger'")


def test_an_id_is_given_once() -> None:
    registry = PluginRegistry()
    registry.register(plugin_class("twin"))
    with pytest.raises(PluginError, match="unique, got 'twin' twice"):
        registry.register(plugin_class("twin"))


def test_a_refused_plugin_leaves_no_trace() -> None:
    registry = PluginRegistry()
    registry.register(plugin_class("good"))
    with pytest.raises(PluginError):
        registry.register(plugin_class("deaf", {"loop.on_message": lambda self: None}))
    assert registry.list_plugins() == ["good"]


@pytest.mark.parametrize(
    ("hook", "words"),
    [
        ("loop.on_mesage", "got 'loop.on_mesage' (did you mean 'loop.on_message'?)"),
        ("lop.on_message", "got 'lop.on_message' (did you mean 'loop.on_message'?)"),
        ("cortex.after_reflection", "(did you mean 'cortex.after_reflect'?)"),
        ("weather.forecasts", "(did you mean 'weather.forecast'?)"),
        ("session.zzz", "known hooks, got 'session.zzz'"),
    ],
)
def test_an_unknown_hook_is_refused_with_the_nearest(hook: str, words: str) -> None:
    registry = PluginRegistry()
    registry.register(plugin_class("weather", extension_points=["weather.forecast"]))
    registry.register(plugin_class("typo", {hook: lambda self, ctx: ctx}))
    with pytest.raises(PluginError) as caught:
        registry.configure_all({})
    assert str(caught.value).startswith("typo: implements must name known hooks, ")
    assert words in str(caught.value)


def test_hooks_of_plugins_that_are_not_there_are_no_slips() -> None:
    registry = PluginRegistry()
    hooks: dict[str, Any] = {"ledger.after_record": lambda self: None}
    hooks["weather.storm"] = lambda self: None
    registry.register(plugin_class("listener", hooks))
    registry.configure_all({})
    assert registry.logs == []


def test_a_hook_that_another_plugin_defines_is_known() -> None:
    registry = PluginRegistry()
    registry.register(plugin_class("definer", extension_points=["loop.on_massage"]))
    registry.register(plugin_class("user", {"loop.on_massage": lambda self, ctx: ctx}))
    registry.configure_all({})


def test_an_empty_container_can_be_a_plugin() -> None:
    class Bag(plugin_class("bag")):  # type: ignore[misc]
        def __len__(self) -> int:
            return 0

    assert PluginRegistry().register(Bag()).meta.id == "bag"


@pytest.mark.parametrize("name", ["capabilities", "dependencies", "extension_points"])
def test_a_text_in_place_of_a_list_of_names_is_refused(name: str) -> None:
    refused(
        plugin_class("hasty", None, **{name: "llm"}), f"hasty: {name} must be a list, got 'llm'"
    )
