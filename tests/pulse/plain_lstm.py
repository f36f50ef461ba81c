"""The LSTM in plain NumPy with 64-bit numbers, and samples that any other program can rebuild."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefrontal.types import SignalEvent

SHAPES = {
    "weight_ih_l0": (256, 16),
    "weight_hh_l0": (256, 64),
    "bias_ih_l0": (256,),
    "bias_hh_l0": (256,),
    "head.weight": (1, 64),
    "head.bias": (1,),
}
Weights = dict[str, NDArray[np.float32]]
Floats = NDArray[np.float64]


def sample_weights(seed: int) -> Weights:
    """Weights in [-1/8, 1/8) from a formula."""
    weights, first = {}, seed * 40_503 + 1
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        steps = (np.arange(first, first + size, dtype=np.uint64) * 2_654_435_761) % 2**32
        weights[name] = ((steps / 2**32 - 0.5) / 4).astype(np.float32).reshape(shape)
        first += size
    return weights


def sample_window(length: int, seed: int = 0) -> list[SignalEvent]:
    """File, time, memory and network events in turns."""
    return [_event(seed * 1_000 + number) for number in range(length)]


def _event(n: int) -> SignalEvent:
    delta = ("created", "modified", "deleted", "tick")[n % 4]
    size, when = (n * 37 % 101) / 100, 1.7e9 + 60.0 * n
    kinds: list[tuple[str, dict[str, Any]]] = [
        (
            "filesystem",
            {"extension": f".e{n % 7}", "size_bytes": n * 997, "directory_depth": n % 12},
        ),
        (
            "time",
            {
                "hour_sin": np.sin(n),
                "hour_cos": np.cos(n),
                "dow_sin": np.sin(2 * n),
                "dow_cos": np.cos(2 * n),
                "minutes_since_last_activation": n * n % 5_000,
            },
        ),
        ("memory", {"namespace": f"n{n % 3}", "key": f"k{n}", "value_length": n * 31}),
        (
            "network",
            {
                "endpoint": f"https://x/{n % 4}",
                "status_code": 200,
                "content_hash": str(n),
                "previous_hash": "1",
            },
        ),
    ]
    source, features = kinds[n * 7 % 13 % 4]
    return SignalEvent(source, f"/srv/{n}", delta, size, when, features)


def inputs(window: Sequence[SignalEvent]) -> NDArray[np.float32]:
    """What the network reads: the vectors, with bounded minutes in slot 7."""
    vectors = np.array([event.to_feature_vector() for event in window]).reshape(-1, 16)
    vectors[:, 7] = np.log1p(np.maximum(vectors[:, 7], 0)) / np.log1p(1440)
    return vectors


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


class PlainLstm:
    """Forward, back through time, and Adam as its paper has it."""

    def __init__(self, weights: Weights) -> None:
        self.w: dict[str, Floats] = {k: v.astype(np.float64) for k, v in weights.items()}
        self.mean = {name: np.zeros(shape) for name, shape in SHAPES.items()}
        self.energy = {name: np.zeros(shape) for name, shape in SHAPES.items()}
        self.labels = 0

    def run(self, x: NDArray[Any]) -> tuple[float, list[tuple[Floats, ...]]]:
        h, c = np.zeros(64), np.zeros(64)
        tape = []
        for row in x.astype(np.float64):
            total = self.w["weight_ih_l0"] @ row + self.w["weight_hh_l0"] @ h
            i, f, g, o = (total + self.w["bias_ih_l0"] + self.w["bias_hh_l0"]).reshape(4, 64)
            i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
            before = h, c
            c = f * c + i * g
            h = o * np.tanh(c)
            tape.append((row, *before, i, f, g, o, c))
        logit = self.w["head.weight"][0] @ h + self.w["head.bias"][0]
        return float(logit), [*tape, (h,)]

    def score(self, x: NDArray[Any]) -> float:
        return float(sigmoid(self.run(x)[0]))

    def slopes(self, x: NDArray[Any], label: float) -> dict[str, Floats]:
        logit, (*tape, (h,)) = self.run(x)
        error = sigmoid(logit) - label
        found = {name: np.zeros(shape) for name, shape in SHAPES.items()}
        found["head.weight"][0], found["head.bias"][0] = error * h, error
        dh, dc = error * self.w["head.weight"][0], np.zeros(64)
        for row, h, c_before, i, f, g, o, c in reversed(tape):
            dc = dc + dh * o * (1 - np.tanh(c) ** 2)
            gates = np.concatenate(
                [
                    dc * g * i * (1 - i),
                    dc * c_before * f * (1 - f),
                    dc * i * (1 - g**2),
                    dh * np.tanh(c) * o * (1 - o),
                ]
            )
            found["weight_ih_l0"] += np.outer(gates, row)
            found["weight_hh_l0"] += np.outer(gates, h)
            found["bias_ih_l0"] += gates
            found["bias_hh_l0"] += gates
            dh, dc = self.w["weight_hh_l0"].T @ gates, dc * f
        return found

    def learn(self, x: NDArray[Any], label: float) -> None:
        self.labels += 1
        for name, slope in self.slopes(x, label).items():
            self.mean[name] += 0.1 * (slope - self.mean[name])
            self.energy[name] += 0.001 * (slope**2 - self.energy[name])
            mean = self.mean[name] / (1 - 0.9**self.labels)
            energy = self.energy[name] / (1 - 0.999**self.labels)
            self.w[name] -= 1e-3 * mean / (np.sqrt(energy) + 1e-8)
