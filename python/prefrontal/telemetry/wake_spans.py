"""One span for each escalation, after OpenTelemetry's GenAI conventions where they apply."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable
from inspect import isawaitable
from threading import Lock
from traceback import format_exception
from typing import TYPE_CHECKING

from opentelemetry.trace import SpanKind, Status, StatusCode, use_span

from ..decisions.document import mention
from ..redaction import redact
from .figures import Snapshot

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

    from ..clock import Clock
    from ..decisions.decision import Decision
    from ..pulse.shells.watch import Watch
    from .woken_agent import WokenAgent

DURATION = "gen_ai.invoke_agent.duration"
BOUNDARIES_S = tuple(0.1 * 2**power for power in range(13))
"""0.1 to 409.6 seconds, the buckets that the conventions ask for."""

log = logging.getLogger("prefrontal.telemetry")


class WakeSpans:
    """A handler of escalations that makes their spans.

    With an agent the span is that agent's invocation: it begins with the call, ends with the
    answer, is the current span in between, and carries `error.type` when the agent raised, which
    is raised on. Without one it goes from the decision to its delivery. questions: put the
    question into the span, which shows paths and texts to whoever reads the spans.
    """

    def __init__(
        self,
        registry: Watch,
        agent: WokenAgent | None,
        tracer: Tracer,
        meter: Meter,
        clock: Clock,
        *,
        tokens_per_wake: int,
        questions: bool,
    ) -> None:
        self._registry = registry
        self._agent = agent
        self._tracer = tracer
        self._clock = clock
        self._tokens_per_wake = tokens_per_wake
        self._questions = questions
        self._lock = Lock()
        self._told_saved = 0
        self._durations = meter.create_histogram(
            DURATION,
            "s",
            "Duration of one invocation of the agent.",
            explicit_bucket_boundaries_advisory=BOUNDARIES_S,
        )

    def __call__(self, decision: Decision) -> Awaitable[object] | None:
        decided_at, attributes = self._told(decision)
        started = self._nanoseconds()
        if self._agent is None:
            name = f"wake {decision.subject}"
            began = min(started, decided_at)
            self._start(name, attributes, began).end(end_time=started)
            return None
        name = " ".join(("invoke_agent", self._agent.name)).strip()
        span = self._start(name, {**self._agent.attributes(), **attributes}, started)
        return self._invoked(self._agent, decision, span, started)

    def _invoked(
        self, agent: WokenAgent, decision: Decision, span: Span, started: int
    ) -> Awaitable[object] | None:
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                answer = agent.call(decision)
        except BaseException as error:
            self._end(agent, span, started, error)
            raise
        if isawaitable(answer):
            return self._awaited(agent, answer, span, started)
        self._end(agent, span, started)
        return None

    async def _awaited(
        self, agent: WokenAgent, answer: Awaitable[object], span: Span, started: int
    ) -> None:
        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                await answer
        except BaseException as error:
            self._end(agent, span, started, error)
            raise
        self._end(agent, span, started)

    def _start(self, name: str, attributes: dict[str, str | float], started: int) -> Span:
        return self._tracer.start_span(
            name, kind=SpanKind.INTERNAL, attributes=attributes, start_time=started
        )

    def _end(
        self, agent: WokenAgent, span: Span, started: int, error: BaseException | None = None
    ) -> None:
        attributes = agent.metric_attributes()
        if error is not None:
            attributes["error.type"] = type(error).__qualname__
            span.set_attribute("error.type", attributes["error.type"])
            if isinstance(error, Exception):
                _fail(span, error)
        ended = max(started, self._nanoseconds())
        span.end(end_time=ended)
        self._durations.record((ended - started) / 1e9, attributes)

    def _told(self, decision: Decision) -> tuple[int, dict[str, str | float]]:
        """When it was decided, in Unix nanoseconds, and what the span says of it."""
        attributes: dict[str, str | float] = {
            "prefrontal.id": decision.id,
            "prefrontal.subject": decision.subject,
            "prefrontal.score": float(decision.score),
            "prefrontal.threshold": float(decision.threshold),
            "prefrontal.reason": str(decision.reason),
        }
        if self._questions and self._agent is not None:
            part = {"type": "text", "content": decision.question}
            attributes["gen_ai.input.messages"] = json.dumps([{"role": "user", "parts": [part]}])
        try:
            snapshot, attributes["prefrontal.tokens_saved"] = self._look()
            if (alarm := snapshot.alarms.get(decision.subject)) is not None:
                attributes["prefrontal.recall_alarm"] = alarm
            if (estimate := self._registry.recall_estimate(decision.subject)) is not None:
                attributes["prefrontal.recall_estimate"] = estimate.recall
        except Exception:  # a broken log or source must not keep the agent asleep
            log.exception("its span says less", extra={"decision": mention(decision)})
        return int(decision.time * 1e9), attributes

    def _look(self) -> tuple[Snapshot, int]:
        """The gate of now, and tokens spared since the last span; all add up to the counter."""
        with self._lock:
            snapshot = Snapshot(self._registry, self._tokens_per_wake)
            fresh = snapshot.tokens_saved - self._told_saved
            self._told_saved += fresh
        return snapshot, fresh

    def _nanoseconds(self) -> int:
        return int(self._clock.now() * 1e9)


def _fail(span: Span, error: Exception) -> None:
    """Tell of the error without secrets: a model that refuses a key may repeat it."""
    message = redact(str(error))
    trace = redact("".join(format_exception(error)))
    span.record_exception(error, {"exception.message": message, "exception.stacktrace": trace})
    span.set_status(Status(StatusCode.ERROR, f"{type(error).__name__}: {message}"))
