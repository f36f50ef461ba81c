"""How well a module that starts untrained orders what comes after a few labels.

    python benchmarks/bench_labels.py FOLDER    # FOLDER/wake/pytest.jsonl.gz and so on
    python benchmarks/bench_labels.py --smoke   # a history made up here

Its twin is version 1 of the learning, which blames all features of a window alike. Only wakes and
audits are labelled, asked .90; after 5, 20 and 100 labels the scorer stands still, and the next 300
windows give the AUC. The last columns are AUC and share woken at recall .90 of the whole history,
every window labelled after it was scored, the first fifth not counted.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench_recall import made_up
from prefrontal.pulse import LimbicLayer
from prefrontal.replay.curve import area_under_roc, ranked
from prefrontal.types import SignalEvent
from recall_runs import MODULE, NAMES, History, read
from recall_twins import Ours

LABELS = (5, 20, 100)
AHEAD = 300
ROOM = 900
"""Windows from the last start to the end of the history."""
RECALL = 0.9
VERSIONS = (1, 2)
NAME = MODULE.module_id


def main() -> None:
    """Print the tables of the README."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="holds wake/*.jsonl.gz")
    parser.add_argument("--starts", type=int, default=30, help="places in each history")
    parser.add_argument("--smoke", action="store_true", help="a made-up history, once")
    options = parser.parse_args()
    if options.smoke or options.folder is None:
        sys.stderr.write("A made-up history alone; name a folder for the others (see --help)\n")
        histories, starts = {"made up": made_up(1500)}, 1
    else:
        histories = {name: read(options.folder, name) for name in NAMES}
        starts = options.starts
    heads = [f"{count} labels" for count in LABELS]
    print("| history | features |", " | ".join((*heads, "whole history", "woken at .90")), "|")
    print("|---|---|" + "---|" * (len(LABELS) + 2))
    for name, history in histories.items():
        for features, windows in (("all", history), ("paths", without_words(history))):
            rows = [[*few(windows, starts, each), *whole(windows, each)] for each in VERSIONS]
            digits = (2, 2, 2, 4, 3)
            cells = [
                f"{before:.{d}f} / {now:.{d}f}"
                for before, now, d in zip(*rows, digits, strict=True)
            ]
            print("|", " | ".join((name, features, *cells)), "|", flush=True)


def without_words(history: History) -> History:
    """Files, kinds of change and times alone."""

    def bare(event: SignalEvent) -> SignalEvent:
        place = (event.source, event.location, event.delta_type, event.magnitude)
        return SignalEvent(*place, event.timestamp, {})

    return [(tuple(bare(event) for event in window), relevant) for window, relevant in history]


def few(history: History, starts: int, version: int) -> list[float]:
    """Mean AUC on what comes after each count of labels."""
    found: dict[int, list[float]] = {count: [] for count in LABELS}
    for start in range(starts):
        begin = (len(history) - ROOM) * start // starts
        for count, area in after_labels(history, begin, start, version):
            found[count].append(area)
    return [mean(each) if each else float("nan") for each in found.values()]


def after_labels(history: History, begin: int, seed: int, version: int) -> list[tuple[int, float]]:
    """(labels, AUC on what comes) of one start, where both kinds of windows come."""
    limbic, control, draw = untrained(version), Ours(RECALL), random.Random(seed)
    found, labels = [], 0
    for place in range(begin, len(history)):
        window, relevant = history[place]
        score, threshold = limbic.score(NAME, window), control.threshold
        chance = 1.0 if score >= threshold else control.audit_chance(score)
        if draw.random() >= chance:
            control.decided(score, 0.0, 0.0)
            continue
        control.decided(score, chance, limbic.unseen(NAME, window))
        control.labelled(score, relevant, threshold, chance)
        limbic.update_weights(NAME, window, float(relevant))
        labels += 1
        if labels in LABELS:
            area = area_of(limbic, history[place + 1 : place + 1 + AHEAD])
            found += [] if area is None else [(labels, area)]
        if labels == LABELS[-1]:
            break
    return found


def untrained(version: int) -> LimbicLayer:
    limbic = LimbicLayer(utc=True, version=version)
    limbic.register(NAME, MODULE)
    return limbic


def area_of(limbic: LimbicLayer, history: History) -> float | None:
    scores = [limbic.score(NAME, window) for window, _ in history]
    return area_under_roc(ranked(scores, [int(relevant) for _, relevant in history]))


def whole(history: History, version: int) -> Sequence[float]:
    """AUC, and the share woken where .90 is caught, each window scored before it is learned."""
    limbic, scores = untrained(version), []
    for window, relevant in history:
        scores.append(limbic.score(NAME, window))
        limbic.update_weights(NAME, window, float(relevant))
    begin = len(history) // 5
    points = ranked(scores[begin:], [int(relevant) for _, relevant in history[begin:]])
    windows, mattered = points[-1]
    woken = next(woken for woken, caught in points if caught >= RECALL * mattered)
    return area_under_roc(points) or float("nan"), woken / windows


if __name__ == "__main__":
    main()
