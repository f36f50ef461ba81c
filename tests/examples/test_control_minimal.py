"""examples/control_minimal.py runs, and its cue learns, within seconds."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from runpy import run_path

import pytest

PROGRAM = Path(__file__).parents[2] / "examples" / "control_minimal.py"

pytest.importorskip("torch")
pytest.importorskip("matplotlib")


@pytest.mark.exhaustive
def test_the_cue_learns_and_the_picture_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    picture = tmp_path / "picture.png"
    words = ["--batches", "150", "--steps", "12", "--out", str(picture)]
    monkeypatch.setattr(sys, "argv", [str(PROGRAM), *words])
    threads = torch.get_num_threads()
    try:
        run_path(str(PROGRAM))
    finally:
        torch.set_num_threads(threads)
    told = capsys.readouterr().out
    found = re.search(r"cue: depth of w_harm (-?[\d.]+) before, ([\d.]+) after training", told)
    assert found is not None
    before, after = map(float, found.groups())
    assert abs(before) < 0.05 < 0.15 < after
    assert "agent: 12 steps, harm" in told
    assert "modulation depth" in told
    assert picture.read_bytes().startswith(b"\x89PNG")
