"""Attaches spans and metrics to a registry, from outside."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from ..clock import Clock, SystemClock
from .figures import TOKENS_PER_WAKE, Snapshot, check_tokens_per_wake

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from ..pulse.delivery import Handler
    from ..pulse.shells.watch import Watch
    from .woken_agent import WokenAgent

SCOPE = "prefrontal"

log = logging.getLogger("prefrontal.telemetry")


class Observation:
    """What `observe` attached; `close` takes it away again, and so does leaving the context.

    An agent that was given to `observe` is woken no more after that.
    """

    def __init__(self, closing: list[Callable[[], None]]) -> None:
        self._closing = closing
        self.is_open = True

    def close(self) -> None:
        """Tell nothing from now on; a second call does nothing."""
        self.is_open = False
        while self._closing:
            self._closing.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def observe(
    registry: Watch,
    *,
    agent: WokenAgent | None = None,
    tokens_per_wake: int = TOKENS_PER_WAKE,
    questions: bool = False,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    clock: Clock | None = None,
) -> Observation:
    """Make a span for each escalation of the registry and metrics of all it counts.

    agent: who is woken; it becomes a handler of the registry, and its spans nest in ours.
    tokens_per_wake: what a spared wake would have cost, 0 or more. questions: put questions into
    spans. tracer_provider, meter_provider: OpenTelemetry's global ones unless given; a meter
    provider takes one observation in its life. Without OpenTelemetry only the agent is attached,
    and one log line says so. Raises InputError for another tokens_per_wake.
    """
    check_tokens_per_wake(tokens_per_wake)
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        log.info("telemetry needs opentelemetry: pip install 'prefrontal[otel]'")
        return Observation(_attached(registry, agent.call if agent else None))
    from .wake_metrics import register_figures
    from .wake_spans import WakeSpans

    tracer = trace.get_tracer(SCOPE, tracer_provider=tracer_provider)
    meter = metrics.get_meter(SCOPE, meter_provider=meter_provider)
    spans = WakeSpans(
        registry,
        agent,
        tracer,
        meter,
        SystemClock() if clock is None else clock,
        tokens_per_wake=tokens_per_wake,
        questions=questions,
    )
    observation = Observation(_attached(registry, spans))
    register_figures(
        meter, lambda: Snapshot(registry, tokens_per_wake) if observation.is_open else None
    )
    return observation


def _attached(registry: Watch, handler: Handler | None) -> list[Callable[[], None]]:
    return [] if handler is None else [registry.on_wake(handler)]
