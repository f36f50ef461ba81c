"""A reflector's reply, parsed strictly: wrong entries are dropped, nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from ...errors import PrefrontalError
from ...redaction import redact
from ..models import (
    ProposedAssessment,
    ProposedBelief,
    ProposedCommitment,
    ProposedDirective,
    Reflection,
    SoulAlignment,
)
from ..quoting import plain, statement
from .fields import DroppedError, due_time, positive, share, text_of, whole
from .schema import OUTPUT_SCHEMA

__all__ = ["OUTPUT_SCHEMA", "ParseError", "belief_key", "parse_reflection"]

READ_LIMIT = 200_000
"""Characters of the longest reply that is read."""
ENTRY_LIMIT = 64
KEY_LIMIT, VALUE_LIMIT, RATIONALE_LIMIT, SUMMARY_LIMIT = 64, 240, 600, 1000
_MESSAGE_LIMIT, _LESSON_LIMIT, _PROMISE_LIMIT = 500, 200, 120
_SECTIONS = ("assessments", "beliefs", "directives", "commitments", "lessons")
_KNOWN = frozenset((*_SECTIONS, "summary", "soul_alignment"))
_FENCE = re.compile(r"```[ \t]*+(?:json)?+[ \t]*+\n?(.*?)```", re.DOTALL | re.IGNORECASE)
_JSON_FENCE = re.compile(r"```[ \t]*+json[ \t]*+\n?(.*?)```", re.DOTALL | re.IGNORECASE)


class ParseError(PrefrontalError):
    """A reply without a JSON object with a known key, or with one that has no summary."""


Item = TypeVar("Item")


def parse_reflection(text: str, peers: Mapping[str, str] | None = None) -> Reflection:
    """What a reply proposes. peers: real id by the id that the reflector was shown.

    Reads the whole text as JSON, else the first ```json fence, else a bare fence, else what stands
    between the outermost braces. Ignores unknown keys and drops entries with a wrong value; of two
    assessments of one peer, or two beliefs of one key, the last counts. Raises ParseError.
    """
    reply = _decode(text)
    summary = reply.get("summary")
    if not isinstance(summary, str):
        raise ParseError(f"summary must be text, got {plain(repr(summary), 80)}")
    ids = peers or {}
    dropped: list[str] = []

    def read(section: str, one: Callable[[Mapping[str, Any]], Item]) -> list[Item]:
        return list(_entries(reply, section, one, dropped))

    assessments = read("assessments", lambda raw: _assessment(raw, ids))
    beliefs = read("beliefs", lambda raw: _belief(raw, ids))
    return Reflection(
        assessments=tuple({each.peer_id: each for each in assessments}.values()),
        beliefs=tuple({each.key: each for each in beliefs}.values()),
        directives=tuple(read("directives", lambda raw: _directive(raw, ids))),
        commitments=tuple(read("commitments", lambda raw: _commitment(raw, ids))),
        soul_alignment=_alignment(reply.get("soul_alignment"), dropped),
        lessons=tuple(read("lessons", _lesson)),
        summary=statement(summary, SUMMARY_LIMIT),
        dropped=tuple(dropped),
    )


def belief_key(text: str) -> str:
    """The text as a key: lowercase words of a-z and 0-9 with hyphens; "" when nothing is left."""
    words = re.findall(r"[a-z0-9]+", text[:READ_LIMIT].lower())
    return "-".join(words)[:KEY_LIMIT].strip("-")


def _decode(text: str) -> dict[str, Any]:
    if len(text) > READ_LIMIT:
        raise ParseError(f"a reply must have at most {READ_LIMIT} characters, got {len(text)}")
    for candidate in _candidates(text):
        try:
            reply = json.loads(candidate, parse_int=_integer)
        except (ValueError, RecursionError):
            continue
        if isinstance(reply, dict) and not _KNOWN.isdisjoint(reply):
            return reply
    raise ParseError(f"a reply must be a JSON object with a summary, got {plain(text, 80)!r}")


def _candidates(text: str) -> Iterator[str]:
    yield text
    for fence in (_JSON_FENCE, _FENCE):
        match = fence.search(text)
        if match is not None:
            yield match[1]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def _integer(digits: str) -> float:
    """A whole number; one of hundreds of digits, which Python refuses, as infinity."""
    return int(digits) if len(digits) <= 300 else float("inf")


def _entries(
    reply: Mapping[str, Any],
    section: str,
    one: Callable[[Mapping[str, Any]], Item],
    dropped: list[str],
) -> Iterator[Item]:
    raw = reply.get(section)
    if raw is None:
        return
    if not isinstance(raw, list):
        dropped.append(f"{section}: must be a list")
        return
    if len(raw) > ENTRY_LIMIT:
        dropped.append(f"{section}: {len(raw) - ENTRY_LIMIT} entries after the first {ENTRY_LIMIT}")
    for number, entry in enumerate(raw[:ENTRY_LIMIT], 1):
        try:
            if section == "lessons" and isinstance(entry, str):
                entry = {"text": entry}  # noqa: PLW2901 - both forms are taken
            if not isinstance(entry, dict):
                raise DroppedError("must be an object")
            yield one(entry)
        except DroppedError as why:
            dropped.append(f"{section} {number}: {why}")


def _assessment(raw: Mapping[str, Any], ids: Mapping[str, str]) -> ProposedAssessment:
    return ProposedAssessment(
        peer_id=_peer(raw, "peer_id", ids),
        trust=whole(raw.get("trust"), "trust"),
        rationale=_statement(raw, "rationale", RATIONALE_LIMIT),
    )


def _belief(raw: Mapping[str, Any], ids: Mapping[str, str]) -> ProposedBelief:
    key = belief_key(redact(text_of(raw, "key")))
    if not key:
        raise DroppedError("key must have letters or digits")
    return ProposedBelief(
        key=key,
        value=_statement(raw, "value", VALUE_LIMIT),
        rationale=statement(_or_blank(raw.get("rationale")), RATIONALE_LIMIT),
        peer_id=_peer(raw, "peer_id", ids) if _or_blank(raw.get("peer_id")).strip() else None,
    )


def _directive(raw: Mapping[str, Any], ids: Mapping[str, str]) -> ProposedDirective:
    expires = raw.get("expires_minutes")
    return ProposedDirective(
        target_peer=_peer(raw, "target_peer", ids),
        action=_statement(raw, "action", _LESSON_LIMIT),
        message=statement(_or_blank(raw.get("message")), _MESSAGE_LIMIT),
        rationale=statement(_or_blank(raw.get("rationale")), RATIONALE_LIMIT),
        expires_minutes=None if expires is None else positive(expires, "expires_minutes"),
    )


def _commitment(raw: Mapping[str, Any], ids: Mapping[str, str]) -> ProposedCommitment:
    return ProposedCommitment(
        peer_id=_peer(raw, "peer_id", ids),
        text=_statement(raw, "text", _PROMISE_LIMIT),
        due=due_time(raw.get("due")),
    )


def _lesson(raw: Mapping[str, Any]) -> str:
    return _statement(raw, "text", _LESSON_LIMIT)


def _alignment(raw: object, dropped: list[str]) -> SoulAlignment | None:
    if raw is None:
        return None
    try:
        if not isinstance(raw, dict):
            raise DroppedError("must be an object")
        return SoulAlignment(
            verdict=_statement(raw, "verdict", _LESSON_LIMIT),
            score=None if raw.get("score") is None else share(raw["score"]),
            evidence=statement(_or_blank(raw.get("evidence")), VALUE_LIMIT),
        )
    except DroppedError as why:
        dropped.append(f"soul_alignment: {why}")
        return None


def _peer(raw: Mapping[str, Any], name: str, ids: Mapping[str, str]) -> str:
    text = text_of(raw, name)
    peer_id = text.strip()
    return ids.get(text) or ids.get(peer_id) or redact(peer_id)


def _statement(raw: Mapping[str, Any], name: str, limit: int) -> str:
    text = statement(text_of(raw, name), limit)
    if not text:
        raise DroppedError(f"{name} must not be blank")
    return text


def _or_blank(value: object) -> str:
    return value if isinstance(value, str) else ""
