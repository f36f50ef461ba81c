"""Run a test file with pytest where that is installed, else with unittest, and tell what failed.

Example:
    run(path="test_nothing.py", folder=".")
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LINE = re.compile(r"^(FAILED|FAIL:|ERROR:?) (.*)$")
MISSING = re.compile(
    r"ModuleNotFoundError: No module named '([\w.]+)'"
    r"|ImportError: cannot import name '\w+' from '([\w.]+)' \(unknown location\)"
)
UNREAD = re.compile(r"errors? during collection|Failed to import test module")
COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
MOST_FINDINGS = 20
SECONDS = 20


def run(path: str, folder: str) -> dict[str, Any]:
    """Run the tests, in a process of their own, with the project's folders on the path.

    Args:
        path: a test file.
        folder: the project; its folders src, lib and python can be imported from too.

    Returns:
        findings: one line for each test that failed and each file that could not be read.
        passed: how many passed.

    Raises:
        RuntimeError: the tests could not be run here, which says nothing of them: they need a
            package that is not installed or not part of the project, or did not end in time.
    """
    file = Path(path)
    if not file.is_file():
        return {"findings": [], "passed": 0}
    with_pytest = find_spec("pytest") is not None
    words = pytest_words(file, Path(folder)) if with_pytest else unittest_words(file)
    try:
        ended = subprocess.run(
            [sys.executable, "-B", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": places(Path(folder), file)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{file.name} did not end within {SECONDS} s") from None
    if lacking := missing(ended.stdout + ended.stderr, Path(folder), file):
        raise RuntimeError(f"{file.name} needs {lacking}, which is not here")
    return told(file.name, ended.stdout + ended.stderr, ended.returncode, with_pytest)


def pytest_words(file: Path, folder: Path) -> list[str]:
    """pytest without the project's options, which may ask for what is not installed here."""
    quiet = ["-q", "--tb=short", "-rfE", "-p", "no:cacheprovider", "-W", "ignore", "-o", "addopts="]
    here = ["--import-mode=importlib", "--rootdir", str(folder), "--confcutdir", str(folder)]
    return ["-m", "pytest", *quiet, *here, str(file)]


def unittest_words(file: Path) -> list[str]:
    """unittest, for one file."""
    return ["-m", "unittest", "discover", "-s", str(file.parent), "-p", file.name]


def places(folder: Path, file: Path) -> str:
    """Where modules are looked for."""
    return os.pathsep.join(
        str(each)
        for each in (folder, *(folder / name for name in ("src", "lib", "python")), file.parent)
    )


def missing(output: str, folder: Path, file: Path) -> str:
    """The module without which the tests could not be imported, if it is none of the project."""
    named = MISSING.search(output)
    if named is None or not UNREAD.search(output):
        return ""
    module = named[1] or named[2]
    top = module.partition(".")[0]
    own = [Path(place, top) for place in places(folder, file).split(os.pathsep)]
    there = any(each.is_dir() or each.with_suffix(".py").is_file() for each in own)
    return "" if there and named[1] else module


def told(name: str, output: str, status: int, with_pytest: bool) -> dict[str, Any]:
    """What the output says; times are left out, so that the same run tells the same."""
    findings = []
    why = re.search(
        r"^(?:E +)?(\w+(?:Error|Exception): (?!Failed to import).*)$", output, re.MULTILINE
    )
    for line in output.splitlines():
        found = LINE.match(line)
        if found and not found[2].startswith("("):
            said = " ".join(re.sub(r"\S*/| at 0x[0-9a-f]+", "", found[2]).split())
            kind = "failed" if found[1].startswith("FAIL") else "error"
            said += f" - {why[1]}" if why and kind == "error" and " - " not in said else ""
            findings.append(f"{kind}: {said}"[:200])
    counts = {word: int(number) for number, word in COUNT.findall(output)}
    passed = counts.get("passed", 0)
    if not with_pytest:
        ran = re.search(r"^Ran (\d+) tests?", output, re.MULTILINE)
        passed = int(ran[1]) - len(findings) if ran else 0
    if not findings and status not in (0, 5):  # 5: pytest found no tests
        findings.append(f"{name} ended with status {status}")
    return {"findings": findings[:MOST_FINDINGS], "passed": passed}
