"""Print what pip must install, one requirement a line, read from pyproject.toml.

    python scripts/requirements.py build run dev

Groups: `build` (build requirements), `run` (runtime dependencies), or the name of an extra.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def groups() -> dict[str, list[str]]:
    """Group -> its requirements."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    return {
        "build": project["build-system"]["requires"],
        "run": project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
    }


def main(names: list[str]) -> int:
    known = groups()
    for name in names:
        if name not in known:
            print(f"group must be one of {', '.join(known)}, got {name!r}", file=sys.stderr)
            return 2
    print("\n".join(line for name in names for line in known[name]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
