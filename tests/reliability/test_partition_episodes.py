"""Episodes of partitions: killed at each boundary, frozen and replaced, and two planted faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from partition_episodes import BOUNDARIES, Trial, frozen, killed
from prefrontal.storage.partitions import partition_table

from ..storage.postgres_server import PostgresServer, running_server

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def trial(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Trial]]:
    monkeypatch.setattr(partition_table, "STALE_S", 10.0)  # a busy machine freezes nobody so long
    with ExitStack() as held:
        yield lambda planted: held.enter_context(closing(Trial(tmp_path, server, planted)))


def test_the_next_holder_goes_on_at_the_step_and_acts_once(trial: Callable[[str], Trial]) -> None:
    begun = trial("")
    acts = killed(begun)
    assert acts["acted"] == {2: 2}  # within the act: nobody knows whether it went through
    assert all(acts[each] == {1: 2} for each in BOUNDARIES if each != "acted")
    assert Counter(begun.ended()) == dict.fromkeys(begun.ended(), 1)
    assert begun.heard() == 2 * len(BOUNDARIES)
    assert frozen(begun) == {1: 1}


def test_an_act_that_is_not_kept_is_found(trial: Callable[[str], Trial]) -> None:
    acts = killed(trial("act"))
    assert 1 not in acts["act kept"]
    assert 1 not in acts["reflecting"]


def test_an_act_without_asking_who_owns_the_partition_is_found(
    trial: Callable[[str], Trial],
) -> None:
    assert frozen(trial("owner")) == {2: 1}
