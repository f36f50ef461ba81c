"""Tests that send Ctrl-C work wherever the run was started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
TERMINAL = "tests/docs/test_checking.py::test_a_terminal_goes_on_and_is_ended"


@pytest.mark.exhaustive
def test_ctrl_c_reaches_what_a_run_in_the_background_starts() -> None:
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TERMINAL]
    ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *pytest]
    run = subprocess.run(ignoring, cwd=HERE, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
