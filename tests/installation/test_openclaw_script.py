"""The condition script of OpenClaw, run by node as the scheduler would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.installation.programs import Caller
from prefrontal.installation.targets.openclaw import openclaw

STAND_IN = Path(__file__).with_name("stand_ins") / "openclaw.py"
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not here"),
]


def run(tmp_path: Path, answer: str, **environment: str) -> str:
    """What the scheduler says when the gate prints this."""
    gate = tmp_path / "a gate's program"
    gate.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\necho 'First call' >&2\n")
    gate.chmod(0o755)
    [job] = openclaw(Caller([str(gate)], tmp_path / "prefrontal.yml"), "10m", mcp=False).jobs
    jobs = tmp_path / "jobs.json"
    kept = {"id": "1", "name": "p", "event": "Look.", "state": {"last": "0"}}
    jobs.write_text(json.dumps({"jobs": [{**kept, "script": getattr(job, "script")}]}))  # noqa: B009
    words = [sys.executable, str(STAND_IN), "cron", "run", "p"]
    told = {**os.environ, "OPENCLAW_STATE_DIR": str(tmp_path), **environment}
    return subprocess.run(
        words, capture_output=True, text=True, check=True, env=told, timeout=60
    ).stdout


@pytest.mark.parametrize("release", [{}, {"OPENCLAW_TOOLS": "1"}])
def test_it_fires_when_the_gate_says_so_on_each_release(
    tmp_path: Path, release: dict[str, str]
) -> None:
    assert run(tmp_path, '{"fire": false}', **release) == "p: did not fire, no model was asked\n"
    fired = run(
        tmp_path, 'a note\n{"fire": true, "message": "Is it \u00e4n \\"invoice\\"?"}', **release
    )
    assert fired.endswith('Look.\nIs it \u00e4n "invoice"?\n')


@pytest.mark.parametrize("answer", ["", "no JSON", "null", '{"fire": "false"}', '{"wake": false}'])
def test_what_it_does_not_understand_fires(tmp_path: Path, answer: str) -> None:
    assert "prefrontal could not be asked" in run(tmp_path, answer)
