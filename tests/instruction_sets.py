"""A program run with each set of instructions that the processor offers."""

from __future__ import annotations

import os
import subprocess
import sys

from prefrontal import _core


def check_same_bits(program: str, *arguments: str) -> None:
    """program: prints the instruction set that it used, and a digest of what came out."""
    digests = {}
    for name in _core.instruction_sets():
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=os.environ | {"PREFRONTAL_ISA": name},
            capture_output=True,
            text=True,
            check=True,
        )
        used, digests[name] = done.stdout.split()
        assert used == name
    assert {"scalar", "base"} <= set(digests)
    assert len(set(digests.values())) == 1, digests
