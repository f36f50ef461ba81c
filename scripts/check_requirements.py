"""Check docs/requirements/*.md: every requirement has a name, every test it cites exists.

A requirement is a line `- ID: what must hold`, with the tests that show it in backticks:
`tests/pulse/test_signal.py::test_name`. Lines that continue one are indented; headings, empty
lines and plain paragraphs are free.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

ENTRY = re.compile(r"- ([A-Za-z][A-Za-z0-9._-]*): \S")
REFERENCE = re.compile(r"`(tests/[^`\s]+?\.py)(?:::([^`]+))?`")


def tests_in(path: Path) -> set[str]:
    """Names of the tests of a file: `test_a`, `TestB::test_c`."""
    body = ast.parse(path.read_text(encoding="utf-8"), filename=str(path)).body
    names = _functions(body)
    for node in body:
        if isinstance(node, ast.ClassDef):
            names.update(f"{node.name}::{name}" for name in _functions(node.body))
    return names


def _functions(body: list[ast.stmt]) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in body if isinstance(node, kinds)}


class Checker:
    """Collects what is wrong, and how many requirements and references there are."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: list[str] = []
        self.places: dict[str, str] = {}
        self.references = 0
        self._tests: dict[str, set[str] | None] = {}

    def check_page(self, page: Path) -> None:
        lines = page.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            place = f"{page.relative_to(self.root)}:{number}"
            if re.match(r"[-*+] ", line):
                self._check_entry(place, line)
            for match in REFERENCE.finditer(line):
                self.references += 1
                self._check_reference(place, match[1], match[2])

    def _check_entry(self, place: str, line: str) -> None:
        entry = ENTRY.match(line)
        if entry is None:
            self.problems.append(f"{place}: a requirement must start with '- ID: ', got {line!r}")
        elif entry[1] in self.places:
            first = self.places[entry[1]]
            self.problems.append(f"{place}: an ID must be used once, got {entry[1]!r} as {first}")
        else:
            self.places[entry[1]] = place

    def _check_reference(self, place: str, path: str, name: str | None) -> None:
        if name is None:
            self.problems.append(f"{place}: a test must be named as `{path}::test_name`")
            return
        if path not in self._tests:
            file = self.root / path
            self._tests[path] = tests_in(file) if file.is_file() else None
        known = self._tests[path]
        if known is None:
            self.problems.append(f"{place}: there is no file {path}")
        elif name.partition("[")[0] not in known:
            self.problems.append(f"{place}: {path} has no test {name!r}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Check the tests that docs/requirements cites.")
    default = Path(__file__).resolve().parent.parent
    parser.add_argument("root", nargs="?", type=Path, default=default)
    checker = Checker(parser.parse_args(arguments).root)
    pages = sorted((checker.root / "docs" / "requirements").glob("*.md"))
    for page in pages:
        checker.check_page(page)
    for problem in checker.problems:
        print(problem, file=sys.stderr)
    if checker.problems:
        return 1
    counted = f"{len(checker.places)} requirements, {checker.references} references to tests"
    print(f"docs/requirements: {len(pages)} pages, {counted}, all found")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
