"""What is found to be relevant in clones of repositories, and whether the asked recall is kept.

    python benchmarks/bench_presets.py FOLDER       # every repository in it, whole histories
    python benchmarks/bench_presets.py --pieces FOLDER    # their parts, for many short histories
    python benchmarks/bench_presets.py --smoke      # one made-up history

With default settings, as `prefrontal replay --git` has them. *saved*: wake-ups less than waking on
every change. The summary counts histories whose recall is not more than two points below.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from made_repository import import_repository
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import PrefrontalError
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.replay.histories.history_kind import top_level
from prefrontal.replay.result import ReplayResult
from prefrontal.replay.session import Request, replay_git

CLOSE = 0.02
"""So far below the asked recall may be got, and yet it counts as kept."""

LENGTHS, ENDS = (300, 600, 1_000, 1_800), (0.5, 0.75, 1.0)
"""Pieces of a history: so many changes up to this part of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One history; why: what the search said of its choice. A refused one has no result."""

    name: str
    result: ReplayResult | None
    why: str
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, help="folder of clones")
    parser.add_argument("--smoke", action="store_true", help="one made-up history")
    parser.add_argument("--recall", type=float, default=0.9, help="asked recall")
    parser.add_argument("--pieces", action="store_true", help="replay parts of each history")
    parser.add_argument("--why", action="store_true", help="print what the search said, too")
    options = parser.parse_args()
    if options.smoke == (options.folder is not None):
        parser.error("give a folder of clones or --smoke")
    with TemporaryDirectory() as scratch:
        folder = made_up(Path(scratch)) if options.smoke else options.folder
        paths = repositories(folder)
        if options.pieces:
            print(pieces(paths, options.recall))
            return
        print("| history | relevant is | begins | windows | relevant | asked | got | saved | s |")
        print("|---|---|---|---|---|---|---|---|---|")
        rows = []
        for path in paths:
            rows.append(row(path, options.recall))
            print(line(rows[-1]), flush=True)
            if options.why:
                print(f"    {rows[-1].why}", flush=True)
    print()
    print(summary(rows, options.recall))
    if options.smoke and not (rows[0].result and rows[0].result.preset == "path:changelog.d/**"):
        sys.exit("the made-up history must be replayed with path:changelog.d/**")


def repositories(folder: Path) -> list[Path]:
    """The repositories right below a folder, by name."""
    if not folder.is_dir():
        sys.exit(f"the folder must exist, got {str(folder)!r}")
    paths = [path for path in sorted(folder.iterdir()) if path.is_dir() and _is_top(path)]
    if not paths:
        sys.exit(f"the folder must hold repositories, got {str(folder)!r} without any")
    return paths


def _is_top(path: Path) -> bool:
    top = top_level(path)
    return top is not None and top == path.resolve()


def row(path: Path, recall: float) -> Row:
    started = time.perf_counter()
    try:
        result = replay_git(str(path), Request(recall=recall), PulseGate())
    except PrefrontalError as error:
        return Row(path.name, None, str(error), time.perf_counter() - started)
    return Row(path.name, result, " ".join(result.notes), time.perf_counter() - started)


def pieces(paths: list[Path], recall: float) -> str:
    """How many pieces of the histories kept the recall; pieces without a recall are left out."""
    results = []
    for path in paths:
        times = [commit.time for commit in GitHistory(path)]
        for length, end in product(LENGTHS, ENDS):
            last = round(len(times) * end) - 1
            if length > last:
                continue
            until = datetime.fromtimestamp(times[last], UTC).isoformat()
            request = Request(recall=recall, limit=length, until=until)
            result = replay_git(str(path), request, PulseGate())
            if result.got_recall is not None:
                results.append((result.got_recall, result.share_woken))
    got = [each for each, _ in results]
    return (
        f"{len(got)} pieces: {sum(each >= recall - CLOSE for each in got)} within 2 points,"
        f" {sum(each >= recall - 2 * CLOSE for each in got)} within 4, lowest {min(got):.3f}; got"
        f" {sum(got) / len(got):.3f} and woke for {sum(w for _, w in results) / len(got):.0%} on"
        " average"
    )


def line(row: Row) -> str:
    result = row.result
    if result is None:
        return f"| {row.name} | refused: {row.why} | | | | | | | {row.seconds:.1f} |"
    begins = next((note for note in result.notes if " began on " in note), "")
    day = begins.partition(" began on ")[2][:10] or "at once"
    got = "-" if result.got_recall is None else f"{result.got_recall:.3f}"
    windows = result.warmup + result.windows
    return (
        f"| {row.name} | `{result.preset}` | {day} | {windows:,} | {result.relevant:,} |"
        f" {result.asked_recall:.2f} | {got} | {1 - result.share_woken:.0%} | {row.seconds:.1f} |"
    )


def summary(rows: list[Row], recall: float) -> str:
    got = {
        row.name: row.result.got_recall
        for row in rows
        if row.result is not None and row.result.got_recall is not None
    }
    refused = sum(row.result is None for row in rows)
    if not got:
        return f"no recall could be measured in {len(rows)} histories"
    kept = sum(each >= recall - CLOSE for each in got.values())
    lowest = min(got, key=lambda name: got[name])
    saved = [
        1 - row.result.share_woken
        for row in rows
        if row.result is not None and row.result.got_recall is not None
    ]
    return (
        f"within 2 points: {kept} of {len(rows)}, lowest: {got[lowest]:.3f} ({lowest}); saved on"
        f" average {sum(saved) / len(saved):.0%}; refused: {refused}; without a recall:"
        f" {len(rows) - refused - len(got)}"
    )


def made_up(folder: Path) -> Path:
    """A repository of 900 changes, in whose later 600 every third comes with a changelog entry."""
    stream = []
    for number in range(900):
        text = b"change %d" % number
        files = [b"src/core.c" if number % 3 == 0 else b"docs/page%d.md" % (number % 7)]
        if number >= 300 and number % 3 == 0:
            files.append(b"changelog.d/%d.md" % number)
        stream.append(
            b"commit refs/heads/main\ncommitter J <j@example.org> %d +0000\ndata %d\n%b\n"
            % (1_600_000_000 + 3600 * number, len(text), text)
        )
        stream += [b"M 100644 inline %b\ndata %d\n%b\n" % (f, len(text), text) for f in files]
    import_repository(folder, stream)
    return folder


if __name__ == "__main__":
    main()
