"""What mypy knows of the standard library, read once for all tests: that takes most of its time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from prefrontal.routing import trials
from prefrontal.routing.layout import Layout

CONFIG = Path(trials.__file__).with_name("mypy_for_tools.ini")
MODULE = """\
from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
"""


def lend_types(layout: Layout) -> Layout:
    """Let mypy begin with a cache there, as it does after the first trial in a project."""
    if find_spec("mypy") is not None:
        shutil.copytree(_cache(), layout.tmp / ".mypy" / "cache", dirs_exist_ok=True)
    return layout


@cache
def _cache() -> Path:
    folder = Path(_folder().name)
    (folder / "module.py").write_text(MODULE, encoding="utf-8")
    words = [
        f"--config-file={CONFIG}",
        f"--cache-dir={folder / 'cache'}",
        str(folder / "module.py"),
    ]
    command = [sys.executable, "-I", "-B", "-m", "mypy", *words]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "cache"


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()
