"""Where the agents of a machine keep their sessions, and which of them wrote a file."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ...errors import InputError, SourceError
from ...home_folder import expanded
from ...plain_text import visible
from .agent_lines import session_entries
from .claude import KNOWN_TYPES as CLAUDE_TYPES
from .openclaw_database import DATABASE_NAME, OpenClawDatabase

OPENCLAW, CLAUDE = "OpenClaw", "Claude Code"
LAYOUTS = ("agents/*/*", "sessions", "projects/*", "", "*", "*/*")
"""Folders, below the one that was named, that may hold session files; the first that do, count."""

LOOKED_FOR = (
    f"agents/*/agent/{DATABASE_NAME}, agents/*/sessions/*.jsonl, sessions/*.jsonl,"
    " projects/*/*.jsonl, *.jsonl, */*.jsonl"
)

_DATABASES = ("agents/*/agent", "*/agent", "agent", ".")
_SQLITE_MARK = b"SQLite format 3\0"
_ARCHIVED = (".jsonl.reset.", ".jsonl.deleted.")
_SUBAGENTS = ("projects/*/*/subagents/agent-*.jsonl", "*/subagents/agent-*.jsonl")
_COPIES = (".checkpoint.", ".trajectory.", ".trajectory-")
_CLAUDE_MARKS = frozenset({"sessionId", "parentUuid", "messageId", "isSidechain"})
_STORE_LIMIT = 64 * 2**20
_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One file of a session, or one session of a database.

    owner: the agent's or project's folder; key: OpenClaw's, or ""; session: its id in the database,
    "" for a file of its own.
    """

    path: Path
    tool: str
    owner: str
    size: int
    key: str = ""
    session: str = ""

    @property
    def name(self) -> str:
        """What the session is called: its id."""
        return self.session or self.path.name.partition(".jsonl")[0]


@dataclass(slots=True)
class FoundSessions:
    """The sessions of databases, then session files, by name, and what was passed over.

    refused: why each file or folder could not be read. subagents: files of their sessions. foreign:
    files whose lines are of neither tool. damaged: the first rows of databases that could not be
    read, each as AGENT SESSION:ROW.
    """

    files: list[SessionFile] = field(default_factory=list)
    refused: dict[Path, str] = field(default_factory=dict)
    subagents: int = 0
    foreign: int = 0
    damaged: list[str] = field(default_factory=list)


def find_sessions(path: str | Path) -> FoundSessions:
    """The sessions of OpenClaw and Claude Code in a folder, or in the one file that was named.

    A folder is a tool's home, a project, an agent, or any folder of session files. Links are
    followed, no deeper than LAYOUTS; a file that has two names is read once.
    Raises InputError that says what was looked for when there is none.
    """
    root = expanded(path)
    sessions = FoundSessions()
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"history must be a folder or a file that exists, got {str(path)!r} ({reason})"
        ) from None
    if stat.S_ISDIR(mode):
        _search(root, sessions)
    elif _is_database(root):
        _open(root, sessions)
    elif stat.S_ISREG(mode):
        _look(root, sessions, set(), {})
    if not sessions.files:
        raise InputError(_nothing(root, path, sessions))
    return sessions


def _search(root: Path, sessions: FoundSessions) -> None:
    files: set[tuple[int, int]] = set()
    stores: dict[Path, dict[str, str]] = {}
    _search_databases(root, sessions)
    in_databases = len(sessions.files)
    for layout in LAYOUTS:
        for folder in _folders(root, layout, sessions):
            for file in _listed(folder, sessions):
                if _is_session(file.name):
                    _look(file, sessions, files, stores)
        if len(sessions.files) > in_databases or sessions.subagents:
            break
    for pattern in _SUBAGENTS:
        sessions.subagents += sum(1 for _ in _matching(root, pattern))


def _search_databases(root: Path, sessions: FoundSessions) -> None:
    opened: set[Path] = set()
    for folder in _DATABASES:
        for path in sorted(_matching(root, f"{folder}/{DATABASE_NAME}")):
            if (real := path.resolve()) not in opened:
                opened.add(real)
                _open(path, sessions)
        if opened:
            break


