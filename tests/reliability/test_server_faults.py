"""The harness of a store on a server: its promises hold, and it finds a fault that is planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from postgres_server import PostgresServer
from server_faults import ACTS, Trial

from ..storage.postgres_server import running_server

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def trial(server: PostgresServer, tmp_path: Path) -> Iterator[Callable[[str], Trial]]:
    with ExitStack() as held:

        def begin(planted: str) -> Trial:
            trial = Trial(tmp_path, server, 50.0, planted)
            held.callback(trial.close)
            return trial

        yield begin


@pytest.mark.parametrize("act", ["kill", "freeze"])
def test_each_line_is_decided_once(trial: Callable[[str], Trial], act: str) -> None:
    assert ACTS[act](trial(""), 3.0) == []


def test_a_missing_fence_is_found(trial: Callable[[str], Trial]) -> None:
    faults = ACTS["freeze"](trial("fence"), 3.0)
    assert "the frozen watch went on" in faults


def test_a_position_without_its_decisions_is_found(trial: Callable[[str], Trial]) -> None:
    [fault] = ACTS["kill"](trial("position"), 3.0)
    assert "lines lost" in fault
