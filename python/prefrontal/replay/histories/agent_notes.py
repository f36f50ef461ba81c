"""What was read of an agent's sessions, what was left out, and what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...plain_text import visible
from ...plural import many
from .agent_files import OPENCLAW, FoundSessions
from .agent_lines import LINE_LIMIT
from .agent_turns import KINDS

KIND_WORDS = {
    "user": ("message of a person", "messages of people"),
    "heartbeat": ("heartbeat", "heartbeats"),
    "cron": ("timed message", "timed messages"),
    "hook": ("message of a hook", "messages of hooks"),
    "system": ("system event", "system events"),
    "agent": ("message of another agent", "messages of other agents"),
}
LEFT_OUT = {
    "unanswered": ("turn without an answer", "turns without an answer"),
    "stopped": ("turn that was interrupted", "turns that were interrupted"),
    "failed": ("turn that failed", "turns that failed"),
    "sidechain": ("turn of a subagent", "turns of subagents"),
    "injected": ("message that the tool itself wrote", "messages that the tool itself wrote"),
    "timeless": ("turn without a time", "turns without a time"),
    "doubles": ("turn that stood in two places", "turns that stood in two places"),
    "outside": ("turn outside the asked span", "turns outside the asked span"),
}
UNREAD = {
    "broken": ("broken line", "broken lines"),
    "long": (f"line over {LINE_LIMIT // 2**20} MiB", f"lines over {LINE_LIMIT // 2**20} MiB"),
    "damaged": ("damaged row of a database", "damaged rows of databases"),
    "growing": ("unfinished last line", "unfinished last lines"),
}
NAMED_ROWS = 3
"""Damaged rows that are told by their names."""
_NAMES_SHOWN = 3


def reading_notes(
    sessions: FoundSessions, counts: Counter[str], kinds: Counter[tuple[str, bool]]
) -> tuple[str, ...]:
    """A sentence for what was read and one for each kind of thing that was not."""
    return tuple(_notes(sessions, counts, kinds))


def _notes(
    sessions: FoundSessions, counts: Counter[str], kinds: Counter[tuple[str, bool]]
) -> Iterator[str]:
    yield _read(counts, kinds)
    left_out = list(_counted(LEFT_OUT, counts))
    if sessions.subagents:
        left_out.append(many(sessions.subagents, "session of a subagent", "sessions of subagents"))
    if left_out:
        yield f"Left out: {', '.join(left_out)}."
    unread = list(_counted(UNREAD, counts)) + list(_refused(sessions))
    if unknown := _unknown(counts):
        unread.append(unknown)
    if unread:
        yield f"Could not be read: {', '.join(unread)}."
    if sessions.damaged:
        named = ", ".join(sessions.damaged)
        yield f"Rows of databases that were passed over, the first: {named}."
    if counts["mended"]:
        lines = many(counts["mended"], "line")
        yield f"{lines} held bytes that are not text; they were replaced."
    yield from _openclaw(counts, kinds)


def _read(counts: Counter[str], kinds: Counter[tuple[str, bool]]) -> str:
    files = [
        many(count, "session") + f" of {name.removeprefix('file:')}"
        for name, count in sorted(counts.items())
        if name.startswith("file:")
    ]
    came = [
        many(count, *KIND_WORDS[kind])
        for kind in KINDS
        if (count := kinds[kind, True] + kinds[kind, False])
    ]
    total = sum(kinds.values())
    answered = sum(count for (_, relevant), count in kinds.items() if relevant)
    read = f"Read {' and '.join(files)}, {many(counts['lines'], 'line')}"
    if not total:
        return f"{read}: no answered turn."
    return (
        f"{read}: {', '.join(came)}; the agent answered {answered:,} of these {total:,} with more"
        " than a no-op."
    )


def _openclaw(counts: Counter[str], kinds: Counter[tuple[str, bool]]) -> Iterator[str]:
    """What OpenClaw itself takes away from the record, so that nobody reads too much into it."""
    if counts[f"file:{OPENCLAW}"] and not kinds["heartbeat", False]:
        yield (
            "No heartbeat with a no-op answer is in these sessions. Some versions of OpenClaw cut"
            " them out of the record; if yours did, wake-ups for nothing are undercounted."
        )


def _counted(words: dict[str, tuple[str, str]], counts: Counter[str]) -> Iterator[str]:
    for name, (one, more) in words.items():
        if counts[name]:
            yield many(counts[name], one, more)


def _refused(sessions: FoundSessions) -> Iterator[str]:
    for reason, count in sorted(Counter(sessions.refused.values()).items()):
        yield many(count, "file or folder", "files or folders") + f" ({visible(reason, 60)})"


def _unknown(counts: Counter[str]) -> str:
    named = {
        name.removeprefix("unknown:"): count
        for name, count in counts.items()
        if name.startswith("unknown:")
    }
    if not named:
        return ""
    names = [visible(name, 40) or "empty" for name in sorted(named, key=lambda n: (-named[n], n))]
    listing = ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
    total = sum(named.values())
    return many(total, "line of an unknown type", "lines of unknown types") + f" ({listing})"
