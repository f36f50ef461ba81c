"""Ranked tools and compositions as options of a choice: with arguments, reasons and features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..routing.plans.links import check_tools, step_references
from ..routing.plans.plan import parse_plan
from ..routing.ranking.precedence import MOST_HARM, harm
from ..routing.ranking.tool_ranker import key_of
from ..routing.types import ArgSpec, Candidate, Plan, Tool
from .arguments import EventArguments, Filled
from .nouns import Option

if TYPE_CHECKING:
    from ..routing.run.route import ToolChoice
    from ..settings.routing import Routing

JOINED = " + "
"""What stands between the keys of a composition's tools."""

Found = tuple[Option, tuple[str, ...]]
"""An option, and what it lacks: required arguments, or a file that it is for."""


@dataclass(frozen=True, slots=True)
class Options:
    """Makes options of what a route chose from, for one wake."""

    routed: ToolChoice
    settings: Routing
    wake: EventArguments

    def single(self, candidate: Candidate) -> Found:
        """One tool. Its why: each feature times its weight."""
        tool = candidate.tool
        filled = self.wake.fill(tool.spec.args)
        flags = [*candidate.flags, *_lacking(filled)]
        if not tool.runnable:
            flags.append("it cannot be run here")
        option = Option(
            tool=key_of(tool),
            name=tool.name,
            score=candidate.score,
            arguments=filled.arguments,
            why=self._why(candidate),
            features=self._features([candidate], filled),
            flags=tuple(flags),
        )
        return option, (*filled.missing, *self._unfit([tool]))

    def composition(self) -> list[Found]:
        """The router's composition; empty when its tools are no longer there."""
        decision = self.routed.decision
        plan = parse_plan(decision.plan)
        by_path = {each.tool.spec.path: each for each in self.routed.ranking.candidates}
        parts = [by_path[spec.path] for spec in decision.selected]
        known = list({key_of(each.tool): each.tool for each in parts}.values())
        filled = self._filled(plan, check_tools(plan, known))
        option = Option(
            tool=JOINED.join(key_of(each.tool) for each in parts),
            name=JOINED.join(each.tool.name for each in parts),
            score=min(spec.score for spec in decision.selected),
            arguments=filled.arguments,
            why=self._why(min(parts, key=lambda each: each.score)),
            features=self._features(parts, filled),
            flags=_lacking(filled),
            plan=decision.plan,
        )
        return [(option, (*filled.missing, *self._unfit([each.tool for each in parts])))]

    def _unfit(self, tools: Sequence[Tool]) -> tuple[str, ...]:
        """The kinds of files that tools are for, where the signal's is another."""
        kinds = dict.fromkeys(each.manifest.files for each in tools if each.manifest)
        return tuple(f"a file like {' or '.join(of)}" for of in kinds if not self.wake.fits(of))

    def _filled(self, plan: Plan, used: Sequence[Tool]) -> Filled:
        """The plan's parameters, each filled as the argument that takes it first."""
        arguments: dict[str, Any] = {}
        missing = []
        for param in plan.params:
            values = self.wake.fill([_taker(plan, used, param)])
            if values.missing:
                missing.append(param)
            else:
                arguments[param] = next(iter(values.arguments.values()))
        return Filled(arguments, tuple(missing))

    def _why(self, candidate: Candidate) -> tuple[tuple[str, float], ...]:
        weights = self.settings.ranker.weights
        by_name = {
            "name_similarity": weights.name,
            "doc_keywords": weights.doc,
            "history_success": weights.history,
        }
        reasons = [
            (name, weight * candidate.features.get(name, 0.0)) for name, weight in by_name.items()
        ]
        return tuple(sorted(reasons, key=lambda each: (-each[1], each[0])))

    def _features(self, parts: Sequence[Candidate], filled: Filled) -> Mapping[str, float]:
        """Of a composition: those of its weakest part."""
        ranking = self.routed.ranking
        return {
            "score": min(each.score for each in parts),
            "history_success": min(each.features["history_success"] for each in parts),
            "failures": float(sum(ranking.parsed.ranker.failures(each.tool) for each in parts)),
            "side_effect": max(harm(each.tool) for each in parts) / MOST_HARM,
            "steps": float(len(parts)),
            "margin": 0.0,
            "filled": float(len(filled.arguments)),
            "exact": float(ranking.discovery.search == "exact"),
            "confidence": self.routed.intent.confidence,
        }


def _taker(plan: Plan, used: Sequence[Tool], param: str) -> ArgSpec:
    """The argument that a parameter of the plan is passed to."""
    for number, (step, tool) in enumerate(zip(plan.steps, used, strict=True)):
        for argument, reference in step_references(step, number):
            if not reference.step and reference.name == param:
                hints = {each.name: each.type_hint for each in tool.spec.args}
                return ArgSpec(argument, hints.get(argument), True, None)
    return ArgSpec(param, None, True, None)


def _lacking(filled: Filled) -> tuple[str, ...]:
    return tuple(f"the signal has nothing for {name}" for name in filled.missing)
