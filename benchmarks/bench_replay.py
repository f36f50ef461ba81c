"""How well and how fast a history is replayed, beside scikit-learn's SGD and one-line rules.

    python benchmarks/bench_replay.py --data FOLDER    # *.jsonl.gz with a `relevant` field
    python benchmarks/bench_replay.py                  # a made-up history and this repository

Predictions are made before the label is learned; the first fifth warms up and is not counted.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import roc_auc_score

from prefrontal._core.pulse import feature_names
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.histories.windows import read_windows
from prefrontal.replay.presets.hiding import without
from prefrontal.replay.presets.presets import parse_preset
from prefrontal.replay.result import PolicyResult, ReplayResult
from prefrontal.types import SignalEvent, Window

WARM_UP = 0.2
RATES = (0.01, 0.03, 0.1, 0.3)
HAND_WRITTEN: dict[str, Callable[[str], bool]] = {
    "pytest": lambda p: p.endswith(".py") and p.startswith(("src/", "_pytest/")),
    "pip": lambda p: p.endswith(".py") and p.startswith("src/pip/"),
    "aiohttp": lambda p: p.endswith(".py") and p.startswith("aiohttp/"),
    "astropy": lambda p: p.endswith(".py") and p.startswith("astropy/") and "/tests/" not in p,
}
"""What somebody who knows the project would write: its own code changed."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One history with one set of features."""

    ours: ReplayResult
    at_95: ReplayResult
    sgd_auc: float | None
    windows_per_s: float
    hand: tuple[float, float, float] | None  # share woken, recall, ours at that recall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small made-up history only")
    parser.add_argument("--data", type=Path, help="folder of recorded histories, *.jsonl.gz")
    options = parser.parse_args()
    if options.data is not None:
        histories = {path.name.split(".")[0]: _read(path) for path in _files(options.data)}
    else:
        histories = {"made up": made_up(300 if options.smoke else 6000)}
    rates = RATES[:1] if options.smoke else RATES
    print(_header())
    for name, windows in histories.items():
        paths = _figures(name, list(without(windows, ("actor", "text"))), rates)
        everything = _figures(name, windows, rates)
        print(_row(name, paths, everything), flush=True)


def _files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        sys.exit(f"--data must be a folder with *.jsonl.gz, got {str(folder)!r}")
    return files


def _read(path: Path) -> list[Window]:
    return list(parse_preset("recorded").apply(read_windows(path)))


def _figures(name: str, windows: list[Window], rates: Sequence[float]) -> Figures:
    started = time.perf_counter()
    ours = _replay(name, windows, 0.90)
    seconds = time.perf_counter() - started
    return Figures(
        ours=ours,
        at_95=_replay(name, windows, 0.95),
        sgd_auc=sgd_auc(windows, rates),
        windows_per_s=len(windows) / seconds,
        hand=_hand_written(HAND_WRITTEN.get(name), windows, ours),
    )


def _replay(name: str, windows: list[Window], recall: float) -> ReplayResult:
    return backtest(windows, PulseGate(), Question(name, "recorded", len(windows), recall=recall))


def sgd_auc(windows: list[Window], rates: Sequence[float]) -> float | None:
    """AUC of logistic SGD on the same features, predicted before learned, at its best rate."""
    rows = _one_hot([feature_names(window.events, utc=True) for window in windows])
    labels = np.array([bool(window.relevant) for window in windows])
    start = round(len(windows) * WARM_UP)
    if len(set(labels[start:])) < 2:
        return None
    return max(
        float(roc_auc_score(labels[start:], _progressive(rows, labels, rate)[start:]))
        for rate in rates
    )


def _one_hot(names: list[list[str]]) -> csr_matrix:
    columns: dict[str, int] = {}
    indices = [columns.setdefault(name, len(columns)) for row in names for name in row]
    starts = np.cumsum([0] + [len(row) for row in names])
    return csr_matrix((np.ones(len(indices)), indices, starts), shape=(len(names), len(columns)))


