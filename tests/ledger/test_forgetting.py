"""Whose words may be in the reason of a judgment, and which reasons go with a forgotten peer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.ledger import Ledger
from prefrontal.ledger.forgetting import FORGOTTEN, Forgotten
from prefrontal.ledger.schema import APPLICATION_ID, add_outcomes, create_ledger
from prefrontal.ledger.tools import execute
from prefrontal.plain_text import MORE
from prefrontal.plugin.hearing import current_origins
from prefrontal.storage.migrations import migrate
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.testing import ManualClock

from .ledgers import NOW, on_disk

MANY = [f"peer:p{number}" for number in range(25)]


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger(clock=ManualClock(NOW)) as ledger:
        ledger.record_interaction("ann", "in", display_name="Ann Zelda", preview="hi")
        ledger.record_interaction("bob", "in", preview="hello")
        yield ledger


def reasons(ledger: Ledger) -> list[str]:
    return [each.rationale for each in ledger.assessments()]


@pytest.mark.parametrize(
    ("origins", "reason"),
    [
        (["peer:ann"], FORGOTTEN),
        (["peer:bob", "tool:web"], "so it is said"),
        ((), "so it is said"),
        (None, FORGOTTEN),
        (MANY, FORGOTTEN),
    ],
)
def test_a_reason_goes_where_the_peers_words_may_be_in_it(
    ledger: Ledger, origins: list[str] | None, reason: str
) -> None:
    ledger.record_assessment("bob", 2, "so it is said", origins)
    assert ledger.forget("ann") == Forgotten(2, int(reason == FORGOTTEN))
    [left] = ledger.assessments()
    assert (left.peer_id, left.trust, left.rationale) == ("bob", 2, reason)
    assert "peer:ann" not in left.origins


@pytest.mark.parametrize("reason", ["ann vouches for it", "Ann Zelda vouches for it"])
def test_a_reason_that_names_the_peer_goes_whatever_its_origins(
    ledger: Ledger, reason: str
) -> None:
    ledger.record_assessment("bob", 2, reason, ())
    ledger.record_assessment("bob", 2, "annual report", ())
    ledger.forget("ann")
    assert reasons(ledger) == [FORGOTTEN, "annual report"]


def test_a_mistyped_id_erases_no_reason_of_unknown_origins(ledger: Ledger) -> None:
    ledger.record_assessment("bob", 2, "so it is said")
    assert ledger.forget("anm") == Forgotten(0, 0)
    assert reasons(ledger) == ["so it is said"]


def test_an_older_ledger_has_judgments_of_unknown_origins(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    database = SqliteDatabase(path, application_id=APPLICATION_ID)
    migrate(database, (create_ledger, add_outcomes))
    database.execute("INSERT INTO peers VALUES ('bob', '', 'http', 1.0, 1.0, 1, 0, 1)")
    database.execute(
        "INSERT INTO assessments (peer_id, info_score, trust, rationale, created_at)"
        " VALUES ('bob', 1, 2, 'as it was', 1.0)"
    )
    database.close()
    before = path.read_bytes()
    with Ledger(path, read_only=True) as ledger:
        [unchanged] = ledger.assessments()
    assert (unchanged.rationale, unchanged.origins) == ("as it was", (MORE,))
    assert path.read_bytes() == before
    with on_disk(tmp_path) as ledger:
        assert list(ledger.assessments()) == [unchanged]
        ledger.record_assessment("bob", 3, "by counts", ())
        assert ledger.latest_origins("bob") == ()
        assert ledger.latest_origins("nobody") == ()


async def test_a_judgment_in_a_conversation_carries_what_the_model_was_shown(
    ledger: Ledger,
) -> None:
    async def announce(assessment: object) -> None: ...

    ledger.record_assessment("ann", 1, "as bob says", ["peer:bob"])
    args = {"peer_id": "bob", "trust": 1, "rationale": "as ann says"}
    assert "Recorded" in await execute(ledger, "assess_peer", args, announce)
    assert ledger.latest_origins("bob") == (MORE,)
    token = current_origins.set({"peer:operator"})
    try:
        await execute(ledger, "query_peer", {"peer_id": "ann"}, None)
        await execute(ledger, "assess_peer", args, announce)
        assert ledger.latest_origins("bob") == ("peer:ann", "peer:bob", "peer:operator")
        current_origins.set({"peer:operator"})
        await execute(ledger, "query_peer", {"peer_id": "ann"}, None, "bob")
        assert current_origins.get() == {"peer:operator"}
        await execute(ledger, "list_peers", {}, None)
        assert current_origins.get() == {"peer:operator", "peer:ann", "peer:bob"}
    finally:
        current_origins.reset(token)
