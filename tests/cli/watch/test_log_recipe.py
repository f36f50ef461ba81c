"""The recipe for a log file, as the page of recipes has it, loses nothing within a cooldown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.sources.log_file import LogFileSource
from prefrontal.settings import load_settings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..running import PATIENCE_S, watching

PAGE = Path(__file__).parents[3] / "docs" / "recipes.md"
COOLDOWN_S = 60.0


def recipe(folder: Path, log: Path) -> Path:
    """The file of the recipe, word for word, but for where the log lies."""
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(r"<!-- file: logs/prefrontal.yml -->\n```yaml\n(.*?)```", page, re.DOTALL)
    assert found is not None
    assert "/var/log/app.log" in found[1]
    path = folder / "prefrontal.yml"
    path.write_text(found[1].replace("/var/log/app.log", str(log)), encoding="utf-8")
    return path


def test_an_error_within_the_cooldown_of_a_heartbeat_is_asked_when_it_ends(tmp_path: Path) -> None:
    path, came, clock = tmp_path / "app.log", list[SignalEvent](), ManualClock(1_700_000_000.0)
    settings = load_settings(recipe(tmp_path, path))
    modules = [parse_fingerprint(each) for each in settings.modules if isinstance(each, dict)]
    source = LogFileSource(settings.path(settings.sources.logs[0]), clock=clock)
    source._poller.outlet.push = came.append
    with DecisionLog() as log, Stepper(log, modules, settings.gate, clock=clock) as gate:

        def added(line: str) -> list[str | None]:
            with path.open("a", encoding="ascii") as file:
                file.write(f"{line}\n")
            source._poller.call()
            return [each.question for each in gate.wake(came.pop())]

        path.touch()
        source._poller.call()
        says = "app.log says: {}. Is something wrong? (" + str(path) + ")"
        assert added("INFO heartbeat") == [says.format("INFO heartbeat")]
        clock.advance(5.0)
        assert added("ERROR database lost") == []
        clock.advance(COOLDOWN_S - 5.5)
        assert gate.tick() == []
        clock.advance(0.5)
        assert [each.question for each in gate.tick()] == [says.format("ERROR database lost")]
        assert not came
    source.stop()


@pytest.mark.exhaustive
def test_a_real_watch_with_the_recipe_tells_of_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.touch()
    settings = recipe(tmp_path, path)
    with watching("--config", settings, "--state", tmp_path / "state") as running:
        for line in ("INFO heartbeat", "ERROR database lost"):
            with path.open("a", encoding="ascii") as file:
                file.write(f"{line}\n")
        assert "INFO heartbeat" in running.line()
        assert "ERROR database lost" in running._lines["out"].get(timeout=PATIENCE_S + COOLDOWN_S)
        running.end()
