"""Whether the compiled operators are here is asked without torch's compiler."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from prefrontal.control.ops import compiled


def test_torch_marks_a_constant_as_we_do() -> None:
    marked = torch.compiler.assume_constant_result(lambda: True)
    assert vars(marked).items() <= vars(compiled.available).items()
    assert vars(marked)


@pytest.mark.exhaustive
def test_the_compiler_is_not_imported_before_it_is_used() -> None:
    program = "import sys, prefrontal.control.ops.cue; print('torch._dynamo' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "False\n"
