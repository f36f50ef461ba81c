"""What an import costs and what it pulls in, each in a fresh interpreter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal import _core

from .exhaustive import first

HEAVY = (
    *("numpy", "torch", "rich", "click", "sqlite3", "asyncio", "pydantic"),
    *("apsw", "watchfiles", "yaml"),
)

MODEL_LIBRARIES = ("openai", "pydantic_ai", "httpx", "anthropic", "litellm")


def loaded_by(code: str) -> set[str]:
    """Names of the modules that are loaded after `code`."""
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(json.loads(answer.splitlines()[-1]))


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import prefrontal").isdisjoint(HEAVY)


def test_importing_the_core_loads_nothing_heavy() -> None:
    assert loaded_by("from prefrontal import _core; _core.instruction_set()").isdisjoint(HEAVY)


def test_help_loads_neither_numpy_nor_rich() -> None:
    code = "from prefrontal.cli import main\nmain(['--help'], standalone_mode=False)"
    assert loaded_by(code).isdisjoint({"numpy", "torch", "rich", "sqlite3"})


@pytest.mark.parametrize(
    "name",
    first(2, ["runtime", "ledger", "cortex", "cortex.state", "plugin", "testing", "cli.cortex"]),
)
def test_importing_a_part_of_the_agent_loads_no_model_library_and_no_event_loop(name: str) -> None:
    heavy = {*HEAVY, *MODEL_LIBRARIES} - ({"click"} if name.startswith("cli") else set())
    assert loaded_by(f"import prefrontal.{name}").isdisjoint(heavy)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a full set of beliefs and history, and a file of settings."""
    from prefrontal.cortex.models import Belief, ReflectionRecord
    from prefrontal.cortex.state import dump_beliefs, dump_history

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prefrontal.yml").write_text("workspace: kept\ncortex: {schedule_minutes: 30}\n")
    files = tmp_path / "kept" / "memory" / "files"
    files.mkdir(parents=True)
    beliefs = [Belief(f"belief-{number}", "held " * 40, "why", 50) for number in range(20)]
    records = [
        ReflectionRecord(number, 1.7e9 + number, "timer", ["a"], ["b"], "summary " * 30, 3.0)
        for number in range(50)
    ]
    (files / "cortex-beliefs.md").write_text(dump_beliefs(beliefs))
    (files / "cortex-history.md").write_text(dump_history(records))
    return tmp_path


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("command", first(1, [["beliefs"], ["history"], ["show", "7"], ["status"]]))
def test_reading_the_cortex_loads_no_model_library_and_no_event_loop(command: list[str]) -> None:
    words = ["cortex", *command]
    code = f"from prefrontal.cli import main\nmain({words!r}, standalone_mode=False)"
    loaded = loaded_by(code)
    assert loaded.isdisjoint({*MODEL_LIBRARIES, "asyncio", "pydantic", "numpy", "torch"})
    assert "rich" in loaded  # the page was really made


def test_each_name_that_the_root_exports_can_be_loaded() -> None:
    import prefrontal

    assert len(prefrontal.__all__) <= 12
    assert dir(prefrontal) == sorted(["__version__", *prefrontal.__all__])
    for name in dir(prefrontal):
        assert getattr(prefrontal, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Prefrontal'"):
        prefrontal.Prefrontal  # noqa: B018


def test_the_core_names_no_symbol_of_torch() -> None:
    assert _core.__file__ is not None
    content = Path(_core.__file__).read_bytes()
    assert re.findall(rb"lib(?:torch|c10)|_ZN\d*(?:5torch|2at|3c10)", content) == []
