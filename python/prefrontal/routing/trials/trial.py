"""A module on trial: its bytes and place, and how a step runs and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...errors import PrefrontalError
from ...home_folder import expanded
from ...plain_text import one_line

if TYPE_CHECKING:
    from ...protocols import Runner, RunOutcome
    from ...settings.routing import Routing
    from ..layout import Layout

StepName = Literal["ruff", "mypy", "import", "dry-run"]
StepState = Literal["ok", "failed", "skipped", "missing", "timeout", "not runnable"]

LINE_LIMIT = 300
"""Most characters of a step's line; its log has the rest."""
LOG_LIMIT = 200_000
"""Most bytes of each output that a log keeps."""


@dataclass(frozen=True, slots=True)
class ModuleTrial:
    """What every step needs. source: the bytes on trial, even if the file changes."""

    path: Path
    source: bytes
    layout: Layout
    route_id: str
    runner: Runner
    settings: Routing
    generated: bool

    def run(
        self,
        argv: Sequence[str],
        *,
        max_seconds: float,
        scratch: Path | None = None,
        readable: Sequence[Path] = (),
        stdin: bytes = b"",
    ) -> RunOutcome | str:
        """The outcome, or a sentence why the sandbox gave none. scratch: by default the route's."""
        place = self.layout.route_tmp(self.route_id) if scratch is None else scratch
        try:
            place.mkdir(parents=True, exist_ok=True)
            return self.runner.run(
                argv, scratch=place, readable=readable, max_seconds=max_seconds, stdin=stdin
            )
        except (OSError, PrefrontalError) as error:
            return f"the sandbox could not be started: {error}"


@dataclass(frozen=True, slots=True)
class TrialStep:
    """The result of a step. reason: why it is not ok, in one line. log: its whole output."""

    name: StepName
    state: StepState
    reason: str = ""
    duration_s: float = 0.0
    level: str = ""
    log: str = ""

    def line(self) -> str:
        """For people: "mypy: failed (98 ms, namespace): tool.py:3: error: ..."."""
        where = f", {self.level}" if self.level else ""
        took = f" ({round(self.duration_s * 1000)} ms{where})" if self.state != "skipped" else ""
        return f"{self.name}: {self.state}{took}" + (f": {self.reason}" if self.reason else "")


def step_of(
    name: StepName, argv: Sequence[str], outcome: RunOutcome | str, state: StepState, summary: str
) -> TrialStep:
    """The step, with the log of the command that was run for it."""
    if isinstance(outcome, str):
        return TrialStep(name, "failed", outcome, log=outcome + "\n")
    parts = [
        f"step: {name}",
        f"command: {' '.join(argv)}",
        f"sandbox: {outcome.level}",
        f"state: {state}",
        f"exit status: {outcome.returncode}",
        f"stopped by: {outcome.stopped_by or 'nothing'}",
        f"seconds: {outcome.duration_s:.3f}",
        *([f"finding: {summary}"] if summary else []),
        f"--- standard output\n{_text(outcome.stdout)}",
        f"--- standard error\n{_text(outcome.stderr)}",
    ]
    short = short_line(summary)
    return TrialStep(name, state, short, outcome.duration_s, outcome.level, "\n".join(parts) + "\n")


def stopped(outcome: RunOutcome | str, limit_s: float) -> tuple[StepState, str] | None:
    """State and sentence of a command that a limit ended; None when it ended by itself."""
    if isinstance(outcome, str):
        return "failed", outcome
    if outcome.stopped_by == "time":
        return "timeout", f"it was stopped after {limit_s:g} s"
    if outcome.stopped_by == "sandbox" or outcome.returncode is None:
        return "failed", f"the sandbox could not be started: {_text(outcome.stderr[-500:])}"
    if outcome.stopped_by:
        return "failed", f"it was stopped for its use of {outcome.stopped_by}"
    return None


def short_line(text: str) -> str:
    """The start of the text on one line, without control characters."""
    short = " ".join(one_line(text[: 4 * LINE_LIMIT]).split())
    return short if len(short) <= LINE_LIMIT else short[: LINE_LIMIT - 1] + "…"


def setting_file(trial: ModuleTrial, name: str | None) -> Path | None:
    """A file that a setting names, relative to the project's folder."""
    return None if name is None else trial.layout.root.parent / expanded(name)


def _text(data: bytes) -> str:
    cut = data if len(data) <= LOG_LIMIT else data[:LOG_LIMIT] + b"\n[cut]"
    return cut.decode("utf-8", "replace")
