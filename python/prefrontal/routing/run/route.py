"""One prompt on its way to a tool: what is known of it after each phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ...errors import SourceError
from ...plain_text import one_line
from ..exit_codes import OK
from ..prompt.hints import Hint
from ..prompt.taxonomy import Taxonomy
from ..ranking.precedence import micro
from ..ranking.ranking import Ranking
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
from .transcript import two_places

if TYPE_CHECKING:
    from .router import Router

Phase: TypeAlias = Callable[["Router", "Route"], "Phase | None"]
"""Takes a route a step further and names the next phase, None at the end."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How far a route goes and who is asked.

    plan_only: parse and discover, no more. dry_run: validate, keep nothing. interactive: somebody
    answers; otherwise only the rule of `auto_approval` keeps a route.
    """

    plan_only: bool = False
    dry_run: bool = False
    interactive: bool = True
    allow_generated: bool = False
    allow_weak_sandbox: bool = False


class Operator(Protocol):
    """The person in front of the router."""

    def answer(self, question: str) -> str:
        """The reply to a question; empty for none."""
        ...

    def agree(self, question: str) -> bool | None:
        """Yes or no; None when nobody answers, which approves nothing and teaches nothing."""
        ...


@dataclass(slots=True)
class Route:
    """State of one route; each phase fills in its part."""

    prompt: str
    mode: Mode
    trace: Trace
    resumed: bool = False
    parsed: ParsedIntent | None = None
    before_widening: ParsedIntent | None = None
    clauses: tuple[SubIntent, ...] = ()
    hints: tuple[Hint, ...] = ()
    taxonomy: Taxonomy | None = None
    every: Discovery | None = None
    ranking: Ranking | None = None
    discovery: Discovery | None = None
    candidates: list[Candidate] = field(default_factory=list)
    decision: RouteDecision | None = None
    module: Path | None = None
    tool: Tool | None = None
    sha256: str = ""
    report: ValidationReport | None = None
    approval: Approval | None = None
    promoted: Path | None = None
    exit_code: int = OK
    sentence: str = ""

    @property
    def route_id(self) -> str:
        return self.trace.route_id

    @property
    def run_id(self) -> str:
        return self.trace.run_id

    @property
    def description(self) -> str:
        """The prompt in one line, for docstrings and logs."""
        return one_line(" ".join(self.prompt.split()))[:200]

    def tool_of(self, spec: ToolSpec) -> Tool:
        """The discovered tool that a decision selected. Raises SourceError when it is gone."""
        for tool in self.found().tools:
            same = tool.spec.path == spec.path and tool.spec.doc == spec.doc
            if same and tool.spec.args == spec.args:
                return tool
        raise SourceError(f"{spec.path} is no longer among the tools")

    def intent(self) -> ParsedIntent:
        assert self.parsed is not None, "parse comes first"
        return self.parsed

    def all_tools(self) -> Discovery:
        assert self.every is not None, "parse comes first"
        return self.every

    def known(self) -> Taxonomy:
        assert self.taxonomy is not None, "parse comes first"
        return self.taxonomy

    def found(self) -> Discovery:
        assert self.discovery is not None, "discover comes first"
        return self.discovery

    def chosen(self) -> RouteDecision:
        assert self.decision is not None, "decide comes first"
        return self.decision

    def end(self, exit_code: int, sentence: str) -> None:
        """Stop here; the sentence says why."""
        self.exit_code, self.sentence = exit_code, sentence

    def nearest(self, count: int = 3) -> Sequence[Candidate]:
        """The best candidates, whatever their scores."""
        return self.candidates[:count]


def candidate_event(candidate: Candidate) -> dict[str, Any]:
    """A candidate as the trace keeps it."""
    return {
        "tool": candidate.tool.relative,
        "name": candidate.tool.name,
        "shared": candidate.tool.shared,
        "runnable": candidate.tool.runnable,
        "score": micro(candidate.score) / 1e6,
        "features": {name: round(value, 6) for name, value in candidate.features.items()},
        "matched": list(candidate.matched),
        "clauses": [round(score, 6) for score in candidate.clauses],
        "flags": list(candidate.flags),
    }


def nearest_misses(candidates: Sequence[Candidate]) -> str:
    """For people: "plot_matrix 0.58, summarize_matrix 0.31"; "none" when there is no tool."""
    told = ", ".join(f"{one.tool.name} {two_places(one.score)}" for one in candidates)
    return told or "none"
