"""The check of docs/requirements finds what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_requirements.py"
TESTS = """
async def test_alone(): ...
def helper(): ...
class TestGroup:
    def test_inside(self): ...
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_x.py").write_text(TESTS)
    (tmp_path / "docs" / "requirements").mkdir(parents=True)
    return tmp_path


def check(root: Path, page: str) -> subprocess.CompletedProcess[str]:
    (root / "docs" / "requirements" / "page.md").write_text(page)
    command = [sys.executable, str(SCRIPT), str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_requirements_whose_tests_exist_pass(root: Path) -> None:
    page = (
        "# Title\n\nA paragraph.\n\n"
        "- A1: holds, `tests/test_x.py::test_alone` and\n"
        "  `tests/test_x.py::TestGroup::test_inside`\n"
        "- A2: with a case, `tests/test_x.py::test_alone[3-True]`\n"
    )
    result = check(root, page)
    assert result.returncode == 0, result.stderr
    assert "2 requirements, 3 references" in result.stdout


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("- A1: x `tests/test_x.py::test_gone`", "tests/test_x.py has no test 'test_gone'"),
        ("- A1: x `tests/test_x.py::test_inside`", "tests/test_x.py has no test 'test_inside'"),
        ("- A1: x `tests/test_y.py::test_alone`", "there is no file tests/test_y.py"),
        ("- A1: x `tests/test_x.py`", "a test must be named"),
        ("- no name", "a requirement must start with '- ID: ', got '- no name'"),
        ("* A1: x", "a requirement must start with '- ID: ', got '* A1: x'"),
        ("- A1: x\n- A1: y", "an ID must be used once, got 'A1'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(root: Path, line: str, complaint: str) -> None:
    result = check(root, f"# Title\n{line}\n")
    assert result.returncode == 1
    assert complaint in result.stderr
    assert result.stderr.startswith(f"docs/requirements/page.md:{2 + line.count(chr(10))}: ")


@pytest.mark.exhaustive
def test_the_requirements_of_this_repository_pass() -> None:
    result = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
