"""Where words come from: the names of origins, and what text made from several of them carries.

An origin is "peer:ID" for what a peer wrote or is called, "tool:NAME" for the result of a tool,
"agent" for the patterns of other agents. Text made from a context has all origins of that context.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from .plain_text import MORE, marked, visible
from .redaction import redact

_MOST = 24
_LONGEST = 128
_ADDRESS = re.compile(r"[!-~]{1,64}")
AGENT = "agent"


def peer_origin(peer_id: str) -> str:
    return f"peer:{_name(peer_id)}"


def tool_origin(tool: str) -> str:
    return f"tool:{_name(tool)}"


def united(*origins: Iterable[str]) -> tuple[str, ...]:
    """All of them once, sorted; beyond the first 24 `MORE`, which nobody's own words are."""
    everything = {each for some in origins for each in some}
    names = sorted(everything - {MORE})
    more = [MORE] if MORE in everything or len(names) > _MOST else []
    return (*names[:_MOST], *more)


def foreign(origins: Iterable[str], peer_id: str) -> tuple[str, ...]:
    """The origins other than the peer's own words."""
    own = peer_origin(peer_id)
    return tuple(each for each in origins if each != own)


def may_hold(origins: Iterable[str], origin: str) -> bool:
    """Whether its words may be among them: it is listed, or not all of them are."""
    listed = set(origins)
    return origin in listed or MORE in listed


def dump_origins(origins: Iterable[str]) -> str:
    """The list as a column holds it."""
    return json.dumps([*origins], ensure_ascii=False)


def parse_origins(text: str | None) -> tuple[str, ...]:
    """The list of a column; anybody's where none was written."""
    return (MORE,) if text is None else tuple(json.loads(text))


_OTHERS = "others whom nobody listed"


def named(origins: Sequence[str]) -> str:
    """For people and models: the peers' ids and the tools, at most five; "others" nobody listed.

    An id that may be a sentence stands between marks.
    """
    names = [
        _OTHERS if each == MORE else addressed(each.removeprefix("peer:")) for each in origins[:5]
    ]
    rest = len(origins) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest else "")


def addressed(name: str) -> str:
    """The id of a peer or a tool; between marks where it may be a sentence."""
    if name.startswith("tool:"):
        return f"the tool {addressed(name.removeprefix('tool:'))}"
    return name if _ADDRESS.fullmatch(name) else marked(name)


def _name(raw: str) -> str:
    """One visible line without secrets; still another one for each raw name."""
    name = visible(redact(raw), _LONGEST)
    mark = sha256(raw.encode(errors="surrogatepass")).hexdigest()[:12]
    return name if name == raw else f"{name}~{mark}"
