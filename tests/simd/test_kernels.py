"""Every instruction set gives the same bits, and the right numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from prefrontal import _core
from prefrontal._core import simd

Floats = NDArray[np.float32]

LENGTHS = [0, 1, 15, 16, 17, 1000]
ALL = _core.instruction_sets()
EDGES = np.array(
    [
        *(0.0, -0.0, 1e-45, -1e-45, 1e-38, 1.0, -1.0, 86.99999, 87.0, -87.0, 87.00001, 88.0),
        *(-88.0, 100.0, -100.0, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan, -np.nan),
    ],
    dtype=np.float32,
)
CHECK_OBJECTS = Path(__file__).parents[2] / "scripts" / "check_isa_objects.py"


def numbers(n: int, seed: int = 0) -> Floats:
    """n numbers of every size, edges among them."""
    random = np.random.default_rng(seed)
    spread = random.uniform(-90, 90, n) * 10.0 ** random.integers(-6, 1, n)
    mixed = np.concatenate([EDGES, spread.astype(np.float32)])
    return random.permutation(mixed)[:n].copy()


def bits(x: Floats) -> NDArray[np.uint32]:
    return x.view(np.uint32)


def test_this_processor_runs_the_scalar_and_the_base_set_at_least() -> None:
    assert ALL[:2] == ["scalar", "base"]
    assert _core.instruction_set() in ALL


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("isa", ALL)
def test_sigmoid_has_the_same_bits_on_every_instruction_set(isa: str, n: int) -> None:
    x = numbers(n)
    assert np.array_equal(bits(simd.sigmoid(x, isa)), bits(simd.sigmoid(x, "scalar")))


@pytest.mark.parametrize("isa", ALL)
def test_sigmoid_is_within_3_ulp_of_the_reference(isa: str) -> None:
    x = np.linspace(-87, 87, 200_001, dtype=np.float32)
    reference = 1 / (1 + np.exp(-x.astype(np.float64)))
    ulp = np.spacing(reference.astype(np.float32))
    assert np.max(np.abs(simd.sigmoid(x, isa) - reference) / ulp) <= 3


@pytest.mark.parametrize("isa", ALL)
def test_sigmoid_of_an_edge_is_never_zero_and_nan_stays_nan(isa: str) -> None:
    y = simd.sigmoid(EDGES, isa)
    assert np.array_equal(np.isnan(y), np.isnan(EDGES))
    tiny = np.finfo(np.float32).tiny
    assert np.all((y[:-2] >= tiny) & (y[:-2] <= 1))
    assert simd.sigmoid(np.zeros(1, np.float32), isa)[0] == 0.5


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("isa", ALL)
def test_tanh_has_the_same_bits_on_every_instruction_set(isa: str, n: int) -> None:
    x = numbers(n)
    assert np.array_equal(bits(simd.tanh(x, isa)), bits(simd.tanh(x, "scalar")))


@pytest.mark.parametrize("isa", ALL)
def test_tanh_is_within_3_ulp_of_the_reference_and_nan_stays_nan(isa: str) -> None:
    small = 10.0 ** np.linspace(-30, 0, 50_001)
    x = np.concatenate([np.linspace(-20, 20, 200_001), small, -small]).astype(np.float32)
    reference = np.tanh(x.astype(np.float64))
    ulp = np.spacing(np.abs(reference).astype(np.float32))
    assert np.max(np.abs(simd.tanh(x, isa) - reference) / ulp) <= 3
    edges = simd.tanh(EDGES, isa)
    assert np.array_equal(np.isnan(edges), np.isnan(EDGES))
    assert np.all(np.abs(edges[:-2]) <= 1)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("isa", ALL)
def test_add_gives_what_numpy_gives(isa: str, n: int) -> None:
    x, y = numbers(n, seed=1), numbers(n, seed=2)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = x + y
    simd.add(x, y, isa)
    assert np.array_equal(np.isnan(y), np.isnan(expected))
    known = ~np.isnan(expected)
    assert np.array_equal(bits(y[known]), bits(expected[known]))


@pytest.mark.parametrize(
    ("x", "kind", "message"),
    [
        ([1.0], TypeError, "x must be a numpy array of float32, got list"),
        (np.zeros(3), TypeError, r"x must be an array of float32, got float64 of shape \(3,\)"),
        (np.zeros((2, 2), np.float32), ValueError, r"of 1 dimension\(s\), got float32 of shape"),
        (np.zeros(4, np.float32)[::2], ValueError, r"contiguous in C order, got strides \(8,\)"),
    ],
)
def test_a_wrong_array_is_refused_with_a_sentence(
    x: Floats, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        simd.sigmoid(x)


def test_add_refuses_a_read_only_and_a_shorter_target() -> None:
    x, y = np.zeros(3, np.float32), np.zeros(3, np.float32)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="y must be writable, got a read-only array"):
        simd.add(x, y)
    with pytest.raises(ValueError, match=r"y must be as long as x \(3\), got 2"):
        simd.add(x, x[:2])


def test_an_unknown_instruction_set_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^isa must be one of .*\(scalar, base.*\), got 'v9'$"):
        simd.sigmoid(np.zeros(1, np.float32), "v9")


@pytest.mark.parametrize("isa", [*ALL, "v9"])
def test_the_environment_chooses_the_instruction_set(isa: str) -> None:
    code = "from prefrontal import _core; print(_core.instruction_set())"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PREFRONTAL_ISA": isa},
        capture_output=True,
        text=True,
        check=False,
    )
    if isa in ALL:
        assert result.stdout == f"{isa}\n"
    else:
        assert "ValueError: PREFRONTAL_ISA must be one of" in result.stderr
        assert "got 'v9'" in result.stderr


@pytest.mark.parametrize(
    ("source", "accepted"),
    [
        ("static inline int f() { return 1; } int g() { return f(); }", True),
        ("inline int f() { return 1; } int (*g)() = f;", False),
        ("template <class T> T f(T x) { return x; } int (*g)(int) = f<int>;", False),
    ],
)
def test_the_build_refuses_weak_symbols_in_the_objects_of_an_instruction_set(
    tmp_path: Path, source: str, accepted: bool
) -> None:
    (tmp_path / "a.cpp").write_text(source)
    object_file = tmp_path / "a.o"
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-c", tmp_path / "a.cpp", "-o", object_file], check=True)
    command = [sys.executable, str(CHECK_OBJECTS), str(object_file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode == 0) == accepted
    assert ("must not define weak symbols" in result.stderr) == (not accepted)
