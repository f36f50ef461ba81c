"""Make all attempts of tests/sandbox at every level, and write the table of docs/sandbox.md.

python scripts/sandbox_table.py     some ten minutes; as root, since an ordinary user tries less
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.sandbox.attempt_table import BEGIN, END, Outcomes, rows, summary  # noqa: E402
from tests.sandbox.driver import ATTEMPTS  # noqa: E402
from tests.sandbox.people import drive, python_for, shared_folder, users  # noqa: E402

PAGE = ROOT / "docs" / "sandbox.md"
LEVELS = ("bare", "namespace", "landlock", "landlock-fs@1", "proxy")


def outcomes_of(user: str) -> list[dict[str, Any]]:
    """One level after the other; gVisor as root alone."""
    python = python_for(user)
    if python is None:
        sys.exit(f"{user} can run no Python here")
    made: list[dict[str, Any]] = []
    for level in (*LEVELS, *(["oci"] if user == "root" else [])):
        print(f"{user} at {level}", file=sys.stderr, flush=True)
        with shared_folder(user) as folder:
            made += drive(user, python, folder, [each.name for each in ATTEMPTS], level)
    return made


def main() -> None:
    outcomes: Outcomes = {
        (user, each["level"], each["name"]): each for user in users() for each in outcomes_of(user)
    }
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join([BEGIN, "", summary(outcomes), "", *rows(outcomes), "", END])
    PAGE.write_text(before + table + after, encoding="utf-8")


if __name__ == "__main__":
    main()
