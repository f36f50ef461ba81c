"""Runs what was chosen for a wake where it cannot hurt, or asks the agent."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...clock import Clock, SystemClock
from ...cortex.quoting import CLAIMS, quote
from ...decisions.decision import Decision
from ...decisions.payloads import ToolRun, Validation
from ...errors import InputError, PrefrontalError
from ...plain_text import visible
from ...redaction import redact
from ...routing.catalog.discovery import discover_all, open_cache
from ...routing.layout import Layout, slug
from ...routing.plans.plan import parse_plan
from ...routing.plans.render import render
from ...routing.ranking.tool_ranker import key_of
from ...routing.trials.calling import CallOutcome, call_tool
from ...routing.trials.hosts import hosts_of, reaching
from ...storage.files import write_atomic
from ..nouns import ActOutcome, Choice, HeardBelief, Option, Status
from ..options import JOINED
from ..results import VALUE_BYTES, cleaned, in_short, in_words, is_nothing, judged
from .trials import Trials, Verdict

if TYPE_CHECKING:
    from ...protocols import Runner
    from ...routing.types import Tool
    from ...settings.routing import Routing

Ask = Callable[[Decision, str], None]
"""Hands a question to the agent: (what it is about, the question); returns when it is taken."""

MOST_BELIEFS = 8
_BELIEF_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Module:
    """What is to be run: bytes that stay the same from the trial to the call.

    calls: the tools of a composition, which are not part of the bytes. hosts: that it may reach,
    None for all that the settings list.
    """

    path: Path
    source: bytes
    example: Mapping[str, Any] | None
    calls: tuple[Tool, ...] = ()
    hosts: tuple[str, ...] | None = None

    @property
    def digest(self) -> str:
        return sha256(self.source).hexdigest()


class SandboxedActor:
    """The role Actor. A tool runs in the sandbox of the settings, after it passed a trial.

    layout, settings: of the router. ask: takes the question when no tool fits. readable: the
    folders that tools may read, usually the watched ones; they write nowhere but in a folder of
    their own that is gone afterwards. allow_weak: run although the sandbox does not confine.
    value_bytes: most bytes of JSON that are kept of what a tool returns.
    """

    def __init__(
        self,
        layout: Layout,
        settings: Routing,
        runner: Runner,
        ask: Ask,
        *,
        readable: Sequence[Path] = (),
        clock: Clock | None = None,
        allow_weak: bool = False,
        value_bytes: int = VALUE_BYTES,
    ) -> None:
        if value_bytes < 100:
            raise InputError(f"value_bytes must be at least 100, got {value_bytes!r}")
        self._layout = layout
        self._cached = settings.cache_enabled
        self._runner = runner
        self._ask = ask
        self._readable = [path.absolute() for path in readable]
        self._allow_weak = allow_weak
        self._value_bytes = value_bytes
        clock = clock or SystemClock()
        self._trials = Trials(layout, settings, runner, clock, allow_weak=allow_weak)

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        """What came of it; whatever goes wrong is an outcome, too."""
        option = choice.option
        if option is None:
            return self._asked(wake, choice)
        if (gone := self._gone(option)) is not None:
            return ActOutcome(Status.NOTHING, in_short(f"{gone} is gone"))
        if not (self._runner.enforced or self._allow_weak):
            refusal = f"the sandbox level {self._runner.level!r} confines too little to run a tool"
            return _failed(refusal, by_machine=True)
        scratch = self._layout.route_tmp(f"act-{wake.id}")
        try:
            scratch.mkdir(parents=True, exist_ok=True)
            module = self._module(option, scratch)
            verdict = self._trials.verdict(
                module.path,
                module.source,
                scratch.name,
                module.example,
                calls=[each.sha256 for each in module.calls],
                hosts=module.hosts,
            )
            if not verdict.ok:
                return _invalid(option, module, verdict)
            return self._run(option, module, verdict, scratch)
        except (PrefrontalError, OSError) as error:
            return _failed(str(error), by_machine=True)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _run(self, option: Option, module: Module, verdict: Verdict, scratch: Path) -> ActOutcome:
        needed = [each.spec.path for each in module.calls]
        seen = [path for path in (*self._readable, *needed) if path.exists()]
        call = call_tool(
            reaching(self._runner, module.hosts),
            module.path,
            module.source,
            option.arguments,
            scratch=scratch,
            readable=seen,
        )
        tool_run = replace(_tool_run(option, module, verdict), level=call.level)
        if call.fault:
            return _failed(
                f"{option.name} failed: {call.reason}",
                by_machine=call.fault == "machine",
                seconds=call.seconds,
                tool_run=tool_run,
            )
        return self._returned(option, call, tool_run)

    def _returned(self, option: Option, call: CallOutcome, tool_run: ToolRun) -> ActOutcome:
        value = cleaned(call.value, self._value_bytes)
        status = Status.NOTHING if is_nothing(value) else Status.DONE
        useful, accepted = judged(status)
        text = f"{option.name} found nothing" if status is Status.NOTHING else in_words(value)
        return ActOutcome(status, text, value, useful, accepted, call.seconds, tool_run)

    def _module(self, option: Option, scratch: Path) -> Module:
        """The tool, or the module that calls the tools of the composition one after the other.

        Raises InputError when one of them is no longer there, SourceError when it cannot be read.
        """
        keys = option.tool.split(JOINED) if option.plan is not None else [option.tool]
        every = {key_of(each): each for each in self._tools()}
        missing = [key for key in keys if key not in every]
        if missing:
            raise InputError(f"tool must be there still, got {missing[0]!r}")
        tools = [every[key] for key in dict.fromkeys(keys)]
        if option.plan is None:
            tool = tools[0]
            source = tool.spec.path.read_bytes()
            return Module(tool.spec.path, source, tool.example, hosts=hosts_of(tools))
        return self._composed(option, tools, scratch)

    def _tools(self) -> Sequence[Tool]:
        cache = open_cache(self._layout) if self._cached else None
        return discover_all(self._layout, cache=cache).tools

    def _composed(self, option: Option, tools: Sequence[Tool], scratch: Path) -> Module:
        name = slug("_then_".join(each.name for each in tools), default="composed")
        source = render(parse_plan(option.plan), tools, self._layout, name)
        path = scratch / f"{name}.py"
        write_atomic(path, source)
        return Module(path, source.encode(), None, tuple(tools), hosts_of(tools))

    def _gone(self, option: Option) -> str | None:
        """A file of a folder that may be read, of which the signal told and which is gone."""
        for value in option.arguments.values():
            path = Path(value) if isinstance(value, str) and value.startswith("/") else None
            below = path is not None and any(map(path.is_relative_to, self._readable))
            if path is not None and below and not _is_there(path):
                return path.name
        return None

    def _asked(self, wake: Decision, choice: Choice) -> ActOutcome:
        question = with_beliefs(wake.question or choice.prompt, choice.heard)
        try:
            self._ask(wake, question)
        except Exception as error:  # noqa: BLE001 - whatever the door to the agent raises
            failure = f"the agent could not be asked: {type(error).__name__}: {error}"
            return _failed(failure, by_machine=True)
        return ActOutcome(Status.ASKED, in_short(f"asked: {wake.question or choice.prompt}"))


def with_beliefs(question: str, beliefs: Sequence[HeardBelief]) -> str:
    """The question, and below it what is held true now: pinned ones and the surest first.

    Words of others that nobody approved stand there as quotes.
    """
    if not beliefs:
        return question
    ordered = sorted(beliefs, key=lambda each: (not each.pinned, -each.confidence, each.key))
    lines = [f"- {_held(each)} ({each.confidence:.0%})" for each in ordered[:MOST_BELIEFS]]
    notice = [CLAIMS] if any(each.quoted for each in ordered[:MOST_BELIEFS]) else []
    return "\n".join([question, "", "What is held true now:", *notice, *lines])


def _held(belief: HeardBelief) -> str:
    if belief.quoted:
        return quote(belief.text, _BELIEF_LIMIT)
    return visible(redact(belief.text), _BELIEF_LIMIT)


def _is_there(path: Path) -> bool:
    """False also for what can be no path, or lies where this process may not look."""
    try:
        return path.exists()
    except OSError:
        return False


def _invalid(option: Option, module: Module, verdict: Verdict) -> ActOutcome:
    useful, accepted = judged(Status.INVALID)
    text = in_short(f"{option.name} was not run: validation {verdict.summary}")
    tool_run = _tool_run(option, module, verdict)
    return ActOutcome(Status.INVALID, text, None, useful, accepted, 0.0, tool_run)


def _failed(
    sentence: str,
    *,
    by_machine: bool,
    seconds: float = 0.0,
    tool_run: ToolRun | None = None,
) -> ActOutcome:
    useful, accepted = judged(Status.FAILED, by_machine=by_machine)
    text = in_short(sentence)
    return ActOutcome(Status.FAILED, text, None, useful, accepted, seconds, tool_run)


def _tool_run(option: Option, module: Module, verdict: Verdict) -> ToolRun:
    tried = Validation(verdict.ok, in_short(verdict.summary)) if verdict.fresh else None
    return ToolRun(option.tool, module.digest, tried)
