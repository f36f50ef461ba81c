"""A reflector that asks the agent's subagent."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ...plugin.calling import called
from ..reply.schema import OUTPUT_SCHEMA

if TYPE_CHECKING:
    from ...plugin.contract import Registry


class ReflectorUnavailableError(PrefrontalError):
    """No answer: no provider, a refusal or a failure; the text says which."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """A reflector's unparsed answer. Tokens: None when nobody counted them."""

    text: str
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class SubagentReflector:
    """Asks the plugin that provides "subagent", looked up for each question."""

    depth = "deep"

    def __init__(
        self,
        registry: Registry,
        model: str | None = None,
        provider: str | None = None,
        schema: Mapping[str, Any] = OUTPUT_SCHEMA,
    ) -> None:
        self._registry = registry
        self._wanted = {"model": model, "provider": provider}
        self._schema = schema

    async def reflect(
        self,
        *,
        task: str,
        context: Mapping[str, Any],
        system_prompt: str,
        timeout_s: float,
        max_tokens: int,
    ) -> RawReply:
        """The subagent's answer. Raises TimeoutError when it reports a timeout.

        Raises ReflectorUnavailableError when there is no subagent, or when it fails.
        """
        spawn = self._spawn()
        try:
            question = partial(
                spawn,
                task,
                context=dict(context),
                system_prompt=system_prompt,
                timeout_seconds=timeout_s,
                **self._options(spawn, max_tokens),
            )
            result = await called(question)
        except TimeoutError:
            raise
        except Exception as error:
            raise ReflectorUnavailableError(f"the subagent failed: {error}") from error
        if not hasattr(result, "success"):
            wrong = f"a subagent must answer with a SubagentResult, got {result!r:.80}"
            raise ReflectorUnavailableError(wrong)
        if not result.success:
            _refuse(str(result.error or "no reason given"))
        return RawReply(
            str(result.output),
            model=str(getattr(result, "model", "") or ""),
            tokens_in=getattr(result, "tokens_in", None),
            tokens_out=getattr(result, "tokens_out", None),
        )

    def _spawn(self) -> Callable[..., Any]:
        subagent = available_subagent(self._registry)
        if subagent is None:
            raise ReflectorUnavailableError("no plugin provides a subagent")
        spawn: Callable[..., Any] = subagent.spawn
        return spawn

    def _options(self, spawn: Callable[..., Any], max_tokens: int) -> dict[str, Any]:
        """Further arguments that the subagent takes: model, provider, token bound, schema."""
        options: dict[str, Any] = {k: v for k, v in self._wanted.items() if v is not None}
        parameters = inspect.signature(spawn).parameters
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
            for name in sorted(options.keys() - parameters.keys()):
                message = f"The subagent takes no {name}; it answers without {options.pop(name)!r}"
                self._registry.log("warn", "cortex", message, {})
        extras = {"max_tokens": max_tokens, "output_schema": self._schema}
        return options | {name: extras[name] for name in extras if name in parameters}


def _refuse(reason: str) -> None:
    if reason.lower().startswith("timeout"):
        raise TimeoutError(reason)
    raise ReflectorUnavailableError(reason)


def available_subagent(registry: Registry | None) -> Any:
    """The first available provider of "subagent", else None."""
    if registry is None:
        return None
    subagent: Any = registry.get_by_capability("subagent")
    return subagent if subagent is not None and getattr(subagent, "available", True) else None
