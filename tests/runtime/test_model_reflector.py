"""A model that reflects without the subagent."""

from __future__ import annotations

import asyncio
from ast import literal_eval
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from prefrontal.errors import InputError, PrefrontalError
from prefrontal.plugin import LLMProvider, LLMResponse
from prefrontal.runtime.model_reflector import ModelReflector, ModelReply, model_reflectors
from prefrontal.runtime.models import KNOWN
from prefrontal.runtime.models.scripted import ScriptedModel
from prefrontal.runtime.plugins.subagent import SubagentPlugin
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.testing import ManualClock


class Strict:
    """Takes a schema, and says what it was told."""

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
        *,
        output_schema: Mapping[str, Any] | None = None,
    ) -> LLMResponse:
        said = [message["content"] for message in messages]
        return LLMResponse(repr((said, model, max_tokens, output_schema)), model="strict")


async def reflected(
    provider: LLMProvider | None, clock: ManualClock | None = None, **told: Any
) -> ModelReply:
    reflector = ModelReflector(lambda: provider, clock or ManualClock(), **told)
    return await reflector.reflect(
        task="Reflect.", context={"n": 1}, system_prompt="You.", timeout_s=60, max_tokens=500
    )


async def test_the_question_goes_out_as_to_a_subagent_with_model_bound_and_schema() -> None:
    reply = await reflected(Strict(), model="big", schema={"type": "object"})
    said, model, max_tokens, schema = literal_eval(reply.text)
    assert said[0] == "You."
    assert said[1].startswith('**Task:** Reflect.\n\n**Context:**\n```json\n{"n": 1}')
    assert (model, max_tokens, schema) == ("big", 500, {"type": "object"})
    assert (reply.model, reply.tokens_in, reply.tokens_out) == ("strict", None, None)


async def test_one_model_can_be_held_to_several_schemas() -> None:
    plain = ModelReflector(Strict, ManualClock(), schema={"type": "object"})
    held = plain.with_schema({"type": "array"})
    told = {"task": "x", "context": {}, "system_prompt": "", "timeout_s": 5, "max_tokens": 9}
    for reflector, kind in ((plain, "object"), (held, "array")):
        reply = await reflector.reflect(**told)  # type: ignore[arg-type]
        assert literal_eval(reply.text)[3] == {"type": kind}


async def test_a_model_that_takes_no_schema_is_asked_without_it() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 6}
    scripted = ScriptedModel([{"text": "fine", "usage": usage}])
    reply = await reflected(scripted, schema={"type": "object"})
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("fine", 5, 6)


async def test_a_model_that_hangs_is_given_up_on_the_clock() -> None:
    clock = ManualClock()
    task = asyncio.create_task(reflected(ScriptedModel([{"hang": True}]), clock))
    await asyncio.sleep(0)
    clock.advance(60)
    with pytest.raises(TimeoutError):
        await task


async def test_without_a_model_there_is_a_sentence() -> None:
    with pytest.raises(PrefrontalError, match="^No LLM provider available$"):
        await reflected(None)


async def test_every_model_but_the_rules_can_reflect_by_its_name() -> None:
    registry = PluginRegistry(ManualClock())
    subagent = registry.register(SubagentPlugin)
    assert isinstance(subagent, SubagentPlugin)
    registry.configure_all({"llm": {"replies": ["one", "two"]}})
    await registry.start_all()
    makers = model_reflectors(subagent)
    assert set(makers) == set(KNOWN) - {"rules"}
    told = {"task": "x", "context": {}, "system_prompt": "", "timeout_s": 5, "max_tokens": 9}
    settings = SimpleNamespace(model="m")
    for expected in ("one", "two"):
        reply = await makers["scripted"](settings).reflect(**told)  # type: ignore[arg-type]
        assert (reply.text, reply.model) == (expected, "m")
    with pytest.raises(InputError, match=r"llm\.model must name the model"):
        await makers["openai-compatible"](settings).reflect(**told)  # type: ignore[arg-type]
    await registry.stop_all()
