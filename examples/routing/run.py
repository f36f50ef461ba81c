"""The examples of routing, as a person sees them: python examples/routing/run.py [SCENE ...]

Offline, in a temporary copy of this folder, at one moment of one day, with names that are always
the same; only durations differ from run to run. What each scene prints lies in transcripts/.
"""

from __future__ import annotations

import runpy
import shutil
import sys
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from prefrontal.assembly.router import build_layout, build_model, build_runner
from prefrontal.cli.route.output import Output
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.route import Route
from prefrontal.routing.run.router import Router
from prefrontal.settings import load_settings
from prefrontal.testing import ManualClock

HERE = Path(__file__).resolve().parent
EAST = timezone(timedelta(hours=4))
NOON = datetime(2025, 10, 31, 12, tzinfo=EAST).timestamp()


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of this folder, and a router for it."""

    folder: Path
    router: Router

    def route(self, prompt: str, *options: str) -> Route:
        """What `prefrontal route PROMPT --non-interactive` does and prints, with its exit code."""
        print(f'$ prefrontal route "{prompt}" {" ".join(["--non-interactive", *options])}')
        allowed = "--allow-generated" in options
        route = self.router.route(prompt, Mode(interactive=False, allow_generated=allowed))
        print(f"(exit code {route.exit_code})")
        return route


def select(project: Project) -> None:
    """One tool fits. Kept a second time, the same content gets no second record."""
    project.route("summarize this matrix for me")
    print()
    project.route("summarize this matrix for me")


def compose(project: Project) -> None:
    """Two tools fit one half each: they become one, which is called like any other."""
    route = project.route("Summarize a matrix then plot it")
    if route.promoted is None:
        sys.exit(f"\nThe composition was not kept, so it cannot be called: {route.sentence}")
    matrix = [[1.0, 2.0], [3.0, 6.0]]
    with chdir(project.folder):
        result = runpy.run_path(str(route.promoted))["run"](df=matrix)
    chart = Path(result["figure_path"])
    print(f"\n>>> {route.promoted.stem}.run(df={matrix})")
    print(f"{{'figure_path': '.../{chart.name}'}}")
    print(f"{chart.name} is an SVG of {chart.read_text().count('<rect')} bars")


def generate(project: Project) -> None:
    """No tool fits; the model's reply imports what it must not, and is refused before it runs."""
    told = ("--allow-generated", "--config prefrontal.yml")
    project.route("download the weather forecast for Berlin", *told)


def refusal(project: Project) -> None:
    """No tool fits and nobody may write one: that is said, with what came nearest."""
    project.router.bench.model = None
    project.route("delete every file")


SCENES: dict[str, Callable[[Project], None]] = {
    "select": select,
    "compose": compose,
    "generate": generate,
    "refusal": refusal,
}


def play(name: str) -> None:
    """Print one scene."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "project"
        shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("_tmp", "logs", "__pycache__"))
        settings = load_settings(folder / "prefrontal.yml").routing
        layout = build_layout(settings, folder / settings.workflows_root)
        router = Router(
            layout,
            settings,
            runner=build_runner(settings),
            model=build_model(settings, layout),
            show=Output(explained=False, as_json=False).show,
            clock=ManualClock(NOON),
            tz=EAST,
            random_bytes=bytes,
        )
        SCENES[name](Project(folder, router))


def main(names: list[str]) -> int:
    """Play the scenes with these names, all without any. Returns the exit code."""
    unknown = [name for name in names if name not in SCENES]
    if unknown:
        print(f"SCENE must be one of {', '.join(SCENES)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    for name in names or SCENES:
        play(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
