"""The kernels of the operators give the same bits whatever the processor offers.

torch takes seconds to import, so one process imports it and forks once for each instruction set,
before the first kernel has chosen its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal import _core
from prefrontal.control.ops import compiled

PROGRAM = """
import importlib, os, sys
from hashlib import sha256

sys.path.insert(0, sys.argv[1])
import torch
from prefrontal import _core
from prefrontal.control.ops import compiled

assert compiled.available()
homes = [importlib.import_module(f"control.{name}") for name in sys.argv[2].split(",")]

def digests():
    for home in homes:
        for case in home.same_bits_cases():
            bits = sha256()
            found = case.call(*case.tensors)
            for result in (found,) if isinstance(found, torch.Tensor) else found:
                bits.update(result.contiguous().numpy().tobytes())
            yield f"{case.name}:{bits.hexdigest()[:16]}"

for name in sys.argv[3].split(","):
    child = os.fork()
    if child == 0:
        os.environ["PREFRONTAL_ISA"] = name
        with torch.inference_mode():
            print(_core.instruction_set(), *digests(), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""

HOMES = ["operator_cases", "cue_cases", "rollout_cases"]

pytestmark = pytest.mark.skipif(
    not compiled.available(), reason="prefrontal._torch was not built here"
)


@pytest.mark.exhaustive
def test_every_instruction_set_gives_the_same_results_to_the_last_bit() -> None:
    names = _core.instruction_sets()
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tests), ",".join(HOMES), ",".join(names)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PREFRONTAL_ISA": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == list(names)
    assert {"scalar", "base"} <= set(names)
    assert len(lines[0]) > 15
    for line in lines[1:]:
        assert line[1:] == lines[0][1:], line[0]
