"""The tools by which the agent's model searches what was said in the chat in hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...errors import InputError, PrefrontalError
from ...origins import foreign, named, united
from ...plain_text import marked, one_line, shorten
from ...plugin import hear
from . import facts
from .dates import moment_of
from .models import MessageQuery

if TYPE_CHECKING:
    from .facts import PeerFact
    from .models import Message, Viewer
    from .store import ConversationStore
    from .vectors import Meaning

SEARCH, OPEN = "conversation_search", "conversation_open"
OWN = frozenset({SEARCH, OPEN})
"""Tools whose results have the origins of what was said."""
HITS, MOST_HITS, FACTS = 10, 50, 5
NEIGHBOURS = 4
EXCERPT, LONGEST = 400, 8000


def _tool(name: str, description: str, properties: dict[str, Any], required: str) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [required],
        "additionalProperties": False,
    }
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


_DATE = {"type": "string", "description": "2026-03-01 or 2026-03-01T14:30, in UTC"}
DEFINITIONS: list[dict[str, Any]] = [
    _tool(
        SEARCH,
        "Search what was said in this chat at any time, also before the messages you see. Words, "
        'begin*, or "a phrase"; "" for the newest. What the peer stated of it comes first.',
        {
            "query": {"type": "string"},
            "since": _DATE,
            "until": _DATE,
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST_HITS},
        },
        "query",
    ),
    _tool(
        OPEN,
        "Read one message whole, by its id, with what was said around it.",
        {"id": {"type": "integer", "minimum": 1}},
        "id",
    ),
]


def execute(
    store: ConversationStore,
    name: str,
    args: Mapping[str, Any],
    viewer: Viewer,
    meaning: Meaning | None = None,
    in_hand: int | None = None,
) -> str:
    """Run a tool; returns the result, or the reason for none, as text for the model.

    meaning: of the query, where an embedding model is configured. in_hand: id of the message that
    is being answered, which a search leaves out.
    """
    try:
        if name == SEARCH:
            query = _query(args)
            known = facts.fitting(store.facts(viewer, ended=True), query.words, FACTS)
            entries = [_fact(each) for each in known]
            more = replace(query, limit=query.limit + 1)
            hits = [hit.message for hit in store.search(more, viewer, meaning)]
            hits = [each for each in hits if each.id != in_hand][: query.limit]
            hear(united(*(each.origins for each in known), *(each.origins for each in hits)))
            entries += [_entry(each, EXCERPT) for each in hits]
            return _as_json(entries) if entries else "Nothing that was said here fits."
        number = int(args["id"])
        messages = store.around(number, NEIGHBOURS, NEIGHBOURS, viewer)
        hear(united(*(each.origins for each in messages)))
        entries = [_entry(each, LONGEST if each.id == number else EXCERPT) for each in messages]
        return _as_json(entries) if entries else f"There is no message {number} in this chat."
    except (InputError, PrefrontalError) as error:
        return one_line(f"{name} failed: {error}")


def _query(args: Mapping[str, Any]) -> MessageQuery:
    return MessageQuery(
        str(args["query"]),
        since=moment_of("since", args.get("since")),
        until=moment_of("until", args.get("until")),
        limit=int(args.get("limit", HITS)),
    )


def _entry(message: Message, longest: int) -> dict[str, Any]:
    at = datetime.fromtimestamp(message.created_at, UTC)
    others = foreign(message.origins, message.peer_id)
    text = shorten(one_line(message.content), longest)
    entry = {
        "id": message.id,
        "at": f"{at:%Y-%m-%d %H:%M}",
        "by": "you" if message.direction == "out" else message.peer_id,
        "text": marked(text) if others else text,
    }
    return {**entry, "may_repeat": named(others)} if others else entry


def _fact(fact: PeerFact) -> dict[str, Any]:
    what = f"{fact.subject}: {fact.attribute}" if fact.subject else fact.attribute
    entry: dict[str, Any] = {"fact": what, "value": fact.value, "by": fact.peer_id}
    entry["id"] = fact.source
    if fact.foreign:
        entry |= {"fact": marked(what), "value": marked(fact.value)}
        entry["may_repeat"] = named(fact.foreign)
    entry["since"] = f"{datetime.fromtimestamp(fact.valid_from, UTC):%Y-%m-%d}"
    if fact.valid_until is not None:
        entry["until"] = f"{datetime.fromtimestamp(fact.valid_until, UTC):%Y-%m-%d}"
    return entry


def _as_json(entries: list[dict[str, Any]]) -> str:
    return json.dumps(entries, ensure_ascii=False)
