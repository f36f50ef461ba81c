"""Logs that earlier releases wrote are decided again bit for bit."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

from prefrontal.assembly.wakes_again import WITHOUT_START, VerifyTally, again
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payload_json import to_plain
from prefrontal.executive.again import Deviation
from prefrontal.pulse.shells.asker import Asker
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from .wake_days import MODULES, NOW, live


def file(name: str) -> SignalEvent:
    return SignalEvent("filesystem", f"/srv/bills/{name}", "created", 1.0, NOW)


GOLDEN = Path(__file__).parent / "golden"


def golden(number: int, folder: Path) -> Path:
    """A copy of the log, to open as one's own."""
    path = folder / "log.sqlite"
    path.write_bytes(gzip.decompress((GOLDEN / f"log-{number}.sqlite.gz").read_bytes()))
    return path


def decided_again(path: Path) -> tuple[list[Deviation], VerifyTally]:
    tally = VerifyTally()
    with DecisionLog(path) as log:
        return list(again(log, tally)), tally


def test_a_log_of_before_starts_had_a_version_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(1, tmp_path))
    assert found == []
    assert (tally.decided, tally.starts, tally.lost) == (488, 8, 0)
    assert dict(tally.left) == {WITHOUT_START: 9}


def test_a_log_of_before_what_was_held_back_waited_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(2, tmp_path))
    assert found == []
    assert (tally.starts, tally.lost, dict(tally.left)) == (9, 0, {})
    with DecisionLog(golden(2, tmp_path)) as log:
        assert log.counts()["cooldown"] > 10


def test_a_log_of_before_signals_belonged_to_modules_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(3, tmp_path))
    assert found == []
    assert (tally.starts, tally.lost, dict(tally.left)) == (1, 0, {})
    with DecisionLog(golden(3, tmp_path)) as log:
        kept = list(log.records())
    assert {each.window[-1].source for each in kept} > {"filesystem", "git", "log", "ci"}
    assert any(" by : of use?" in str(each.question) for each in kept)


def test_a_log_of_before_the_first_of_a_burst_waited_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(4, tmp_path))
    assert found == []
    assert (tally.decided, tally.starts, tally.lost, dict(tally.left)) == (462, 5, 0, {})
    with DecisionLog(golden(4, tmp_path)) as log:
        plain = [to_plain(each.payload) for each in log.records()]
    assert sum("gathered" in each for each in plain) > 10
    assert sum("folded" in each and "late" in each for each in plain) > 20


def test_a_log_of_before_modules_shared_a_budget_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(5, tmp_path))
    assert found == []
    assert (tally.decided, tally.starts, tally.lost, dict(tally.left)) == (332, 4, 0, {})
    with DecisionLog(golden(5, tmp_path)) as log:
        assert log.counts()["global_budget"] > 100


def test_a_log_of_before_scorers_had_three_learners_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(6, tmp_path))
    assert found == []
    assert (tally.starts, tally.lost, dict(tally.left)) == (3, 0, {})
    assert dict(tally.versions) == {8: tally.decided}
    with DecisionLog(golden(6, tmp_path)) as log:
        assert log.counts()["audit"] > 10
        assert len(list(log.labels_after(0))) > 100


def test_a_log_of_before_a_commit_was_read_as_its_files_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(7, tmp_path))
    assert found == []
    assert (tally.starts, tally.lost, dict(tally.left)) == (2, 0, {})
    assert dict(tally.versions) == {9: tally.decided}
    with DecisionLog(golden(7, tmp_path)) as log:
        kept = list(log.records())
        assert len(list(log.labels_after(0))) > 100
    assert {each.subject for each in kept} == {"commits", "both"}
    assert len({each.score for each in kept}) > 100


def test_a_log_of_before_late_answers_moved_is_decided_again(tmp_path: Path) -> None:
    found, tally = decided_again(golden(8, tmp_path))
    assert found == []
    assert (tally.starts, tally.lost, dict(tally.left)) == (1, 0, {})
    assert dict(tally.versions) == {9: tally.decided}


def test_a_golden_log_holds_what_decides(tmp_path: Path) -> None:
    with DecisionLog(golden(1, tmp_path)) as log:
        counts, kept = log.counts(), list(log.records())
        labels = len(list(log.labels_after(0)))
    assert counts.keys() == {"woke", "audit", "below_threshold", "cooldown", "peer_budget"}
    assert len({each.threshold for each in kept if each.subject == "bills"}) > 8
    assert any("gathered" in to_plain(each.payload) for each in kept)
    assert any("wished" in to_plain(each.payload) for each in kept)
    assert any("peer" in to_plain(each.payload) for each in kept)
    assert labels == 212


def test_what_was_changed_in_a_golden_log_is_found(tmp_path: Path) -> None:
    path = golden(1, tmp_path)
    with closing(sqlite3.connect(path)) as other:
        sql = "SELECT id FROM decisions WHERE reason = 'audit' ORDER BY seq DESC LIMIT 1"
        [(changed,)] = other.execute(sql)
        other.execute("UPDATE decisions SET threshold = threshold + 0.01 WHERE id = ?", (changed,))
        other.commit()
    found, _ = decided_again(path)
    assert [(each.id, each.field) for each in found] == [(changed, "threshold")]


def test_a_gate_of_today_goes_on_with_a_log_of_then_and_both_are_decided_again(
    tmp_path: Path,
) -> None:
    path, clock = golden(1, tmp_path), ManualClock(NOW)
    with DecisionLog(path, clock=clock) as log:
        [last] = list(log.records())[-1:]
        log.add_label(last.id, 1.0, clock.now())  # after the last save of then
        live(log, 120, seed=7, starts=3, recall=0.6)
        asked = Asker(log, MODULES, GateSettings(recall=0.6), clock=clock)
        for decision in asked.judge([file("bill.pdf")]):
            asked.label(decision.id, 1.0)
        asked.judge([file("menu.pdf")])
        log.flush()
        wakes = sum(log.counts().values())
    found, tally = decided_again(path)
    assert found == []
    assert tally.starts == 8 + 3 + 1
    assert tally.decided == wakes - 9 > 488 + 80
