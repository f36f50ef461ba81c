"""What is decided does not depend on where it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.replay import sample
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from same_decisions import decide

from ..storage.postgres_server import running_server

SAMPLE = Path(sample.__file__).with_name("history.jsonl.gz")


@pytest.mark.exhaustive
def test_decisions_and_weights_are_the_same_in_both(tmp_path: Path) -> None:
    path = tmp_path / "remote"
    with running_server() as server:
        write_link(path, PostgresUrl.parse(server.url()))
        remote = decide(SAMPLE, path, 200)
    assert remote == decide(SAMPLE, tmp_path / "local", 200)
    assert remote[0] == 200
    assert remote != decide(SAMPLE, tmp_path / "fewer", 199)
