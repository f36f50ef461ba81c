"""The figures of the house count what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_house.py"


def figures(folder: Path, **files: str) -> tuple[int, dict[str, int]]:
    package = folder / "house"
    for name, text in {"__init__": "", **files}.items():
        path = package / f"{name.replace('__in__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(package)], capture_output=True, text=True, check=False
    )
    lines = (line.partition(": ") for line in done.stdout.splitlines())
    return done.returncode, {name: int(rest.split()[0]) for name, _, rest in lines}


def test_a_plain_package_has_one_level_and_nothing_else(tmp_path: Path) -> None:
    code, found = figures(tmp_path, a="x = 1\n", b="y = 2\n")
    assert (code, found.pop("levels of imports"), set(found.values())) == (0, 1, {0})


@pytest.mark.parametrize(
    "late",
    [
        "def f():\n    from .a import x\n    return x\n",
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from . import a\n",
        "from .a import x\n",
    ],
)
def test_a_ring_is_found_wherever_its_imports_stand(tmp_path: Path, late: str) -> None:
    code, found = figures(tmp_path, a="from . import b\nx = 1\n", b=late)
    assert (code, found["rings of imports"]) == (1, 1)


def test_levels_count_imports_at_the_top(tmp_path: Path) -> None:
    _, found = figures(
        tmp_path,
        a="from .b import y\n",
        b="from .c import z\ny = z\n",
        c="z = 1\ndef f():\n    from . import d\n    return d\n",
        d="",
    )
    assert found["levels of imports"] == 3


def test_names_and_sizes_are_counted(tmp_path: Path) -> None:
    _, found = figures(
        tmp_path,
        a="class Gate: ...\nfound = 1\n",
        b="class Gate: ...\ndef f(told): return told\n",
        c="\n" * 501,
        **{f"many__in__m{number}": "" for number in range(31)},
    )
    assert found["class names that stand twice"] == 1
    assert found["participles as names"] == 2
    assert found["files above 500 lines"] == 1
    assert found["folders above 30 files"] == 1
