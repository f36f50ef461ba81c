"""A workspace of its own for each test of the agent's commands."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from .cortex.cortex_samples import Kept


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """The workspace, which is not there yet; the current folder and the home are empty, too."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "workspace"))
    monkeypatch.delenv("PREFRONTAL_SHARING_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    return Kept(tmp_path / "workspace")


@pytest.fixture
def now() -> float:
    """Seven seconds ago: commands read ages off the clock of this machine."""
    return time.time() - 7
