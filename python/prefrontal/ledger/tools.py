"""The tools by which the agent's model reads the ledger or judges peers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import PrefrontalError
from ..origins import addressed, peer_origin
from ..plain_text import CLOSE, OPEN, one_line
from ..plugin.hearing import current_origins, hear, heard
from .models import Assessment
from .prompt import moment
from .scale import SCORE_GUIDE, signed

if TYPE_CHECKING:
    from .ledger import Ledger

ASSESS = "assess_peer"
REFUSAL = (
    f"{ASSESS} is not available: the cortex judges peers when it reflects, not the conversation."
)
_RECENT = 10
_MOST_PEERS = 50
_TIMES = ("first_seen", "last_seen", "created_at")

_PEER_ID = {"type": "string", "description": "The peer's id, as list_peers and the prompt show it"}
Assessed = Callable[[Assessment], Awaitable[None]]


def definitions(assessing: bool) -> list[dict[str, Any]]:
    """The available tools; assess_peer only when `assessing`."""
    tools = [
        _tool(
            "query_peer",
            "What the ledger knows of one peer: counts, times, scores, the last judgments and the "
            "last messages.",
            {"peer_id": _PEER_ID},
            ["peer_id"],
        ),
        _tool(
            "list_peers",
            f"The peers the agent has dealt with, the one seen last first (at most {_MOST_PEERS}).",
            {},
            [],
        ),
    ]
    return [*tools, _assess_tool()] if assessing else tools


async def execute(
    ledger: Ledger,
    name: str,
    args: Mapping[str, Any],
    assessed: Assessed | None,
    asking: str = "",
    *,
    in_group: bool = False,
) -> str:
    """Run a tool; returns the result, or the reason for none, as text for the model.

    assessed: called with a new judgment once it is on the disk; None where judging is not allowed.
    asking: the peer in whose conversation it runs; nothing is told there of what others wrote, and
    nobody else is judged there. in_group: others read it, so nothing is told of anybody's words.
    """
    try:
        if name == "query_peer":
            return _as_json(_query(ledger, args, asking, in_group))
        if name == "list_peers":
            return _as_json(_list(ledger, asking))
        if name == ASSESS:
            return REFUSAL if assessed is None else await _assess(ledger, args, assessed, asking)
    except (ValueError, PrefrontalError) as error:
        return one_line(f"{name} failed: {error}")
    return one_line(f"{name} is not a tool of the ledger.")


def _query(ledger: Ledger, args: Mapping[str, Any], asking: str, in_group: bool) -> dict[str, Any]:
    peer_id = _meant(ledger, _text(args, "peer_id"))
    summary = ledger.get_peer_assessment_summary(peer_id, _RECENT)
    answer = {name: _readable(name, value) for name, value in summary.items()}
    if asking and (asking != peer_id or in_group):
        return _without_words({**answer, "peer_id": _named(peer_id)})
    hear([peer_origin(peer_id), *ledger.latest_origins(peer_id)])
    return answer


def _meant(ledger: Ledger, name: str) -> str:
    """The id that stands in a name, which may have the marks that `_named` gave it."""
    is_marked = name.startswith(OPEN) and name.endswith(CLOSE)
    if not is_marked or ledger.peer(name) is not None:
        return name
    ids = (each.peer_id for each in ledger.list_peers())
    return next((each for each in ids if addressed(one_line(each)) == name), name)


def _named(peer_id: str) -> str:
    """Another peer's id where its words are not told: between marks where it may be a sentence."""
    name = addressed(one_line(peer_id))
    if name != peer_id:
        hear([peer_origin(peer_id)])
    return name


def _without_words(answer: dict[str, Any]) -> dict[str, Any]:
    """The counts, times and scores of another peer; its words stay in its own conversation."""
    latest = answer["latest"]
    facts = {name: value for name, value in answer.items() if name != "display_name"}
    facts["latest"] = latest and {k: v for k, v in latest.items() if k != "rationale"}
    facts["recent"] = [
        {name: value for name, value in each.items() if name != "preview"}
        for each in answer["recent"]
    ]
    return {**facts, "note": "What this peer wrote is told in its own conversation only."}


def _readable(name: str, value: Any) -> Any:
    """A value with its times as text, at any depth."""
    if name in _TIMES:
        return moment(value)
    if isinstance(value, dict):
        return {key: _readable(key, each) for key, each in value.items()}
    return [_readable("", each) for each in value] if isinstance(value, list) else value


def _list(ledger: Ledger, asking: str) -> list[dict[str, Any]]:
    standings = ledger.standings(_MOST_PEERS)
    if not asking:
        hear(peer_origin(each.peer.peer_id) for each in standings)
    return [
        {
            "peer_id": _named(each.peer.peer_id) if asking else each.peer.peer_id,
            **({} if asking else {"display_name": each.peer.display_name}),
            "interaction_count": each.peer.interaction_count,
            "last_seen": moment(each.peer.last_seen),
            "info_score": each.info_score,
            "trust": each.trust,
        }
        for each in standings
    ]


async def _assess(ledger: Ledger, args: Mapping[str, Any], assessed: Assessed, asking: str) -> str:
    peer_id, rationale = _text(args, "peer_id"), _text(args, "rationale")
    if asking not in ("", peer_id):
        raise ValueError(f"peer_id must be the peer of this conversation, got {peer_id!r:.80}")
    origins = None if current_origins.get() is None else heard()
    future = ledger.submit_assessment(peer_id, args.get("trust"), rationale, origins)  # type: ignore[arg-type]
    assessment = await asyncio.wrap_future(future)
    await assessed(assessment)
    return f"Recorded: trust {signed(assessment.trust)}, info {assessment.info_score}/10."


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, got {value!r:.80}")
    return value


def _assess_tool() -> dict[str, Any]:
    return _tool(
        ASSESS,
        "Record what to think of a peer's conduct. The reason comes first and is required.\n"
        + SCORE_GUIDE,
        {
            "peer_id": _PEER_ID,
            "rationale": {
                "type": "string",
                "minLength": 1,
                "description": "What was observed, and why it moves the number from where it was",
            },
            "trust": {"type": "integer", "minimum": -10, "maximum": 10},
        },
        ["peer_id", "rationale", "trust"],
    )


def _tool(
    name: str, description: str, properties: dict[str, Any], required: list[str]
) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
