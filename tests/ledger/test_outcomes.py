"""How an interaction turned out, as the ledger keeps it and as the rules read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from prefrontal.cortex.context.material import Material, PeerMaterial, fit
from prefrontal.cortex.reflectors.rules import RulesReflector
from prefrontal.errors import SourceError
from prefrontal.ledger import Ledger
from prefrontal.ledger.schema import STEPS, create_ledger
from prefrontal.storage.migrations import migrate
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.testing import ManualClock

from .ledgers import NOW, filled, on_disk

APPLICATION_ID = 0x50464C47


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger(clock=ManualClock(NOW)) as ledger:
        yield ledger


def older(path: Path) -> None:
    """A ledger as the first release wrote it, with one message."""
    database = SqliteDatabase(path, application_id=APPLICATION_ID)
    migrate(database, (create_ledger,))
    database.execute(
        "INSERT INTO peers VALUES ('alice', 'Alice', 'http', 1.0, 1.0, 1, 0, 0)",
    )
    database.execute(
        "INSERT INTO interactions (peer_id, direction, channel_type, channel_id, event_id, preview,"
        " size, created_at) VALUES ('alice', 'in', 'http', 'room', 'e1', 'hello', 5, 1.0)",
    )
    database.close()


def test_an_outcome_is_written_on_the_message_of_its_event_and_the_last_word_counts(
    ledger: Ledger,
) -> None:
    for event in ("one", "two"):
        ledger.record_interaction("alice", "in", event_id=event)
    assert ledger.judge_interaction("two", -1) is True
    assert ledger.judge_interaction("two", 0.5) is True
    assert [each.outcome for each in ledger.interactions()] == [None, 0.5]
    recent = ledger.get_peer_assessment_summary("alice", interactions=2)["recent"]
    assert [each.get("outcome", "unsaid") for each in recent] == ["unsaid", 0.5]


def test_an_event_that_nobody_recorded_is_judged_by_nobody(ledger: Ledger) -> None:
    assert ledger.judge_interaction("nothing", 1.0) is False
    assert ledger.has_interaction("nothing") is False
    ledger.record_interaction("alice", "in", event_id="caf\udce9")
    assert ledger.has_interaction("caf\udce9") is True
    assert ledger.judge_interaction("caf\udce9", 1.0) is True


@pytest.mark.parametrize("outcome", [1.01, -2, float("nan"), True, "good", None])
def test_what_is_no_outcome_is_refused(ledger: Ledger, outcome: float) -> None:
    ledger.record_interaction("alice", "in", event_id="one")
    with pytest.raises(ValueError, match=r"outcome must be a number from -1 to \+1"):
        ledger.judge_interaction("one", outcome)
    assert next(ledger.interactions()).outcome is None


def test_the_database_itself_refuses_an_outcome_out_of_range(tmp_path: Path) -> None:
    with on_disk(tmp_path) as ledger:
        filled(ledger, interactions=1)
    connection = apsw.Connection(str(tmp_path / "ledger.sqlite"))
    with pytest.raises(apsw.ConstraintError):
        connection.execute("UPDATE interactions SET outcome = 1.5")
    connection.close()


def test_an_older_ledger_gets_the_column_and_loses_nothing(tmp_path: Path) -> None:
    older(tmp_path / "ledger.sqlite")
    with on_disk(tmp_path) as ledger:
        [kept] = ledger.interactions()
        assert (kept.preview, kept.outcome) == ("hello", None)
        assert ledger.judge_interaction("e1", 1.0)
    database = SqliteDatabase(
        tmp_path / "ledger.sqlite", read_only=True, application_id=APPLICATION_ID
    )
    assert database.schema_version() == len(STEPS) == 3
    database.close()


def test_an_older_ledger_can_be_read_and_is_not_changed_by_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    older(path)
    before = path.read_bytes()
    with Ledger(path, read_only=True) as ledger:
        [kept] = ledger.interactions()
        assert (kept.event_id, kept.outcome) == ("e1", None)
        recent = ledger.get_peer_assessment_summary("alice", interactions=1)["recent"]
        assert recent == [
            {
                "direction": "in",
                "preview": "hello",
                "size": 5,
                "created_at": 1.0,
                "channel_type": "http",
            }
        ]
        with pytest.raises(SourceError, match="opened only to read"):
            ledger.judge_interaction("e1", 1.0)
    assert path.read_bytes() == before


def test_what_is_said_of_a_message_after_its_peer_was_judged_is_new_until_the_next_judgment(
    ledger: Ledger,
) -> None:
    ledger.record_interaction("alice", "in", event_id="one")
    ledger.judge_interaction("one", 1.0)

    def is_new() -> bool:
        [entry] = ledger.get_peer_assessment_summary("alice", interactions=1)["recent"]
        return bool(entry["outcome_is_new"])

    found = [is_new()]
    ledger.record_assessment("alice", 2, "kept its word")
    found.append(is_new())
    ledger.judge_interaction("one", -1.0)
    found.append(is_new())
    ledger.record_assessment("alice", -1, "it was not so")
    found.append(is_new())
    assert found == [True, False, True, False]


def test_a_late_word_counts_with_the_next_message_and_only_once() -> None:
    def supported(late: float | None) -> int:
        with Ledger(clock=ManualClock(NOW + 20 * 86_400)) as ledger:
            filled(ledger, days=19)
            ledger.record_assessment("alice", 5, "kept its word")
            if late is not None:
                for each in range(6):
                    ledger.judge_interaction(f"http:room:alice{each}", late)
            ledger.record_interaction("alice", "in", created_at=NOW + 21 * 86_400)
            summary = ledger.get_peer_assessment_summary("alice", interactions=20)
        material = Material("timer", ("timer",), NOW + 22 * 86_400, [PeerMaterial("a", summary)])
        [judgment] = RulesReflector().judgments(fit(material, 4000, "", "").context)
        return judgment.estimate.trust

    assert supported(-1.0) < supported(None) - 2
    assert supported(None) >= 5


def trust_after(outcome: float | None) -> int:
    with Ledger(clock=ManualClock(NOW)) as ledger:
        filled(ledger)
        if outcome is not None:
            for each in range(6):
                ledger.judge_interaction(f"http:room:alice{each}", outcome)
        summary = ledger.get_peer_assessment_summary("alice", interactions=20)
    material = Material("timer", ("timer",), NOW + 22 * 86_400, [PeerMaterial("alice", summary)])
    context = fit(material, 4000, "", "").context
    [judgment] = RulesReflector().judgments(context)
    return judgment.estimate.trust


def test_outcomes_reach_the_rules_that_judge() -> None:
    assert trust_after(-1.0) < 0 <= trust_after(None)
