"""Each harness of benchmarks/reliability finds a planted fault, and none in the product."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..exhaustive import first

FOLDER = Path(__file__).parents[2] / "benchmarks" / "reliability"
PATIENCE_S = 600.0
SHORT = [("kills", "--kills"), ("power", "--losses"), ("disk", "--failures")]
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


def run(harness: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = FOLDER / f"{harness}.py"
    return subprocess.run(
        [sys.executable, program, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.mark.parametrize(("harness", "amount"), first(1, SHORT))
def test_a_planted_fault_is_found(harness: str, amount: str) -> None:
    done = run(harness, amount, "20", "--planted")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "careless: " in done.stdout and "the last text is lost or torn" in done.stdout


@pytest.mark.parametrize(
    ("harness", "words"),
    first(
        1,
        [
            ("kills", ["--kills", "20", "--writer", "memory"]),
            ("kills", ["--kills", "85"]),
            ("power", ["--losses", "85"]),
            ("disk", ["--failures", "60", "--writer", "ledger"]),
            ("disk", ["--failures", "60", "--writer", "ledger", "--distinct"]),
            ("disk", ["--failures", "85"]),
        ],
    ),
)
def test_no_promise_is_broken(harness: str, words: list[str]) -> None:
    done = run(harness, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 promises broken" in done.stdout
