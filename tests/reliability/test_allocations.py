"""Each allocation of a call of the core may fail: MemoryError, and nothing has changed."""

from __future__ import annotations

import shutil
import sys

import pytest

import allocations
from core_calls import CALLS

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        sys.platform != "linux" or shutil.which("g++") is None, reason="needs Linux and g++"
    ),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return allocations.prepared(tmp_path_factory.mktemp("allocations"))


def test_every_call_holds(environment: dict[str, str]) -> None:
    done = allocations.alone(sorted(set(CALLS) - {"planted"}), environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ToolIndex.save" in done.stdout and " 0 allocations" in done.stdout


def test_a_call_that_does_not_clean_up_is_found(environment: dict[str, str]) -> None:
    done = allocations.alone(["planted"], environment)
    assert done.returncode == 1
    assert "planted: allocation 1 of " in done.stdout and "left another state" in done.stdout
