"""`prefrontal.replay` is what the command does, in one call."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import prefrontal
from prefrontal.cli import main
from prefrontal.errors import InputError


def test_the_sample_gives_what_the_command_gives() -> None:
    shown = CliRunner().invoke(main, ["replay", "--sample", "--max", "400", "--json"])
    printed = json.loads(shown.stdout)
    result = prefrontal.replay(sample=True, limit=400)
    for name in ("source", "windows", "relevant", "got_recall", "wakes_per_day", "auc", "missed"):
        assert getattr(result, name) == printed[name]


def test_recorded_windows_are_replayed(tmp_path: Path) -> None:
    file = tmp_path / "windows.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(60):
            window = {
                "time": 3600.0 * number,
                "text": "a",
                "events": [],
                "relevant": number % 3 == 0,
            }
            print(json.dumps(window), file=lines)
    result = prefrontal.replay(events=file, recall=0.8)
    assert (result.windows, result.asked_recall) == (48, 0.8)


def test_a_folder_without_a_history_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"history must .*{tmp_path.name}"):
        prefrontal.replay(tmp_path)


def test_two_histories_at_once_are_refused() -> None:
    with pytest.raises(InputError, match="events must not be given with sample"):
        prefrontal.replay(sample=True, events="windows.jsonl")


def test_it_can_be_called_whether_the_package_was_imported_or_not() -> None:
    code = "import prefrontal; assert callable(prefrontal.replay); import prefrontal.replay.result"
    code += "\nassert callable(prefrontal.replay)"
    subprocess.run([sys.executable, "-c", code], check=True)
