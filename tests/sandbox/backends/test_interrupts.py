"""Ctrl-C ends what a backend has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.sandbox.ladder import rung

from ..driver import survivors

STANDIN = Path(__file__).with_name("standin.py")
PROGRAM = "open('ready', 'w').close(); import time; time.sleep(400)"
BEGIN = """
import signal, sys
from pathlib import Path
from prefrontal.sandbox import Limits, Policy, run
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
scratch, program, runtime = sys.argv[1:]
words = [sys.executable, "-I", "-S", "-c", program, scratch + "/mark"]
"""
CALLERS = {
    "proxy": """
from prefrontal.sandbox.backends.proxy_backend import ProxyBackend
from prefrontal.sandbox.proxy import Hosts
run(words, Limits(max_seconds=400), Policy(Path(scratch)), backend=ProxyBackend(Hosts(["a.org"])))
""",
    "oci": """
from prefrontal.sandbox.backends import Job, oci_backend
job = Job(words, Path(scratch), Limits(max_seconds=400), Policy(Path(scratch)))
oci_backend._run((runtime,), job)
""",
}


def wait_until(condition: Callable[[], bool]) -> None:
    """At most a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CALLERS)
def test_ctrl_c_ends_the_command_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    if name == "proxy" and not rung("namespace").works:
        pytest.skip(rung("namespace").why)
    scratch, temporary = tmp_path / "scratch", tmp_path / "temporary"
    scratch.mkdir()
    temporary.mkdir()
    runtime = tmp_path / "standin"
    runtime.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {STANDIN} "$@"\n')
    runtime.chmod(0o755)
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary),
    }  # fmt: skip
    caller = subprocess.Popen(
        [sys.executable, "-c", BEGIN + CALLERS[name], str(scratch), PROGRAM, str(runtime)],
        env=environment, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        wait_until((scratch / "ready").exists)
        caller.send_signal(signal.SIGINT)
        _, errors = caller.communicate(timeout=60)
    finally:
        caller.kill()
    assert b"KeyboardInterrupt" in errors
    wait_until(lambda: survivors(scratch) == [])
    assert list(temporary.iterdir()) == []
