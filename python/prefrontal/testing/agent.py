"""A model and a subagent for tests: they say what the test says, and write down what was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..clock import Clock, SystemClock
from ..plugin import LLMResponse, SubagentResult
from ..plugin.waiting import Adjustable, wait_for


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted answer. text: a text, or plain values that are sent as JSON.

    delay: seconds on the clock before it. error: what is raised (by a model) or told (by a
    subagent) instead. hangs: never answers.
    """

    text: Any = ""
    delay: float = 0.0
    error: Exception | str | None = None
    hangs: bool = False
    tool_calls: Sequence[Any] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None

    @property
    def content(self) -> str:
        return self.text if isinstance(self.text, str) else json.dumps(self.text)


Step = Reply | LLMResponse | SubagentResult | Exception | str | Mapping[str, Any] | list[Any]
Script = Iterable[Step] | Callable[..., Step] | Step


class _Scripted:
    """Steps in order; the last one again and again when `repeat`.

    running: how many are being answered now; most_running: at once, at most.
    """

    def __init__(self, replies: Script, delay: float, repeat: bool, clock: Clock | None) -> None:
        self._ask = replies if callable(replies) else None
        self._steps = [] if callable(replies) else _steps(replies)
        self._delay = delay
        self._repeat = repeat
        self._next = 0
        self.clock = clock
        self.running = 0
        self.most_running = 0

    def _step(self, call: Any) -> Step | None:
        if self._ask is not None:
            return self._ask(call)
        if self._next >= len(self._steps):
            return self._steps[-1] if self._repeat and self._steps else None
        self._next += 1
        return self._steps[self._next - 1]

    async def _wait(self, step: Step) -> None:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if isinstance(step, Reply) and step.hangs:
                await asyncio.get_running_loop().create_future()
            delay = step.delay if isinstance(step, Reply) and step.delay else self._delay
            await pause(delay, self.clock or SystemClock())
        finally:
            self.running -= 1


async def pause(seconds: float, clock: Clock) -> None:
    """Until `seconds` have passed on the clock; a clock moved by hand must be moved."""
    if seconds <= 0:
        return
    if not isinstance(clock, Adjustable):
        await asyncio.sleep(seconds)
        return
    deadline = clock.monotonic() + seconds
    passed = asyncio.Event()
    end = clock.subscribe(lambda: passed.set() if clock.monotonic() >= deadline else None)
    try:
        await passed.wait()
    finally:
        end()


def _steps(replies: Iterable[Step] | Step) -> list[Step]:
    single = (str, Mapping, Reply, LLMResponse, SubagentResult, Exception)
    return [replies] if isinstance(replies, single) else list(replies)


@dataclass(frozen=True, slots=True)
class SpawnCall:
    """What a subagent was asked."""

    task: str
    context: Any
    system_prompt: str | None
    timeout_seconds: float
    options: dict[str, Any] = field(default_factory=dict)


class ScriptedSubagent(_Scripted):
    """A `plugin.SubagentProvider` that answers with its script.

    replies: texts, plain values (sent as JSON), `Reply`s, results, exceptions (raised), or a
    function of the `SpawnCall`. A script that is used up fails, unless `repeat`. delay: seconds
    before each reply, on `clock`. calls: what was asked, in order.
    """

    def __init__(
        self,
        replies: Script = (),
        *,
        delay: float = 0.0,
        repeat: bool = False,
        available: bool = True,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(replies, delay, repeat, clock)
        self.available = available
        self.calls: list[SpawnCall] = []

    async def spawn(
        self,
        task: str,
        context: Mapping[str, Any] | None = None,
        system_prompt: str | None = None,
        timeout_seconds: float = 300,
        **options: Any,
    ) -> SubagentResult:
        call = SpawnCall(task, context, system_prompt, timeout_seconds, options)
        self.calls.append(call)
        step = self._step(call)
        if step is None:
            return SubagentResult(False, "", task, 0.0, "The script of the test is used up")
        clock = self.clock or SystemClock()
        begun = clock.monotonic()
        try:
            await wait_for(self._wait(step), timeout_seconds, clock)
        except TimeoutError:
            message = f"Timeout after {timeout_seconds:g} seconds"
            return SubagentResult(False, "", task, clock.monotonic() - begun, message)
        return _spawned(step, task, clock.monotonic() - begun)


def _spawned(step: Step, task: str, elapsed: float) -> SubagentResult:
    if isinstance(step, SubagentResult):
        return step
    if isinstance(step, Exception):
        raise step
    if not isinstance(step, Reply):
        step = Reply(step)
    if isinstance(step.error, Exception):
        raise step.error
    if step.error is not None:
        return SubagentResult(False, "", task, elapsed, step.error)
    tokens = step.tokens_in, step.tokens_out
    return SubagentResult(True, step.content, task, elapsed, None, "scripted", *tokens)


@dataclass(frozen=True, slots=True)
class ChatCall:
    """What a model was asked."""

    messages: list[dict[str, Any]]
    tools: list[Any] | None
    model: str | None
    max_tokens: int

    @property
    def prompt(self) -> str:
        """The system prompt."""
        return "".join(each["content"] for each in self.messages if each["role"] == "system")


class ScriptedLLM(_Scripted):
    """A `plugin.LLMProvider` that answers with its script; "ok" once that is used up.

    replies: texts, `LLMResponse`s, `Reply`s, exceptions (raised), or a function of the
    `ChatCall`. delay: seconds before each reply, on `clock`. calls: what was asked, in order.
    """

    def __init__(
        self,
        replies: Script = (),
        *,
        delay: float = 0.0,
        repeat: bool = False,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(replies, delay, repeat, clock)
        self.calls: list[ChatCall] = []

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
    ) -> LLMResponse:
        copies = [dict(message) for message in messages]
        call = ChatCall(copies, list(tools) if tools is not None else None, model, max_tokens)
        self.calls.append(call)
        step = self._step(call)
        step = "ok" if step is None else step
        await self._wait(step)
        return _said(step)


def _said(step: Step) -> LLMResponse:
    if isinstance(step, LLMResponse):
        return step
    if isinstance(step, Exception):
        raise step
    if not isinstance(step, Reply):
        step = Reply(step)
    if step.error is not None:
        raise step.error if isinstance(step.error, Exception) else RuntimeError(step.error)
    usage = {"prompt_tokens": step.tokens_in or 0, "completion_tokens": step.tokens_out or 0}
    return LLMResponse(step.content, tuple(step.tool_calls), "scripted", usage)
