"""Check that runs of the tests, taken together, ran every test, and each test once.

usage: check_test_runs.py RECORD...      RECORD: what `pytest --record RECORD` wrote
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

MOST_SHOWN = 10


def problems(runs: dict[str, dict[str, list[str]]]) -> list[str]:
    """What is wrong, a sentence each. runs: the records by their names."""
    sentences = []
    everything = set().union(*(run["collected"] for run in runs.values()))
    for name, run in runs.items():
        if unknown := everything.difference(run["collected"]):
            sentences.append(f"{name}: collected other tests than the rest: {_some(unknown)}")
    times = Counter(test for run in runs.values() for test in run["ran"])
    if missing := everything.difference(times):
        sentences.append(f"no run has {_some(missing)}")
    if doubled := {test for test, count in times.items() if count > 1}:
        sentences.append(f"more than one run has {_some(doubled)}")
    if not everything:
        sentences.append("no test was collected")
    return sentences


def _some(tests: set[str]) -> str:
    more = f" and {len(tests) - MOST_SHOWN} more" if len(tests) > MOST_SHOWN else ""
    return ", ".join(sorted(tests)[:MOST_SHOWN]) + more


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Check that these runs of pytest ran every test.")
    parser.add_argument("records", nargs="+", type=Path, metavar="RECORD")
    paths = parser.parse_args(arguments).records
    runs = {str(path): json.loads(path.read_text(encoding="utf-8")) for path in paths}
    sentences = problems(runs)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    counts = ", ".join(f"{len(run['ran'])} in {name}" for name, run in runs.items())
    if not sentences:
        print(f"every test ran in one of {len(runs)} runs: {counts}")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
