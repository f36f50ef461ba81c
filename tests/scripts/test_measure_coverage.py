"""What was executed is counted as it was, and what was asked and missed is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import measure_coverage
from measure_coverage import File


def line(number: int, count: int, *branches: tuple[int, bool, int]) -> dict[str, Any]:
    """branches: how often each was taken, whether by an exception, and the block that it ends."""
    names = ("count", "throw", "source_block_id")
    counted = [dict(zip(names, branch, strict=True)) for branch in branches]
    return {"line_number": number, "count": count, "branches": counted}


def test_a_line_is_dark_when_none_of_its_copies_ran() -> None:
    lines = [line(3, 0), line(4, 0), line(3, 2), line(4, 0), line(9, 1)]
    counted = measure_coverage.cpp_file("csrc/pulse/a.cpp", lines)
    assert (counted.lines, counted.dark) == (3, (4,))


def test_a_branch_is_taken_when_a_copy_of_its_line_takes_it() -> None:
    copies = [line(3, 1, (1, False, 5), (0, False, 5)), line(3, 1, (0, False, 5), (2, False, 5))]
    counted = measure_coverage.cpp_file("csrc/pulse/a.cpp", copies)
    assert (counted.branches, counted.taken, counted.thrown) == (2, 2, 0)


def test_a_call_that_returns_or_throws_is_no_branch() -> None:
    choice = [(1, False, 2), (0, False, 2), (0, True, 2)]
    counted = measure_coverage.cpp_file("a.cpp", [line(3, 1, (7, False, 0), (0, True, 0), *choice)])
    assert (counted.branches, counted.taken, counted.thrown) == (2, 1, 3)


def test_kernels_count_with_their_lines_alone() -> None:
    lines = [line(3, 1, (1, False, 5), (0, False, 5))]
    counted = measure_coverage.cpp_file("csrc/simd/rule.cpp", lines)
    assert (counted.lines, counted.branches, counted.thrown) == (1, 0, 0)


def test_dark_lines_are_said_as_ranges() -> None:
    assert measure_coverage.ranges([3, 4, 5, 9, 11, 12]) == "3-5, 9, 11-12"
    assert measure_coverage.ranges([7]) == "7"


@pytest.mark.parametrize(
    ("dark", "branches", "too_little"),
    [(5, 85, False), (6, 85, True), (5, 84, True)],
    ids=["as asked", "too few lines", "too few branches"],
)
def test_what_is_below_what_was_asked_is_missed(dark: int, branches: int, too_little: bool) -> None:
    file = File("csrc/a.cpp", 100, tuple(range(dark)), branches=100, taken=branches)
    assert measure_coverage.missed([file]) is too_little


def test_counting_nothing_is_no_success() -> None:
    assert measure_coverage.missed([])


def test_the_report_has_a_row_for_each_module_and_fails_when_too_little_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = {"num_statements": 20}
    files = {
        "python/prefrontal/cli/watch.py": {"summary": summary, "missing_lines": [8, 9]},
        "python/prefrontal/pulse/gate.py": {"summary": summary, "missing_lines": []},
    }
    cpp = [{"file": "csrc/pulse/a.cpp", "lines": [line(1, 1, (1, False, 2), (0, False, 2))]}]
    (tmp_path / "python.json").write_text(json.dumps({"files": files}))
    (tmp_path / "cpp.json").write_text(json.dumps({"files": cpp}))
    monkeypatch.setattr(measure_coverage, "FOLDER", tmp_path)
    assert measure_coverage.main(["--report"]) == 1
    printed = capsys.readouterr().out
    assert "cli              lines  90.0 % of     20" in printed
    assert "all              lines  95.0 % of     40" in printed
    assert "branches  50.0 % of      2, 0 of calls that may throw" in printed
    assert measure_coverage.main(["--dark", "python/prefrontal/cli"]) == 0
    assert capsys.readouterr().out == "python/prefrontal/cli/watch.py: 8-9\n"
