from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.replay.histories import openclaw_database
from prefrontal.replay.histories.agent_files import OPENCLAW, find_sessions
from prefrontal.replay.histories.agent_history import AgentHistory
from prefrontal.replay.histories.openclaw_database import OpenClawDatabase

from ..agent_sessions import (
    HEARTBEAT,
    Entry,
    claw,
    claw_header,
    said,
    write_database,
    write_session,
)

DATABASE = Path("agents", "main", "agent", "openclaw-agent.sqlite")
TURNS = [
    claw_header(),
    claw("user", said("is the roof dry?"), 1),
    claw("assistant", said("Yes."), 2),
    claw("user", said(HEARTBEAT), 60),
    claw("assistant", said("HEARTBEAT_OK"), 61),
]
LATER = [claw("user", said("and the cellar?"), 90), claw("assistant", said("Wet."), 91)]


def told(history: AgentHistory) -> list[tuple[str, str, bool]]:
    return [(window.key, window.text, bool(window.relevant)) for window in history]


@pytest.mark.parametrize("part", [".", "agents", "agents/main", "agents/main/agent", DATABASE])
def test_a_database_is_read_from_the_home_down_to_the_file(tmp_path: Path, part: str) -> None:
    write_database(tmp_path / DATABASE, {"b7300bff-a214": TURNS, "c8": LATER})
    found = find_sessions(tmp_path / part)
    assert [(each.tool, each.owner, each.session) for each in found.files] == [
        (OPENCLAW, "main", "b7300bff-a214"),
        (OPENCLAW, "main", "c8"),
    ]
    history = AgentHistory(tmp_path / part)
    assert told(history) == [
        ("b7300bff:1", "is the roof dry?", True),
        ("b7300bff:3", HEARTBEAT, False),
        ("c8:0", "and the cellar?", True),
    ]
    assert history.notes[0].startswith("Read 2 sessions of OpenClaw, 7 lines: 2 messages of people")


def test_the_windows_are_those_of_the_files_of_before(tmp_path: Path) -> None:
    write_session(tmp_path / "old/agents/main/sessions/s.jsonl", TURNS)
    write_database(tmp_path / "new" / DATABASE, {"s": TURNS})
    old, new = AgentHistory(tmp_path / "old"), AgentHistory(tmp_path / "new")
    assert [window.events for window in old] == [window.events for window in new]
    assert [window.known_at for window in old] == [window.known_at for window in new]


def test_what_a_file_and_the_database_hold_counts_once_and_the_database_counts(
    tmp_path: Path,
) -> None:
    # The file was left in the middle of an answer, and holds a turn that was never taken over.
    alone = [claw("user", said("only in the file"), 30), claw("assistant", said("So it is."), 31)]
    half = claw("assistant", said("HEARTBEAT_OK"), 91)
    write_session(tmp_path / "agents/main/sessions/s.jsonl", [*TURNS, *alone, LATER[0], half])
    write_database(tmp_path / DATABASE, {"s": [*TURNS, *LATER]})
    history = AgentHistory(tmp_path)
    assert [(text, relevant) for _, text, relevant in told(history)] == [
        ("is the roof dry?", True),
        ("only in the file", True),
        (HEARTBEAT, False),
        ("and the cellar?", True),
    ]
    assert history.notes[0].startswith("Read 1 session of OpenClaw, ")
    assert "Left out: 3 turns that stood in two places." in history.notes


def test_it_is_read_while_the_agent_writes_and_nobody_waits(tmp_path: Path) -> None:
    path = write_database(tmp_path / DATABASE, {"s": TURNS})
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as agent:
        agent.execute("BEGIN IMMEDIATE")
        for number, entry in enumerate(LATER, start=len(TURNS)):
            row = ("s", number, json.dumps(entry), 0)
            agent.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?)", row)
        assert len(AgentHistory(tmp_path)) == 2  # what is committed
        with OpenClawDatabase(path) as database:
            entries = database.entries("s", Counter(), lambda _: None)
            next(entries)
            agent.execute("COMMIT")  # at once, in the middle of a reading
            agent.execute("PRAGMA wal_checkpoint(RESTART)")
            assert len(list(entries)) == len(TURNS) - 1
        assert len(AgentHistory(tmp_path)) == 3


def test_nothing_is_written(tmp_path: Path) -> None:
    path = write_database(tmp_path / DATABASE, {"s": TURNS})
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert len(AgentHistory(tmp_path)) == 2
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(path.parent.iterdir()) == [path]


