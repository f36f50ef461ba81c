"""A kill in the middle of an installation leaves nothing that cannot be taken out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ...installation.stand_in_programs import put_programs

CONFIG = "model: small  # cheap\n"


def files(home: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and ".local" not in path.parts
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("again", [False, True])
def test_what_was_written_before_a_kill_goes_to_the_byte(tmp_path: Path, again: bool) -> None:
    home, programs = tmp_path / "home", tmp_path / "bin"
    (home / ".hermes").mkdir(parents=True)
    (home / ".hermes" / "config.yaml").write_text(CONFIG)
    (home / "prefrontal.yml").write_text("sources: {directories: [.]}\n")
    put_programs(programs, "hermes")
    real = (programs / "hermes").read_text()
    (programs / "hermes").write_text("#!/bin/sh\nkill -9 $PPID\n")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("XDG_")},
        "HOME": str(home),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }

    def prefrontal(*words: str) -> int:
        command = [sys.executable, "-m", "prefrontal", *words, "--yes"]
        return subprocess.run(
            command, check=False, cwd=home, env=environment, capture_output=True, timeout=60
        ).returncode

    before = files(home)
    assert prefrontal("install", "hermes") == -9
    assert files(home) != before
    (programs / "hermes").write_text(real)
    if again:
        assert prefrontal("install", "hermes") == 0
        jobs = home / ".hermes" / "cron" / "jobs.json"
        assert jobs.read_text().count('"prefrontal"') == 1
        assert prefrontal("uninstall", "hermes") == 0
        jobs.unlink()
    else:
        assert prefrontal("uninstall", "hermes") == 0
    assert files(home) == before
