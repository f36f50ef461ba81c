"""Acts of one place: of one kind, on files of one kind, called from the same lines."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "reliability"
PATIENCE_S = 60.0
BEGIN = """
import errno, os, shutil
import preload
from preload import Act, Control, Mode

if not preload.is_preloaded():
    preload.start_preloaded()
root = preload.scratch() / "root"
root.mkdir()
control = Control(root, root / "said", root / "trace")


def write(name):
    file = os.open(root / name, os.O_WRONLY | os.O_CREAT)
    try:
        os.write(file, b"x")
    finally:
        os.close(file)


def work(names):
    for name in names:
        write(name)
    write("last")

"""
END = "\nshutil.rmtree(preload.scratch())\n"
pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
    ),
    pytest.mark.skipif(
        not hasattr(ctypes.pythonapi, "_Py_DumpTraceback"), reason="needs to be told the lines"
    ),
]


def run(tmp_path: Path, text: str) -> str:
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\n{BEGIN}{text}{END}")
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (["part1", "part20"], [1, 2]),
        (["part", "other"], [1, 1, 1]),
        (["last", "last"], [1, 2]),
    ],
)
def test_acts_from_other_lines_or_on_other_files_are_other_places(
    names: list[str], counts: list[int], tmp_path: Path
) -> None:
    text = f"""
control.set(Mode.COUNT, acts=(Act.WRITE,), place=0)
work({names})
control.off()
print([each.count for each in control.places])
"""
    assert run(tmp_path, text) == f"{counts}\n"


def test_what_fails_is_the_act_of_that_place_with_that_number(tmp_path: Path) -> None:
    text = """
turns = [(Mode.COUNT, 0, 0)]
for mode, number, mark in turns:  # all from one line, as its number counts
    control.set(mode, number, errno.ENOSPC, (Act.WRITE,), mark)
    try:
        work(["part1", "part2", "part3"])
    except OSError as error:
        control.off()
        print(error.errno == errno.ENOSPC and os.path.basename(control.met[1]))
    control.off()
    if mode is Mode.COUNT:
        turns += [(Mode.FAIL, each.count, each.mark) for each in control.places]
"""
    assert run(tmp_path, text) == "last\npart3\n"