def test_an_agent_that_begins_to_write_meanwhile_is_read_as_well(tmp_path: Path) -> None:
    path = write_database(tmp_path / DATABASE, {"s": TURNS})
    with OpenClawDatabase(path) as database:
        assert len(list(database.entries("s", Counter(), lambda _: None))) == len(TURNS)
        with closing(sqlite3.connect(path, isolation_level=None)) as agent:
            lines = enumerate(map(json.dumps, LATER * 200), start=len(TURNS))
            agent.execute("BEGIN")
            agent.executemany("INSERT INTO transcript_events VALUES ('s', ?, ?, 0)", lines)
            agent.execute("COMMIT")
            found = list(database.entries("s", Counter(), lambda _: None))
            assert len(found) == len(TURNS) + 400
        assert list(database.sessions()) == [("s", "")]


def test_other_columns_and_tables_and_another_name_of_the_keys_are_of_no_matter(
    tmp_path: Path,
) -> None:
    path = tmp_path / DATABASE
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(
            "CREATE TABLE memory (x);"
            "CREATE TABLE sessions (made_at, session_key TEXT, session_id TEXT);"
            "CREATE TABLE transcript_events (a, event_json TEXT, b, seq INTEGER, session_id TEXT);"
        )
        database.execute("INSERT INTO sessions VALUES (0, 'agent:main:cron:job', 's')")
        rows = [("?", json.dumps(entry), None, number, "s") for number, entry in enumerate(LATER)]
        database.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", rows[::-1])
    (window,) = AgentHistory(tmp_path)
    assert window.actor == "cron"


def test_sessions_of_subagents_are_left_out(tmp_path: Path) -> None:
    write_database(tmp_path / DATABASE, {"s": TURNS}, key="agent:main:subagent:1")
    assert "turns of subagents" in AgentHistory(tmp_path).notes[1]


def test_rows_that_are_no_lines_are_named_and_passed_over(tmp_path: Path) -> None:
    broken: list[Entry | str] = [*TURNS[:3], "{half a li", "[1]", *TURNS[3:]]
    write_database(tmp_path / DATABASE, {"b7300bff-a214": broken})
    history = AgentHistory(tmp_path)
    assert [text for _, text, _ in told(history)] == ["is the roof dry?", HEARTBEAT]
    assert "Could not be read: 2 broken lines." in history.notes
    assert (
        "Rows of databases that were passed over, the first: main b7300bff:3, main b7300bff:4."
        in history.notes
    )


def test_damaged_pages_cost_the_rows_on_them(tmp_path: Path) -> None:
    long = [claw("user", said(f"message {number} {'x' * 3000}"), number) for number in range(40)]
    turns = [each for one in long for each in (one, claw("assistant", said("Yes."), 99))]
    path = write_database(tmp_path / DATABASE, {"b7300bff-a214": turns})
    content = bytearray(path.read_bytes())
    page = content.index(b"message 20 ") // 4096 * 4096
    content[page : page + 64] = b"\xff" * 64
    path.write_bytes(content)
    history = AgentHistory(tmp_path)
    texts = {text[:10] for _, text, _ in told(history)}
    assert len(texts) in range(37, 40)
    assert "message 20" not in texts
    notes = " ".join(history.notes)
    assert "damaged row" in notes
    assert "main b7300bff:40" in notes


def test_a_row_without_an_end_costs_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openclaw_database, "LINE_LIMIT", 400)
    endless = claw("user", said("x" * 500), 40)
    write_database(tmp_path / DATABASE, {"s": [*TURNS[:3], endless, *TURNS[3:]]})
    history = AgentHistory(tmp_path)
    assert len(history) == 2
    assert "main s:3" in history.notes[-1]


def test_what_is_no_such_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE memory (x)")
    with pytest.raises(InputError, match=r"1 could not be read \(no transcripts in the database\)"):
        find_sessions(tmp_path)
    path.write_bytes(b"SQLite format 3\0" + b"?" * 500)
    with pytest.raises(InputError, match=r"1 could not be read \(damaged database\)"):
        find_sessions(path)
    with pytest.raises(SourceError, match="damaged database"):
        OpenClawDatabase(path)


def test_an_empty_database_and_files_beside_it_are_a_history(tmp_path: Path) -> None:
    write_database(tmp_path / DATABASE, {})
    write_session(tmp_path / "agents/main/sessions/s.jsonl", TURNS)
    assert len(AgentHistory(tmp_path)) == 2
