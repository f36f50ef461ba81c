"""What the gate costs and catches on public histories, by commands that anybody can run again.

    for name in pytest-dev/pytest pypa/pip aio-libs/aiohttp astropy/astropy; do
      git clone https://github.com/$name FOLDER/$(basename $name)
    done
    python benchmarks/bench_histories.py FOLDER    # and the sample that ships
    python benchmarks/bench_histories.py           # the sample alone, without network

Every figure is read from `prefrontal replay ... --json`, and the command stands in the row. A clone
of any later day gives the same: changes after UNTIL are left out.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

UNTIL = "2026-08-01"
HISTORIES = ("pytest", "pip", "aiohttp", "astropy")
COLUMNS = (
    *("history", "changes", "that mattered", "caught", "wake-ups a day"),
    *("against every change", "against a 30-minute heartbeat", "against a cheap heartbeat"),
    *("a month, a cheap heartbeat's", "command"),
)
SAMPLE = ("prefrontal", "replay", "--sample")


def main() -> None:
    """Print the table of the README."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="clones, each under its own name")
    parser.add_argument("--smoke", action="store_true", help="the sample alone")
    options = parser.parse_args()
    folder = None if options.smoke else options.folder
    for name in HISTORIES:
        if folder is not None and not (folder / name).is_dir():
            sys.exit(f"folder must hold a clone called {name}, got none in {str(folder)!r}")
    if folder is None:
        sys.stderr.write("The sample alone; name a folder of clones for the others (see --help)\n")
    print(row(COLUMNS))
    print(row("---" for _ in COLUMNS))
    for command, place in commands(folder):
        print(row(cells(command, replayed(command, place))), flush=True)


def commands(folder: Path | None) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Each command and where it is run."""
    yield SAMPLE, Path.cwd()
    if folder is not None:
        for name in HISTORIES:
            yield ("prefrontal", "replay", "--git", name, "--until", UNTIL), folder


def replayed(command: tuple[str, ...], place: Path) -> dict[str, Any]:
    """What the command prints as JSON."""
    words = [sys.executable, "-m", *command, "--json"]
    done = subprocess.run(words, cwd=place, stdout=subprocess.PIPE, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def cells(command: tuple[str, ...], result: dict[str, Any]) -> tuple[str, ...]:
    """One row: a history, its figures, and the command they come from."""
    policies = {each["name"]: each["wakes_per_day"] for each in result["policies"]}
    months = {each["name"]: each["usd_a_month"] for each in result["policies"]}
    wakes = result["wakes_per_day"]
    return (
        result["source"],
        f"{result['windows'] + result['warmup']:,}",
        f"{100 * result['relevant'] / result['windows']:.0f} %",
        f"{100 * result['got_recall']:.1f} %",
        f"{wakes:.2f}",
        f"{100 * (1 - wakes / policies['on_change']):.0f} % fewer",
        f"{policies['heartbeat'] / wakes:.0f} x fewer",
        f"{policies['cheap_heartbeat'] / wakes:.0f} x fewer",
        f"${months['prefrontal']:.2f}, ${months['cheap_heartbeat']:.2f}",
        f"`{shlex.join(command)}`",
    )


def row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


if __name__ == "__main__":
    main()
