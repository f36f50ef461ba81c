"""The trust of a ledger, as partitions see it."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.cli.watch.partitions.plan import NodePlan
from prefrontal.cli.watch.partitions.shared_trust import SharedTrust, ledger_link
from prefrontal.ledger.ledger import Ledger
from prefrontal.settings.executive import TrustSettings
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from prefrontal.storage.state_folder import StateFolder

from ....storage.postgres_server import PostgresServer, running_server

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


def plan(folder: Path, **settings: object) -> NodePlan:
    document = {
        "workspace": str(folder), "storage": {"url": "postgresql://localhost/prefrontal"},
    } | settings  # fmt: skip
    (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
    return NodePlan("auto", 1, str(folder / "prefrontal.yml"), {})


def test_a_ledger_that_lies_on_a_server_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "ledger.sqlite"
    assert plan(tmp_path).ledger is None
    url = PostgresUrl.parse("postgresql://localhost/prefrontal")
    write_link(path, url)
    assert plan(tmp_path).ledger == url
    assert plan(tmp_path, executive={"links": {"trust": False}}).ledger is None


def test_a_ledger_of_one_machine_is_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Ledger(tmp_path / "ledger.sqlite").close()
    with caplog.at_level(logging.WARNING):
        assert plan(tmp_path).ledger is None
    assert "is left out, since other machines do not have it" in caplog.text


@pytest.mark.exhaustive
def test_a_judgment_reaches_the_partitions_soon(tmp_path: Path, server: PostgresServer) -> None:
    path = ledger_link(StateFolder(tmp_path), PostgresUrl.parse(server.url()))
    with Ledger(path) as ledger:
        ledger.record_interaction("ada", "in", event_id="e1")
        shared = SharedTrust(TrustSettings(), path, every_s=0.01)
        try:
            assert shared.standings.trust("ada") is None
            ledger.record_assessment("ada", -4, "it lied")
            end = time.monotonic() + PATIENCE_S
            while shared.standings.trust("ada") != -4:
                assert time.monotonic() < end
        finally:
            shared.stop()
