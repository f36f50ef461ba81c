"""A place to call the gate from."""

from __future__ import annotations

from pathlib import Path

import pytest

from .turns import Place

SETTINGS = "sources: {logs: [app.log]}\nstate: state\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("PREFRONTAL_STATE", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    found = Place(tmp_path)
    found.settings(SETTINGS)
    found.log.touch()
    return found
