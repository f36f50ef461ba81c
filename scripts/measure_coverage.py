"""Measure which lines of Python, and which lines and branches of C++, the tests execute.

    python scripts/measure_coverage.py [--jobs 2] [--exhaustive] [TEST ...]
    python scripts/measure_coverage.py --report                   # of the last run
    python scripts/measure_coverage.py --dark python/prefrontal/cli    # its dark lines

The core is compiled with gcov's counters at -O1 and copied beside the package into
build/coverage; the processes that tests start are counted too. Exit 1 where less is covered than
asked. Not counted: the launcher of the sandbox, which writes no file once it is confined; what
a signal ends; lines under TYPE_CHECKING and bodies that are `...`; and in C++ the two branches of
a call that returns or throws (gcov's mark), whose number is printed: what is thrown on purpose
stands behind a branch of its own. The kernels count with their lines alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "coverage"
ASKED_LINES = 95.0
ASKED_BRANCHES = 85.0
SHOWN_FILES = 25
INLINED = "csrc/simd/"
"""Its vector functions are always inlined, so that a line has branches for each call and set."""
UNTRUE = (
    "tests/test_imports.py",
    "tests/cli/gate/test_gate.py::test_nothing_new_imports_neither_click_nor_pydantic",
    "tests/cli/replay/test_replay_sources.py"
    "::test_the_sample_takes_less_than_two_seconds_from_a_cold_start",
    "tests/storage/test_sqlite_database.py::test_a_folder_that_cannot_be_written_is_named",
)
"""Fail under coverage.py, which loads modules, takes time and writes files itself."""


@dataclass(frozen=True, slots=True)
class File:
    """Lines and branches of one file. dark: the lines that nothing executed."""

    name: str
    lines: int
    dark: tuple[int, ...]
    branches: int = 0
    taken: int = 0
    thrown: int = 0

    @property
    def module(self) -> str:
        """Its first folder below the package, or its domain in C++."""
        parts = self.name.removeprefix("python/prefrontal/").removeprefix("csrc/").split("/")
        return parts[0]


def percent(part: int, whole: int) -> float:
    """In percent; all of nothing is 100."""
    return 100.0 * part / whole if whole else 100.0


def ranges(lines: Sequence[int]) -> str:
    """Ascending numbers in few words: "3-5, 9"."""
    breaks = [i for i, (one, two) in enumerate(pairwise(lines), 1) if two != one + 1]
    parts = [lines[i:j] for i, j in pairwise([0, *breaks, len(lines)]) if lines[i:j]]
    return ", ".join(f"{p[0]}-{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def call(*words: str | Path, **environment: str) -> int:
    """Run a Python module with these variables besides; its exit code."""
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, check=False
    ).returncode


def build(jobs: int) -> Path:
    """The folder for PYTHONPATH: the package with an instrumented core."""
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or "cmake"
    objects = FOLDER / "cmake"
    torch = "ON" if find_spec("torch") else "OFF"
    words = [f"-DPREFRONTAL_TORCH={torch}", "-DPREFRONTAL_COVERAGE=ON"]
    words += [f"-DPython_EXECUTABLE={sys.executable}", "-S", str(ROOT), "-B", str(objects)]
    for command in ([cmake, *words], [cmake, "--build", str(objects), f"-j{jobs}"]):
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    for counts in objects.rglob("*.gcda"):
        counts.unlink()
    package = FOLDER / "package"
    shutil.rmtree(package, ignore_errors=True)
    skipped = shutil.ignore_patterns("*.so", "prefrontal-sbx", "__pycache__")
    shutil.copytree(ROOT / "python", package, ignore=skipped)
    for made in [*objects.glob("*.so"), objects / "prefrontal-sbx"]:
        shutil.copy(made, package / "prefrontal")
    return package


def run_tests(package: Path, jobs: int, words: Sequence[str]) -> int:
    """The exit code of pytest; what it and its processes executed is in FOLDER."""
    shutil.rmtree(FOLDER / "counts", ignore_errors=True)
    (FOLDER / "counts").mkdir(parents=True)
    workers = ["-n", str(jobs), "--dist", "loadfile", "--no-loadscope-reorder"] if jobs > 1 else []
    return call(
        *("coverage", "run", f"--rcfile={ROOT / 'pyproject.toml'}", "-m", "pytest", "-q"),
        *(*(f"--deselect={each}" for each in UNTRUE), *workers, *words),
        PYTHONPATH=str(package),
        COVERAGE_FILE=str(FOLDER / "counts" / "data"),
    )


def write_reports() -> None:
    """python.json and cpp.json in FOLDER, from what the processes wrote."""
    data = {"COVERAGE_FILE": str(FOLDER / "counts" / "data")}
    rules = f"--rcfile={ROOT / 'pyproject.toml'}"
    call("coverage", "combine", "--quiet", "--keep", rules, FOLDER / "counts", **data)
    call("coverage", "json", "--quiet", rules, "-o", FOLDER / "python.json", **data)
    ours = ("--root", ROOT, "--filter", f"{ROOT}/(csrc|bindings)/")
    copies = "--merge-mode-functions=separate"
    call("gcovr", *ours, copies, "--json", FOLDER / "cpp.json", FOLDER / "cmake")


def python_files() -> Iterator[File]:
    """What coverage.py counted."""
    told = json.loads((FOLDER / "python.json").read_text(encoding="utf-8"))["files"]
    for name, each in told.items():
        yield File(name, each["summary"]["num_statements"], tuple(each["missing_lines"]))


def cpp_files() -> Iterator[File]:
    """What gcov counted; a branch of a line is taken when any of its copies takes it."""
    told = json.loads((FOLDER / "cpp.json").read_text(encoding="utf-8"))["files"]
    for each in told:
        yield cpp_file(each["file"], each["lines"])


def cpp_file(name: str, lines: Iterable[dict[str, Any]]) -> File:
    """lines: gcovr's; a line stands there once for each function that it was compiled into."""
    executed: Counter[int] = Counter()
    branches: Counter[tuple[int, int]] = Counter()
    thrown = set()
    for line in lines:
        number = line["line_number"]
        executed[number] += line["count"]
        seen = () if name.startswith(INLINED) else choices(line["branches"])
        for place, (branch, choice) in enumerate(seen):
            branches[number, place] += branch["count"]
            if not choice:
                thrown.add((number, place))
    kept = [count for key, count in branches.items() if key not in thrown]
    dark = tuple(sorted(number for number, count in executed.items() if not count))
    return File(name, len(executed), dark, len(kept), sum(map(bool, kept)), len(thrown))


