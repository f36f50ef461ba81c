"""The shipped example project in a test's folder, a router for it, and who is asked."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefrontal.protocols import CodeModel, Embedder, Runner
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.route import Route
from prefrontal.routing.run.router import Router
from prefrontal.routing.trace import read_trace
from prefrontal.settings.routing import Routing
from prefrontal.testing import ManualClock

from .plain_runner import PlainOutcome, PlainRunner
from .project import EAST, a_byte, layout_of, noon

EXAMPLES = Path(__file__).parents[2] / "examples" / "routing"

SUMMARIZE = "summarize this matrix for me"
COMPOSE = "Summarize a matrix then plot it"
UNKNOWN = "download the weather forecast for Berlin"
VAGUE = "count the matrix and summarize the words of a text"

WRITTEN = '''"""Says hello.

Params: none.
Returns: the greeting.
Side effects: none.
"""


def run() -> str:
    """Greet."""
    return "hello"
'''


@dataclass
class QuickRunner(PlainRunner):
    """Runs everything but mypy, which it says is content: types are not the point here."""

    def run(
        self,
        argv: Sequence[str],
        *,
        scratch: Path,
        readable: Sequence[Path] = (),
        max_seconds: float | None = None,
        stdin: bytes = b"",
    ) -> PlainOutcome:
        if "mypy" in argv:
            self.asked.append(list(argv))
            return PlainOutcome(0, b"", b"", level=self.level)
        return PlainRunner.run(
            self, argv, scratch=scratch, readable=readable, max_seconds=max_seconds, stdin=stdin
        )


@dataclass
class Script:
    """Somebody who answers as told. asked: what was to be answered; offered: what to agree to.

    before: called before each agreement, with what is asked.
    """

    reply: str = ""
    yes: bool = True
    before: Callable[[str], object] = str
    asked: list[str] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)

    def answer(self, question: str) -> str:
        self.asked.append(question)
        return self.reply

    def agree(self, question: str) -> bool:
        self.offered.append(question)
        self.before(question)
        return self.yes


@dataclass
class Writer:
    """A model that always writes one module. asked: the prompts."""

    source: str = WRITTEN
    provider: str = "test"
    name: str = "writer"
    temperature: float = 0.0
    asked: list[str] = field(default_factory=list)

    def complete(self, prompt: str) -> str:
        self.asked.append(prompt)
        return f"```python\n{self.source}```\n"


def example_project(folder: Path) -> Layout:
    """A copy of the example's tools."""
    shutil.copytree(
        EXAMPLES / "workflows",
        folder / "workflows",
        ignore=shutil.ignore_patterns("_tmp", "__pycache__"),
    )
    return layout_of(folder)


def router_of(
    layout: Layout,
    *,
    settings: Mapping[str, Any] | None = None,
    runner: Runner | None = None,
    model: CodeModel | None = None,
    embedder: Embedder | None = None,
    operator: Any = None,
    clock: ManualClock | None = None,
    show: Any = None,
) -> Router:
    """A router at noon whose modules are tried out quickly and without confinement."""
    return Router(
        layout,
        Routing.model_validate(dict(settings or {})),
        runner=runner or QuickRunner(),
        model=model,
        embedder=embedder,
        operator=operator,
        show=show,
        clock=clock or noon(),
        tz=EAST,
        random_bytes=a_byte,
    )


def routed(layout: Layout, prompt: str, mode: Mode | None = None, **options: Any) -> Route:
    """One route through a router of its own."""
    return router_of(layout, **options).route(prompt, mode)


def phases(route: Route) -> list[str]:
    """The phases of a run, from its log."""
    return [event["phase"] for event in events(route)]


def events(route: Route) -> list[dict[str, Any]]:
    """What the log of a run holds."""
    found = read_trace(route.trace.path)
    assert not found.findings
    return list(found.rows)


def event(route: Route, phase: str) -> dict[str, Any]:
    """The last event of a phase."""
    return [one for one in events(route) if one["phase"] == phase][-1]


def files(folder: Path) -> dict[str, bytes]:
    """What lies in a folder, temporary files and logs left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "_tmp" not in path.parts and "__pycache__" not in path.parts
    }
