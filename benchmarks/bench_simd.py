"""Kernels of each instruction set beside NumPy, on 1,000 numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

import harness
from prefrontal import _core
from prefrontal._core import simd


def main() -> None:
    options = harness.options(__doc__ or "")
    x = np.random.default_rng(0).uniform(-10, 10, 1000).astype(np.float32)

    def numpy_sigmoid() -> NDArray[np.floating]:
        return 1 / (1 + np.exp(-x))

    entries: dict[str, Callable[[], NDArray[np.floating]]] = {
        isa: partial(simd.sigmoid, x, isa) for isa in _core.instruction_sets()
    }
    for isa, run in entries.items():
        assert np.allclose(run(), numpy_sigmoid(), rtol=1e-6, atol=0), isa
    rows = harness.measure(
        {**entries, "numpy": numpy_sigmoid}, rounds=options.rounds, smoke=options.smoke
    )
    print(harness.table(rows, twin="numpy"))


if __name__ == "__main__":
    main()
