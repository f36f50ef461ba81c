"""What the gate costs: one event to numbers, one score, a thousand scores, one label.

Beside each, the same in NumPy with the same weights; results are compared before timing.
The figures of the implementation that the specification was measured on (Python and torch on a
machine of the same kind) are printed for orientation; ratios are told against NumPy only.

    python benchmarks/bench_pulse.py [--smoke]
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

import harness
from prefrontal._core import instruction_set
from prefrontal._core.pulse import feature_names
from prefrontal.pulse import LimbicLayer, ModuleFingerprint, SignalEvent, parse_fingerprint
from simulation import simulated_auc

MODULES = 1000
WHEN = 1_678_123_456.0
LABELS = (0, 20, 50, 100, 200, 500, 1000, 2000)
REFERENCE = "reference: vector 1.27 us, score 92 us, 1,000 modules 106 ms, label 620 us"

Window = list[SignalEvent]


def main() -> None:
    options = harness.options(__doc__ or "")
    modules = 50 if options.smoke else MODULES
    print(f"instruction set {instruction_set()}; {REFERENCE}\n")
    window = [event(3, "pdf")]
    for title, entries in (
        ("feature vector", vector_entries(window[0])),
        ("one module, one event", score_entries(window)),
        (f"{modules} fresh modules, one event", all_entries(window, modules, labels=0)),
        (f"{modules} modules with 20 labels each", all_entries(window, modules, labels=20)),
        ("one label", learn_entries(window)),
    ):
        rows = harness.measure(entries, rounds=options.rounds, smoke=options.smoke)
        print(f"**{title}**\n\n{harness.table(rows, twin='NumPy')}\n")
    print(throughput(modules, options.smoke))
    print(memory(modules))
    print(imports())
    print(simulation((0, 20) if options.smoke else LABELS))


def event(i: int, extension: str) -> SignalEvent:
    location = f"/home/u/d{i % 50}/reports/summary_{i % 7}.{extension}"
    return SignalEvent(
        "filesystem", location, "created", 1.0, WHEN + i * 3600,
        {"extension": f".{extension}", "size_bytes": 524_288, "directory_depth": 5},
    )  # fmt: skip


def fingerprint(i: int) -> ModuleFingerprint:
    return parse_fingerprint(
        {
            "module_id": f"m{i}",
            "cluster": "bench",
            "version": "1",
            "question_template": "Look at {location}?",
            "default_threshold": 0.65,
            "signal_priors": {
                "filesystem": {
                    "watch_directories": [f"/home/u/d{i % 50}"],
                    "relevant_extensions": [(".pdf", ".py", ".txt", ".md")[i % 4]],
                    "irrelevant_extensions": [".tmp"],
                },
                "time": {"active_hours": [8, 18]},
            },
        }
    )


def trained(modules: int, labels: int) -> LimbicLayer:
    limbic = LimbicLayer(utc=True)
    for i in range(modules):
        limbic.register(f"m{i}", fingerprint(i))
        for j in range(labels):
            kind = "pdf" if j % 2 else "tmp"
            limbic.update_weights(f"m{i}", [event(i * 7 + j, kind)], float(j % 2))
    return limbic


def vector_entries(one: SignalEvent) -> dict[str, Any]:
    def twin() -> NDArray[np.float32]:
        out = np.zeros(16, dtype=np.float32)
        out[0] = one.magnitude
        out[1] = {"created": 1.0, "tick": 0.75, "modified": 0.5}.get(one.delta_type, 0.0)
        out[2] = {"filesystem": 1.0, "time": 0.5, "memory": 0.25}.get(one.source, 0.0)
        size = math.log1p(one.features["size_bytes"]) / math.log1p(2**30)
        out[8] = min(1.0, size)
        out[9] = min(1.0, one.features["directory_depth"] / 10)
        out[10] = crc32(one.features["extension"].encode()) % 1000 / 1000
        return out

    assert np.array_equal(one.to_feature_vector(), twin())
    return {"ours": one.to_feature_vector, "NumPy": twin}


class NumPyScorer:
    """The same logistic scores: one row of weights a module, gathered by feature."""

    def __init__(self, limbic: LimbicLayer, window: Window) -> None:
        self.columns: dict[str, int] = {"bias": 0}
        for name in feature_names(window, utc=True):
            self.columns[name] = len(self.columns)
        self.modules = limbic.modules()
        # As wide as a model over a few thousand features would be.
        self.weights = np.zeros((4096, len(self.modules)), dtype=np.float32)
        for row, module in enumerate(self.modules):
            for name, weight in limbic.contributions(module, window):
                self.weights[self.columns[name], row] = weight

    def score_all(self, window: Window) -> dict[str, float]:
        rows = [0] + [self.columns[name] for name in feature_names(window, utc=True)]
        sums = self.weights[rows].sum(axis=0)
        return dict(zip(self.modules, (1 / (1 + np.exp(-sums))).tolist(), strict=True))


def score_entries(window: Window) -> dict[str, Any]:
    limbic = trained(1, 20)
    twin = NumPyScorer(limbic, window)
    assert math.isclose(limbic.score("m0", window), twin.score_all(window)["m0"], abs_tol=1e-5)
    return {"ours": lambda: limbic.score("m0", window), "NumPy": lambda: twin.score_all(window)}


def all_entries(window: Window, modules: int, labels: int) -> dict[str, Any]:
    limbic = trained(modules, labels)
    twin = NumPyScorer(limbic, window)
    ours, theirs = limbic.score_all(window), twin.score_all(window)
    assert ours.keys() == theirs.keys()
    assert all(math.isclose(ours[m], theirs[m], abs_tol=1e-5) for m in ours)
    return {"ours": lambda: limbic.score_all(window), "NumPy": lambda: twin.score_all(window)}


def learn_entries(window: Window) -> dict[str, Any]:
    limbic = trained(1, 20)
    columns = np.arange(len(feature_names(window, utc=True)) + 1)
    weights = np.zeros(4096)
    energy = np.full(4096, 0.1)

    def twin() -> None:
        feature_names(window, utc=True)
        error = 1.0 - 1 / (1 + math.exp(-weights[columns].sum()))
        energy[columns] += error * error
        weights[columns] += 0.2 * error / np.sqrt(energy[columns])

    return {"ours": lambda: limbic.update_weights("m0", window, 1.0), "NumPy": twin}


def throughput(modules: int, smoke: bool) -> str:
    limbic = trained(modules, 0)
    windows = [[event(i, "pdf" if i % 2 else "tmp")] for i in range(20 if smoke else 2000)]
    started = time.perf_counter()
    for window in windows:
        limbic.score_all(window)
    seconds = time.perf_counter() - started
    return f"{modules * len(windows) / seconds:,.0f} module scores a second (reference 6,000)"


def memory(modules: int) -> str:
    code = (
        "import sys; sys.path.insert(0, 'benchmarks'); import bench_pulse as b;"
        "rss = lambda: int(open('/proc/self/statm').read().split()[1]) * 4;"
        f"b.trained(1, 0); a = rss(); x = b.trained({modules * 4}, 0); m = rss();"
        f"y = b.trained({modules * 4}, 1); n = {modules * 4};"
        "print((m - a) / n, (rss() - m) / n)"
    )
    registered, labelled = map(float, _child(code).split())
    return (
        f"{registered:.1f} KiB a module registered, {labelled:.1f} KiB after one label"
        " (reference 99 and 364 KiB)"
    )


def imports() -> str:
    code = (
        "import resource; u = lambda: resource.getrusage(resource.RUSAGE_SELF);"
        "a = u(); import prefrontal; from prefrontal.pulse import LimbicLayer; b = u();"
        "print(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime,"
        " int(open('/proc/self/statm').read().split()[1]) * 4)"
    )
    cpu, rss = min(tuple(map(float, _child(code).split())) for _ in range(5))
    figures = f"{cpu * 1e3:.0f} ms CPU, {rss / 1024:.0f} MiB in all"
    return f"import: {figures} (reference 840 ms, 224 MiB)"


def _child(code: str) -> str:
    root = Path(__file__).resolve().parent.parent
    return subprocess.check_output([sys.executable, "-c", code], text=True, cwd=root)


def simulation(labels: tuple[int, ...]) -> str:
    rows = [f"| labels seen | {' | '.join(map(str, labels))} |", f"|{'---|' * (len(labels) + 1)}"]
    aucs = simulated_auc(labels, seeds=range(3))
    rows.append(f"| AUC | {' | '.join(f'{auc:.3f}' for auc in aucs)} |")
    return "\n\n**a relevant .pdf on weekday evenings, 5 % wrong labels**\n\n" + "\n".join(rows)


if __name__ == "__main__":
    main()
