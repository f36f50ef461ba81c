"""A replay as a tool: what a learned gate would have cost on a history of your own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio
import anyio.to_thread
from pydantic import Field

from ..assembly.replay_gate import PulseGate
from ..errors import InputError
from ..git_access import check_files
from ..replay.histories import git_process
from ..replay.prices import Prices, read_prices
from ..replay.report.verdict import verdict
from ..replay.report.wording import compared_sentence
from ..replay.session import Request, replay_events, replay_git
from ..settings.budget import parse_budget
from .offered import Arguments, Offered, ToolAnswer

if TYPE_CHECKING:
    from ..replay.result import Outcome, ReplayResult
    from .progress import Progress
    from .served import Served

MOST_WINDOWS = 50_000
USUAL_WINDOWS = 5_000
_EXAMPLES = 5
_AT_ONCE = 1
_Path = Annotated[str, Field(min_length=1, max_length=4096)]


class ReplayArguments(Arguments):
    git: _Path | None = Field(default=None, description="a repository; its commits are replayed")
    events: _Path | None = Field(
        default=None, description="a file of recorded windows, one JSON object a line"
    )
    recall: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.9, description="share of what mattered that must be caught"
    )
    relevant: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None,
        description="what mattered: path:GLOB, message:REGEX, followup, fixed-later, noop or"
        " recorded; found by itself when left out",
    )
    labels: Literal["all", "asked"] | None = Field(
        default=None,
        description="who is told what mattered: every window, or only what woke and audits, as"
        " live; left out: all for git, asked for events",
    )
    budget: Annotated[str, Field(max_length=20)] | None = Field(
        default=None,
        description="most wake-ups in any hour, day or week, such as 20/day; in place of recall",
    )
    warm: Annotated[list[_Path], Field(max_length=20)] = Field(
        default_factory=list,
        description="files of recorded windows to learn from first; with events alone",
    )
    prices: _Path | None = Field(
        default=None, description="a JSON file of what a wake-up takes and costs, by kind of token"
    )
    max_windows: Annotated[int, Field(ge=1, le=MOST_WINDOWS)] = Field(
        default=USUAL_WINDOWS, description="only the newest so many"
    )


class PolicyAnswer(ToolAnswer):
    name: str
    detail: str
    recall: float | None
    wakes_per_day: float
    share_woken: float
    precision: float | None
    tokens_per_useful_wake: float | None
    delay_minutes: float | None = Field(description="median, from what mattered to the wake-up")
    delay_p90_minutes: float | None = Field(description="90th percentile of the same")
    usd_per_wake: float | None = Field(
        description="what one of its wake-ups costs; null: what all others do"
    )


class ReplayVerdictAnswer(ToolAnswer):
    kind: str
    sentence: str


class BudgetAnswer(ToolAnswer):
    asked: str
    most: int = Field(description="wake-ups that any such span held at most")


class IncidentsAnswer(ToolAnswer):
    total: int
    told: int = Field(description="of which a question told")
    delay_s: dict[str, float] | None = Field(
        description="median and p90, from an incident's first window to its question"
    )
    missed: list[str]


class OutcomeAnswer(ToolAnswer):
    key: str = Field(description="a commit, or FILE:LINE")
    time: float
    score: float
    text: str
    paths: list[str]

    @classmethod
    def of(cls, outcome: Outcome) -> OutcomeAnswer:
        return cls(
            key=outcome.key,
            time=outcome.time,
            score=outcome.score,
            text=outcome.text,
            paths=list(outcome.paths),
        )


class ReplayAnswer(ToolAnswer):
    verdict: ReplayVerdictAnswer = Field(description="whether the gate is worth it, in a sentence")
    source: str
    relevant_means: str
    windows: int = Field(description="counted, after a fifth that only warms up")
    relevant: int
    days: float
    asked_recall: float
    got_recall: float | None
    recall_interval: list[float] | None = Field(description="90 % interval")
    promise: str
    wakes_per_day: float
    precision: float | None
    policies: list[PolicyAnswer] = Field(description="the gate last; what it is compared with")
    missed: int
    misses: list[OutcomeAnswer] = Field(description="the worst of them")
    wasted: int
    wastes: list[OutcomeAnswer]
    seconds: float
    notes: list[str]
    labels: str = Field(description="all: of every window; asked: of what woke and of audits")
    audits: int = Field(description="wake-ups that were audits of what slept")
    budget: BudgetAnswer | None = Field(description="null: a recall was asked for")
    incidents: IncidentsAnswer | None = Field(description="null: the history names none")
    with_other_labels: str = Field(description="what the other labels would give; empty: not tried")

    @classmethod
    def of(cls, result: ReplayResult) -> ReplayAnswer:
        interval = result.recall_interval
        decided = verdict(result)
        return cls(
            verdict=ReplayVerdictAnswer(kind=decided.kind, sentence=decided.sentence),
            source=result.source,
            relevant_means=result.preset,
            windows=result.windows,
            relevant=result.relevant,
            days=result.days,
            asked_recall=result.asked_recall,
            got_recall=result.got_recall,
            recall_interval=None if interval is None else list(interval),
            promise=result.promise,
            wakes_per_day=result.wakes_per_day,
            precision=result.precision,
            policies=[PolicyAnswer(**_row(each)) for each in result.policies],
            missed=result.missed,
            misses=[OutcomeAnswer.of(each) for each in result.misses[:_EXAMPLES]],
            wasted=result.wasted_count,
            wastes=[OutcomeAnswer.of(each) for each in result.wasted[:_EXAMPLES]],
            seconds=result.seconds,
            notes=list(result.notes),
            labels=result.labels,
            audits=result.audits,
            budget=_budget(result),
            incidents=_incidents(result),
            with_other_labels=compared_sentence(result),
        )


class Replays:
    """Runs so many replays at once; the others wait."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._room = anyio.CapacityLimiter(at_once)

    async def replay(
        self, served: Served, arguments: ReplayArguments, progress: Progress
    ) -> ReplayAnswer:
        if (arguments.git is None) == (arguments.events is None):
            sources = "both" if arguments.git is not None else "neither"
            raise InputError(f"arguments must have exactly one of git and events, got {sources}")
        request = Request(
            recall=arguments.recall,
            relevant=arguments.relevant,
            limit=arguments.max_windows,
            labels=arguments.labels,
            budget=None if arguments.budget is None else parse_budget(arguments.budget),
            warm=tuple(_files(served, arguments.warm)),
            prices=_prices(served, arguments.prices),
        )
        path = str(served.below(arguments.git or arguments.events or ""))
        if arguments.git is None:
            _check_file(path)
        run = replay_events if arguments.git is None else replay_git

        def work() -> ReplayResult:
            if arguments.git is not None:
                _check_repository(served, path)
            return run(path, request, PulseGate(), progress.step)

        try:
            # Abandoned when the call is cancelled; the next step of it then ends the thread.
            result = await anyio.to_thread.run_sync(
                work, abandon_on_cancel=True, limiter=self._room
            )
        finally:
            progress.stop()
        return ReplayAnswer.of(result)


