"""What an import costs and what it pulls in, each in a fresh interpreter."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal import _core

HEAVY = (
    *("numpy", "torch", "rich", "click", "sqlite3", "asyncio", "pydantic"),
    *("apsw", "watchfiles", "yaml"),
)


def loaded_by(code: str) -> set[str]:
    """Names of the modules that are loaded after `code`."""
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(json.loads(answer.splitlines()[-1]))


def cpu_ms(*arguments: str) -> float:
    """CPU time, user and system, of an interpreter run with `arguments`; the best of five."""
    best = float("inf")
    for _ in range(5):
        process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        best = min(best, (usage.ru_utime + usage.ru_stime) * 1e3)
    return best


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import prefrontal").isdisjoint(HEAVY)


def test_importing_the_core_loads_nothing_heavy() -> None:
    assert loaded_by("from prefrontal import _core; _core.instruction_set()").isdisjoint(HEAVY)


def test_help_loads_neither_numpy_nor_rich() -> None:
    code = "from prefrontal.cli import main\nmain(['--help'], standalone_mode=False)"
    assert loaded_by(code).isdisjoint({"numpy", "torch", "rich", "sqlite3"})


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the CPU time of a child process")
def test_importing_the_package_costs_at_most_100_ms_of_cpu() -> None:
    assert cpu_ms("-c", "import prefrontal") - cpu_ms("-c", "") <= 100


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the CPU time of a child process")
def test_help_costs_at_most_200_ms_of_cpu() -> None:
    assert cpu_ms("-m", "prefrontal", "--help") <= 200


def test_the_root_exports_at_most_twelve_names_and_each_can_be_loaded() -> None:
    import prefrontal

    assert len(prefrontal.__all__) <= 12
    assert dir(prefrontal) == sorted(prefrontal.__all__)
    for name in prefrontal.__all__:
        assert getattr(prefrontal, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Prefrontal'"):
        prefrontal.Prefrontal  # noqa: B018


def test_the_core_names_no_symbol_of_torch() -> None:
    assert _core.__file__ is not None
    content = Path(_core.__file__).read_bytes()
    assert re.findall(rb"lib(?:torch|c10)|_ZN\d*(?:5torch|2at|3c10)", content) == []
