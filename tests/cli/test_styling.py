"""Who wants no colours gets none."""

from __future__ import annotations

import click
import pytest

from prefrontal.cli.styling import painted


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert painted("home", bold=True) == click.style("home", bold=True) != "home"
    monkeypatch.setenv(name, value)
    assert painted("home", bold=True) == "home"
