"""Claude Code: hooks in settings.json, the server of MCP in its list.

Hooks: https://code.claude.com/docs/en/hooks, servers: https://code.claude.com/docs/en/mcp.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from zlib import crc32

from ...home_folder import home_folder
from ..json_entries import JsonEntries, JsonEntry
from ..places import FilePlace
from ..programs import Caller
from ..target import InstallTarget, Piece

HOOK = "hook claude-code"
TIMEOUT_S = 10
PROMPT_TIMEOUT_S = 30
"""Of a prompt, at which nobody sits: only a heartbeat is held up, on a busy machine longer."""
CONSULTED = "Bash|Edit|Write|NotebookEdit"
NEEDS_SDK = "No MCP entry is written: the server needs `pip install 'prefrontal[mcp]'` first."


def claude_home() -> Path:
    """CLAUDE_CONFIG_DIR, usually ~/.claude."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or home_folder() / ".claude")


def claude_code(caller: Caller, project: Path | None, *, consult: bool, mcp: bool) -> InstallTarget:
    """project: where only one is meant. consult: also before tools. mcp: whether we can serve."""
    if project is None:
        settings, servers = claude_home() / "settings.json", _user_servers()
    else:
        settings, servers = project / ".claude" / "settings.json", project / ".mcp.json"
    pieces: list[Piece] = [
        (FilePlace(settings), JsonEntries(str(settings), _hooks(caller, consult)))
    ]
    if mcp:
        words = caller.words("mcp")
        value = {"command": words[0], "args": words[1:]}
        entry = JsonEntry(("mcpServers",), "prefrontal", value)
        pieces.append((FilePlace(servers), JsonEntries(str(servers), [entry])))
    return InstallTarget(
        name="claude-code",
        key="claude-code" if project is None else f"claude-code-{crc32(str(project).encode()):08x}",
        title="Claude Code",
        pieces=pieces,
        following=[
            ('claude -p "HEARTBEAT"', "a timed prompt: it reaches the model only when it matters")
        ],
        notes=() if mcp else (NEEDS_SDK,),
    )


def _user_servers() -> Path:
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(named) if named else home_folder()) / ".claude.json"


def _hooks(caller: Caller, consult: bool) -> list[JsonEntry]:
    # Exit code 2 would stop the agent: whatever goes wrong becomes 1, which only shows a line.
    hook = {
        "type": "command",
        "command": f"{caller.line(HOOK)} || exit 1",
        "timeout": TIMEOUT_S,
    }
    groups: dict[str, dict[str, Any]] = {
        "UserPromptSubmit": {"hooks": [hook | {"timeout": PROMPT_TIMEOUT_S}]},
        "Stop": {"hooks": [hook]},
    }
    if consult:
        groups["PreToolUse"] = {"matcher": CONSULTED, "hooks": [hook]}
    events = ("UserPromptSubmit", "Stop", "PreToolUse")
    return [
        JsonEntry(("hooks", event), None, groups.get(event), _is_ours, "hooks") for event in events
    ]


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and "prefrontal" in command and HOOK in command
