"""The subagent: one question to a model, in a session of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, cast

from ...plugin import Plugin, PluginMeta, SubagentResult, hookspecs
from ...plugin.hooks import announce, collect, hooks_of
from ...plugin.waiting import wait_for
from ...typed_fields import Must, Shape, read
from ..model_call import ask, brief, is_async
from ..models.choice import Models, name_of
from ..spawning import SpawnRequest, WatchedModel

TOOL = "spawn_subagent"
_DEFINITION = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Give one task to a second session that knows nothing but what you tell it; "
        "returns what it says.",
        "parameters": {
            "type": "object",
            "properties": {
                "task": {"type": "string", "description": "what to do, complete in itself"},
                "context": {"type": "object", "description": "what it has to know"},
                "system_prompt": {"type": "string", "description": "who it is to be"},
                "timeout_seconds": {"type": "number", "description": "how long it may take"},
            },
            "required": ["task"],
        },
    },
}


_OPEN = Shape(closed=False)
Count = Annotated[
    int, Must("be a whole number of at least 1", lambda value: value >= 1, covers_type=True)
]
Seconds = Annotated[
    float, Must("be a number of at least 1", lambda value: value >= 1, covers_type=True)
]


@dataclass(frozen=True, slots=True)
class SubagentLimits:
    """max_concurrent: subagents at a time. max_timeout_seconds: the most that one may ask for."""

    max_concurrent: Count = 3
    max_timeout_seconds: Seconds = 1800.0


class SubagentPlugin(Plugin):
    """Asks the agent's model or another one, with limited concurrency.

    Configuration: subagent.max_concurrent, subagent.max_timeout_seconds. A plain function that
    outlives its timeout counts as running until its thread ends.
    """

    meta = PluginMeta(
        id="subagent",
        version="1",
        capabilities=["subagent", "tools"],
        optional_dependencies=["config"],
        consumes=["llm"],
        priority=32,
        extension_points=hooks_of("subagent"),
    )

    def __init__(self) -> None:
        self._models: Models | None = None
        self._config: dict[str, Any] = {}
        self._limits = SubagentLimits()
        self._turns: set[object] = set()
        self._threads: set[object] = set()

    def configure(self, config: dict[str, Any]) -> None:
        self._config = config
        self._limits = read(SubagentLimits, config.get("subagent") or {}, _OPEN, "subagent")

    async def start(self) -> None:
        self._models = Models(self._config, self.registry)

    async def stop(self) -> None:
        if self._models is not None:
            await self._models.close()

    @property
    def models(self) -> Models:
        """The available models, by name."""
        if self._models is None:
            raise RuntimeError("subagent must be started before it is asked")
        return self._models

    @property
    def available(self) -> bool:
        """Whether the agent has a model other than `rules`."""
        llm = None if self._registry is None else self._registry.get_by_capability("llm")
        return llm is not None and name_of(llm) != "rules"

    async def spawn(
        self,
        task: str,
        context: Mapping[str, Any] | None = None,
        system_prompt: str | None = None,
        timeout_seconds: float = 300,
        *,
        model: str | None = None,
        provider: str | None = None,
        max_tokens: int = 2048,
        output_schema: Mapping[str, Any] | None = None,
    ) -> SubagentResult:
        """Ask; the result carries failures. Cancelling it cancels the call to the model."""
        request = SpawnRequest(
            task=task,
            context=context,
            system_prompt=system_prompt,
            timeout_seconds=timeout_seconds,
            model=model,
            provider=provider,
            max_tokens=max_tokens,
            output_schema=output_schema,
        )
        began = self.clock.monotonic()
        result = await self._result(request)
        result = replace(result, elapsed_seconds=self.clock.monotonic() - began)
        ctx: hookspecs.SpawnResultContext = {"task": result.task, "result": asdict(result)}
        await announce(self.registry, hookspecs.subagent_after_spawn, ctx)
        return result

    async def _result(self, request: SpawnRequest) -> SubagentResult:
        if len(self._turns | self._threads) >= self._limits.max_concurrent:
            return _failure(request, f"Concurrency limit reached ({self._limits.max_concurrent})")
        turn = object()
        self._turns.add(turn)
        try:
            request = await self._replaced(request)
            return await self._within_time(request, turn)
        except Exception as error:  # noqa: BLE001 - failures are results
            self.log_debug(f"Subagent failed: {error!r}")
            return _failure(request, str(error) or type(error).__name__)
        finally:
            self._turns.discard(turn)

    async def _replaced(self, request: SpawnRequest) -> SpawnRequest:
        """The request as changed by the last plugin that returned one."""
        ctx = cast("hookspecs.SpawnContext", asdict(request))
        results = await collect(self.registry, hookspecs.subagent_before_spawn, ctx)
        return request.replaced(results[-1]) if results else request

    async def _within_time(self, request: SpawnRequest, turn: object) -> SubagentResult:
        provider = self.models.get(request.provider)
        if provider is None:
            return _failure(request, "No LLM provider available")
        seconds = min(request.seconds, self._limits.max_timeout_seconds)
        if not is_async(provider):
            provider = WatchedModel(provider, self._threads, turn)
        question = brief(request.task, request.context, request.system_prompt)
        answer = ask(
            provider,
            question,
            model=request.model,
            max_tokens=request.max_tokens,
            output_schema=request.output_schema,
        )
        try:
            response = await wait_for(answer, seconds, self.clock)
        except TimeoutError:
            return _failure(request, f"Timeout after {seconds:g} seconds")
        usage = response.usage
        return SubagentResult(
            success=True,
            output=response.content,
            task=request.task,
            elapsed_seconds=0.0,
            model=response.model,
            tokens_in=usage.get("prompt_tokens"),
            tokens_out=usage.get("completion_tokens"),
        )

    def get_definitions(self) -> Sequence[Mapping[str, Any]]:
        return [_DEFINITION]

    async def execute(self, name: str, args: Mapping[str, Any]) -> str:
        """The subagent's answer, or the reason for none."""
        task = args.get("task")
        if name != TOOL:
            return f"Unknown tool: {name}"
        if not isinstance(task, str) or not task.strip():
            return "task must be a non-blank string"
        context = args.get("context")
        prompt = args.get("system_prompt")
        result = await self.spawn(
            task,
            context if isinstance(context, Mapping) else None,
            prompt if isinstance(prompt, str) else None,
            args.get("timeout_seconds", 300),
        )
        return result.output if result.success else f"The subagent failed: {result.error}"


def _failure(request: SpawnRequest, error: str) -> SubagentResult:
    return SubagentResult(
        success=False, output="", task=request.task, elapsed_seconds=0.0, error=error
    )


def create_plugin() -> SubagentPlugin:
    return SubagentPlugin()
