"""The hooks of the specification are those that plugins define, call and announce."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import prefrontal
from prefrontal.cortex.models import ReflectionRecord
from prefrontal.cortex.plugin import CortexPlugin
from prefrontal.ledger.plugin import LedgerPlugin
from prefrontal.plugin import SubagentResult, hookspecs
from prefrontal.plugin.hooks import announce, chain, collect, hook_name, hooks, hooks_of, is_chain
from prefrontal.runtime import PluginRegistry
from prefrontal.runtime.plugins import communication, cron, loop, memory, session, subagent
from prefrontal.runtime.spawning import SpawnRequest

from ..runtime.sample_plugins import plugin_class

PACKAGE = Path(prefrontal.__file__).parent
MODULES = (communication, cron, loop, memory, session, subagent)


def test_every_hook_of_the_specification_is_defined_by_one_plugin() -> None:
    metas = [module.create_plugin().meta for module in MODULES]
    metas += [LedgerPlugin.meta, CortexPlugin.meta]
    defined = [hook for meta in metas for hook in meta.extension_points]
    assert sorted(defined) == sorted(hooks())


@pytest.mark.exhaustive
def test_no_module_calls_a_hook_by_a_string() -> None:
    calls = {"call_extension", "call_extension_chain", "emit", "collect", "get_implementations"}
    strings = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in calls
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
    assert strings == []


@pytest.mark.parametrize("name", list(hooks()))
def test_a_hook_has_one_sentence_and_the_name_of_its_domain(name: str) -> None:
    hook = hooks()[name]
    sentence = inspect.getdoc(hook) or ""
    assert re.fullmatch(r"[A-Z`][^\n]+\.", sentence)
    assert hook_name(hook) == name
    assert name in hooks_of(name.partition(".")[0])


def test_the_loop_is_a_chain_and_nothing_else_is() -> None:
    assert [name for name, hook in hooks().items() if is_chain(hook)] == hooks_of("loop")


def test_contexts_name_the_fields_of_what_they_hold() -> None:
    names = [field.name for field in fields(SpawnRequest)]
    assert names == list(hookspecs.SpawnContext.__annotations__)
    reflection = hookspecs.ReflectionContext.__annotations__.keys()
    assert reflection <= {field.name for field in fields(ReflectionRecord)}
    assert {"task", "output"} <= {field.name for field in fields(SubagentResult)}


async def test_the_three_ways_of_calling_reach_plugins_by_the_name_of_the_hook() -> None:
    seen: list[Any] = []

    def change(self: object, ctx: dict[str, Any]) -> dict[str, Any]:
        return {"text": ctx["text"] + "!"}

    registry = PluginRegistry()
    implemented: dict[str, Any] = {
        "loop.before_send": change,
        "cron.before_job": lambda self, ctx: seen.append(ctx),
        "context.system_prompt": lambda self: "be kind",
    }
    registry.register(plugin_class("p", implemented))
    text: hookspecs.TextContext = {"text": "hi", "recipient": "Alice"}
    assert (await chain(registry, hookspecs.loop_before_send, text))["text"] == "hi!"
    job: hookspecs.JobContext = {"job_name": "a", "mode": "isolated", "schedule": "1h"}
    await announce(registry, hookspecs.cron_before_job, job, "c1")
    assert seen == [job]
    assert [(e["type"], e["correlation_id"]) for e in registry.events] == [
        ("cron.before_job", "c1")
    ]
    assert await collect(registry, hookspecs.context_system_prompt) == ["be kind"]


def test_every_specification_is_a_function_of_at_most_a_context() -> None:
    for hook in hooks().values():
        assert isinstance(hook, FunctionType)
        assert list(inspect.signature(hook).parameters) in ([], ["ctx"])
