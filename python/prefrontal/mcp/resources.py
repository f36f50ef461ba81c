"""What can be read by address: wakes, decisions, beliefs, peers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from ..errors import InputError, PrefrontalError
from .peers import BeliefArguments, PeerAnswer, get_beliefs
from .wakes import AFTER, wakes
from .waking import explained

if TYPE_CHECKING:
    from .offered import ToolAnswer
    from .served import Served

SCHEME = "prefrontal"
WAKES = f"{SCHEME}://wakes"
DECISIONS = f"{SCHEME}://decisions/"
JSON = "application/json"
_LISTED = 20
_MOST_BELIEFS = 1000

TEMPLATES = (
    ResourceTemplate(
        uri_template=f"{WAKES}/after/{{id}}",
        name="later wakes",
        title="The wakes kept after a decision",
        description="To read on where you stopped: at most 100, in their order.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}://decisions/{{id}}",
        name="decision",
        title="One decision, and why",
        description="Score, threshold, what pushed the score, events and label.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}://peers/{{id}}",
        name="peer",
        title="One peer, and how far it is trusted",
        description="Facts, judgments with reasons, what the record supports.",
        mime_type=JSON,
    ),
)


def listed(served: Served) -> list[Resource]:
    """The wakes, the beliefs, the latest decisions, the peers seen last."""
    resources = [
        Resource(
            uri=WAKES,
            name="wakes",
            title="What the agent was asked",
            description="The latest 100 wakes, the newest last. Subscribe to hear of new ones.",
            mime_type=JSON,
        ),
        Resource(
            uri=f"{SCHEME}://beliefs",
            name="beliefs",
            title="What is held to be true for now",
            mime_type=JSON,
        ),
    ]
    served.log.flush()
    for record in served.log.recent(_LISTED):
        resources.append(_resource("decisions", record.id, record.question or record.subject))
    with served.records.ledger() as book:
        for each in book.standings(_LISTED):
            name = each.peer.display_name or each.peer.peer_id
            resources.append(_resource("peers", each.peer.peer_id, name))
    return resources


async def read(served: Served, uri: str) -> ReadResourceResult:
    """The resource at an address. Raises MCPError, invalid params, where there is none."""
    kind, name = _parts(uri)
    reader = _READERS.get(kind)
    try:
        if reader is None or not _is_whole(kind, name):
            known = "wakes, wakes/after/ID, beliefs, decisions/ID, peers/ID"
            raise InputError(f"uri must be {SCHEME}:// with {known}, got {uri!r:.200}")
        content = await anyio.to_thread.run_sync(reader, served, name)
    except PrefrontalError as error:
        raise MCPError(INVALID_PARAMS, str(error), {"uri": uri}) from None
    text = content.model_dump_json()
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=JSON, text=text)])


def is_followed(uri: str) -> bool:
    """Whether clients can be told that the resource changed."""
    kind, name = _parts(uri)
    return kind in ("wakes", "decisions") and _is_whole(kind, name)


def _is_whole(kind: str, name: str) -> bool:
    if kind == "wakes":
        return not name or (name.startswith(AFTER) and name != AFTER)
    return bool(name) is (kind != "beliefs")


def _parts(uri: str) -> tuple[str, str]:
    """("decisions", "3f2a") of prefrontal://decisions/3f2a."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "", ""
    known = parts.scheme == SCHEME and not (parts.query or parts.fragment)
    return (parts.netloc, unquote(parts.path.removeprefix("/"))) if known else ("", "")


def _resource(kind: str, name: str, title: str) -> Resource:
    uri = f"{SCHEME}://{kind}/{quote(name, safe='')}"
    return Resource(uri=uri, name=f"{kind}/{name}", title=title[:200], mime_type=JSON)


def _decision(served: Served, name: str) -> ToolAnswer:
    return explained(served, name)


def _beliefs(served: Served, _: str) -> ToolAnswer:
    return get_beliefs(served, BeliefArguments(quarantined=True, limit=_MOST_BELIEFS))


def _peer(served: Served, name: str) -> ToolAnswer:
    return PeerAnswer.of(served.records.peer(name))


_READERS: dict[str, Callable[[Served, str], ToolAnswer]] = {
    "beliefs": _beliefs,
    "decisions": _decision,
    "peers": _peer,
    "wakes": wakes,
}
