"""The alarm of the recall is told wherever the recall is told."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prefrontal.cli.watch.screen import threshold_lines
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.learned import RECALL
from prefrontal.pulse.recall.control import RecallControl
from prefrontal.pulse.status_note import STATUS
from prefrontal.storage.state_folder import StateFolder
from prefrontal.telemetry import prometheus_text

from ..mcp.served_samples import BILL, INVOICES, answer, asking
from ..telemetry.gates import Inbox, file, gate
from ..telemetry.test_observation import Collector, attributes, collector  # noqa: F401
from ..web.dash_samples import NOON, shown_in, wake
from ..web.test_app import opened, text

ALARM = "what comes is not what was: "


def control(drift: bool) -> RecallControl:
    """After 600 windows, and, with a drift, 30 more of which half the features are new."""
    control, draw = RecallControl(0.9), random.Random(5)
    for number in range(630 if drift else 600):
        score = draw.betavariate(0.4, 1.0)
        relevant, unseen = draw.random() < score, draw.choice([0.0, 0.1, 0.2])
        threshold = control.threshold
        propensity = 1.0 if score >= threshold else control.audit_chance(score)
        if draw.random() < propensity:
            control.decided(score, propensity, 0.5 if number >= 600 else unseen)
            control.labelled(score, relevant, threshold, propensity)
        else:
            control.decided(score, 0.0)
    assert (control.alarm() is not None) == drift
    return control


def note(log: DecisionLog, module: str, drift: bool) -> None:
    """Let the next gate over the log go on from there."""
    log.save_state(RECALL, json.dumps({module: control(drift).to_dict()}).encode(), 0)


@contextmanager
def alarmed(drift: bool = True) -> Iterator[PulseRegistry]:
    with DecisionLog() as log:
        note(log, "homework", drift)
        yield gate(recall=0.9, log=log, audit_share=0.02)


@pytest.mark.parametrize("drift", [True, False])
def test_the_terminal_the_status_and_the_metrics_tell_of_it(drift: bool) -> None:
    with alarmed(drift) as registry:
        [line] = threshold_lines(registry.thresholds())
        assert (ALARM in line) == drift and "estimated recall" in line
        warning = json.loads(json.dumps(registry.status()))["gate"]["homework"]["warning"]
        assert str(warning).startswith(ALARM) == drift and (warning is None) != drift
        page = prometheus_text(registry)
        assert f'prefrontal_recall_alarm{{module="homework"}} {int(drift)}' in page
        assert 'prefrontal_recall_estimate{module="homework"}' in page


def test_spans_and_metrics_of_opentelemetry_tell_of_it(collector: Collector) -> None:  # noqa: F811
    with alarmed() as registry:
        registry.on_wake(Inbox())
        collector.observe(registry)
        registry.start()
        assert registry.push(file("a.pdf"))
        assert registry.stop(20.0)
        [span] = collector.spans
        assert str(attributes(span)["prefrontal.recall_alarm"]).startswith(ALARM)
        assert "prefrontal.recall_estimate" in attributes(span)
        assert collector.value("prefrontal.recall_alarm", module="homework") == 1.0


async def test_an_agent_that_asks_over_mcp_is_told_of_it(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / "state")
    state.path.mkdir()
    with DecisionLog(state.decisions) as log:
        note(log, "invoices", True)
    async with asking(tmp_path, INVOICES, recall=0.9) as client:
        found = answer(await client.call_tool("should_wake", {"events": [BILL]}))
    assert ALARM in found["thresholds"]["invoices"]


@pytest.mark.parametrize("drift", [True, False])
def test_the_page_tells_of_it_on_the_card_of_the_module(tmp_path: Path, drift: bool) -> None:
    with alarmed(drift) as registry:
        told = {"gate": {"invoices": registry.status()["gate"]["homework"]}}
    with shown_in(tmp_path) as shown:
        shown.log.append_many([
            wake(NOON - 90, "invoices", label=1.0),
            wake(NOON - 60, "invoices", score=0.3, reason="audit", label=0.0),
        ])  # fmt: skip
        shown.log.save_state(STATUS, json.dumps(told).encode(), 0)
        with opened(shown) as (client, _):
            modules = text(client, "modules")
    assert "recall" in modules
    assert (ALARM.capitalize() in modules) == drift