def choices(branches: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each branch, and whether there is a choice without exceptions: a call that may throw ends
    its block with two branches, of which neither counts."""
    calm = Counter(each.get("source_block_id") for each in branches if not each["throw"])
    for each in branches:
        yield each, not each["throw"] and calm[each.get("source_block_id")] > 1


def table(title: str, files: Sequence[File]) -> Iterator[str]:
    """A row for each module, the files with the most dark lines, and the sums."""
    yield f"== {title}"
    for module in sorted({each.module for each in files}):
        yield row(module, [each for each in files if each.module == module])
    yield row("all", files)
    for each in sorted(files, key=lambda file: -len(file.dark))[:SHOWN_FILES]:
        yield f"  {len(each.dark):5} dark of {each.lines:5}  {each.name}"


def row(name: str, files: Iterable[File]) -> str:
    """Lines and branches of some files together."""
    some = list(files)
    lines, dark = sum(each.lines for each in some), sum(len(each.dark) for each in some)
    text = f"{name:16} lines {percent(lines - dark, lines):5.1f} % of {lines:6}"
    if branches := sum(each.branches for each in some):
        share = percent(sum(each.taken for each in some), branches)
        thrown = sum(each.thrown for each in some)
        text += f"   branches {share:5.1f} % of {branches:6}, {thrown} of calls that may throw"
    return text


def missed(files: Sequence[File]) -> bool:
    """Whether less is covered than asked, or nothing was counted at all."""
    lines = sum(each.lines for each in files)
    covered = lines - sum(len(each.dark) for each in files)
    taken = percent(sum(each.taken for each in files), sum(each.branches for each in files))
    return not lines or percent(covered, lines) < ASKED_LINES or taken < ASKED_BRANCHES


def print_dark(files: Iterable[File], below: str) -> None:
    """The dark lines of each file below a path."""
    for each in files:
        if each.name.startswith(below) and each.dark:
            print(f"{each.name}: {ranges(each.dark)}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure what the tests execute.")
    parser.add_argument("test", nargs="*", help="files or folders of tests instead of all")
    parser.add_argument("--jobs", type=int, default=2, help="processes that test")
    parser.add_argument("--exhaustive", action="store_true", help="the exhaustive tests, too")
    parser.add_argument("--dark", metavar="PATH", help="print dark lines of the last run below it")
    parser.add_argument("--report", action="store_true", help="run nothing, report the last run")
    options = parser.parse_args(arguments)
    failed = 0
    if options.dark is None and not options.report:
        words = options.test + ([] if options.exhaustive else ["-m", "not exhaustive"])
        failed = run_tests(build(options.jobs), options.jobs, words)
        write_reports()
    python, cpp = list(python_files()), list(cpp_files())
    if options.dark is not None:
        print_dark([*python, *cpp], options.dark)
        return 0
    print("\n".join([*table("Python", python), *table("C++", cpp)]))
    print(f"asked: lines {ASKED_LINES} %, branches of C++ {ASKED_BRANCHES} %")
    return 1 if failed or missed(python) or missed(cpp) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
