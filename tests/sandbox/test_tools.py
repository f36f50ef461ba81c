"""Files that a candidate leaves for the next program: settings, plug-ins, start-up modules."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.sandbox import Limits, Policy, run
from prefrontal.sandbox.ladder import best_level, rung

from ..exhaustive import first

pytestmark = pytest.mark.skipif(not best_level().works, reason=best_level().why)
LEVELS = [level for level in ("namespace", "landlock") if rung(level).works]
BIN = Path(sys.prefix) / "bin"


def tool(name: str) -> str:
    found = shutil.which(name, path=str(BIN))
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "candidate.py").write_text('"""A tool."""\n')
    return tmp_path / "outside"


@pytest.mark.parametrize("level", first(1, ["bare", *LEVELS]))
def test_a_plug_in_for_mypy_gets_no_further_than_the_candidate(outside: Path, level: str) -> None:
    scratch = outside.parent / "scratch"
    (scratch / "mypy.ini").write_text("[mypy]\nplugins = ./plugin.py\n")
    (scratch / "plugin.py").write_text(
        f"from pathlib import Path\nPath({str(outside)!r}, 'escaped').touch()\n"
    )
    command = [tool("mypy"), "--cache-dir", "cache", "candidate.py"]
    assert escaped(command, scratch, level) == (level == "bare")


@pytest.mark.parametrize("level", ["bare", *LEVELS])
def test_settings_for_ruff_get_no_further_than_the_candidate(outside: Path, level: str) -> None:
    scratch = outside.parent / "scratch"
    (scratch / "ruff.toml").write_text(f"cache-dir = {str(outside / 'escaped')!r}\n")
    assert escaped([tool("ruff"), "check", "candidate.py"], scratch, level) == (level == "bare")


@pytest.mark.parametrize("level", ["bare", *LEVELS])
@pytest.mark.parametrize(
    "name", first(1, ["sitecustomize.py", "usercustomize.py", "json.py", "evil.pth"])
)
def test_a_module_for_start_up_is_not_loaded(outside: Path, level: str, name: str) -> None:
    scratch = outside.parent / "scratch"
    code = f"import pathlib; pathlib.Path({str(outside)!r}, 'escaped').touch()\n"
    (scratch / name).write_text(code)
    program = "import sys, json; print('loaded' if 'pathlib' in sys.modules else 'not')"
    flags = ["-I", "-B"] if level != "bare" else ["-B"]
    command = [sys.executable, *flags, "-c", program]
    shown = name in {"sitecustomize.py", "json.py"}  # the others need a user's site folder
    assert escaped(command, scratch, level, PYTHONPATH=str(scratch)) == (level == "bare" and shown)


@pytest.mark.exhaustive
@pytest.mark.parametrize("level", LEVELS)
def test_ruff_and_mypy_work_inside(outside: Path, level: str) -> None:
    scratch = outside.parent / "scratch"
    policy = Policy(scratch, level=level)
    assert run([tool("ruff"), "check", "--isolated", "candidate.py"], Limits(), policy).ok
    checked = run([tool("mypy"), "--cache-dir", "cache", "candidate.py"], Limits(), policy)
    assert checked.ok, checked.stdout + checked.stderr


def escaped(command: list[str], scratch: Path, level: str, **variables: str) -> bool:
    """Whether the command made something outside, or loaded what it should not."""
    if level == "bare":
        ended = subprocess.run(
            command, cwd=scratch, env=variables, capture_output=True, check=False
        )
        said = ended.stdout
    else:
        said = run(command, Limits(), Policy(scratch, level=level, environment=variables)).stdout
    return (scratch.parent / "outside" / "escaped").exists() or b"\nloaded" in b"\n" + said
