"""Reflection by a model, without the subagent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import PrefrontalError
from ..plugin.waiting import wait_for
from .model_call import ask, brief
from .models.choice import KNOWN

if TYPE_CHECKING:
    from ..clock import Clock
    from ..plugin import LLMProvider
    from ..protocols import Reflector
    from .plugins.subagent import SubagentPlugin


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A `protocols.ReflectionReply`."""

    text: str
    model: str
    tokens_in: int | None
    tokens_out: int | None


class ModelReflector:
    """Asks the model that `find` returns, looked up for each question.

    schema: the JSON schema of the reply, for models that support one.
    """

    depth = "deep"

    def __init__(
        self,
        find: Callable[[], LLMProvider | None],
        clock: Clock,
        *,
        model: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        self._find = find
        self._clock = clock
        self._model = model
        self._schema = schema

    def with_schema(self, schema: Mapping[str, Any]) -> ModelReflector:
        """A copy for another kind of reply."""
        return ModelReflector(self._find, self._clock, model=self._model, schema=schema)

    async def reflect(
        self,
        *,
        task: str,
        context: Mapping[str, Any],
        system_prompt: str,
        timeout_s: float,
        max_tokens: int,
    ) -> ModelReply:
        """Ask the model. Raises TimeoutError, and PrefrontalError when there is no answer."""
        provider = self._find()
        if provider is None:
            raise PrefrontalError("No LLM provider available")
        question = brief(task, context, system_prompt)
        answer = ask(
            provider,
            question,
            model=self._model,
            max_tokens=max_tokens,
            output_schema=self._schema,
        )
        response = await wait_for(answer, timeout_s, self._clock)
        usage = response.usage
        return ModelReply(
            response.content,
            response.model,
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
        )


def model_reflectors(
    subagent: SubagentPlugin, schema: Mapping[str, Any] | None = None
) -> dict[str, Callable[[Any], Reflector]]:
    """For each model's name, a factory of its reflector from settings with a `model`.

    Uses the subagent's models, which the subagent closes when it stops.
    """

    def make(name: str, settings: Any) -> Reflector:
        return ModelReflector(
            lambda: subagent.models.get(name), subagent.clock, model=settings.model, schema=schema
        )

    return {name: partial(make, name) for name in KNOWN if name != "rules"}
