"""Consultation: a step that is hard to undo waits for a verdict."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ...plugin import hookspecs
from ...plugin.asking import user_message
from ...plugin.messages import current_message
from ...plugin.waiting import wait_for
from ..memory.cost import DailyCost, tokens_of
from ..quoting import quote
from ..reflectors.choice import Factories, ReflectorSettings, choose
from ..reflectors.rules import RulesReflector
from .deferral import Kind, kind_of_reply, kind_of_tool
from .rules import judge
from .verdict import (
    SCHEMA,
    SYSTEM_PROMPT,
    ConsultRequest,
    ConsultVerdict,
    default_verdict,
    parse_verdict,
)

if TYPE_CHECKING:
    from ...clock import Clock
    from ...plugin.contract import Registry
    from ...plugin.hooks import Context
    from ...protocols import Reflector
    from ...settings.cortex_growth import Consultations, Cost

TASK = "The agent is about to take the step below. May it?"
_REQUEST_LIMIT = 600
_MAX_TOKENS = 400
_HELD_KEPT = 200


class ConsultSettings(ReflectorSettings, Protocol):
    @property
    def consultation(self) -> Consultations: ...
    @property
    def cost(self) -> Cost: ...


class ConsultHost(Protocol):
    """The parts of the cortex that a consultation uses."""

    @property
    def settings(self) -> ConsultSettings: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def reflectors(self) -> Factories: ...
    @property
    def cost(self) -> DailyCost: ...
    @property
    def log_warn(self) -> Callable[..., None]: ...

    def last_trust(self, peer_id: str) -> int | None: ...
    async def consult_context(self, peer_id: str) -> Mapping[str, Any]:
        """The context of one peer, in a session that shares nothing else."""
        ...

    async def announce(self, hook: Callable[[Context], None], ctx: Context) -> None: ...


class Consultation:
    """Asks for a verdict before a tool call or a reply that the deferral rules pick out.

    One at a time, with a lock of its own: independent of a running cycle.
    """

    def __init__(self, host: ConsultHost) -> None:
        self._host = host
        self._lock = asyncio.Lock()
        self._requests = 0
        self._holds: deque[str] = deque(maxlen=_HELD_KEPT)

    async def before_tool(self, ctx: dict[str, Any]) -> dict[str, Any]:
        """The ctx of `loop.before_tool`; a refused call gets abort and abort_message."""
        settings = self._host.settings.consultation
        tool, args = str(ctx.get("tool") or ""), ctx.get("args")
        kind = kind_of_tool(tool, args, settings) if settings.enabled else None
        if kind is None:
            return ctx
        step = f"call {tool} with {_written(args)}"
        verdict = await self.consult(self._request(ctx, kind, step, {"tool": tool}))
        if verdict.decision == "approve":
            return ctx
        return {**ctx, "abort": True, "abort_message": _for_the_agent(verdict, settings)}

    async def before_reply(self, ctx: dict[str, Any]) -> dict[str, Any]:
        """The ctx of `loop.transform_response`; a reply that must wait is replaced."""
        settings = self._host.settings.consultation
        message = current_message.get()
        if not settings.enabled or ctx.get("internal") or not ctx.get("peer_id"):
            return ctx
        request_size = len(message.content) if message is not None else 0
        trust = self._host.last_trust(str(ctx["peer_id"]))
        kind = kind_of_reply(str(ctx.get("text") or ""), request_size, trust, settings)
        if kind is None:
            return ctx
        request = self._request(
            ctx, kind, f"reply {ctx['text']}", {"request_characters": request_size}
        )
        verdict = await self.consult(request)
        if verdict.decision == "approve":
            return ctx
        return {**ctx, "text": verdict.suggested_response or settings.holding_reply}

    async def consult(self, request: ConsultRequest) -> ConsultVerdict:
        """A verdict, always: in time from a model or the rules, else the configured default."""
        started = self._host.clock.monotonic()
        settings = self._host.settings.consultation
        timed_out = False
        try:
            verdict = await wait_for(
                self._decide(request), settings.timeout_seconds, self._host.clock
            )
        except TimeoutError:
            timed_out = True
            why = f"no verdict within {settings.timeout_seconds:g} s"
            verdict = default_verdict(request.kind, settings, why)
        except Exception as error:  # noqa: BLE001 - a step that waits must get an answer
            self._host.log_warn(f"Consultation {request.id} failed: {error!r}")
            verdict = default_verdict(request.kind, settings, "nobody could be asked")
        elapsed = self._host.clock.monotonic() - started
        await self._announce(request, verdict, elapsed, timed_out)
        return verdict

    async def _decide(self, request: ConsultRequest) -> ConsultVerdict:
        async with self._lock:
            context = {
                **await self._host.consult_context(request.peer_id),
                "trigger": "consult",
                "step": {
                    "kind": request.kind,
                    "request": quote(request.request, _REQUEST_LIMIT),
                    **request.context,
                },
            }
            reflector = self._reflector()
            if isinstance(reflector, RulesReflector):
                return judge(request, context, reflector)
            await self._hold(request)
            return await self._ask(reflector, request, context)

    def _within_rules(
        self, verdict: ConsultVerdict, request: ConsultRequest, context: Mapping[str, Any]
    ) -> ConsultVerdict:
        """The verdict of a model, which may refuse more than the rules do, and approve no more.

        It read words of others, and words widen no right.
        """
        if verdict.decision == "deny":
            return verdict
        settings = self._host.settings
        rules = RulesReflector(settings.rules, settings.sharing.weight)
        strict = judge(request, context, rules)
        return verdict if strict.decision == "approve" else strict

    def _reflector(self) -> Reflector:
        """The configured reflector; the rules when they are set, alone, or over the cap."""
        settings = self._host.settings
        reflector: Reflector | None = None
        over = self._host.cost.refusal(self._host.clock.now(), settings.cost)
        if settings.consultation.reflector == "configured" and not over:
            reflector = choose(settings, self._host.registry, self._host.reflectors, SCHEMA)
        return reflector or RulesReflector(settings.rules, settings.sharing.weight)

    async def _ask(
        self, reflector: Reflector, request: ConsultRequest, context: Mapping[str, Any]
    ) -> ConsultVerdict:
        settings = self._host.settings.consultation
        tokens_in, tokens_out = tokens_of(SYSTEM_PROMPT + user_message(TASK, context)), 0
        try:
            reply = await reflector.reflect(
                task=TASK,
                context=context,
                system_prompt=SYSTEM_PROMPT,
                timeout_s=settings.timeout_seconds,
                max_tokens=_MAX_TOKENS,
            )
            tokens_out = tokens_of(reply.text) if reply.tokens_out is None else reply.tokens_out
            tokens_in = tokens_in if reply.tokens_in is None else reply.tokens_in
        finally:  # a question without an answer costs, too
            self._host.cost.add(self._host.clock.now(), tokens_in, tokens_out)
        verdict = parse_verdict(reply.text)
        if verdict is None:
            self._host.log_warn(f"Failed to parse the verdict on {request.id}")
            return default_verdict(request.kind, settings, "the verdict could not be read")
        return self._within_rules(verdict, request, context)

    async def _hold(self, request: ConsultRequest) -> None:
        """Let the session send the peer the holding reply, once a message."""
        message = current_message.get()
        text = self._host.settings.consultation.holding_reply
        if message is None or message.is_internal or message.event_id in self._holds:
            return
        self._holds.append(message.event_id)
        session: Any = self._host.registry.get("session")
        if session is None or not hasattr(session, "execute"):
            return
        try:
            await session.execute("send_message", {"peer_id": request.peer_id, "text": text})
        except Exception as error:  # noqa: BLE001 - the verdict matters more
            self._host.log_warn(f"The holding reply of {request.id} was not sent: {error!r}")

    def _request(
        self, ctx: Mapping[str, Any], kind: Kind, step: str, context: dict[str, Any]
    ) -> ConsultRequest:
        self._requests += 1
        quotation = quote(step, _REQUEST_LIMIT)[1:-1]
        return ConsultRequest(
            f"consult-{self._requests}", str(ctx.get("peer_id") or ""), kind, quotation, context
        )

    async def _announce(
        self, request: ConsultRequest, verdict: ConsultVerdict, elapsed: float, timed_out: bool
    ) -> None:
        ctx: hookspecs.ConsultationContext = {
            "request": request.to_json(),
            "verdict": verdict.to_json(),
            "elapsed_seconds": elapsed,
            "timed_out": timed_out,
        }
        await self._host.announce(hookspecs.cortex_after_consult, ctx)


def _written(args: object) -> str:
    """The arguments of a call as text, or a placeholder where they cannot be shown."""
    try:
        return json.dumps(args, default=str, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "arguments that cannot be shown"


def _for_the_agent(verdict: ConsultVerdict, settings: Consultations) -> str:
    """The text that replaces the tool's result."""
    reply = verdict.suggested_response or settings.holding_reply
    conditions = f" Only when: {'; '.join(verdict.conditions)}." if verdict.conditions else ""
    return f'Not done: {verdict.reasoning}.{conditions} You may tell the peer: "{reply}"'
