"""What a harness leaves that was killed is removed by the next one, and nobody else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from own_folder import make_own_folder

fcntl = pytest.importorskip("fcntl")
FOLDER = Path(__file__).parents[2] / "benchmarks" / "reliability"
PROGRAM = """
import os, sys
from pathlib import Path
from own_folder import make_own_folder
folder = make_own_folder("trials", Path(sys.argv[1]))
(folder / "file").write_text("left")
again = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"
os.execv(sys.executable, [sys.executable, "-c", again, str(folder)])
"""


def test_a_folder_is_removed_once_its_process_is_gone_and_not_before(tmp_path: Path) -> None:
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=FOLDER, stdin=pipe, stdout=pipe, text=True) as harness:
        assert harness.stdout is not None
        left = Path(harness.stdout.readline().strip())
        ours = make_own_folder("trials", tmp_path)
        assert (left / "file").exists(), "it belongs to a process that works"
        harness.kill()
    second = make_own_folder("trials", tmp_path)
    assert not left.exists()
    assert ours.exists() and second.exists()


def test_folders_of_another_kind_stay(tmp_path: Path) -> None:
    other = tmp_path / "prefrontal-harness-server-1"
    other.mkdir()
    make_own_folder("trials", tmp_path)
    assert other.exists()


def test_a_folder_swept_before_it_was_opened_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = iter([tmp_path / "swept", tmp_path / "kept"])
    (tmp_path / "kept").mkdir()
    monkeypatch.setattr("own_folder.tempfile.mkdtemp", lambda **_: str(next(made)))
    assert make_own_folder("trials", tmp_path) == tmp_path / "kept"
