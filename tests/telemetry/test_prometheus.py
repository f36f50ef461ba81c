"""The page that Prometheus reads, parsed by Prometheus' own parser."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from prefrontal.compat.registry import PulseRegistry
from prefrontal.errors import InputError
from prefrontal.telemetry import prometheus_text
from prefrontal.telemetry.figures import FIGURES, SUPPRESSING

from .gates import Inbox, gate, run

HOSTILE = 'a\\nb"b\\c\nd} 7\r\u2028ü'


def parsed(registry: PulseRegistry, **options: Any) -> dict[str, Any]:
    """Family by name, as the parser reads the page."""
    page = prometheus_text(registry, **options)
    return {family.name: family for family in text_string_to_metric_families(page)}


def value(families: dict[str, Any], name: str, **labels: str) -> float:
    [found] = [each for each in families[name].samples if each.labels == labels]
    return float(found.value)


def test_each_figure_is_a_family_with_its_type_and_meaning() -> None:
    families = parsed(gate())
    assert {name.replace("prefrontal_", "prefrontal.", 1) for name in families} == {
        each.name for each in FIGURES
    }
    for figure in FIGURES:
        family = families[figure.name.replace(".", "_")]
        assert (family.type, family.documentation) == (figure.kind, figure.meaning)


def test_what_the_gate_did_is_counted_by_reason() -> None:
    registry = gate(cooldown_s=60.0)
    registry.on_wake(Inbox())
    run(registry)
    families = parsed(registry)
    assert value(families, "prefrontal_events") == 5
    assert value(families, "prefrontal_wakes") == 1
    assert value(families, "prefrontal_slept") == 3
    assert value(families, "prefrontal_audits") == 0
    assert value(families, "prefrontal_suppressed", reason="cooldown") == 1
    assert value(families, "prefrontal_delivered") == 1
    assert value(families, "prefrontal_running") == 0


def test_audits_are_told_apart_from_wakes() -> None:
    registry = gate(audit_share=1.0)
    run(registry)
    families = parsed(registry)
    assert value(families, "prefrontal_wakes") == 2
    assert value(families, "prefrontal_audits") == 3
    assert value(families, "prefrontal_slept") == 0


def test_every_reason_is_there_from_the_start() -> None:
    samples = parsed(gate())["prefrontal_suppressed"].samples
    assert {each.labels["reason"]: each.value for each in samples} == {
        str(reason): 0.0 for reason in SUPPRESSING
    }


def test_a_signal_that_two_modules_ask_about_costs_tokens() -> None:
    registry = gate()
    watched = {"watch_directories": ["/srv/homework"], "relevant_extensions": [".pdf"]}
    second = {"module_id": "second", "cluster": "study", "version": "1",
              "question_template": "{location}?", "default_threshold": 0.65,
              "signal_priors": {"filesystem": watched}}  # fmt: skip
    registry.register_module("second", second)
    run(registry, ["a.pdf"])
    families = parsed(registry, tokens_per_wake=1000)
    assert value(families, "prefrontal_wakes") == 2
    assert value(families, "prefrontal_tokens_saved") == -1000


def test_spared_wakes_are_tokens_and_repetitions_are_not() -> None:
    registry = gate(cooldown_s=60.0)
    run(registry, ["a.pdf", "b.txt", "c.pdf"])
    assert value(parsed(registry, tokens_per_wake=1000), "prefrontal_tokens_saved") == 2000
    again = gate()
    run(again, ["a.pdf", "a.pdf"])
    families = parsed(again, tokens_per_wake=1000)
    assert value(families, "prefrontal_suppressed", reason="duplicate") == 1
    assert value(families, "prefrontal_tokens_saved") == 0


def test_a_module_of_any_name_keeps_it() -> None:
    families = parsed(gate(module=HOSTILE))
    assert value(families, "prefrontal_threshold", module=HOSTILE) == 0.65


def test_the_recall_estimate_is_told_once_there_is_one() -> None:
    registry = gate(audit_share=1.0)
    assert parsed(registry)["prefrontal_recall_estimate"].samples == []
    inbox = Inbox()
    registry.on_wake(inbox)
    run(registry)
    for decision in inbox.decisions:
        registry.record_feedback(decision.id, 1.0)
    families = parsed(registry)
    estimate = registry.recall_estimate("homework")
    assert estimate is not None
    for name, told in (("", estimate.recall), ("_low", estimate.low), ("_high", estimate.high)):
        assert value(families, f"prefrontal_recall_estimate{name}", module="homework") == told
    assert value(families, "prefrontal_labels_learned") == 5


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "7"])
def test_tokens_per_wake_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"tokens_per_wake must be a whole number, 0 or more, got"):
        prometheus_text(gate(), wrong)
