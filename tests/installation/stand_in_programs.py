"""Programs of others, played by scripts."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

SCRIPTS = Path(__file__).with_name("stand_ins")


def put_programs(folder: Path, *names: str) -> None:
    """Make each of them a program in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        words = shlex.join([sys.executable, str(SCRIPTS / f"{name}.py")])
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        program.chmod(0o755)
