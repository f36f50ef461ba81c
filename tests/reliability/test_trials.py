"""What a copy leaves behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "reliability"
PATIENCE_S = 60.0
PROGRAM = """
import os, signal, sys, time
from pathlib import Path

sys.path.insert(0, {folder!r})
from trials import in_copy

scratch = Path({scratch!r})


def work():
    for _ in range(20):
        if os.fork() == 0:
            data = b"x" * (1 << 24)
            with (scratch / "alive").open("a") as file:
                file.write(f"{{os.getpid()}}\\n")
            time.sleep(1000)
    while (scratch / "alive").read_text().count("\\n") < 20:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGKILL)


(scratch / "alive").touch()
assert in_copy(work, scratch).code == -signal.SIGKILL
for name in (scratch / "alive").read_text().split():
    print(name, Path("/proc", name).exists())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_what_a_killed_copy_has_started_is_gone_before_the_next_starts(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(folder=str(FOLDER), scratch=str(tmp_path))],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("False") == 20, done.stdout
