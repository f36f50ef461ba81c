"""What a reflector is shown: plain values, bounded, with peers' words marked as such."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...plugin.asking import context_text, user_message
from ..quoting import NAME_LIMIT, NOTICE, plain, quote, safe_id, unquote
from .token_bound import token_bound

__all__ = ["Gathered", "Material", "PeerMaterial", "fit", "peer_entry", "quote", "unquote"]

RATIONALE_LIMIT = 240
SUMMARY_LIMIT = 400
PROMISE_LIMIT = 120
_STATISTICS = ("per_day", "size_mean", "size_max", "size_open", "size_jump", "tempo", "good", "bad")
SIGNAL_CHANNEL = "signal"
"""Channel of messages that are signals for which the gate woke the agent, not requests to it."""
_HOLDER = 8
_MARGIN = 16
"""Tokens reserved for the text between the parts."""


@dataclass(frozen=True, slots=True)
class PeerMaterial:
    """The facts of a peer. summary: of `PeerLedger.get_peer_assessment_summary`.

    activity: messages since the last reflection. overdue: promises as text and due.
    """

    peer_id: str
    summary: Mapping[str, Any]
    activity: int = 0
    statistics: Mapping[str, float] = field(default_factory=dict)
    overdue: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a context is made from. now: Unix seconds."""

    trigger: str
    triggers: tuple[str, ...]
    now: float
    peers: Sequence[PeerMaterial] = ()
    beliefs: Sequence[Mapping[str, Any]] = ()
    soul: str = ""
    events: Mapping[str, Any] = field(default_factory=dict)
    previous_summary: str = ""
    lessons: Sequence[str] = ()
    hints: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """A context within its bound. peers: id by the id in the context.

    left_out: peers that found no room. notes: a sentence for each part that was shortened.
    tokens: at most so many, system prompt and task included.
    """

    context: dict[str, Any]
    peers: Mapping[str, str]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    tokens: int


