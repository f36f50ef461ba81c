"""The ledger as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

from prefrontal.ledger import Ledger
from prefrontal.ledger.export import export_lines

from .ledgers import filled, on_disk


def test_every_row_is_a_line_peers_first(tmp_path: Path) -> None:
    with on_disk(tmp_path) as ledger:
        filled(ledger, "alice", 2, 1)
        ledger.record_assessment("alice", 3, "Fine.")
        lines = [json.loads(line) for line in export_lines(ledger)]
    kinds = [line["kind"] for line in lines]
    assert kinds == ["peer", *["interaction"] * 4, "assessment"]
    assert (lines[0]["peer_id"], lines[0]["info_score"]) == ("alice", 1)
    assert lines[1]["preview"] == "question 0"
    assert (lines[-1]["trust"], lines[-1]["rationale"]) == (3, "Fine.")


def test_an_export_is_of_one_moment_while_the_agent_writes(tmp_path: Path) -> None:
    with on_disk(tmp_path) as writer, Ledger(writer.path, read_only=True) as reader:
        filled(writer, "alice", 2, 1)
        lines = export_lines(reader)
        first = json.loads(next(lines))
        filled(writer, "bob", 3, 1)
        rest = [json.loads(line) for line in lines]
    assert first["peer_id"] == "alice"
    assert {line["peer_id"] for line in rest} == {"alice"}
    assert len(rest) == 4


def test_an_export_holds_no_secret(tmp_path: Path) -> None:
    with on_disk(tmp_path) as ledger:
        ledger.record_interaction("alice", "in", preview="token: abcdef123456")
        assert "abcdef123456" not in "".join(export_lines(ledger))


def test_an_empty_ledger_has_no_lines() -> None:
    with Ledger() as ledger:
        assert list(export_lines(ledger)) == []
