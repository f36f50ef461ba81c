"""What public histories say of commits, and what that is worth.

Fits python/prefrontal/pulse/learning/commit_prior.json.

    python benchmarks/bench_commit_prior.py FOLDER --write    # of every repository in FOLDER
    python benchmarks/bench_commit_prior.py FOLDER            # what it is worth, on a fifth each
    python benchmarks/bench_commit_prior.py --smoke           # two made-up histories

What is relevant in each is chosen as `prefrontal replay` chooses it, of the newest 4,000 changes; a
history where subjects alone decide it is left out. A logistic regression with a base rate for each
history weighs the features that EVERYWHERE histories have at least FIVE times. Its worth: asked
.90 and told only of what it asked about, from the first window on, with the prior and without.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression

from bench_presets import made_up, repositories
from prefrontal._core.pulse import feature_names
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import PrefrontalError
from prefrontal.protocols import TrialGate
from prefrontal.pulse import LimbicLayer
from prefrontal.pulse.learning import commit_prior
from prefrontal.pulse.learning.seed import Seed
from prefrontal.pulse.modules.priors import HistoryPrior
from prefrontal.replay.backtest import Question
from prefrontal.replay.curve import area_under_roc, ranked
from prefrontal.replay.result import ReplayResult
from prefrontal.replay.session import Replayer, Request, replay_git
from prefrontal.types import Window
from recall_runs import MODULE, Answers, History, run
from recall_twins import Ours

KINDS = ("word", "file kinds", "count", "extension", "extensions", "only extension")
"""Features that mean the same in any repository; folders, names and people do not."""
NEWEST, FOLDS, LIVE, WHOLE = 4_000, 5, 1_000, 1_500
EVERYWHERE, FIVE = 8, 5
SHRINKAGE, LEAST = 0.05, 0.1
SHARE = 0.35
"""Of what is fitted: a history is unlike the others."""
BASE = 10.0
"""So much less are the base rates shrunk than the rest."""
BARE = replace(MODULE, history=HistoryPrior())
"""Without what ships."""
TARGET = Path(commit_prior.__file__).with_name(commit_prior.NAME)


@dataclass(frozen=True, slots=True)
class Labelled:
    """One history, its features by window, and whether relevant means that tests came along."""

    name: str
    windows: History
    names: list[set[str]]
    tests: bool


class Kept(Replayer):
    """Keeps the windows and replays none."""

    def __init__(self) -> None:
        self.windows: list[Window] = []

    def replay(
        self, windows: Iterable[Window], gate: TrialGate, question: Question
    ) -> ReplayResult:
        self.windows = list(windows)
        return super().replay((), gate, question)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="holds clones")
    parser.add_argument("--write", action="store_true", help="write the prior of all of them")
    parser.add_argument("--smoke", action="store_true", help="two made-up histories")
    options = parser.parse_args()
    if options.smoke == (options.folder is not None):
        parser.error("give a folder of clones or --smoke")
    if options.smoke:
        with TemporaryDirectory() as scratch:
            [path] = repositories(made_up(Path(scratch)))
            [one] = read([path])
        print_worth([one, one], folds=2, everywhere=1)
        return
    histories = read(repositories(options.folder))
    if options.write:
        write(histories)
    else:
        print_worth(histories)


def read(paths: Sequence[Path]) -> list[Labelled]:
    histories = []
    for path in paths:
        kept = Kept()
        try:
            result = replay_git(str(path), Request(limit=NEWEST), PulseGate(), replayer=kept)
        except PrefrontalError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            continue
        if result.preset.startswith("message:"):
            print(f"{path.name}: {result.preset} is left out", file=sys.stderr)
            continue
        windows = [(tuple(one.events), bool(one.relevant)) for one in kept.windows]
        names = [set(feature_names(events, utc=True)) for events, _ in windows]
        tests = "test" in result.preset or "spec" in result.preset
        histories.append(Labelled(path.name, windows, names, tests))
        print(f"{path.name}: {result.preset}, {len(windows)} windows", file=sys.stderr)
    return histories


def fitted(histories: Sequence[Labelled], everywhere: int = EVERYWHERE) -> list[Seed]:
    """The log-odds of features."""
    spread: Counter[str] = Counter()
    for one in histories:
        often = Counter(name for names in one.names for name in names)
        spread.update(name for name, count in often.items() if count >= FIVE and _is_general(name))
    chosen = sorted(name for name, count in spread.items() if count >= everywhere)
    columns = {name: place for place, name in enumerate(chosen)}
    places: list[int] = []
    values: list[float] = []
    begins, labels, weights = [0], [], []
    for number, one in enumerate(histories):
        for names, (_, relevant) in zip(one.names, one.windows, strict=True):
            own = [columns[name] for name in names if name in columns]
            places += [*own, len(columns) + number]
            values += [*(1.0 for _ in own), BASE]
            begins.append(len(places))
            labels.append(relevant)
            weights.append(min(1.0, WHOLE / len(one.windows)))
    rows = csr_matrix((values, places, begins), shape=(len(labels), len(columns) + len(histories)))
    model = LogisticRegression(C=SHRINKAGE, max_iter=300, fit_intercept=False)
    model.fit(rows, np.array(labels), sample_weight=np.array(weights))
    [odds] = model.coef_.tolist()
    kept = [(name, odds[place]) for name, place in columns.items() if abs(odds[place]) >= LEAST]
    parts = [(name.partition("="), SHARE * weight) for name, weight in kept]
    return [(kind, value, weight) for (kind, _, value), weight in parts]


def _is_general(name: str) -> bool:
    return name.partition("=")[0] in KINDS


def write(histories: Sequence[Labelled]) -> None:
    seeds = fitted(histories)
    by_kind: dict[str, dict[str, float]] = {kind: {} for kind in KINDS}
    for kind, value, odds in seeds:
        by_kind[kind][value] = round(odds, 3)
    names = [one.name for one in histories]
    prior = {"histories": names, "weights": by_kind}
    text = json.dumps(prior, ensure_ascii=False, indent=0, separators=(",", ":"))
    TARGET.write_text(text + "\n", encoding="utf-8")
    windows = sum(len(one.windows) for one in histories)
    print(f"{len(seeds)} features of {windows:,} windows of {len(names)} histories: {TARGET}")


def print_worth(
    histories: Sequence[Labelled], folds: int = FOLDS, everywhere: int = EVERYWHERE
) -> None:
    """Each fifth of the histories with the prior of the others, and without."""
    rows: list[tuple[bool, list[float], list[float]]] = []
    for fold in range(folds):
        others = [one for place, one in enumerate(histories) if place % folds != fold]
        seeds = fitted(others, everywhere)
        for one in histories[fold::folds]:
            before, now = (figures(one.windows, each) for each in ((), seeds))
            rows.append((one.tests, before, now))
    heads = ["relevant is", "histories", "AUC before any label", "log loss of the first 300"]
    heads += ["of the next 700", f"got in {LIVE:,}, asked .90", "woken"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for tests, label in ((False, "an entry in the changelog"), (True, "that tests came along")):
        own = [(before, now) for each, before, now in rows if each == tests]
        if not own:
            continue
        cells = [
            f"{mean(before[i] for before, _ in own):.3f} → {mean(now[i] for _, now in own):.3f}"
            for i in range(len(own[0][0]))
        ]
        print(f"| {label} | {len(own)} | {' | '.join(cells)} |", flush=True)


def figures(history: History, seeds: Sequence[Seed]) -> list[float]:
    """AUC of the untrained scorer, log losses as it learns, recall and share woken live."""
    limbic = LimbicLayer(utc=True)
    limbic.register("one", BARE, seeds)
    first = [limbic.score("one", window) for window, _ in history[:WHOLE]]
    losses = []
    for window, relevant in history[:LIVE]:
        score = min(max(limbic.score("one", window), 1e-6), 1 - 1e-6)
        losses.append(-float(np.log(score if relevant else 1.0 - score)))
        limbic.update_weights("one", window, float(relevant))
    area = area_under_roc(ranked(first, [int(relevant) for _, relevant in history[:WHOLE]]))
    live = [run(history[:LIVE], Ours(0.9), Answers(), seed, 0, BARE, seeds) for seed in range(2)]
    recall, woken = mean(one.recall() for one in live), mean(one.wakes() for one in live)
    return [area or 0.5, mean(losses[:300]), mean(losses[300:] or losses), recall, woken]


if __name__ == "__main__":
    main()
