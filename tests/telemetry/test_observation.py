"""Spans and metrics of a gate that runs, as OpenTelemetry's own test exporters get them."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.decision import Decision
from prefrontal.errors import InputError, SourceError
from prefrontal.telemetry import Observation, WokenAgent, observe
from prefrontal.testing import ManualClock
from prefrontal.types import Reason

from .gates import MIXED, NOW, Inbox, Mute, gate, run

AGENT = "gen_ai.invoke_agent.duration"


class Collector:
    """What an exporter would have sent."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.meters = MeterProvider([self._reader])

    def observe(self, registry: PulseRegistry, **options: Any) -> Observation:
        return observe(
            registry, tracer_provider=self.tracers, meter_provider=self.meters, **options
        )

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._spans.get_finished_spans()

    def metrics(self) -> dict[str, dict[tuple[tuple[str, Any], ...], Any]]:
        """Data points by metric and attributes."""
        data = self._reader.get_metrics_data()
        scopes = data.resource_metrics[0].scope_metrics if data else []
        return {
            metric.name: {
                tuple(sorted((point.attributes or {}).items())): point
                for point in metric.data.data_points
            }
            for scope in scopes
            for metric in scope.metrics
        }

    def value(self, name: str, **attributes: str) -> Any:
        key = tuple(sorted((f"prefrontal.{key}", text) for key, text in attributes.items()))
        return self.metrics()[name][key].value


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.tracers.shutdown()
    made.meters.shutdown()


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_each_escalation_is_one_span_and_what_slept_is_none(collector: Collector) -> None:
    registry, inbox = gate(audit_share=0.5), Inbox()
    registry.on_wake(inbox)
    collector.observe(registry)
    run(registry)
    told = sorted(attributes(each)["prefrontal.id"] for each in collector.spans)
    assert told == sorted(str(each.id) for each in inbox.decisions)
    assert 2 <= len(told) < len(MIXED)


def test_a_span_says_what_was_decided_and_why(collector: Collector) -> None:
    clock = ManualClock(NOW)
    registry, inbox = gate(clock=clock), Inbox()
    registry.on_wake(inbox)
    collector.observe(registry, tokens_per_wake=100, clock=clock)
    run(registry, ["b.txt", "d.txt", "a.pdf"])
    [span], [decision] = collector.spans, inbox.decisions
    assert span.name == "wake homework"
    assert span.kind is SpanKind.INTERNAL
    assert attributes(span) == {
        "prefrontal.subject": "homework",
        "prefrontal.score": decision.score,
        "prefrontal.threshold": 0.65,
        "prefrontal.reason": "woke",
        "prefrontal.id": decision.id,
        "prefrontal.tokens_saved": 200,
    }
    assert (span.start_time, span.end_time) == (int(NOW * 1e9), int(NOW * 1e9))


def test_the_span_lasts_from_the_decision_to_its_delivery(collector: Collector) -> None:
    late = ManualClock(NOW + 1.5)
    registry = gate()
    collector.observe(registry, clock=late)
    run(registry, ["a.pdf"])
    [span] = collector.spans
    assert span.end_time is not None
    assert span.start_time is not None
    assert span.end_time - span.start_time == 1_500_000_000


def test_the_tokens_of_all_spans_add_up_to_the_counter(collector: Collector) -> None:
    registry = gate()
    collector.observe(registry, tokens_per_wake=10)
    run(registry, ["b.txt", "a.pdf", "d.txt", "e.txt", "c.pdf"])
    saved = [attributes(each)["prefrontal.tokens_saved"] for each in collector.spans]
    assert sum(saved) == 30 == collector.value("prefrontal.tokens_saved")


def test_with_an_agent_the_span_is_its_invocation(collector: Collector) -> None:
    clock = ManualClock(NOW)
    current: list[Any] = []

    def think(decision: Decision) -> None:
        current.append(trace.get_current_span().get_span_context().span_id)
        clock.advance(2.5)

    registry = gate(clock=clock)
    agent = WokenAgent(think, "tutor", "anthropic", "some-model")
    collector.observe(registry, agent=agent, clock=clock)
    run(registry, ["a.pdf"])
    [span] = collector.spans
    assert (span.name, span.kind) == ("invoke_agent tutor", SpanKind.INTERNAL)
    assert span.context is not None
    assert current == [span.context.span_id]
    told = attributes(span)
    assert {key: value for key, value in told.items() if key.startswith("gen_ai.")} == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.agent.name": "tutor",
        "gen_ai.request.model": "some-model",
    }
    assert told["prefrontal.subject"] == "homework"
    [(labels, point)] = collector.metrics()[AGENT].items()
    assert dict(labels) == {
        "gen_ai.agent.name": "tutor",
        "gen_ai.request.model": "some-model",
    }
    assert (point.count, point.sum) == (1, 2.5)
    assert point.explicit_bounds[:2] == (0.1, 0.2)
    assert point.explicit_bounds[-1] == 409.6
    assert (span.end_time or 0) - (span.start_time or 0) == 2_500_000_000


