"""Whole commands of `prefrontal route`: CPU of a plan, time of a dry run, the same bytes always.

    python benchmarks/bench_route.py [--tools 1000] [--runs 100]

The twin is a Python that only imports what every command needs (click, pydantic): what remains is
ours. Figures are of processes, so the machine must be quiet for the wall-clock ones.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NOUNS = ("matrix", "table", "image", "report", "invoice", "email", "ticket", "folder", "order")
VERBS = ("summarize", "plot", "count", "load", "fetch", "send", "search", "delete", "filter")
DOMAINS = ("analysis", "text", "files", "web", "finance")
PROMPT = "summarize the invoice of an order"
LOCALES = ("C", "C.UTF-8", "POSIX")
MODULE = '''"""{title} of {other}.

Longer words about {more}.

Example:
    run({noun}="a")
"""


def run({noun}: str, count: int = 3) -> dict[str, str]:
    """Do it.

    Args:
        {noun}: what to look at.

    Returns:
        result: what came of it.
    """
    return {{"result": {noun} * count}}
'''


def make_project(root: Path, count: int, seed: int) -> None:
    """`count` tools below root; another seed writes the same files in another order."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    for number in order:
        verb, noun = VERBS[number % len(VERBS)], NOUNS[number // len(VERBS) % len(NOUNS)]
        chosen = random.Random(number)
        other, more = chosen.choice(NOUNS), chosen.choice(NOUNS)
        folder = root / "domains" / DOMAINS[number % len(DOMAINS)] / verb
        folder.mkdir(parents=True, exist_ok=True)
        title = f"{verb.title()} the {noun}"
        text = MODULE.format(title=title, noun=noun, other=other, more=more)
        (folder / f"{verb}_{noun}_{number}.py").write_text(text, encoding="utf-8")


def run(words: list[str], folder: Path, **environment: str) -> tuple[bytes, float, float]:
    """(standard output, CPU seconds, wall seconds) of a Python with `words`, in `folder`."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PREFRONTAL_", "LC_"))}
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={**clean, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    assert process.returncode == 0, f"{words} ended with {process.returncode}"
    return output, usage.ru_utime + usage.ru_stime, time.perf_counter() - started


def route(*options: str) -> list[str]:
    return ["-m", "prefrontal", "route", PROMPT, *options]


def figures(folder: Path, rounds: int) -> list[tuple[str, float, float]]:
    """(what, median CPU, median wall), the entries in turns."""
    bare = ["-c", "import click, pydantic; type('A', (pydantic.BaseModel,), {})"]
    entries = {
        "python, click, pydantic (twin)": bare,
        "route --plan": route("--plan"),
        "route --dry-run": route("--dry-run", "--non-interactive"),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in entries}
    for words in entries.values():
        run(words, folder)
    for _ in range(rounds):
        for name, words in entries.items():
            _, cpu, wall = run(words, folder)
            taken[name].append((cpu, wall))
    return [
        (name, *(statistics.median(column) for column in zip(*rows, strict=True)))
        for name, rows in taken.items()
    ]


def distinct_outputs(folders: list[Path], runs: int) -> int:
    """How many different answers the runs gave, over hash seeds, locales and orders of files."""
    answers = set()
    for number in range(runs):
        output, _, _ = run(
            route("--plan", "--json", "--no-cache" if number % 2 else "--cache"),
            folders[number % len(folders)],
            PYTHONHASHSEED=str(number * 7919 % 4_294_967_295),
            LC_ALL=LOCALES[number % len(LOCALES)],
        )
        plan = json.loads(output)
        assert plan["plan"]["steps"], "the prompt must find a tool"
        answers.add(output)
    return len(answers)


def main() -> None:
    parser = argparse.ArgumentParser(description="Whole commands of `prefrontal route`.")
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--tools", type=int, default=1000, help="tools of the project")
    parser.add_argument("--runs", type=int, default=100, help="runs that must answer alike")
    options = parser.parse_args()
    tools, runs, rounds = (60, 6, 1) if options.smoke else (options.tools, options.runs, 11)
    with tempfile.TemporaryDirectory() as temporary:
        folders = [Path(temporary, str(seed)) for seed in (1, 2)]
        for seed, folder in enumerate(folders):
            make_project(folder / "workflows", tools, seed)
        print(f"| {tools} tools, facts cached | CPU | wall |\n|---|---|---|")
        for name, cpu, wall in figures(folders[0], rounds):
            print(f"| {name} | {cpu * 1e3:.0f} ms | {wall * 1e3:.0f} ms |")
        alike = distinct_outputs(folders, runs)
        print(f"\n{runs} runs, as many hash seeds, 3 locales, 2 orders of files: {alike} answer(s)")
        assert alike == 1


if __name__ == "__main__":
    main()
