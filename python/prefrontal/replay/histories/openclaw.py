"""The session lines of OpenClaw: which came to the agent, and which are its answers."""

from __future__ import annotations

import json
import re
from typing import Any

from .agent_turns import (
    AgentAnswer,
    Arrival,
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
        *("session", "message", "model_change", "thinking_level_change", "custom", "leaf", "label"),
        *("custom_message", "compaction", "branch_summary", "reset", "session_info"),
    }
)
_RESULT_TYPES = frozenset({"toolResult", "tool_result", "tool_result_error"})
_CALL_TYPES = frozenset({"toolCall", "tool_use", "toolUse", "functionCall", "tool_call"})
_UNFINISHED = frozenset({"toolUse", "tool_use", "tool_calls"})
_FAILED = frozenset({"error", "aborted"})
_COPIES = frozenset({"delivery-mirror", "gateway-injected"})
_FAILED_TEXT = "[assistant turn failed before producing content]"
_SENDS = frozenset(
    {"send", "reply", "thread-reply", "sendattachment", "sendwitheffect", "broadcast", "poll"}
)

_STAMP = re.compile(r"\s*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]\n]{0,40}\]\s*")
_SYSTEM_LINE = re.compile(r"System(?: \(untrusted\))?:[^\n]*(?:\n|\Z)\s*")
_FACTS = re.compile(r"^[A-Z][^\n(]{0,80}\(untrusted[^)\n]{0,60}\):\n```(?:json)?\n", re.MULTILINE)
_MOST_FACTS = 12
_OPENINGS = (
    (
        "heartbeat",
        (
            "[OpenClaw heartbeat poll]",
            "Read HEARTBEAT.md",
            "Follow the heartbeat monitor scratch",
            "Run the following periodic tasks (only those due",
            "Heartbeat poll",
            "Consider outstanding tasks and HEARTBEAT.md",
        ),
    ),
    ("cron", ("[cron:", "[OpenClaw cron wake]", "A scheduled reminder", "A scheduled cron event")),
    (
        "system",
        ("[OpenClaw exec completion]", "[OpenClaw session event]", "An async command"),
    ),
    ("hook", ("<<<EXTERNAL_UNTRUSTED_CONTENT", "SECURITY NOTICE: The following content")),
)
_LOOKED_AT = 20_000
_SOURCES = {"heartbeat": "heartbeat", "cron": "cron", "hook": "hook"}


class OpenClawSession:
    """Reads the lines of one session. agent: the agent's folder; key: its session key, or ""."""

    def __init__(self, agent: str, key: str = "") -> None:
        self._kind = _kind_of_key(key)
        parts = key.split(":")
        channel = parts[2] if parts[0] == "agent" and len(parts) > 3 else "session"
        self._place = f"{agent}/{channel}"
        self._sidechain = ":subagent:" in f":{key}"

    def read(self, number: int, entry: dict[str, Any]) -> Line:
        """What line `number` (from 1) is."""
        kind = entry.get("type")
        if kind != "message":
            return beside(kind, KNOWN_TYPES)
        message = entry.get("message")
        if type(message) is not dict:
            return LeftOut("broken")
        blocks = content_blocks(message.get("content"))
        role = message.get("role")
        time = moment(entry.get("timestamp"))
        time = moment(message.get("timestamp")) if time is None else time
        if role == "assistant":
            return self._answer(message, blocks, time)
        if role in ("toolResult", "tool") or _only_results(blocks):
            return ToolResult()
        if role != "user":
            return beside(role, ("system", "bashExecution"))
        return self._arrival(number, entry, message, text_of(blocks) or "", time)

    def _arrival(
        self,
        number: int,
        entry: dict[str, Any],
        message: dict[str, Any],
        text: str,
        time: float | None,
    ) -> Line:
        text = _unstamped(_without_envelope(text[:_LOOKED_AT]))
        kind = _kind_of_source(message.get("provenance")) or kind_of_text(text) or self._kind
        if text.startswith("[Subagent Context]"):
            self._sidechain = True
        if self._sidechain:
            return LeftOut("sidechain")
        if time is None:
            return LeftOut("timeless")
        return Arrival(kind, text, time, self._place, number, word(entry.get("id")))

    def _answer(
        self, message: dict[str, Any], blocks: list[dict[str, Any]], time: float | None
    ) -> Line:
        if self._sidechain or word(message.get("model")) in _COPIES:
            return LeftOut("sidechain_answers" if self._sidechain else "other")
        stop = word(message.get("stopReason"))
        text = text_of(blocks)
        if stop in _FAILED or (text or "").strip() == _FAILED_TEXT:
            return AgentAnswer(time, text, failed=True)
        calls = [block for block in blocks if word(block.get("type")) in _CALL_TYPES]
        calls += content_blocks(message.get("tool_calls"))
        if not blocks or (text is None and stop in ("stop", "end_turn")):
            text = ""
        waiting = bool(calls) or stop in _UNFINISHED
        return AgentAnswer(time, text, calls=waiting, told=_told(calls))