def fit(material: Material, bound: int, system_prompt: str, task: str) -> Gathered:
    """The context of the material, together with prompt and task within `bound` tokens.

    Left out, in this order, until it fits: the summary of events, the oldest interactions, the
    peers with the least activity. If that is not enough SOUL.md is shortened, and last the oldest
    beliefs go; both are noted in `notes`. The previous summary takes no more than a quarter of the
    room, lessons and hints together no more than another.
    """
    fixed = token_bound(system_prompt) + token_bound(user_message(task, {"": 0})) + _MARGIN
    room = bound - fixed
    material, notes = _essential(_modest(material, room // 4), room)
    base = _base(material)
    room -= token_bound(context_text({**base, "events": {}, "peers": []}))
    events = dict(material.events)
    peers = sorted(material.peers, key=lambda peer: -peer.activity)
    ids = _aliases(peer.peer_id for peer in peers)
    entries = [peer_entry(peer, alias) for alias, peer in zip(ids, peers, strict=True)]
    costs = [_cost(entry) for entry in entries]
    if events and _cost(events) + sum(costs) > room:
        events = {}
    _drop_oldest(entries, costs, room - _cost(events))
    while entries and sum(costs) > room - _cost(events):
        entries.pop()
        costs.pop()
    context = {**base, "events": events, "peers": entries}
    return Gathered(
        context=context,
        peers=dict(list(ids.items())[: len(entries)]),
        left_out=tuple(list(ids.values())[len(entries) :]),
        notes=notes,
        tokens=token_bound(system_prompt) + token_bound(user_message(task, context)),
    )


def peer_entry(peer: PeerMaterial, alias: str) -> dict[str, Any]:
    """One peer as the reflector sees it."""
    summary = peer.summary
    latest = summary.get("latest")
    recent = summary.get("recent") or ()
    return {
        "peer_id": alias,
        "display_name": plain(str(summary.get("display_name") or ""), NAME_LIMIT),
        "interaction_count": summary.get("interaction_count", 0),
        "first_seen": _second(summary.get("first_seen")),
        "last_seen": _second(summary.get("last_seen")),
        "info_score": summary.get("info_score", 0),
        "latest": None if latest is None else _latest(latest),
        "trajectory": list(summary.get("trajectory") or ()),
        "statistics": {
            name: round(peer.statistics[name], 2)
            for name in _STATISTICS
            if peer.statistics.get(name)
        },
        "overdue": [
            {"text": quote(str(each["text"]), PROMISE_LIMIT), "due": _second(each["due"])}
            for each in peer.overdue
        ],
        "recent": [_interaction(each) for each in recent],
    }


def _latest(latest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "trust": latest["trust"],
        "info_score": latest.get("info_score", 0),
        "rationale": plain(str(latest.get("rationale") or ""), RATIONALE_LIMIT),
        "created_at": _second(latest.get("created_at")),
    }


def _interaction(each: Mapping[str, Any]) -> dict[str, Any]:
    entry = {
        "direction": each["direction"],
        "preview": quote(str(each.get("preview") or "")),
        "size": each.get("size", 0),
        "at": _second(each.get("created_at")),
    }
    if each.get("channel_type") == SIGNAL_CHANNEL:
        entry["signal"] = True
    if each.get("outcome") is not None:
        entry["outcome"] = each["outcome"]
        entry["outcome_is_new"] = bool(each.get("outcome_is_new"))
    return entry


def _second(value: object) -> int:
    return round(value) if isinstance(value, int | float) else 0


def _base(material: Material) -> dict[str, Any]:
    return {
        "notice": NOTICE,
        "trigger": material.trigger,
        "triggers": list(material.triggers),
        "now": round(material.now),
        "soul": material.soul,
        "beliefs": [dict(belief) for belief in material.beliefs],
        "lessons": list(material.lessons),
        "hints": [dict(hint) for hint in material.hints],
        "previous_summary": plain(material.previous_summary, SUMMARY_LIMIT),
    }


def _modest(material: Material, room: int) -> Material:
    """The material with its optional parts in at most twice that many tokens."""
    summary = plain(material.previous_summary, SUMMARY_LIMIT)
    while token_bound(summary) > room:
        summary = summary[: len(summary) * 9 // 10]
    extras: list[Any] = []
    for each in (*material.lessons, *material.hints):
        room -= _cost(each)
        if room < 0:
            break
        extras.append(each)
    lessons, hints = extras[: len(material.lessons)], extras[len(material.lessons) :]
    return replace(material, previous_summary=summary, lessons=lessons, hints=hints)


def _essential(material: Material, room: int) -> tuple[Material, tuple[str, ...]]:
    """The material with a fixed part that fits, and a note for each cut."""
    notes = []
    if material.soul and _cost(_base(material)) > room:
        whole = material.soul
        while material.soul and _cost(_base(material)) > room:
            material = replace(material, soul=material.soul[: len(material.soul) * 9 // 10])
        notes.append(f"SOUL.md shortened to {len(material.soul)} of {len(whole)} characters")
    beliefs = list(material.beliefs)
    while beliefs and _cost(_base(replace(material, beliefs=beliefs))) > room:
        beliefs.pop()
    if len(beliefs) < len(material.beliefs):
        notes.append(f"only {len(beliefs)} of {len(material.beliefs)} beliefs found room")
        material = replace(material, beliefs=beliefs)
    return material, tuple(notes)


def _drop_oldest(entries: Sequence[dict[str, Any]], costs: list[int], room: int) -> None:
    """Remove the oldest interactions until the entries fit."""
    ages = sorted((each["at"], i) for i, entry in enumerate(entries) for each in entry["recent"])
    oldest = iter(ages)
    while (over := sum(costs) - room) > 0:
        indices = set()
        for _, i in oldest:
            interaction = entries[i]["recent"].pop(0)
            indices.add(i)
            over -= _cost(interaction) + _HOLDER + _MARGIN  # more than it frees: never one too many
            if over <= 0:
                break
        if not indices:
            return
        for i in indices:
            costs[i] = _cost(entries[i])


def _cost(value: object) -> int:
    """Tokens of a part of the context, with its place in the lines that hold it."""
    return token_bound(context_text({"": {"": [value]}})) - _HOLDER


def _aliases(peer_ids: Iterable[str]) -> dict[str, str]:
    """Each id by a unique alias that is safe in a prompt."""
    aliases: dict[str, str] = {}
    for peer_id in peer_ids:
        alias = safe = safe_id(peer_id)
        number = 2
        while alias in aliases:
            alias, number = f"{safe}~{number}", number + 1
        aliases[alias] = peer_id
    return aliases
