"""The harness of partitions: its promises hold, and it finds a fault that is planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from partitions import ACTS, RAY_ACTS, Trial
from postgres_server import PostgresServer, programs, server_in

from ..ray_extra import require_ray
from ..storage.postgres_server import running_server

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server():  # skips where there is none
        folder = programs()
    assert folder is not None
    with server_in(folder, max_connections="200", track_commit_timestamp="on") as server:
        yield server


@pytest.fixture
def trial(server: PostgresServer, tmp_path: Path) -> Iterator[Callable[[str], Trial]]:
    with ExitStack() as held:

        def begin(planted: str) -> Trial:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            trial = Trial(folder, server, 100.0, planted)
            held.callback(trial.close)
            return trial

        yield begin


@pytest.mark.parametrize("act", ["kill", "freeze"])
def test_each_acknowledged_signal_is_decided_once(trial: Callable[[str], Trial], act: str) -> None:
    assert ACTS[act](trial(""), 12.0) == []


@pytest.mark.parametrize("act", ["ray-kill", "ray-begin", "ray-lose"])
def test_what_ray_places_decides_once(trial: Callable[[str], Trial], act: str) -> None:
    require_ray()
    assert RAY_ACTS[act](trial(""), 12.0) == []


def test_a_missing_fence_is_found(trial: Callable[[str], Trial]) -> None:
    """What goes on may hear that it is out before its next write: then once more."""
    assert any(ACTS["freeze"](trial("fence"), 15.0) for _ in range(4))


def test_a_position_before_its_decisions_is_found(trial: Callable[[str], Trial]) -> None:
    [fault] = ACTS["kill"](trial("position"), 5.0)
    assert fault.endswith("lost")
