"""The compiled program that confines a command, and its report."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn


def launcher() -> Path:
    """Where the program lies; it may be missing where it cannot be built."""
    return Path(__file__).resolve().parent.parent / "prefrontal-sbx"


def parse_report(text: bytes) -> dict[str, Any]:
    """The launcher's report, empty when it left none."""
    try:
        report = json.loads(text.decode(errors="replace"))
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def main() -> NoReturn:
    """Become the program: the command `prefrontal-sbx`."""
    program = str(launcher())
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"prefrontal-sbx cannot be started: {error}")
