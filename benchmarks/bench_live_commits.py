"""What a watch makes of commits, beside what the replay of the same history makes of them.

    python benchmarks/bench_live_commits.py FOLDER    # FOLDER/wake/pytest.jsonl.gz and so on
    python benchmarks/bench_live_commits.py --smoke   # a history made up here

The four histories of benchmarks/README.md, none of which the prior was made of, as a replay tells
them and as `sources.git` does: asked .90, told only of what was asked about, from the first window
on. Each live commit has the time at which it was made, in UTC.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path
from statistics import mean

import numpy as np

from prefrontal.pulse import LimbicLayer, ModuleFingerprint
from prefrontal.pulse.modules.source_priors import GitPrior
from prefrontal.replay.curve import area_under_roc, ranked
from prefrontal.types import SignalEvent
from recall_runs import MODULE, NAMES, Answers, History, read, run
from recall_twins import Ours

UNTRAINED, FIRST, LEARNED, LIVE = 1_500, 300, 2_000, 1_000
TOP = "/home/ada/project"
COMMITS = ModuleFingerprint("m", "c", "1", "Does {location} matter?", None, git=GitPrior())
BETWEEN_S = 2e-5
"""Seconds between two events of one commit, by the source of before."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="holds wake/*.jsonl.gz")
    parser.add_argument("--seeds", type=int, default=15, help="runs of each history")
    parser.add_argument("--smoke", action="store_true", help="a made-up history, once")
    options = parser.parse_args()
    if options.smoke == (options.folder is not None):
        parser.error("give a folder or --smoke")
    if options.smoke:
        histories, seeds = [made_up(400)], 1
    else:
        histories, seeds = [read(options.folder, name) for name in NAMES], options.seeds
    before, now = ([live(each, gap) for each in histories] for gap in (BETWEEN_S, 0.0))
    rows = (
        ("a replay", histories, MODULE, True),
        ("live, rules of version 9", before, COMMITS, False),
        ("live, rules of version 10", now, COMMITS, True),
    )
    heads = ["", "AUC before any label", "of the first 2,000, as it learns"]
    heads += ["log loss of the first 300", "of the next 1,700", "got in 1,000, asked .90", "woken"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for label, told, module, commit_files in rows:
        each = [figures(one, module, commit_files, seeds) for one in told]
        cells = [f"{mean(cell):.3f}" for cell in zip(*each, strict=True)]
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


def live(history: History, between_s: float) -> History:
    """The same commits as `sources.git` tells them."""
    return [
        (told(window, sha1(str(place).encode()).hexdigest(), between_s), relevant)
        for place, (window, relevant) in enumerate(history)
    ]


def told(window: Sequence[SignalEvent], sha: str, between_s: float) -> tuple[SignalEvent, ...]:
    where = {"repository": TOP, "branch": "main", "commit": sha}
    return tuple(
        SignalEvent(
            *("git", f"{TOP}/{each.location}", each.delta_type, 1.0),
            each.timestamp + place * between_s,
            where
            | each.features
            | {"path": each.location, "extension": Path(each.location).suffix},
        )
        for place, each in enumerate(window)
    )


def figures(
    history: History, module: ModuleFingerprint, commit_files: bool, seeds: int
) -> list[float]:
    """In the order of the table's columns."""
    limbic = LimbicLayer(utc=True, commit_files=commit_files)
    limbic.register(module.module_id, module)
    name = module.module_id
    first = [limbic.score(name, window) for window, _ in history[:UNTRAINED]]
    scores, losses = [], []
    for window, relevant in history[:LEARNED]:
        score = min(max(limbic.score(name, window), 1e-6), 1 - 1e-6)
        scores.append(score)
        losses.append(-float(np.log(score if relevant else 1.0 - score)))
        limbic.update_weights(name, window, float(relevant))
    runs = [
        run(history[:LIVE], Ours(0.9), Answers(), seed, module=module, commit_files=commit_files)
        for seed in range(seeds)
    ]
    return [
        _area(first, history[:UNTRAINED]),
        _area(scores, history[:LEARNED]),
        mean(losses[:FIRST]),
        mean(losses[FIRST:]),
        mean(one.recall() for one in runs),
        mean(one.wakes() for one in runs),
    ]


def _area(scores: Sequence[float], history: History) -> float:
    return area_under_roc(ranked(scores, [int(relevant) for _, relevant in history])) or 0.5


def made_up(count: int) -> History:
    """Every third commit adds code with its tests; the others touch the documentation."""
    history = []
    for number in range(count):
        relevant = number % 3 == 0
        paths = ("src/a.py", "tests/test_a.py") if relevant else ("docs/index.md",)
        text = {"actor": "ada", "text": f"{'Add' if relevant else 'Fix'} part {number}"}
        window = (
            SignalEvent("filesystem", each, "modified", 1.0, 6e4 * number, text) for each in paths
        )
        history.append((tuple(window), relevant))
    return history


if __name__ == "__main__":
    main()
