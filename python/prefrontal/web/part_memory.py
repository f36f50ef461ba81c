"""The agent's memory: beliefs with their evidence, peers with how their trust went."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..ledger.scale import info_word, trust_word
from ..origins import named
from ..plural import many
from .markup import Html, escaped, exact, fill, folded, join, moment

if TYPE_CHECKING:
    from ..assembly.agent_records import AgentRecords
    from ..cortex.models import Belief
    from ..ledger import Ledger
    from ..ledger.models import Assessment, ScoredPeer

BELIEFS, PEERS = 2, 4
"""On the page before those that are folded."""
MOST_PEERS = 30
MOST_TRUSTS = 24
MOST_EVIDENCE = 6
CLAMP_WINDOW_S = 900.0
"""A judgment is written this long after its cycle began, at most."""

_BELIEF = """\
<li id="$key" class="belief"><div><p class="text" dir="auto">$value</p>
<p class="about"><b dir="auto">$name</b> <span class="tag $status">$status</span> $until$peer</p>
<p class="about" dir="auto">$rationale</p>$evidence$lineage</div>
<form class="answers" hx-post="/beliefs" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="key" value="$exact">
<button id="$key-pin" name="do" value="pin"$pinned>Pin <span class="unseen">$name</span></button>
$approve<button id="$key-forget" name="do" value="forget">Forget <span class="unseen">$name</span>\
</button></form></li>"""
_APPROVE = """\
<button id="$key-approve" name="do" value="approve">Approve <span class="unseen">$name</span>\
</button>
"""
_PEER = """\
<li id="$key" class="peer"><div><p class="text" dir="auto">$name</p>
<p class="about" dir="auto">$id</p><p class="about">$facts</p></div>
<div class="trust"><p><b>$trust</b> $meaning</p>$line<p class="about">$clamped</p></div></li>"""
_LINE = """\
<svg class="line" viewBox="-4 -12 $width 24" preserveAspectRatio="none" role="img" \
aria-label="$words"><path class="zero" d="M-4 0H$end"/><path class="course" d="$course"/>$marks\
</svg>"""


def belief_pieces(records: AgentRecords) -> dict[str, Html]:
    """The beliefs that hold now. Raises InputError for damaged files."""
    pieces = [
        (_key("b", belief.key), _belief(belief, status)) for belief, status in records.beliefs()
    ]
    return folded("b-more", pieces, BELIEFS)


def _belief(belief: Belief, status: str) -> Html:
    pinned = math.isinf(belief.expires_at)
    key, waits = _key("b", belief.key), belief.tainted or status == "quarantined"
    return fill(
        _BELIEF,
        key=key,
        value=belief.value,
        name=belief.key,
        exact=Html(exact(belief.key)),
        status=status,
        until=Html("does not expire") if pinned else _expiry(belief.expires_at),
        peer=fill(", about <bdi>$peer</bdi>", peer=belief.peer_id) if belief.peer_id else None,
        rationale=belief.rationale,
        evidence=_evidence(belief),
        lineage=_lineage(belief),
        approve=fill(_APPROVE, key=key, name=belief.key) if waits else None,
        pinned=Html(" disabled") if belief.pinned else None,
    )


def _expiry(time: float) -> Html:
    return join((Html("expires "), moment(time)))


def _evidence(belief: Belief) -> Html:
    evidence = belief.supporting_evidence[-MOST_EVIDENCE:] or ("none was kept",)
    by = f"by {belief.provenance}, cycle {belief.source_cycle}"
    first = belief.first_seen_at
    return fill(
        '<p class="about">Formed $by, first held $first. Evidence: $told</p>',
        by=by,
        first=Html("") if first is None else moment(first),
        told=", ".join(evidence),
    )


def _lineage(belief: Belief) -> Html | None:
    """Whose words went into it, or who approved it."""
    if belief.approved_by:
        return fill('<p class="about">Approved by <bdi>$who</bdi></p>', who=belief.approved_by)
    if not belief.tainted:
        return None
    text = '<p class="about">Quoted until it is approved: words of <bdi>$who</bdi> are in it</p>'
    return fill(text, who=named(belief.sources))


def peer_pieces(records: AgentRecords, clamps: Sequence[Mapping[str, Any]]) -> dict[str, Html]:
    """The peers seen last. clamps: what reflections said of trusts, see `clamps_of`."""
    with records.ledger() as book:
        standings = book.standings(MOST_PEERS)
        pieces = [
            (_key("p", each.peer.peer_id), _peer(each, _judgments(book, each), clamps))
            for each in standings
        ]
    return folded("p-more", pieces, PEERS)


def _judgments(book: Ledger, standing: ScoredPeer) -> list[Assessment]:
    """The latest judgments, oldest first."""
    if standing.trust is None:
        return []
    return list(book.assessments(standing.peer.peer_id))[-MOST_TRUSTS:]


def _peer(
    standing: ScoredPeer, judgments: Sequence[Assessment], clamps: Sequence[Mapping[str, Any]]
) -> Html:
    peer, trust = standing.peer, standing.trust
    marked = [(place, each) for place, one in enumerate(judgments) if (each := _clamp(one, clamps))]
    last = marked[-1][1] if marked else None
    return fill(
        _PEER,
        key=_key("p", peer.peer_id),
        name=peer.display_name or "no name given",
        id=peer.peer_id,
        facts=fill(
            "$came in, $went out; seen $at; info $info of 10, $word",
            came=many(peer.in_count, "message"),
            went=f"{peer.out_count:,}",
            at=moment(peer.last_seen),
            info=standing.info_score,
            word=info_word(standing.info_score),
        ),
        trust="–" if trust is None else f"{trust:+d}",
        meaning="nobody judged yet" if trust is None else trust_word(trust),
        line=_line([each.trust for each in judgments], [place for place, _ in marked]),
        clamped=""
        if last is None
        else f"clamped: {last['proposed']:+d} was proposed, {last['clamped']:+d} was taken",
    )


def _clamp(judgment: Assessment, clamps: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """What was proposed in place of this judgment, where something else was."""
    for each in clamps:
        if (
            each["peer_id"] == judgment.peer_id
            and each["clamped"] == judgment.trust
            and -1.0 <= judgment.created_at - each["at"] <= CLAMP_WINDOW_S
        ):
            return each
    return None


def _line(trusts: Sequence[int], marked: Sequence[int]) -> Html:
    """The course of trust, -10 below to 10 above, with a mark where it was clamped."""
    if len(trusts) < 2:
        return Html("")
    points = [(place * 10, -trust) for place, trust in enumerate(trusts)]
    course = "M" + "L".join(f"{x} {y}" for x, y in points)
    ticks = [Html(f'<path class="clamp" d="M{points[at][0]} -12v24"/>') for at in marked]
    end = points[-1][0] + 4
    words = "trust over time: " + ", ".join(f"{each:+d}" for each in trusts)
    if marked:
        words += f"; clamped {many(len(marked), 'time')}"
    return fill(_LINE, width=end + 4, end=end, course=course, marks=join(ticks), words=words)


def _key(prefix: str, text: str) -> str:
    return f"{prefix}-{crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def damaged(name: str, sentence: str) -> dict[str, Html]:
    """In place of what cannot be read."""
    return {
        f"{name}-damaged": fill(
            '<li id="$name-damaged" class="trouble">$sentence</li>',
            name=name,
            sentence=escaped(sentence, 600),
        )
    }
