from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.replay.histories.agent_files import CLAUDE, OPENCLAW, find_sessions, tool_of

from ..agent_sessions import claude_home, claw, claw_header, code, openclaw_home, write_session

CLAW = [claw_header(), claw("user", "hello", 1.0)]
CODE = [code("user", "hello", 1.0)]


def names(path: Path) -> list[str]:
    return [file.path.name for file in find_sessions(path).files]


@pytest.mark.parametrize(
    ("entries", "tool"),
    [
        (CLAW, OPENCLAW),
        (CLAW[1:], OPENCLAW),
        (["{broken\n", {"type": "custom"}, *CLAW[1:]], OPENCLAW),
        (CODE, CLAUDE),
        ([{"type": "summary", "leafUuid": "x"}], CLAUDE),
        ([{"type": "permission-mode", "sessionId": "x"}], CLAUDE),
        ([{"type": "user", "message": "hello"}], ""),
        ([{"time": 1, "events": []}], ""),
        ([{"type": "message", "message": "hello"}, {"type": ["user"], "sessionId": "x"}], ""),
        ([{}] * 60 + CLAW, ""),
        ([], ""),
    ],
)
def test_the_first_lines_tell_whose_a_file_is(
    tmp_path: Path, entries: list[Any], tool: str
) -> None:
    assert tool_of(write_session(tmp_path / "s.jsonl", entries)) == tool


@pytest.mark.parametrize("part", [".", "agents", "agents/main", "agents/main/sessions"])
def test_openclaw_is_read_from_its_home_down_to_one_agent(tmp_path: Path, part: str) -> None:
    home = openclaw_home(tmp_path, days=1)
    (file,) = find_sessions(home / part).files
    assert (file.tool, file.owner, file.path.name) == (OPENCLAW, "main", "b7300bff-a214.jsonl")
    assert file.size == file.path.stat().st_size


@pytest.mark.parametrize("part", [".", "projects", "projects/-home-me-project"])
def test_claude_code_is_read_from_its_home_down_to_one_project(tmp_path: Path, part: str) -> None:
    home = claude_home(tmp_path, turns=2)
    write_session(home / "history.jsonl", [{"display": "hello", "timestamp": 1}])
    (file,) = find_sessions(home / part).files
    assert (file.tool, file.owner, file.path.name) == (
        *(CLAUDE, "-home-me-project", "0205f437-f816.jsonl"),
    )


def test_one_session_file_is_a_history(tmp_path: Path) -> None:
    assert names(write_session(tmp_path / "anything.txt", CLAW)) == ["anything.txt"]


def test_archives_are_read_and_copies_are_not(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.reset.2026", "c.jsonl.deleted.2026"):
        write_session(tmp_path / name, CLAW)
    for name in ("a.checkpoint.1.jsonl", "a.trajectory.jsonl", "a.jsonl.bak", "a.jsonl.lock"):
        write_session(tmp_path / name, CLAW)
    assert names(tmp_path) == ["a.jsonl", "b.jsonl.reset.2026", "c.jsonl.deleted.2026"]


def test_the_sessions_of_subagents_are_counted_and_not_read(tmp_path: Path) -> None:
    project = claude_home(tmp_path, turns=1) / "projects" / "-home-me-project"
    write_session(project / "agent-1.jsonl", CODE)
    write_session(project / "s" / "subagents" / "agent-2.jsonl", CODE)
    for path in (tmp_path, project):
        found = find_sessions(path)
        assert (len(found.files), found.subagents) == (1, 2)


def test_the_store_says_which_session_is_which(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for name in ("a", "b", "c"):
        write_session(folder / f"{name}.jsonl", CLAW)
    store = {
        "agent:main:cron:1": {"sessionId": "a"},
        "hook:2": {"sessionId": "z", "sessionFile": "/elsewhere/b.jsonl"},
        "odd": 3,
        "odder": {"sessionId": [1]},
    }
    (folder / "sessions.json").write_text(json.dumps(store))
    assert [file.key for file in find_sessions(tmp_path).files] == [
        *("agent:main:cron:1", "hook:2", "")
    ]
    (folder / "sessions.json").write_text("[broken")
    assert [file.key for file in find_sessions(tmp_path).files] == ["", "", ""]


def test_links_are_followed_and_a_file_is_read_once(tmp_path: Path) -> None:
    real = openclaw_home(tmp_path / "real", days=1)
    sessions = real / "agents" / "main" / "sessions"
    home = tmp_path / "home"
    (home / "agents" / "main").mkdir(parents=True)
    (home / "agents" / "main" / "sessions").symlink_to(sessions)
    (home / "agents" / "twin").symlink_to(home / "agents")
    (sessions / "again.jsonl").symlink_to("b7300bff-a214.jsonl")
    (sessions / "gone.jsonl").symlink_to("nowhere")
    (sessions / "loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(sessions / "pipe.jsonl")
    found = find_sessions(home)
    assert len(found.files) == 1
    assert {path.name for path in found.refused} == {"gone.jsonl", "loop.jsonl"}


def test_a_folder_of_neither_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(InputError) as refused:
        find_sessions(tmp_path)
    sentence = str(refused.value)
    assert "OpenClaw or Claude Code" in sentence
    assert "agents/*/sessions/*.jsonl" in sentence
    assert "projects/*/*.jsonl" in sentence
    assert sentence.endswith("found no such file; a repository is read with --git")


def test_files_of_neither_an_empty_database_and_a_lone_subagent_are_told(tmp_path: Path) -> None:
    write_session(tmp_path / "windows.jsonl", [{"time": 1, "events": []}])
    with pytest.raises(InputError, match="found 1 without one line of theirs"):
        find_sessions(tmp_path)
    with pytest.raises(InputError, match="recorded windows are read with --events"):
        find_sessions(tmp_path / "windows.jsonl")
    database = tmp_path / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir(parents=True)
    database.touch()
    with pytest.raises(InputError, match=r"1 could not be read \(no transcripts in the database\)"):
        find_sessions(tmp_path)
    write_session(tmp_path / "projects" / "p" / "agent-1.jsonl", CODE)
    with pytest.raises(InputError, match="the sessions of subagents alone are not a history"):
        find_sessions(tmp_path)


@pytest.mark.parametrize("name", ["missing", "zero\0byte"])
def test_a_path_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="history must be a folder or a file that exists, got"):
        find_sessions(tmp_path / name)


def test_a_folder_that_may_not_be_listed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = openclaw_home(tmp_path, days=1)
    (home / "agents" / "locked" / "sessions").mkdir(parents=True)
    listed = Path.iterdir

    def iterdir(folder: Path) -> Iterator[Path]:
        if folder.name == "locked":
            raise PermissionError(13, "Permission denied")
        return iter(listed(folder))

    monkeypatch.setattr(Path, "iterdir", iterdir)
    found = find_sessions(home)
    assert len(found.files) == 1
    assert found.refused == {home / "agents" / "locked": "Permission denied"}
