"""What each stage of a route returns, and the route that carries it.

RouteRequest -> ParsedPrompt -> Ranking -> ToolChoice -> TrialModule -> TrialReport -> Promotion
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import SourceError
from ..ranking.coverage import uncovered
from ..ranking.outward_acts import open_acts

if TYPE_CHECKING:
    from ..promotion.promotion import Promotion
    from ..prompt.hints import Hint
    from ..prompt.taxonomy import Taxonomy
    from ..ranking.tool_ranker import ToolRanker
    from ..trace import Trace
    from ..types import (
        Approval,
        Candidate,
        Discovery,
        ParsedIntent,
        RouteDecision,
        SubIntent,
        Tool,
        ToolSpec,
        ValidationReport,
    )
    from .request import Ending, RouteRequest


@dataclass(frozen=True, slots=True)
class ParsedPrompt:
    """What a prompt asks for, in the project as it is now.

    tools: all of the project's. ranker: of all of them, so that a tool's score does not depend on
    where one looks. asked: whether a person was asked which folder is meant. answered: whether one
    said so.
    """

    request: RouteRequest
    intent: ParsedIntent
    clauses: tuple[SubIntent, ...]
    hints: tuple[Hint, ...]
    taxonomy: Taxonomy
    tools: Discovery
    ranker: ToolRanker
    asked: bool = False
    answered: bool = False

    def is_sure(self, threshold: float) -> bool:
        """Whether the prompt or a person says which folder is meant."""
        return self.answered or self.intent.confidence >= threshold


@dataclass(frozen=True, slots=True)
class Ranking:
    """The tools that may serve a prompt, best first.

    intent: the prompt's, less sure where the search was widened. discovery: where was looked.
    """

    parsed: ParsedPrompt
    intent: ParsedIntent
    discovery: Discovery
    candidates: list[Candidate]

    @property
    def widened(self) -> bool:
        """Whether tools beyond the folder of the intent are among them."""
        return self.discovery.search == "widened"

    @property
    def complete(self) -> bool:
        """Whether there is nowhere else to look."""
        return len(self.parsed.tools.tools) <= len(self.discovery.tools)

    def tool_of(self, spec: ToolSpec) -> Tool:
        """The discovered tool that a decision selected. Raises SourceError when it is gone."""
        for tool in self.discovery.tools:
            if tool.spec.place == spec.place:
                return tool
        raise SourceError(f"{spec.path} is no longer among the tools")


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The decision, and the ranking that it was made from.

    intent: that of the whole route. rivals: names of tools that fit as well as the selected one.
    agreed: whether a person, asked which one, said that it is the selected one.
    """

    ranking: Ranking
    intent: ParsedIntent
    decision: RouteDecision
    rivals: tuple[str, ...] = ()
    agreed: bool = False

    def uncovered_clauses(self, floor: int) -> tuple[str, ...]:
        """Those of the prompt that no selected tool serves with at least `floor` millionths, or
        that ask for an act which none of them does.
        """
        clauses = self.ranking.parsed.clauses
        selected, candidates = self.decision.selected, self.ranking.candidates
        places = {*uncovered(selected, candidates, len(clauses), floor), *self.open_acts()}
        return tuple(clauses[place].text for place in sorted(places))

    def open_acts(self) -> dict[int, str]:
        """By the position of a clause that asks to send or to delete: the verb, where no selected
        tool does so and none was accepted for a prompt like it.
        """
        places = {spec.place for spec in self.decision.selected}
        chosen = [one for one in self.ranking.candidates if one.tool.spec.place in places]
        if any(one.familiar for one in chosen):
            return {}
        return open_acts(self.ranking.parsed.clauses, (one.tool for one in chosen))


@dataclass(frozen=True, slots=True)
class TrialModule:
    """The file that is tried out. tool: the existing tool that it is, None for a new module.

    uncovered: clauses of the prompt that it does not serve. widened: whether it was chosen among
    tools from beyond the folder of the intent. parts: the files of the tools that a composition
    calls, with their hashes. rivals: names of tools that fit as well. hosts: that the manifests
    of its tools name. agreed: whether a person said before it was tried that it is the tool.
    """

    request: RouteRequest
    intent: ParsedIntent
    decision: RouteDecision
    path: Path
    sha256: str
    tool: Tool | None = None
    uncovered: tuple[str, ...] = ()
    widened: bool = False
    parts: Mapping[Path, str] = field(default_factory=dict)
    rivals: tuple[str, ...] = ()
    hosts: tuple[str, ...] | None = None
    agreed: bool = False

    @property
    def runnable(self) -> bool:
        """Whether it can be run on this machine; a server's tool cannot."""
        return self.tool is None or self.tool.runnable


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What came of a trial. validation: None for a tool that cannot be run here.

    ending: where the route stops; None when it goes on to be approved.
    """

    module: TrialModule
    validation: ValidationReport | None
    ending: Ending | None


@dataclass(frozen=True, slots=True)
class Route:
    """What each stage came to; None for a stage that was not reached.

    ranking: None for a route that was taken up again, too. promotion: None also for a tool of a
    server, which stays there. uncovered: clauses of the prompt that a plan does not serve.
    """

    request: RouteRequest
    intent: ParsedIntent
    decision: RouteDecision
    ending: Ending
    ranking: Ranking | None = None
    trial: TrialReport | None = None
    approval: Approval | None = None
    promotion: Promotion | None = None
    uncovered: tuple[str, ...] = ()

    @property
    def trace(self) -> Trace:
        return self.request.trace

    @property
    def route_id(self) -> str:
        return self.trace.route_id

    @property
    def run_id(self) -> str:
        return self.trace.run_id

    @property
    def exit_code(self) -> int:
        return self.ending.exit_code

    @property
    def sentence(self) -> str:
        """Why it ended there."""
        return self.ending.sentence

    @property
    def candidates(self) -> list[Candidate]:
        """Best first."""
        return self.ranking.candidates if self.ranking else []

    @property
    def module(self) -> Path | None:
        """The file that was tried out."""
        return self.trial.module.path if self.trial else None

    @property
    def report(self) -> ValidationReport | None:
        return self.trial.validation if self.trial else None

    @property
    def promoted(self) -> Path | None:
        """The file that was kept."""
        return self.promotion.path if self.promotion else None
