"""The session lines of Claude Code: which came to the agent, and which are its answers."""

from __future__ import annotations

from typing import Any

from .agent_turns import (
    AgentAnswer,
    Arrival,
    Interruption,
    LeftOut,
    Line,
    ToolResult,
    beside,
    content_blocks,
    moment,
    text_of,
    word,
)

KNOWN_TYPES = frozenset(
    {
        *("user", "assistant", "summary", "system", "file-history-snapshot", "queue-operation"),
        *("progress", "attachment", "permission-mode", "mode", "last-prompt", "custom-title"),
        *("ai-title", "agent-name", "pr-link", "tag"),
    }
)
_INJECTED = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
_NOTHING_ASKED = (
    "<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<bash-input>",
    "<bash-stdout>", "<bash-stderr>", "Caveat: The messages below",
    "This session is being continued from a previous conversation",
)  # fmt: skip
_EVENTS = ("<task-notification>", "<teammate-message", "<channel")
_FINISHED = frozenset({"end_turn", "stop_sequence", "stop"})
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_LONGEST_TEXT = 200_000


class ClaudeSession:
    """Reads the lines of one session. project: its folder's name, such as "-home-me-work"."""

    def __init__(self, project: str) -> None:
        self._project = project.rpartition("-")[2]  # for lines that say no `cwd`

    def read(self, number: int, entry: dict[str, Any]) -> Line:
        """What line `number` (from 1) is."""
        kind = entry.get("type")
        if kind not in ("user", "assistant"):
            return beside(kind, KNOWN_TYPES)
        if entry.get("isSidechain") is True:
            return LeftOut("sidechain" if kind == "user" else "sidechain_answers")
        message = entry.get("message")
        if type(message) is not dict:
            return LeftOut("broken")
        blocks = content_blocks(message.get("content"))
        if kind == "assistant":
            return _answer(entry, message, blocks)
        if "toolUseResult" in entry or any(block.get("type") == "tool_result" for block in blocks):
            stopped = (text_of(blocks) or "").startswith("[Request interrupted")
            return Interruption() if stopped else ToolResult()
        return self._arrival(number, entry, text_of(blocks) or "")

    def _arrival(self, number: int, entry: dict[str, Any], text: str) -> Line:
        text = _without_reminders(text[:_LONGEST_TEXT]).strip()
        if text.startswith("[Request interrupted"):
            return Interruption()
        if any(entry.get(mark) is True for mark in _INJECTED) or text.startswith(_NOTHING_ASKED):
            return LeftOut("injected")
        time = moment(entry.get("timestamp"))
        if time is None:
            return LeftOut("timeless")
        folder, identity = _name_of(word(entry.get("cwd"))), word(entry.get("uuid"))
        return Arrival(_kind(entry, text), text, time, folder or self._project, number, identity)


def _name_of(folder: str) -> str:
    """The last part of a folder: a report tells what was worked on, not where on whose machine."""
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _answer(entry: dict[str, Any], message: dict[str, Any], blocks: list[dict[str, Any]]) -> Line:
    time = moment(entry.get("timestamp"))
    text, stop = text_of(blocks), word(message.get("stop_reason"))
    if entry.get("isApiErrorMessage") is True:
        return AgentAnswer(time, text, failed=True)
    calls = any(block.get("type") in ("tool_use", "server_tool_use") for block in blocks)
    # A message is written in several lines, one a part: thoughts alone are not its end.
    if not blocks or (text is None and not calls and stop in _FINISHED and not _thinks(blocks)):
        text = ""
    return AgentAnswer(time, text, calls=calls)


def _without_reminders(text: str) -> str:
    """The text without what Claude Code itself put into it."""
    parts, at = [], 0
    while (begin := text.find(_REMINDER, at)) >= 0:
        end = text.find(_REMINDER_END, begin)
        if end < 0:
            break
        parts.append(text[at:begin])
        at = end + len(_REMINDER_END)
    return "".join(parts) + text[at:]


def _thinks(blocks: list[dict[str, Any]]) -> bool:
    return any(block.get("type") in ("thinking", "redacted_thinking") for block in blocks)


def _kind(entry: dict[str, Any], text: str) -> str:
    """Who sent it: newer versions say so in `origin`, older ones only by how the text opens."""
    origin = entry.get("origin")
    named = origin.get("kind") if type(origin) is dict else entry.get("turnOrigin")
    if type(named) is str and named and named != "human":
        for kind in ("cron", "hook", "heartbeat"):
            if kind in named or (kind == "cron" and "schedule" in named):
                return kind
        return "agent" if "peer" in named or "team" in named else "system"
    if text.strip() == "HEARTBEAT" or text.rstrip(" .`*").endswith("reply HEARTBEAT_OK"):
        return "heartbeat"
    return "system" if text.startswith(_EVENTS) else "user"