def kind_of_text(text: str) -> str:
    """What a message is by how it opens, behind a time and the lines of events; "" for a turn."""
    bare, events = _unstamped(text), 0
    while match := _SYSTEM_LINE.match(bare):
        bare, events = _unstamped(bare[match.end() :]), events + 1
    # What an event says may go on for lines, and the prompt stands behind it.
    starts = bare.split("\n") if events else [bare]
    for kind, openings in _OPENINGS:
        if any(start.startswith(openings) for start in starts):
            return kind
    if bare.strip() == "HEARTBEAT" or bare.rstrip(" .`*").endswith("reply HEARTBEAT_OK"):
        return "heartbeat"
    return "system" if events and not bare.strip() else ""


def _without_envelope(text: str) -> str:
    """The text without the facts on sender and chat that OpenClaw puts before a message."""
    for _ in range(_MOST_FACTS):
        match = _FACTS.search(text)
        end = text.find("\n```", match.end() - 1) if match else -1
        if match is None or end < 0:
            break
        text = text[: match.start()] + text[end + 4 :].lstrip()
    return text


def _unstamped(text: str) -> str:
    """The text without the time that OpenClaw writes before a message."""
    match = _STAMP.match(text)
    return text[match.end() :] if match else text.lstrip()


def _kind_of_key(key: str) -> str:
    parts = key.split(":")
    for kind in ("cron", "hook", "heartbeat"):
        if kind in parts:
            return kind
    return "user"


def _kind_of_source(provenance: Any) -> str:
    """What the message's own mark says; OpenClaw writes it since 2026."""
    if type(provenance) is not dict:
        return ""
    if provenance.get("kind") == "inter_session":
        return "agent"
    if provenance.get("kind") == "internal_system":
        source = provenance.get("sourceTool")
        return _SOURCES.get(source, "system") if type(source) is str else "system"
    return ""


def _only_results(blocks: list[dict[str, Any]]) -> bool:
    return bool(blocks) and all(word(block.get("type")) in _RESULT_TYPES for block in blocks)


def _told(calls: list[dict[str, Any]]) -> bool | None:
    """Whether a tool told the person something: an answer of NO_REPLY then only avoids a double."""
    answer: bool | None = None
    for block in calls:
        inner = block.get("function")
        call = inner if type(inner) is dict else block
        arguments = _arguments(call)
        if call.get("name") == "heartbeat_respond":
            answer = arguments.get("notify") in (True, "true") or bool(answer)
        elif call.get("name") == "message" and str(arguments.get("action")).lower() in _SENDS:
            answer = True
    return answer


def _arguments(call: dict[str, Any]) -> dict[str, Any]:
    for name in ("arguments", "args", "input"):
        value = call.get(name)
        if type(value) is str:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if type(value) is dict:
            return value
    return {}