def tools() -> tuple[Offered, ...]:
    """A server's own, so that servers do not wait for each other."""
    return (
        Offered(
            "replay",
            "What would a gate have cost here?",
            "Replay a git history or a file of recorded windows through a gate that learns as it"
            " goes: wake-ups a day, what was caught, what was missed, beside a heartbeat and"
            " simple rules. Takes seconds; progress is told.",
            ReplayArguments,
            ReplayAnswer,
            Replays().replay,
            read_only=True,
        ),
    )


def _check_file(path: str, name: str = "events") -> None:
    """InputError for what may never end: a pipe, a device. What is not there is told later."""
    file = Path(path)
    if file.exists() and not file.is_file():
        raise InputError(f"{name} must be a plain file, got {path!r:.200}")


def _check_repository(served: Served, path: str) -> None:
    """InputError for a repository that is only entered from what may be read."""
    if served.readable is not None and Path(path).is_dir():
        check_files(path)
        served.below(git_process.tell(path, "rev-parse", "--absolute-git-dir"))


def _files(served: Served, paths: Sequence[str]) -> Iterator[str]:
    for each in paths:
        path = str(served.below(each))
        _check_file(path, "warm")
        yield path


def _prices(served: Served, path: str | None) -> Prices | None:
    if path is None:
        return None
    file = str(served.below(path))
    _check_file(file, "prices")
    return read_prices(file)


def _budget(result: ReplayResult) -> BudgetAnswer | None:
    used = result.budget
    return None if used is None else BudgetAnswer(asked=used.asked, most=used.most)


def _incidents(result: ReplayResult) -> IncidentsAnswer | None:
    incidents = result.incidents
    if incidents is None:
        return None
    delay = None if incidents.delay_s is None else asdict(incidents.delay_s)
    return IncidentsAnswer(
        total=incidents.total, told=incidents.told, delay_s=delay, missed=list(incidents.missed)
    )


def _row(policy: Any) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in PolicyAnswer.model_fields}
