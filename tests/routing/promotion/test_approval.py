from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prefrontal.routing.promotion import approval
from prefrontal.routing.promotion.approval import ApprovalVerdict, auto_approval
from prefrontal.routing.types import RouteDecision, ValidationReport
from prefrontal.settings.routing import Routing

from ..sample_tools import parsed, tool

GOOD = ValidationReport(True, ["ruff: ok (3 ms)"], 3, [], "4 of 4 checks passed")
BAD = ValidationReport(False, ["mypy: failed"], 3, [], "mypy found 2 errors.")


def decision(*scores: float, policy: str = "select") -> RouteDecision:
    specs = [replace(tool("domains/d/x/a.py").spec, score=score) for score in scores]
    known: Any = policy
    return RouteDecision("route-001", known, specs, None, "")


CASES: list[tuple[str, dict[str, Any], int, str]] = [
    ("all is well", {}, 0, "approved"),
    ("confidence at the border", {"parsed": parsed(confidence=0.55)}, 0, "approved"),
    ("half a millionth below it", {"parsed": parsed(confidence=0.5499995)}, 0, "approved"),
    ("below it", {"parsed": parsed(confidence=0.5499)}, 3, "confidence 0.5499 is below 0.55"),
    (
        "a widened search",
        {"parsed": parsed(confidence=0.54, domain=None)},
        3,
        "no domain was found",
    ),
    ("no domain though sure", {"parsed": parsed(domain=None)}, 3, "no domain was found"),
    ("no action though sure", {"parsed": parsed(action=None)}, 3, "no action was found"),
    ("score at tau", {"decision": decision(0.60)}, 0, "approved"),
    ("score below tau", {"decision": decision(0.5999)}, 3, "a.py has 0.5999, below tau 0.60"),
    ("a step at tau", {"decision": decision(0.6, 0.6, policy="compose")}, 0, "approved"),
    ("a step below tau", {"decision": decision(0.9, 0.55, policy="compose")}, 3, "has 0.55, below"),
    (
        "another tau",
        {"settings": Routing.model_validate({"ranker": {"threshold": 0.8}})},
        3,
        "0.80",
    ),
    (
        "another least confidence",
        {"settings": Routing.model_validate({"parser": {"threshold": 0.8}})},
        3,
        "confidence 0.70 is below 0.80",
    ),
    ("nothing selected", {"decision": decision()}, 3, "no tool was selected"),
    ("generated", {"decision": decision(policy="generate")}, 4, "a person's approval"),
    (
        "generated and allowed",
        {"decision": decision(policy="generate"), "allow_generated": True},
        0,
        "approved",
    ),
    (
        "generated, allowed, and bad",
        {"decision": decision(policy="generate"), "allow_generated": True, "report": BAD},
        5,
        "mypy found 2 errors",
    ),
    ("a weak sandbox", {"enforced": False}, 7, "the sandbox does not confine it"),
    ("not validated", {"report": None}, 5, "it was not validated"),
    ("a failed validation", {"report": BAD}, 5, "validation failed (mypy found 2 errors)"),
    ("a weak sandbox and a failure", {"enforced": False, "report": BAD}, 7, "mypy found"),
]


def is_right(
    approve: Callable[..., ApprovalVerdict], changes: dict[str, Any], code: int, says: str
) -> bool:
    known: dict[str, Any] = {
        "parsed": parsed(),
        "decision": decision(0.7),
        "report": GOOD,
        "settings": Routing(),
        "enforced": True,
    }
    verdict = approve(**(known | changes))
    return (verdict.approved, verdict.exit_code) == (code == 0, code) and says in verdict.sentence


@pytest.mark.parametrize(("name", "changes", "code", "says"), CASES)
def test_a_route_is_kept_only_when_nothing_is_against_it(
    name: str, changes: dict[str, Any], code: int, says: str
) -> None:
    assert is_right(auto_approval, changes, code, says), name


def test_every_objection_is_told_and_the_first_gives_the_status() -> None:
    unsure = parsed(confidence=0.1, domain=None, action=None)
    verdict = auto_approval(unsure, decision(0.2), BAD, Routing(), enforced=False)
    assert verdict.exit_code == 3
    assert verdict.sentence == (
        "not approved: confidence 0.10 is below 0.55; no domain was found; no action was found; "
        "a.py has 0.20, below tau 0.60; the sandbox does not confine it; "
        "validation failed (mypy found 2 errors)."
    )


MUTANTS = [
    ("confidence < least", "confidence <= least"),
    ("confidence < least", "False"),
    ("micro(settings.parser.threshold)", "550_000"),
    ("micro(settings.ranker.threshold)", "600_000"),
    ("micro(spec.score) < tau", "micro(spec.score) <= tau"),
    ("micro(spec.score) < tau", "micro(spec.score) < tau - 50_000"),
    ("for spec in decision.selected", "for spec in decision.selected[:1]"),
    ("if value is None:", "if False:"),
    ("if not allow_generated:", "if False:"),
    ("if not allow_generated:", "if True:"),
    ("elif not decision.selected:", "elif False:"),
    ("[] if enforced else", "[] if True else"),
    ("if report is None:", "if not report:\n        return []\n    if False:"),
    ("[] if report.ok else", "[] if True else"),
    ("objections[0][0]", "objections[-1][0]"),
]


@pytest.mark.parametrize(("old", "new"), MUTANTS)
def test_a_changed_rule_fails_in_a_case(old: str, new: str) -> None:
    source = Path(approval.__file__).read_text(encoding="utf-8")
    assert old in source
    changed = ModuleType("prefrontal.routing.promotion.mutated_approval")
    changed.__package__ = "prefrontal.routing.promotion"
    sys.modules[changed.__name__] = changed  # dataclasses look there
    exec(compile(source.replace(old, new), approval.__file__, "exec"), changed.__dict__)
    del sys.modules[changed.__name__]
    assert any(not is_right(changed.auto_approval, *case[1:]) for case in CASES)


def test_a_clause_that_no_tool_serves_needs_a_person() -> None:
    verdict = auto_approval(
        parsed(), decision(0.9), GOOD, Routing(), enforced=True, uncovered=["mail it"]
    )
    assert (verdict.approved, verdict.exit_code) == (False, 3)
    assert "nothing covers 'mail it'" in verdict.sentence
