"""A decision of each kind with everything that its payload may hold."""

from __future__ import annotations

import math
from dataclasses import replace

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.payloads import (
    REFLECTION,
    ActPayload,
    AssessmentPayload,
    BeliefPayload,
    Consent,
    Considered,
    ControlPick,
    CycleReference,
    DirectivePayload,
    Moment,
    Payload,
    PromptReading,
    RoutePayload,
    ToolRun,
    Validation,
    WakePayload,
)
from prefrontal.types import Standing

from .decision_samples import woke

MOMENT = Moment(7, 1_700_000_000.5, 12.25, 3, 2, Standing("ann", -4, -2.0, 1.5))
CYCLE = CycleReference(2, "timer", "rules")
WAKE = WakePayload("5ce340fe", MOMENT, (MOMENT, MOMENT), True, "peer_budget", True)
ROUTE = RoutePayload(
    policy="select",
    tool="code/check.py",
    arguments={"path": "x.py", "time": 5.0},
    sentence="check fits best.",
    considered=(
        Considered("code/check.py", "check", 0.91, ("accepted before",), {"margin": 0.0}),
        Considered("code/todo.py", "todo", 0.4),
    ),
    picked=0,
    reading=PromptReading("code", None, 0.75, "exact"),
    control=ControlPick(True, True, 0.5, 0.25, (("order", 0.2),)),
    taught=3,
    beliefs=("ann-quick",),
    plan={"steps": ["code/check.py"]},
    consent=Consent("approve", "trust +4"),
)
ACT = ActPayload(
    status="done",
    value=["x.py:1"],
    useful=True,
    accepted=False,
    seconds=0.42,
    tool_run=ToolRun("code/check.py", "ab" * 32, Validation(True, "3 of 3"), "namespace"),
)
ASSESSMENT = AssessmentPayload(-1, 2, -4, True, 6, CYCLE)
BELIEF = BeliefPayload(
    "revised", 1_700_007_200.0, ("cycle 1", "cycle 2"), False, True, "ann", "seen twice",
    "reflection", "was quick", CYCLE,
)  # fmt: skip
DIRECTIVE = DirectivePayload(
    REFLECTION, "directive-2-1", "ask", "Where is it?", "it is late", "new", 1_700_007_200.0, CYCLE
)
WHOLE: tuple[Payload, ...] = (WAKE, ROUTE, ACT, ASSESSMENT, BELIEF, DIRECTIVE)


def of(payload: Payload, **changes: object) -> Decision:
    """A decision with that payload; one that is no wake has neither window nor threshold."""
    found = woke(payload=payload)
    if payload.kind != "wake":
        found = replace(found, window=(), why=(), threshold=math.nan, cause="c" * 32)
    return replace(found, **changes)  # type: ignore[arg-type]
