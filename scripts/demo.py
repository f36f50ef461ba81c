"""`make demo`: the recorded history first, then the longest one found here that tells something.

    python scripts/demo.py [REPOSITORY] [--reports FOLDER]

With REPOSITORY, that one alone. Nothing leaves the machine. The reports go into FOLDER.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from longest_history import COUNTED, TIME_LIMIT_S, History, histories
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.cli.page import progress
from prefrontal.errors import PrefrontalError
from prefrontal.plain_text import visible
from prefrontal.replay.report.report import render_html
from prefrontal.replay.report.table import Page, print_brief, print_result
from prefrontal.replay.report.verdict import NOT_KEPT, WORTH_IT, WORTH_LITTLE, verdict
from prefrontal.replay.result import ReplayResult
from prefrontal.replay.session import Request, replay_git, replay_sample
from prefrontal.storage.files import write_atomic

HERE = Path(__file__).resolve().parent.parent
LEAST = 200
"""Fewer changes are not replayed unasked. Of 40 stretches of five public histories that are as long
31 told something; of those of 100 changes it was 18."""

NEWEST = 10_000
"""Changes of a history that are replayed unasked; more would make a long demo."""

TRIED = 3
"""How many histories are replayed, the longest first, until one tells something."""

TELLING = (WORTH_IT, WORTH_LITTLE, NOT_KEPT)
"""Verdicts that say something about the gate, good or bad, and not only that nothing was known."""

SHOWN = 3


class Demo:
    """What is said and written, and what has been written so far."""

    def __init__(self, reports: Path, roots: list[Path]) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._folder = reports
        self._roots = roots
        self._reports: list[Path] = []

    def sample(self) -> None:
        """The history that ships with the package."""
        self._title("A recorded history: trio, a Python library")
        with progress() as step:
            result = replay_sample(Request(), PulseGate(), step)
        self._show(result, "sample")

    def asked(self, repository: str) -> None:
        """The one that somebody asked for, whatever it tells."""
        path = Path(repository).expanduser()
        self._title(f"Your history: {visible(str(path), 200)}")
        with progress() as step:
            result = replay_git(str(path), Request(), PulseGate(), step)
        print_result(result, self._console, str(path))
        self._write(result, "yours")

    def longest(self) -> None:
        """The longest history of this machine, if there is one worth a look; else why not."""
        self._title("Your own history")
        if shutil.which("git") is None:
            self._say("git is not installed here, so there is none to look at.")
            return
        others = self._search()
        candidates = [each for each in others if each.changes >= LEAST][:TRIED]
        for history in candidates:
            name = self._name(history)
            try:
                with progress() as step:
                    request = Request(limit=NEWEST)
                    result = replay_git(str(history.path), request, PulseGate(), step)
            except PrefrontalError as error:
                self._say(f"Passed over {name}: {error}", "dim")
                continue
            ruling = verdict(result)
            if ruling.kind in TELLING:
                self._say(f"Chosen: {name}, the longest that tells something.\n")
                self._show(result, "yours")
                return
            self._say(f"Passed over {name}: {ruling.reason}.", "dim")
        if others and not candidates:
            self._say(f"Too short, all of them: fewer than {LEAST} changes tell little.")

    def end(self) -> None:
        """Where the reports are, and what to do next."""
        self._title("Next")
        for report in self._reports:
            self._say(f"Open {report} (every miss, with why; a knob for other recalls)")
        command = own_command()
        downloads = Path(os.path.expanduser("~/Downloads"))  # noqa: PTH111 (no error without a home)
        watched = "~/Downloads" if downloads.is_dir() else "."
        steps = (
            (f"{command} replay --git ~/project", "the same for a project of yours"),
            (f"{command} watch {watched}", "the gate, live: it asks, you say what mattered"),
        )
        width = max(len(each) for each, _ in steps)
        for line, meaning in steps:
            self._say(f"  {line:{width}}  # {meaning}")

    def _search(self) -> list[History]:
        """Other histories than this clone's, which is too young to show anything."""
        started = time.monotonic()
        looking = "Looking for git histories"
        with Console(stderr=True).status(looking) as status:
            so_far: list[History] = []

            def count(history: History) -> None:
                so_far.append(history)
                status.update(f"{looking}: {len(so_far)} so far")

            every = histories(self._roots, TIME_LIMIT_S, count)
        others = [each for each in every if not each.path.is_relative_to(HERE)]
        took = time.monotonic() - started
        number = "none" if not others else f"{len(others):,}"
        cut = ", when the time was up" if took >= TIME_LIMIT_S else ""
        self._say(f"Looked for others than this clone for {took:.1f} s: {number}{cut}.")
        for each in others[:SHOWN]:
            self._say(f"  {self._name(each)}", "dim")
        return others

    def _show(self, result: ReplayResult, name: str) -> None:
        print_brief(result, self._console)
        self._write(result, name)

    def _write(self, result: ReplayResult, name: str) -> None:
        report = self._folder / f"{name}.html"
        write_atomic(report, render_html([result]))
        self._reports.append(report)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Page(self._console).spell(text), style=style, soft_wrap=True)

    def _title(self, text: str) -> None:
        width = min(self._console.width, 100)
        self._say(f"\n── {text} ".ljust(width, "─"), "bold cyan")

    @staticmethod
    def _name(history: History) -> str:
        more = "at least " if history.changes >= COUNTED else ""
        return f"{visible(str(history.path), 200)} ({more}{history.changes:,} changes)"


def places() -> list[Path]:
    """Where a person's work lies: the home, the current folder, and what lies beside this clone."""
    roots = [Path.cwd()]
    with suppress(RuntimeError):  # neither HOME nor an entry for the user
        roots.insert(0, Path.home())
    beside = HERE.parent
    return roots if beside == Path(beside.anchor) else [*roots, beside]


def own_command() -> str:
    """How `prefrontal` is called from here: by its name, or by where `make` put it."""
    beside = Path(sys.executable).parent / "prefrontal"
    if shutil.which("prefrontal") or not beside.exists():
        return "prefrontal"
    near = os.path.relpath(beside)
    return shlex.quote(str(beside) if near.startswith("..") else near)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", nargs="?", default="", help="replay this one only")
    parser.add_argument("--reports", type=Path, default=Path("build/demo"), help="where they go")
    parser.add_argument("--look", type=Path, action="append", help="only here for histories")
    options = parser.parse_args()
    demo = Demo(options.reports, options.look or places())
    try:
        options.reports.mkdir(parents=True, exist_ok=True)
        if options.repository:
            demo.asked(options.repository)
        else:
            demo.sample()
            demo.longest()
        demo.end()
    except (PrefrontalError, OSError) as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
