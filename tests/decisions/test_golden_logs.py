"""Logs that the code of each earlier schema wrote are opened, listed, explained and exported."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.pages import DecisionPages
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.payloads import WakePayload
from prefrontal.decisions.schema import STEPS
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.types import Standing

GOLDEN = Path(__file__).parent / "golden"
SCHEMAS = (1, 2, 3)
every_schema = pytest.mark.parametrize("schema", SCHEMAS)


def unpacked(schema: int, folder: Path) -> Path:
    path = folder / "decisions.sqlite"
    with gzip.open(GOLDEN / f"log-{schema}.sqlite.gz") as packed:
        path.write_bytes(packed.read())
    return path


def run(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(main, [*words, "--state", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def id_of(number: int) -> str:
    return f"{number:08x}" * 4


def told(folder: Path, number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(folder, "explain", id_of(number), "--json"))
    return found


@every_schema
def test_each_was_written_by_its_schema_and_is_brought_up_to_date(
    schema: int, tmp_path: Path
) -> None:
    path = unpacked(schema, tmp_path)
    database = SqliteDatabase(path)
    assert database.schema_version() == schema
    database.close()
    DecisionLog(path).close()
    database = SqliteDatabase(path)
    assert database.schema_version() == len(STEPS) == 4
    database.close()


@every_schema
def test_its_wakes_labels_and_states_are_there(schema: int, tmp_path: Path) -> None:
    with DecisionLog(unpacked(schema, tmp_path)) as log:
        first = log.get(id_of(1))
        slept = log.recent(acted=False)
        assert [each.reason for each in slept] == ["below_threshold"]
        assert log.load_state("weights") == (b"learned", 1)
        assert log.audits()[:2] == [(True, 1.0, 1.0), (False, 0.02, None)]
    assert first is not None
    assert (first.subject, first.score, first.label) == ("papers", 0.75, 1.0)
    assert first.window[0].features == {"size_bytes": 9}
    assert isinstance(first.payload, WakePayload)
    assert (first.payload == WakePayload()) is (schema < 3)


@every_schema
def test_it_is_listed_explained_and_exported(schema: int, tmp_path: Path) -> None:
    unpacked(schema, tmp_path)
    lines = run(tmp_path, "decisions", "--kind", "all", "--json").splitlines()
    found = {each["id"]: each for each in map(json.loads, lines)}
    assert len(found) == (10 if schema == 3 else 3)
    assert {each["version"] for each in found.values()} == {2}
    assert len(run(tmp_path, "decisions", "--kind", "all").splitlines()) > len(found)
    for id_, each in found.items():
        page = run(tmp_path, "explain", id_)
        assert each["subject"] in page
        explained = json.loads(run(tmp_path, "explain", id_, "--json"))
        assert {name: explained[name] for name in each} == each
    pages = DecisionPages(tmp_path / "decisions.sqlite")
    assert {row.id for row in pages.after(0)} == found.keys()
    pages.close()


@pytest.mark.parametrize("schema", SCHEMAS[1:])
def test_what_sinks_are_owed_is_still_owed(schema: int, tmp_path: Path) -> None:
    unpacked(schema, tmp_path)
    [owed] = told(tmp_path, 1)["deliveries"]
    assert (owed["sink"], owed["state"], owed["attempts"]) == ("post x", "pending", 0)


def test_rows_of_schema_3_are_written_as_they_were_read(tmp_path: Path) -> None:
    path = unpacked(3, tmp_path)
    database = SqliteDatabase(path)
    kept = {
        id_: json.loads(details)
        for id_, details in database.execute("SELECT id, details FROM decisions")
        if details is not None
    }
    database.close()
    with DecisionLog(path) as log:
        found = {each.id: to_plain(each.payload) for each in log.records()}
    assert {id_: plain for id_, plain in found.items() if plain} == kept
    assert len(kept) == 8


def test_every_kind_of_schema_3_says_what_it_said(tmp_path: Path) -> None:
    unpacked(3, tmp_path)
    wake = told(tmp_path, 1)
    assert wake["payload"]["moment"]["standing"]["peer"] == "ann"
    assert [each["kind"] for each in wake["chain"]] == [
        "route", "act", "assessment", "belief", "directive", "directive",
    ]  # fmt: skip
    assert told(tmp_path, 5)["payload"]["consent"] == {
        "decision": "approve",
        "reasoning": "trust +4",
    }
    for number, words in {
        1: "ann, trust -4, which moved the score by -2.00 log-odds",
        4: "2 wakes asked as one",
        5: "taken: code/check.py 0.910 (accepted before)",
        6: "3 of 3",
        7: "+2 -> -1",
        8: "was quick",
        9: "directive-2-1",
        10: "Read /in/1.pdf?",
    }.items():
        assert words in run(tmp_path, "explain", id_of(number)), number
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        group = log.get(id_of(4))
    assert group is not None and isinstance(group.payload, WakePayload)
    assert group.payload.gathered[1].standing == Standing("bob", 2, 0.3)
