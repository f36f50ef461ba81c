"""Tries the rules in a small project: a clear prompt, a vague one, a promotion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ...clock import SystemClock
from ...errors import PrefrontalError
from ..catalog.discovery import discover_all, open_cache
from ..identity import Identities
from ..layout import Layout
from ..promotion.metadata import metadata_file
from ..promotion.promotion import Promoter
from ..promotion.promotion_draft import PromotionRequest
from ..records import read_records
from ..run.request import Mode
from ..run.router import Router
from ..run.transcript import Transcript
from ..types import Approval
from .project import stray_logs

if TYPE_CHECKING:
    from ...protocols import Runner
    from ...settings.routing import Routing
    from ..run.route import Route

_PLOT = '''"""Plot a matrix of numbers."""


def run(rows: list[list[float]]) -> dict[str, str]:
    """Draw the matrix.

    Returns:
        figure: the picture as text.
    """
    return {"figure": "\\n".join(" ".join("%g" % cell for cell in row) for row in rows)}
'''
_SUM = '''"""Summarize a matrix of numbers."""


def run(rows: list[list[float]]) -> dict[str, float]:
    """Sum all of it.

    Returns:
        summary: the sum.
    """
    return {"summary": sum(map(sum, rows))}
'''
_FILES = {
    "domains/analysis/visualise/plot_matrix.py": _PLOT,
    "domains/analysis/summarise/summarize_matrix.py": _SUM,
    "domains/reports/visualise/draw_report.py": _PLOT.replace("matrix", "report"),
    "shared_tools/visualise/plot_matrix.py": _PLOT,
    "domains/analysis/visualise/tool.yaml": "name: [",
}


@dataclass
class Exercise:
    """Problems by rule, and what the trial showed besides."""

    precedence: list[str] = field(default_factory=list)
    explanation: list[str] = field(default_factory=list)
    clarification: list[str] = field(default_factory=list)
    validation: list[str] = field(default_factory=list)
    promotion: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)
    stray_logs: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    shadowing: str = ""
    questions: int = 0


def exercise(settings: Routing, runner: Runner) -> Exercise:
    """Run the trial in a temporary folder. Raises SourceError when that cannot be written."""
    result = Exercise()
    with TemporaryDirectory(prefix="prefrontal-audit-") as folder:
        layout = Layout.of(Path(folder) / "workflows")
        for name, text in _FILES.items():
            (layout.root / name).parent.mkdir(parents=True, exist_ok=True)
            (layout.root / name).write_text(text, encoding="utf-8")
        person = _Person()
        plain = settings.model_copy(update={"embeddings_enabled": False})
        router = Router(layout, plain, runner=runner, operator=person)
        _clear_prompt(result, router.route("plot a matrix", Mode(dry_run=True)), settings)
        router.route("matrix", Mode(plan_only=True))
        person.questions = 0
        router.route("do something with it", Mode(dry_run=True))
        result.questions = person.questions
        if person.questions > 1:
            result.clarification.append(f"{person.questions} questions were asked")
        _optional(result, layout)
        _promote(result, layout)
        result.stray_logs += stray_logs(layout)
    return result


class _Person:
    """Counts questions, answers none and agrees to nothing."""

    def __init__(self) -> None:
        self.questions = 0

    def answer(self, question: str) -> str:
        self.questions += 1
        return ""

    def agree(self, question: str) -> bool:
        return False


def _clear_prompt(result: Exercise, route: Route, settings: Routing) -> None:
    events = route.trace.events
    lines = [line for event_lines in _told(events) for line in event_lines]
    warnings = [line for line in lines if "shadowed" in line]
    result.shadowing = warnings[0].partition("warning: ")[2] if warnings else ""
    chosen = route.decision.selected
    if not warnings or any("shared_tools" in spec.path.as_posix() for spec in chosen):
        result.precedence.append("a shared tool was not shadowed by the domain's with its name")
    text = "\n".join(lines)
    weights = [f"{value:g} {name}" for name, value in _weights(settings).items()]
    for word in (f"τ={settings.ranker.threshold:.2f}", "tie", *weights):
        if word not in text:
            result.explanation.append(f"--explain does not show {word!r}")
    result.steps = [str(event["decision"]) for event in events if event["phase"] == "validate"]
    names = [step.partition(":")[0] for step in result.steps]
    if names != ["ruff", "mypy", "import", "dry-run"]:
        result.validation.append(f"the steps were {names} ({route.sentence})")
    elif route.report is None or not route.report.ok:
        result.validation.append(f"a good tool is not valid: {route.sentence}")


def _told(events: list[dict[str, Any]]) -> list[list[str]]:
    transcript = Transcript(explained=True)
    return [transcript.take(event) for event in events]


def _weights(settings: Routing) -> Mapping[str, float]:
    weights: dict[str, float] = settings.ranker.weights.model_dump()
    return weights


def _optional(result: Exercise, layout: Layout) -> None:
    """The tools must be the same with and without the cache, and beside a broken manifest."""
    plain = discover_all(layout).tools
    cached = [discover_all(layout, cache=open_cache(layout)).tools for _ in range(2)]
    if cached != [plain, plain]:
        result.optional.append("the cache changes which tools are found")
    if len(plain) != sum(name.endswith(".py") for name in _FILES):
        result.optional.append("a broken manifest hides tools")


def _promote(result: Exercise, layout: Layout) -> None:
    clock = SystemClock()
    promoter = Promoter(layout, clock, Identities(layout, clock, bytes), "audit")
    sources = [_PLOT, _PLOT, _PLOT.replace("rows:", "rows: list[list[float]], scale:")]
    try:
        done = [promoter.promote(_request(layout, source)) for source in sources]
    except PrefrontalError as error:
        result.promotion.append(str(error))
        return
    came = [(one.was, one.version) for one in done]
    if came != [("new", "1.0.0"), ("same", "1.0.0"), ("changed", "2.0.0")]:
        result.promotion.append(f"came out as {came}")
    folder = done[0].path.parent
    records = read_records(metadata_file(folder)).rows
    if len(records) != 2:
        result.promotion.append(f"{len(records)} records were written instead of 2")
    notes = (folder.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    if any(str(record["id"]) not in notes for record in records):
        result.promotion.append("a record is not in the change log")


def _request(layout: Layout, source: str) -> PromotionRequest:
    path = layout.route_tmp("route-audit") / "made.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    approval = Approval("audit", "", sha256(source.encode()).hexdigest())
    return PromotionRequest(path, "audit", "plot", "plot_matrix", "Plots", "", "", approval)
