"""Write docs/reference/ from the models and the commands, or check that it is up to date.

python scripts/make_references.py [--check] [FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import reference_commands
import reference_configuration

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
PAGES = {"cli.md": reference_commands.page, "configuration.md": reference_configuration.page}


def outdated(folder: Path) -> list[str]:
    """The pages that differ from what would be written now."""
    return [name for name, page in PAGES.items() if _text(folder / name) != page()]


def write(folder: Path) -> None:
    """Write both pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write docs/reference/, or check it.")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when out of date")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    told = parser.parse_args(arguments)
    if not told.check:
        write(told.folder)
        return 0
    old = outdated(told.folder)
    for name in old:
        path = told.folder / name
        print(f"{path} is out of date: python scripts/make_references.py", file=sys.stderr)
    if not old:
        print(f"docs/reference: {len(PAGES)} pages, up to date")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
