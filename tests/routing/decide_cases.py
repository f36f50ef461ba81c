"""One decision and what it must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from prefrontal.routing.ranking.coverage import Share
from prefrontal.routing.types import Candidate, Plan, RouteDecision, SubIntent
from prefrontal.settings.routing import Ranker

from .sample_tools import a_plan, parsed

Decide = Callable[..., RouteDecision]

A, B, C = "domains/d/x/a.py", "domains/d/x/b.py", "domains/d/x/c.py"
SHARED_A, SHARED_B = "shared_tools/x/a.py", "shared_tools/x/b.py"
TWO = (SubIntent("do a", "a"), SubIntent("do b", "b"))
THREE = (*TWO, SubIntent("do c", "c"))
FOUR = (*THREE, SubIntent("do d", "d"))


@dataclass(frozen=True)
class Border:
    """A decision to make, and what it must be: policy and the selected paths below the root."""

    name: str
    ranked: Sequence[Candidate]
    policy: str
    selected: Sequence[str] = ()
    clauses: Sequence[SubIntent] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    wired: bool = True
    scores: Sequence[float] | None = None
    says: str = ""

    def failure(self, decide: Decide) -> str:
        """What is wrong with the decision; empty when nothing is."""
        try:
            found = self.decided(decide)
        except Exception as error:  # noqa: BLE001 (a mutant may raise anything)
            return f"{self.name}: {error!r}"
        paths = [spec.path.relative_to("/project/workflows").as_posix() for spec in found.selected]
        scores = [spec.score for spec in found.selected]
        told = (found.policy, paths, scores if self.scores is not None else None)
        wanted = (self.policy, list(self.selected), self.scores and list(self.scores))
        if told != wanted or self.says not in found.reason:
            return f"{self.name}: {told} because {found.reason!r}, not {wanted}"
        if (found.plan is not None) != (self.policy == "compose"):
            return f"{self.name}: the plan is {found.plan}"
        return ""

    def decided(self, decide: Decide) -> RouteDecision:
        plans: list[int] = []

        def plan_for(parts: Sequence[Share]) -> Plan | None:
            plans.append(len(parts))
            assert len(plans) == 1, "it may be asked once"
            return a_plan(parts) if self.wired else None

        settings = Ranker.model_validate(self.settings)
        return decide("route-001", parsed(), self.ranked, self.clauses, settings, plan_for)
