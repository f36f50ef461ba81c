"""What an agent's answer says, as far as a replay needs to know: something, or nothing."""

from __future__ import annotations

import re

NO_REPLIES = frozenset({"", "HEARTBEAT_OK", "NO_REPLY", "NOOP", "NO_OP"})
"""What an agent answers when there was nothing to do, in capitals and without marks around it."""

MOST_BESIDE_TOKEN = 300
"""Characters that may stand beside a token at the edge of an answer to a wake, and say nothing."""

_MARKS = " \t\r\n*_`'\".!"
_TOKEN = re.compile(r"(?:[A-Z]+_)+OK|NO_[A-Z_]+|NO RESPONSE REQUESTED")
_ACKNOWLEDGED = frozenset({"OK", "ACK", "ACKNOWLEDGED"})
_EDGES = ("HEARTBEAT_OK", "NO_REPLY")
_ENVELOPE = re.compile(r'\{\s*"action"\s*:\s*"NO_REPLY"\s*\}')
_LONGEST = 4096


def is_noop(answer: str, woken: bool = False) -> bool:
    """Whether an answer says that nothing had to be done.

    That is an empty answer, a token (HEARTBEAT_OK, NO_REPLY, NOOP, SESSION_WATCHDOG_OK, NO_NEW_MAIL
    and the like) with or without marks around it, also behind a tag such as [[reply_to_current]] or
    thoughts in <think>.
    woken: it answers a heartbeat, a timer, a hook or an event, not a person. Then "OK" alone says
    nothing either, and HEARTBEAT_OK or NO_REPLY at the start or the end outweighs up to
    MOST_BESIDE_TOKEN characters beside it.
    """
    text = answer.strip()
    if text[:7].lower().startswith("<think"):
        text = text.rpartition("</think>")[2].strip() if "</think>" in text else ""
    if text.startswith("[["):
        text = text.partition("]]")[2].strip()
    if len(text) > _LONGEST:
        return False
    bare = text.strip(_MARKS).upper()
    if bare in NO_REPLIES or _TOKEN.fullmatch(bare) or _ENVELOPE.fullmatch(text):
        return True
    if not woken:
        return False
    return bare in _ACKNOWLEDGED or any(_stands_at_an_edge(bare, token) for token in _EDGES)


def _stands_at_an_edge(bare: str, token: str) -> bool:
    before, match, after = bare.partition(token)
    edge = not after or (not before and not after.startswith("_"))
    return bool(match) and edge and len(before) + len(after) <= MOST_BESIDE_TOKEN
