"""A small folder of tools, wakes to route, and the desk and the worker for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.payloads import WakePayload
from prefrontal.executive import Choice
from prefrontal.executive.actor.worker import SandboxedActor
from prefrontal.executive.chooser.desk import RoutedChooser
from prefrontal.protocols import Runner
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.router import Router
from prefrontal.settings.routing import Routing
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..routing.known_types import lend_types
from ..routing.project import EAST, layout_of, noon, write
from ..routing.routes import QuickRunner

SYNTAX = '''"""Check the syntax of a Python file.

Example:
    run(path="missing.py")
"""

from __future__ import annotations

from pathlib import Path


def run(path: str) -> list[str]:
    """Say where the file is no Python.

    Args:
        path: the file.

    Returns:
        findings: one sentence for each mistake.
    """
    file = Path(path)
    if not file.is_file():
        return []
    try:
        compile(file.read_text(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [f"{file.name}:{error.lineno}: {error.msg}"]
    return []
'''
TODOS = '''"""{what} TODO notes left in a file.

Example:
    run(path="missing.py")
"""

from __future__ import annotations

from pathlib import Path


def run(path: str) -> list[str]:
    """{what} the notes.

    Args:
        path: the file.
    """
    file = Path(path)
    lines = file.read_text().splitlines() if file.is_file() else []
    return [line.strip() for line in lines if "TODO" in line]
'''
DIFF = '''"""Summarise a diff: files and lines.

Example:
    run(diff="+one\\n")
"""

from __future__ import annotations


def run(diff: str) -> dict[str, int]:
    """Count.

    Args:
        diff: the text of the diff.
    """
    return {"added": diff.count("\\n+")}
'''


def tools_of(folder: Path, **more: str) -> Layout:
    """The tools in a folder of a test; more: source by "domain/action/name"."""
    layout = lend_types(layout_of(folder))
    sources = {
        "python/check/check_syntax": SYNTAX,
        "notes/find/find_todos": TODOS.format(what="Find"),
        "notes/find/list_todos": TODOS.format(what="Find"),
        "changes/summarise/summarise_diff": DIFF,
        **more,
    }
    for place, source in sources.items():
        write(layout.domains / f"{place}.py", source)
    return layout


def desk_of(
    layout: Layout,
    *,
    clock: ManualClock | None = None,
    settings: Routing | None = None,
    **told: Any,
) -> RoutedChooser:
    return RoutedChooser(router_of(layout, clock=clock, settings=settings), **told)


def router_of(
    layout: Layout, *, clock: ManualClock | None = None, settings: Routing | None = None
) -> Router:
    return Router(layout, settings or Routing(), clock=clock or noon(), tz=EAST)


class Asked(list[tuple[Decision, str]]):
    """An agent that takes every question."""

    def __call__(self, wake: Decision, question: str) -> None:
        self.append((wake, question))


def worker_of(
    layout: Layout, runner: Runner | None = None, ask: Any = None, **told: Any
) -> SandboxedActor:
    runner = QuickRunner(level="namespace") if runner is None else runner
    asked = Asked() if ask is None else ask
    return SandboxedActor(layout, Routing(), runner, asked, clock=noon(), **told)


def wake_of(
    question: str | None, location: str = "src/x.py", id_: str = "a" * 32, **features: Any
) -> Decision:
    event = SignalEvent("filesystem", location, "modified", 0.5, 1e9, features)
    return Decision(
        id=id_,
        time=1e9,
        payload=WakePayload(),
        subject="code",
        acted=True,
        reason="woke",
        score=0.9,
        threshold=0.5,
        question=question,
        propensity=1.0,
        window=(event,),
    )


def names(choice: Choice) -> list[str]:
    return [option.name for option in choice.options]
