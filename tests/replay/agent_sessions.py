"""Made-up sessions of OpenClaw and Claude Code, line by line; nobody said any of it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

START = 1_770_000_000.0
HEARTBEAT = "[OpenClaw heartbeat poll]"

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
