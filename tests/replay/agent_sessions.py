"""Made-up sessions of OpenClaw and Claude Code, line by line; nobody said any of it."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

START = 1_770_000_000.0
HEARTBEAT = "[OpenClaw heartbeat poll]"
OPENCLAW_SCHEMA = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE session_windows (
      session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, reason TEXT,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE transcript_events (
      session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
      created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)
    ) STRICT;
"""
"""The tables that are read, as OpenClaw's src/state/openclaw-agent-schema.sql has them."""

Entry = dict[str, Any]


def stamp(time: float) -> str:
    return (
        datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def claw(role: str, content: Any, at: float, **more: Any) -> Entry:
    """A message line of OpenClaw, `at` seconds after START."""
    message = {"role": role, "content": content, **more}
    if role == "assistant":
        message.setdefault("stopReason", "stop")
    return {
        "type": "message",
        "id": f"{role[0]}{at:g}",
        "parentId": None,
        "timestamp": stamp(START + at),
        "message": message,
    }


def claw_header() -> Entry:
    return {"type": "session", "version": 3, "id": "s", "timestamp": stamp(START), "cwd": "/w"}


def said(text: str) -> list[Entry]:
    return [{"type": "text", "text": text}]


def code(role: str, content: Any, at: float, **more: Any) -> Entry:
    """A line of Claude Code, `at` seconds after START; `more` are fields of the line."""
    return {
        "type": role,
        "uuid": f"{role[0]}{at:g}",
        "parentUuid": None,
        "sessionId": "s",
        "isSidechain": False,
        "cwd": "/home/me/project",
        "gitBranch": "main",
        "timestamp": stamp(START + at),
        "message": {"role": role, "content": content},
        **more,
    }


def write_session(path: Path, entries: Iterable[Any]) -> Path:
    """The entries as lines; text and bytes stand as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for entry in entries:
            if isinstance(entry, str):
                file.write(entry.encode())
            else:
                raw = isinstance(entry, bytes)
                file.write(entry if raw else json.dumps(entry).encode() + b"\n")
    return path


def openclaw_home(folder: Path, days: int = 20, seed: int = 0) -> Path:
    """A home with heartbeats every two hours, of which those with mail find something to tell."""
    rng = random.Random(seed)
    lines: list[Entry] = [claw_header()]
    for number in range(days * 12):
        at = number * 7200.0
        mail = rng.random() < 0.3
        event = "System: [now] mail from the landlord about the roof\n\n" if mail else ""
        lines.append(claw("user", said(event + HEARTBEAT), at))
        lines.append(
            claw("assistant", said("The landlord wrote." if mail else "HEARTBEAT_OK"), at + 20)
        )
        if number % 5 == 0:
            lines.append(claw("user", said(f"please look at invoice {number}"), at + 600))
            lines.append(claw("assistant", said("It is paid."), at + 640))
    write_session(folder / "agents" / "main" / "sessions" / "b7300bff-a214.jsonl", lines)
    return folder


def claude_home(folder: Path, turns: int = 60, seed: int = 0) -> Path:
    """A home with one project, whose agent had nothing to say to every third message."""
    rng = random.Random(seed)
    lines: list[Entry] = [{"type": "summary", "summary": "x", "leafUuid": "u"}]
    for number in range(turns):
        at = number * 3600.0
        idle = rng.random() < 0.3
        lines.append(code("user", "status?" if idle else f"fix test {number}", at))
        lines.append(
            code("assistant", said("No response requested." if idle else "Fixed."), at + 30)
        )
    write_session(folder / "projects" / "-home-me-project" / "0205f437-f816.jsonl", lines)
    return folder


def write_database(path: Path, sessions: Mapping[str, Iterable[Any]], key: str = "") -> Path:
    """The sessions as OpenClaw 2026.8 keeps them; text and bytes stand as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(OPENCLAW_SCHEMA)
        for session, entries in sessions.items():
            database.execute(
                "INSERT INTO session_windows VALUES (?, ?, 'initial', 0, 0)", (session, key)
            )
            rows = [
                (session, number, _row(entry), 1_770_000_000_000 + number)
                for number, entry in enumerate(entries)
            ]
            # Out of order: who reads goes by the number.
            database.executemany(
                "INSERT INTO transcript_events VALUES (?, ?, ?, ?)", rows[::2] + rows[1::2]
            )
    return path


def _row(entry: Any) -> str:
    return entry if isinstance(entry, str) else json.dumps(entry)