def _progressive(rows: csr_matrix, labels: NDArray[np.bool_], rate: float) -> NDArray[np.float64]:
    model = SGDClassifier(loss="log_loss", learning_rate="constant", eta0=rate, random_state=0)
    scores = np.zeros(len(labels))
    for i in range(len(labels)):
        row = rows[i]
        if i:
            scores[i] = model.decision_function(row)[0]
        model.partial_fit(row, labels[i : i + 1], classes=[False, True])
    return scores


def share_at(result: ReplayResult, recall: float) -> float:
    """Share of the windows woken at that recall, read from the curve."""
    return next(share for share, reached in result.curve if reached >= recall)


def _hand_written(
    rule: Callable[[str], bool] | None, windows: list[Window], ours: ReplayResult
) -> tuple[float, float, float] | None:
    if rule is None:
        return None
    tested = windows[round(len(windows) * WARM_UP) :]
    woke = [any(rule(event.location) for event in window.events) for window in tested]
    mattered = [bool(window.relevant) for window in tested]
    recall = sum(w and m for w, m in zip(woke, mattered, strict=True)) / sum(mattered)
    return sum(woke) / len(woke), recall, share_at(ours, recall)


def _header() -> str:
    titles = (
        "history", "windows", "relevant",
        "AUC paths: SGD / ours", "AUC all: SGD / ours",
        "rule: woken @ recall -> ours (paths / all)",
        "hand-written: woken @ recall -> ours (paths / all)",
        "asked .90 got @ a day", "asked .95 got @ a day", "windows/s",
    )  # fmt: skip
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def _row(name: str, paths: Figures, everything: Figures) -> str:
    result = everything.ours
    by_path, by_all = (figures.ours.policy("rule") for figures in (paths, everything))
    rule = f"{_against(paths.ours, by_path)} / {_against(result, by_all)}"
    hand = "-"
    if paths.hand is not None and everything.hand is not None:
        hand = (
            f"{paths.hand[0]:.2f} @ {paths.hand[1]:.2f} -> "
            f"{paths.hand[2]:.2f} / {everything.hand[2]:.2f}"
        )
    cells = (
        name, f"{len_of(result):,}", f"{result.relevant / result.windows:.0%}",
        f"{paths.sgd_auc or 0:.3f} / {paths.ours.auc or 0:.3f}",
        f"{everything.sgd_auc or 0:.3f} / {result.auc or 0:.3f}",
        rule, hand,
        f"{result.got_recall or 0:.3f} @ {result.wakes_per_day:.2f}",
        f"{everything.at_95.got_recall or 0:.3f} @ {everything.at_95.wakes_per_day:.2f}",
        f"{paths.windows_per_s:,.0f} / {everything.windows_per_s:,.0f}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _against(result: ReplayResult, rule: PolicyResult | None) -> str:
    if rule is None:
        return "none beats chance"
    recall = rule.recall or 0
    return f"{rule.share_woken:.2f} @ {recall:.2f} -> {share_at(result, recall):.2f}"


def len_of(result: ReplayResult) -> int:
    """All windows of the history, the warm-up too."""
    return result.windows + result.warmup


def made_up(count: int) -> list[Window]:
    """Changes of a small project: code with tests matters, unless a bot made it."""
    draw = random.Random(7)
    windows = []
    for i in range(count):
        actor = draw.choice(["ann", "bob", "bot"])
        files = draw.sample([f"src/m{k}.py" for k in range(9)], draw.randint(0, 2))
        files += draw.sample([f"tests/test_m{k}.py" for k in range(9)], draw.randint(0, 2))
        files = files or [draw.choice(["README.md", "docs/index.rst", "setup.cfg"])]
        code = any(name.startswith("src/") for name in files)
        tests = any(name.startswith("tests/") for name in files)
        chance = 0.85 if code and tests and actor != "bot" else 0.08
        features = {"actor": actor, "text": draw.choice(["fix crash", "add option", "tidy up"])}
        when = 1.5e9 + i * 7200.0
        events = tuple(
            SignalEvent("filesystem", name, "modified", 1.0, when, features) for name in files
        )
        windows.append(
            Window(f"w{i}", when, events, actor, features["text"], draw.random() < chance)
        )
    return windows


if __name__ == "__main__":
    main()
