"""How far a prompt came, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..promotion.promotion import Promotion
from ..trace import Trace
from ..types import Approval, Candidate, ParsedIntent, RouteDecision, ValidationReport
from .ranking import Ranking
from .request import Ending, RouteRequest
from .trial_report import TrialReport


@dataclass(frozen=True, slots=True)
class Route:
    """What each stage came to; None for a stage that was not reached.

    ranking: None for a route that was taken up again, too. promotion: None also for a tool of a
    server, which stays there.
    """

    request: RouteRequest
    intent: ParsedIntent
    decision: RouteDecision
    ending: Ending
    ranking: Ranking | None = None
    trial: TrialReport | None = None
    approval: Approval | None = None
    promotion: Promotion | None = None

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