def test_a_coroutine_is_awaited_within_its_span(collector: Collector) -> None:
    current: list[Any] = []

    async def think(decision: Decision) -> None:
        await asyncio.sleep(0)
        current.append(trace.get_current_span().get_span_context().span_id)

    registry = gate()
    collector.observe(registry, agent=WokenAgent(think))
    run(registry, ["a.pdf"])
    [span] = collector.spans
    assert span.name == "invoke_agent"
    assert span.context is not None
    assert current == [span.context.span_id]
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_an_agent_that_fails_fails_its_span_and_is_counted(
    collector: Collector, is_coroutine: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(decision: Decision) -> None:
        raise TimeoutError("no answer")

    async def fail_later(decision: Decision) -> None:
        raise TimeoutError("no answer")

    registry = gate()
    collector.observe(registry, agent=WokenAgent(fail_later if is_coroutine else fail))
    run(registry, ["a.pdf"])
    [span] = collector.spans
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["error.type"] == "TimeoutError"
    assert [each.name for each in span.events] == ["exception"]
    assert collector.value("prefrontal.handler_errors") == 1
    assert list(collector.metrics()[AGENT]) == [(("error.type", "TimeoutError"),)]
    assert "failed for" in caplog.text


def test_what_a_failing_agent_says_is_told_without_secrets(collector: Collector) -> None:
    def refuse(decision: Decision) -> None:
        raise PermissionError("Incorrect API key provided: sk-abcdef0123456789")

    registry = gate()
    collector.observe(registry, agent=WokenAgent(refuse))
    run(registry, ["a.pdf"])
    [span] = collector.spans
    said = {"status": span.status.description, **dict(span.events[0].attributes or {})}
    assert said["exception.message"] == "Incorrect API key provided: [redacted]"
    assert said["status"] == "PermissionError: Incorrect API key provided: [redacted]"
    assert "Traceback" in str(said["exception.stacktrace"])
    assert "sk-abcdef0123456789" not in str(said)


def test_the_question_is_in_the_span_only_when_asked_for(collector: Collector) -> None:
    registry, inbox = gate(), Inbox()
    collector.observe(registry, agent=WokenAgent(inbox), questions=True)
    run(registry, ["a.pdf"])
    [span] = collector.spans
    assert json.loads(attributes(span)["gen_ai.input.messages"]) == [
        {
            "role": "user",
            "parts": [{"type": "text", "content": "Is /srv/homework/a.pdf homework?"}],
        }
    ]


def test_the_recall_estimate_is_in_the_span_once_there_is_one(collector: Collector) -> None:
    registry, inbox = gate(audit_share=1.0), Inbox()
    registry.on_wake(inbox)
    collector.observe(registry)
    run(registry)
    for decision in inbox.decisions:
        registry.record_feedback(decision.id, float(decision.reason == "woke"))
    run(registry, ["f.pdf"])
    *before, last = collector.spans
    assert not any("prefrontal.recall_estimate" in attributes(each) for each in before)
    assert attributes(last)["prefrontal.recall_estimate"] == 1.0
    assert collector.value("prefrontal.recall_estimate", module="homework") == 1.0


def test_metrics_count_events_wakes_and_what_was_suppressed_by_reason(
    collector: Collector,
) -> None:
    registry = gate(cooldown_s=60.0)
    collector.observe(registry)
    run(registry)
    assert collector.value("prefrontal.events") == 5
    assert collector.value("prefrontal.wakes") == 1
    assert collector.value("prefrontal.slept") == 3
    assert collector.value("prefrontal.suppressed", reason=str(Reason.COOLDOWN)) == 1
    assert collector.value("prefrontal.threshold", module="homework") == 0.65


def test_after_closing_nothing_is_told_any_more(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    registry, inbox = gate(), Inbox()
    with collector.observe(registry, agent=WokenAgent(inbox)):
        pass
    run(registry)
    assert collector.spans == ()
    assert inbox.decisions == []
    assert not any(collector.metrics().values())
    assert caplog.text == ""


def test_a_log_that_cannot_be_read_keeps_no_agent_asleep(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(module_id: str) -> None:
        raise SourceError("the disk is gone")

    registry, inbox = gate(), Inbox()
    monkeypatch.setattr(registry, "recall_estimate", broken)
    collector.observe(registry, agent=WokenAgent(inbox))
    run(registry, ["a.pdf"])
    [decision], [span] = inbox.decisions, collector.spans
    assert "prefrontal.recall_estimate" not in attributes(span)
    assert attributes(span)["prefrontal.id"] == decision.id
    assert "the disk is gone" in caplog.text


def test_a_source_that_cannot_tell_how_it_is_keeps_no_agent_asleep(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    registry, inbox = gate(sources=[Mute()]), Inbox()
    collector.observe(registry, agent=WokenAgent(inbox))
    run(registry, ["a.pdf"])
    assert len(inbox.decisions) == len(collector.spans) == 1
    assert "no status" in caplog.text


def test_without_opentelemetry_the_agent_is_woken_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    caplog.set_level(logging.INFO, "prefrontal")
    registry, inbox = gate(), Inbox()
    with observe(registry, agent=WokenAgent(inbox)):
        run(registry, ["a.pdf"])
    assert len(inbox.decisions) == 1
    assert caplog.messages == ["telemetry needs opentelemetry: pip install 'prefrontal[otel]'"]


def test_where_nobody_collects_nothing_breaks() -> None:
    registry, inbox = gate(), Inbox()
    with observe(registry, agent=WokenAgent(inbox)):
        run(registry, ["a.pdf"])
    assert len(inbox.decisions) == 1


def test_slips_are_named() -> None:
    with pytest.raises(TypeError, match=r"call must be callable, got 'agent'"):
        WokenAgent("agent")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"tokens_per_wake must be .*, got -1"):
        observe(gate(), tokens_per_wake=-1)
