from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from prefrontal.routing.promotion.metadata import metadata_file, read_revisions, tokens_estimate
from prefrontal.routing.records import append_record

RECORD: dict[str, Any] = {
    "id": "rev-20251031-001",
    "run_id": "run-20251031-1200-abc",
    "route_id": "route-001",
    "name": "plot.py",
    "domain": "analysis",
    "action": "visualise",
    "description": "",
    "status": "stable",
    "created_by": "prefrontal",
    "created_at": "2025-10-31T12:00:00+04:00",
    "version": "1.0.0",
    "tool_hash": "sha256:" + "ab" * 32,
    "tokens_estimate": 1,
    "model": {},
    "rag": {},
}


def written(folder: Path, *changes: dict[str, Any]) -> None:
    for change in changes:
        append_record(metadata_file(folder), RECORD | change)


def test_the_highest_version_counts_not_the_last(tmp_path: Path) -> None:
    written(tmp_path, {"version": "1.10.0"}, {"version": "1.9.0"}, {"name": "x.py"})
    found = read_revisions(tmp_path)
    assert found.version("plot.py") == "1.10.0" and found.version("none.py") is None
    assert [one.version for one in found.of("plot.py")] == ["1.10.0", "1.9.0"]
    assert found.all[0].sha256 == "ab" * 32 and found.all[0].row["route_id"] == "route-001"


def test_what_was_before_a_move_is_of_the_past_but_its_version_counts(tmp_path: Path) -> None:
    written(tmp_path, {}, {"status": "moved", "version": "2.0.0"})
    assert read_revisions(tmp_path).of("plot.py") == ()
    written(tmp_path, {"version": "2.0.1"})
    found = read_revisions(tmp_path)
    assert [one.version for one in found.of("plot.py")] == ["2.0.1"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": 1}, "must hold text in id"),
        ({"tool_hash": None}, "must hold text"),
        ({"status": "fine"}, "must have one of the states experimental, stable, .* got 'fine'"),
        ({"version": "1.0"}, "version must be three whole numbers"),
    ],
)
def test_a_record_that_is_none_is_a_finding(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    written(tmp_path, {}, change)
    found = read_revisions(tmp_path)
    assert len(found.all) == 1
    [finding] = found.findings
    assert re.search(f"record 2 .*{said}", finding.text)


def test_missing_keys_are_named(tmp_path: Path) -> None:
    append_record(metadata_file(tmp_path), {"id": "x"})
    [finding] = read_revisions(tmp_path).findings
    assert finding.text.startswith("record 1 must have the keys run_id, route_id, name, domain")


@pytest.mark.parametrize(("size", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2)])
def test_a_token_is_taken_for_four_bytes(size: int, tokens: int) -> None:
    assert tokens_estimate(b"x" * size) == tokens