def _open(path: Path, sessions: FoundSessions) -> None:
    """Takes in the sessions of an agent's database."""
    folder = path.absolute().parent
    owner = visible((folder.parent if folder.name == "agent" else folder).name, 80)
    try:
        size = path.stat().st_size
        with OpenClawDatabase(path) as database:
            for session, key in database.sessions():
                sessions.files.append(SessionFile(path, OPENCLAW, owner, size, key, session))
                size = 0  # the file's, once
    except OSError as error:
        sessions.refused[path] = error.strerror or "unreadable"
    except SourceError as error:
        sessions.refused[path] = str(error)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE_MARK)) == _SQLITE_MARK
    except OSError:  # told when it is looked at
        return False


def _folders(root: Path, layout: str, sessions: FoundSessions) -> Iterator[Path]:
    if not layout:
        yield root
        return
    first, _, rest = layout.partition("/")
    inner = _listed(root, sessions) if first == "*" else [root / first]
    for folder in inner:
        if folder.is_dir():
            yield from _folders(folder, rest, sessions)


def _listed(folder: Path, sessions: FoundSessions) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        sessions.refused[folder] = error.strerror or "unreadable"
        return []


def _matching(root: Path, pattern: str) -> Iterator[Path]:
    try:
        yield from root.glob(pattern)
    except OSError:  # a folder that may not be listed was counted before
        return


def _is_session(name: str) -> bool:
    if any(mark in name for mark in _COPIES):
        return False
    return name.endswith(".jsonl") or any(mark in name for mark in _ARCHIVED)


def _look(
    path: Path,
    sessions: FoundSessions,
    files: set[tuple[int, int]],
    stores: dict[Path, dict[str, str]],
) -> None:
    """Takes the file in when one of the tools wrote it."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode) or (facts.st_dev, facts.st_ino) in files:
            return
        files.add((facts.st_dev, facts.st_ino))
        tool = tool_of(path)
    except OSError as error:
        sessions.refused[path] = error.strerror or "unreadable"
        return
    if not tool:
        sessions.foreign += 1
    elif tool == CLAUDE and path.name.startswith("agent-"):
        sessions.subagents += 1
    else:
        folder = path.absolute().parent
        owner = (
            folder.parent.name if tool == OPENCLAW and folder.name == "sessions" else folder.name
        )
        if tool == OPENCLAW and folder not in stores:
            stores[folder] = _keys(folder / "sessions.json")
        key = stores.get(folder, {}).get(path.name.partition(".jsonl")[0], "")
        sessions.files.append(SessionFile(path, tool, visible(owner, 80), facts.st_size, key))


def tool_of(path: Path) -> str:
    """OPENCLAW, CLAUDE, or "" when the first lines are neither's. Raises OSError."""
    for _, entry in islice(session_entries(path, Counter()), _LOOKED_AT):
        kind = entry.get("type")
        if kind == "session" and ("version" in entry or "cwd" in entry):
            return OPENCLAW
        message = entry.get("message")
        if kind == "message" and type(message) is dict and type(message.get("role")) is str:
            return OPENCLAW
        if kind == "summary" and "leafUuid" in entry:
            return CLAUDE
        if type(kind) is str and kind in CLAUDE_TYPES and entry.keys() & _CLAUDE_MARKS:
            return CLAUDE
    return ""


def _keys(store: Path) -> dict[str, str]:
    """What OpenClaw calls each session, by the stem of its file; empty when it does not say."""
    try:
        facts = store.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _STORE_LIMIT:
            return {}
        raw = json.loads(store.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    keys: dict[str, str] = {}
    for key, value in raw.items() if type(raw) is dict else ():
        for name in _names(value):
            keys[name] = key
    return keys


def _names(value: Any) -> Iterator[str]:
    if type(value) is dict:
        if type(value.get("sessionId")) is str:
            yield value["sessionId"]
        if type(value.get("sessionFile")) is str:
            yield os.path.basename(value["sessionFile"]).partition(".jsonl")[0]  # noqa: PTH119


def _nothing(root: Path, path: str | Path, sessions: FoundSessions) -> str:
    seen = (
        "no such file" if not sessions.foreign else f"{sessions.foreign} without one line of theirs"
    )
    parts = [
        f"history must be a folder or a file of sessions of {OPENCLAW} or {CLAUDE}, got"
        f" {str(path)!r}; looked for {LOOKED_FOR} and found {seen}"
    ]
    for reason, count in sorted(Counter(sessions.refused.values()).items()):
        parts.append(f"{count} could not be read ({reason})")
    if sessions.subagents:
        parts.append("the sessions of subagents alone are not a history")
    if root.is_file():
        parts.append("recorded windows are read with --events")
    elif (root / ".git").exists():
        parts.append("a repository is read with --git")
    return "; ".join(parts)
