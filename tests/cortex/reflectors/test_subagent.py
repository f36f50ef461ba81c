"""Who reflects is found anew each time, and every failure is one of two kinds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from prefrontal.cortex.reflectors.choice import choose
from prefrontal.cortex.reflectors.rules import RulesReflector
from prefrontal.cortex.reflectors.subagent import (
    RawReply,
    ReflectorUnavailableError,
    SubagentReflector,
)
from prefrontal.cortex.reply.parsing import OUTPUT_SCHEMA
from prefrontal.plugin import Plugin, PluginMeta, SubagentResult
from prefrontal.protocols import ReflectionReply, Reflector
from prefrontal.runtime import PluginRegistry
from prefrontal.settings.cortex_growth import Evidence, Sharing
from prefrontal.testing import ManualClock, Reply, ScriptedSubagent


@dataclass
class Choice:
    llm_provider: str | None = None
    model: str | None = None
    rules: Evidence = field(default_factory=Evidence)
    sharing: Sharing = field(default_factory=Sharing)


class Asked(Plugin):
    """A subagent plugin around a scripted one."""

    meta = PluginMeta(id="asked", version="1", capabilities=["subagent"])

    def __init__(self, subagent: ScriptedSubagent) -> None:
        self.subagent = subagent
        self.spawn: Callable[..., Any] = subagent.spawn
        self.available = subagent.available

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Plain(Asked):
    """One that takes neither a model nor a provider."""

    meta = PluginMeta(id="plain", version="1", capabilities=["subagent"])

    def __init__(self, subagent: ScriptedSubagent) -> None:
        super().__init__(subagent)
        self.spawn = self._plainly

    async def _plainly(
        self,
        task: str,
        context: Any = None,
        system_prompt: str | None = None,
        timeout_seconds: float = 300,
    ) -> SubagentResult:
        return await self.subagent.spawn(task, context, system_prompt, timeout_seconds)


def registry(*plugins: Plugin) -> PluginRegistry:
    made = PluginRegistry(ManualClock())
    for plugin in plugins:
        made.register(plugin)
    return made


async def ask(reflector: Reflector, timeout_s: float = 60.0) -> ReflectionReply:
    return await reflector.reflect(
        task="Reflect.",
        context={"peers": []},
        system_prompt="You reflect.",
        timeout_s=timeout_s,
        max_tokens=500,
    )


def made(settings: Any) -> Reflector:
    return RulesReflector(settings.rules)


def test_rules_need_nobody() -> None:
    for with_registry in (None, registry(Asked(ScriptedSubagent()))):
        assert isinstance(choose(Choice("rules"), with_registry, {}), RulesReflector)


def test_without_a_name_a_subagent_that_is_available_reflects_and_else_the_rules() -> None:
    there = registry(Asked(ScriptedSubagent()))
    away = registry(Asked(ScriptedSubagent(available=False)))
    assert isinstance(choose(Choice(), there, {}), SubagentReflector)
    assert isinstance(choose(Choice(), away, {}), RulesReflector)
    assert isinstance(choose(Choice(), registry(), {}), RulesReflector)


@pytest.mark.parametrize("name", ["subagent", "main", "some-provider"])
def test_a_named_subagent_that_is_not_there_is_nobody(name: str) -> None:
    assert choose(Choice(name), registry(), {}) is None
    assert choose(Choice(name), None, {}) is None
    assert isinstance(
        choose(Choice(name), registry(Asked(ScriptedSubagent())), {}), SubagentReflector
    )


def test_a_name_with_a_factory_makes_its_own() -> None:
    found = choose(Choice("openai-compatible"), registry(), {"openai-compatible": made})
    assert isinstance(found, RulesReflector)


def test_a_client_of_its_own_is_told_the_schema_when_it_takes_one() -> None:
    class Held(RulesReflector):
        schema: Any = None

        def with_schema(self, schema: Any) -> Held:
            self.schema = schema
            return self

    found: Any = choose(Choice("own"), None, {"own": lambda _: Held()}, {"type": "object"})
    assert found.schema == {"type": "object"}
    found = choose(Choice("own"), None, {"own": lambda _: Held()})
    assert found.schema == OUTPUT_SCHEMA


async def test_the_subagent_gets_exactly_task_context_prompt_and_time() -> None:
    subagent = ScriptedSubagent([Reply({"summary": "ok"}, tokens_in=7, tokens_out=3)])
    reply = await ask(SubagentReflector(registry(Asked(subagent))), timeout_s=42.0)
    [call] = subagent.calls
    assert (call.task, call.context) == ("Reflect.", {"peers": []})
    assert (call.system_prompt, call.timeout_seconds) == ("You reflect.", 42.0)
    assert call.options == {}
    assert reply == RawReply('{"summary": "ok"}', "scripted", 7, 3)


async def test_another_model_and_provider_can_be_asked() -> None:
    subagent = ScriptedSubagent(["{}"])
    found = choose(Choice("deep-provider", "deep-model"), registry(Asked(subagent)), {})
    assert found is not None
    await ask(found)
    assert subagent.calls[0].options == {"model": "deep-model", "provider": "deep-provider"}


async def test_a_subagent_that_takes_no_model_is_asked_without_and_that_is_told() -> None:
    subagent = ScriptedSubagent(["{}"])
    where = registry(Plain(subagent))
    found = choose(Choice("main", "deep-model"), where, {})
    assert found is not None
    await ask(found)
    assert subagent.calls[0].options == {}
    assert where.logs[-1][:2] == ("warn", "cortex")
    assert "deep-model" in where.logs[-1][2]


@pytest.mark.parametrize(
    "step",
    [
        Reply(error="Concurrency limit reached (3)"),
        Reply(error="No LLM provider available"),
        RuntimeError("broken"),
        OSError("no route to host"),
    ],
)
async def test_a_subagent_that_refuses_or_raises_is_unavailable(step: Any) -> None:
    with pytest.raises(ReflectorUnavailableError):
        await ask(SubagentReflector(registry(Asked(ScriptedSubagent([step])))))


async def test_a_subagent_that_took_too_long_is_a_timeout() -> None:
    told = Reply(error="Timeout after 60 seconds")
    for step in (told, TimeoutError("too long")):
        with pytest.raises(TimeoutError):
            await ask(SubagentReflector(registry(Asked(ScriptedSubagent([step])))))


async def test_no_subagent_at_the_moment_of_asking_is_unavailable() -> None:
    with pytest.raises(ReflectorUnavailableError, match="no plugin"):
        await ask(SubagentReflector(registry()))


async def test_a_subagent_that_can_is_told_the_bound_and_the_schema_of_the_answer() -> None:
    seen: list[Any] = []

    async def spawn(
        task: str,
        context: Any = None,
        system_prompt: str | None = None,
        timeout_seconds: float = 300,
        max_tokens: int = 9,
        output_schema: Any = None,
    ) -> SubagentResult:
        seen.append((max_tokens, output_schema))
        return SubagentResult(True, "{}", task, 0.0)

    plugin = Asked(ScriptedSubagent())
    plugin.spawn = spawn
    for told in ({}, {"schema": {"type": "object"}}):
        found = choose(Choice("main"), registry(plugin), {}, **told)
        assert found is not None
        await ask(found)
    assert seen == [(500, OUTPUT_SCHEMA), (500, {"type": "object"})]


@pytest.mark.parametrize("answer", [None, "text", {"summary": "ok"}])
async def test_an_answer_that_is_no_result_is_a_failure_that_says_so(answer: object) -> None:
    plugin = Asked(ScriptedSubagent())

    async def spawn(*_: object, **__: object) -> object:
        return answer

    plugin.spawn = spawn
    with pytest.raises(ReflectorUnavailableError, match="must answer with a SubagentResult, got"):
        await ask(SubagentReflector(registry(plugin)))


@pytest.mark.parametrize("error", [SystemExit(1), asyncio.CancelledError()])
async def test_a_subagent_that_ends_its_own_call_fails_like_any_other(error: BaseException) -> None:
    plugin = Asked(ScriptedSubagent())

    async def spawn(*_: object, **__: object) -> None:
        raise error

    plugin.spawn = spawn
    with pytest.raises(ReflectorUnavailableError, match="the subagent failed: "):
        await ask(SubagentReflector(registry(plugin)))
