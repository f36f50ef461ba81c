"""The published examples of the gate, run with `prefrontal.pulse` in place of `pulse`."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.prefrontal import EscalationDecision, PrefrontalLayer
from prefrontal.pulse.retina import SignalEvent


def code_watcher() -> dict[str, Any]:
    return {
        "module_id": "code_watcher",
        "cluster": "development",
        "version": "1.0.0",
        "question_template": "Python file {location} was modified. Should I run tests?",
        "default_threshold": 0.7,
        "signal_priors": {
            "filesystem": {
                "watch_directories": ["~/workspace"],
                "relevant_extensions": [".py"],
                "irrelevant_extensions": [".pyc"],
            },
        },
    }


def modified_file() -> SignalEvent:
    return SignalEvent(
        source="filesystem",
        location="/home/user/workspace/main.py",
        delta_type="modified",
        magnitude=0.8,
        timestamp=1678123456.0,
        features={
            "extension": ".py",
            "size_bytes": 2048,
            "directory_depth": 3,
            "filename_tokens": ["main"],
        },
    )


def evaluated(score: float, template: str | None = None) -> EscalationDecision:
    fingerprint = parse_fingerprint(code_watcher())
    if template is not None:
        fingerprint.question_template = template
    prefrontal = PrefrontalLayer(threshold=0.7)
    return prefrontal.evaluate("code_watcher", score, [modified_file()], fingerprint)


def test_the_complete_example_escalates_a_high_score() -> None:
    decision = evaluated(0.85)
    assert decision.should_escalate is True
    assert decision.question == (
        "Python file /home/user/workspace/main.py was modified. Should I run tests?"
    )
    assert decision.confidence == 0.85


def test_the_complete_example_refuses_a_low_score() -> None:
    decision = evaluated(0.50)
    assert decision.should_escalate is False
    assert decision.question is None
    assert decision.confidence == 0.50


def test_the_threshold_example_moves_the_threshold_both_ways() -> None:
    prefrontal = PrefrontalLayer(threshold=0.65)
    prefrontal.set_threshold(0.5)
    assert prefrontal.threshold == 0.5
    prefrontal.set_threshold(0.8)
    assert prefrontal.threshold == 0.8
    with pytest.raises(ValueError, match="threshold must be"):
        prefrontal.set_threshold(1.1)


@pytest.mark.parametrize(
    "template",
    [
        "Should I check the new file at {location}?",
        "File {location} was modified. Review it?",
        "{location} detected. Take action?",
    ],
)
def test_the_templates_listed_as_valid_ask(template: str) -> None:
    raw = code_watcher() | {"question_template": template}
    assert parse_fingerprint(raw).question_template == template
    expected = template.replace("{location}", "/home/user/workspace/main.py")
    assert evaluated(0.9, template).question == expected


@pytest.mark.parametrize(
    "template", ["Should I check the new file?", "File at {path} changed", "", "   "]
)
def test_the_templates_listed_as_invalid_are_refused_twice(template: str) -> None:
    with pytest.raises(ValueError, match="question_template must"):
        parse_fingerprint(code_watcher() | {"question_template": template})
    decision = evaluated(0.9, template)
    assert decision.should_escalate is False
    assert decision.question is None


def test_the_overview_example_asks_about_the_homework(monkeypatch: pytest.MonkeyPatch) -> None:
    from prefrontal.pulse.learning.limbic import LimbicLayer

    monkeypatch.setenv("HOME", "/home/user")  # whose folder the example watches and fills
    prefrontal = PrefrontalLayer(threshold=0.7)
    limbic = LimbicLayer()
    fingerprint = parse_fingerprint(
        {
            "module_id": "homework_watcher",
            "cluster": "homework",
            "version": "1.0.0",
            "question_template": "New homework file detected at {location}. Should I review it?",
            "default_threshold": 0.7,
            "signal_priors": {
                "filesystem": {
                    "watch_directories": ["~/Documents/Homework"],
                    "relevant_extensions": [".pdf"],
                    "irrelevant_extensions": [],
                },
            },
        }
    )
    limbic.register("homework_watcher", fingerprint)
    event = SignalEvent(
        source="filesystem",
        location="/home/user/Documents/Homework/math.pdf",
        delta_type="created",
        magnitude=1.0,
        timestamp=1678123456.0,
        features={
            "extension": ".pdf",
            "size_bytes": 524288,
            "directory_depth": 4,
            "filename_tokens": ["math"],
        },
    )
    score = limbic.score("homework_watcher", [event])
    decision = prefrontal.evaluate("homework_watcher", score, [event], fingerprint)
    assert decision.should_escalate
    assert decision.question == (
        "New homework file detected at /home/user/Documents/Homework/math.pdf. Should I review it?"
    )
    assert decision.confidence == score
