"""What peers stated of themselves and their projects, with who said so and who approved it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..origins import named
from ..runtime.conversation.facts import DECAY_S, LONGEST_VALUE
from ..runtime.conversation.store import conversations_path
from .markup import MOST_FOLDED, Html, escaped, exact, fill, folded, moment

if TYPE_CHECKING:
    from pathlib import Path

    from ..assembly.agent_records import AgentRecords
    from ..runtime.conversation.facts import PeerFact

FACTS = 3
"""On the page before those that are folded."""
MOST = FACTS + MOST_FOLDED
_FACT = """\
<li id="f-$id" class="belief fact"><div><p class="text" id="f-$id-text" dir="auto">$value</p>
<p class="about"><b dir="auto">$what</b> of <bdi>$whom</bdi>$by $tag</p>
<p class="about">$holds; message $source $open</p>
<p class="about">Told in <bdi>$chats</bdi></p>$standing</div>
<form class="answers" hx-post="/facts" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="fact" value="$id"><input type="hidden" name="was" value="$was">
$approve$edit<button id="f-$id-forget" name="do" value="forget" aria-describedby="f-$id-text">\
Forget</button></form>$editor</li>"""
_OPEN = """\
<button class="open" data-opens="conversations-section" hx-get="/conversations?id=$source" \
hx-target="#messages" hx-swap="innerHTML">Open \
<span class="unseen">message $source</span></button>"""
_APPROVE = """\
<button id="f-$id-approve" name="do" value="approve" aria-describedby="f-$id-text">Approve</button>
"""
_EDIT = """\
<button id="f-$id-edit" type="button" data-edit aria-expanded="false" \
aria-controls="f-$id-editor" aria-describedby="f-$id-text">Edit</button>
"""
_EDITOR = """\
<form id="f-$id-editor" class="editor" hx-post="/facts" hx-swap="none" hx-trigger="submit" hidden>
<input type="hidden" name="fact" value="$id"><input type="hidden" name="was" value="$was">
<input type="hidden" name="do" value="correct">
<label for="f-$id-edited">The $what of <bdi>$whom</bdi> is</label>
<textarea id="f-$id-edited" name="value" rows="2" maxlength="$most" required dir="auto">$whole\
</textarea>
<button id="f-$id-save">Save and approve</button>
<button id="f-$id-cancel" type="button" data-cancel>Cancel</button></form>"""
_TAG = '<span class="tag $kind">$words</span>'
_REST = """\
<li id="f-rest" class="more">These are the newest $most; <code>prefrontal memory facts --peer \
PEER</code> shows all of one peer.</li>"""


class FactRegion:
    """The region, rendered anew when the conversations changed, and once a minute."""

    def __init__(self) -> None:
        self._stamp: object = None
        self._pieces: dict[str, Html] = {}

    def pieces(self, records: AgentRecords) -> dict[str, Html]:
        """As `fact_pieces`."""
        stamp = (_stamp(conversations_path(records.folder)), records.clock.now() // 60)
        if stamp != self._stamp:
            self._pieces, self._stamp = fact_pieces(records), stamp
        return self._pieces


def _stamp(path: Path) -> list[tuple[int, int, int]]:
    """Another one after each write."""
    stamps = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            status = file.stat()
            stamps.append((status.st_mtime_ns, status.st_size, status.st_ino))
    return stamps


def fact_pieces(records: AgentRecords) -> dict[str, Html]:
    """The facts that hold, the newest first, then those that were ended. Raises SourceError."""
    now = records.clock.now()
    with records.conversations() as store:
        holding = store.facts(limit=MOST + 1)
        former = store.former_facts(limit=MOST_FOLDED)
    pieces = [(f"f-{each.id}", _fact(each, now)) for each in holding]
    region = folded("f-more", pieces[:MOST], FACTS)
    if len(pieces) > MOST:
        region["f-rest"] = fill(_REST, most=MOST)
    ended = [(f"f-{each.id}", _fact(each, now)) for each in former]
    return {**region, **folded("f-ended", ended, 0, "no longer so")}


def _fact(fact: PeerFact, now: float) -> Html:
    ended = fact.valid_until is not None
    return fill(
        _FACT,
        id=fact.id,
        value=fact.value,
        was=Html(exact(fact.value)),
        what=fact.attribute,
        whom=fact.subject or fact.peer_id,
        by=fill(", says <bdi>$peer</bdi>", peer=fact.peer_id) if fact.subject else None,
        tag=_tag(fact, now),
        holds=_validity(fact),
        source=fact.source,
        chats=fact.wall.chats,
        open=fill(_OPEN, source=fact.source),
        standing=_standing(fact),
        approve=None if ended or fact.approved else fill(_APPROVE, id=fact.id),
        edit=None if ended else fill(_EDIT, id=fact.id),
        editor=None if ended else _editor(fact),
    )


def _editor(fact: PeerFact) -> Html:
    whole = escaped(fact.value, max(LONGEST_VALUE, len(fact.value)))
    return fill(
        _EDITOR,
        id=fact.id,
        was=Html(exact(fact.value)),
        what=fact.attribute,
        whom=fact.subject or fact.peer_id,
        whole=whole,
        most=LONGEST_VALUE,
    )


def _tag(fact: PeerFact, now: float) -> Html | None:
    """What is special about it, in a word."""
    if fact.valid_until is not None:
        return None
    if fact.approved:
        return fill(_TAG, kind="pinned", words="approved")
    if fact.foreign:
        return fill(_TAG, kind="quarantined", words="quoted")
    if now - fact.confirmed_at > DECAY_S:
        return fill(_TAG, kind="stale", words="not told: not said again for a year")
    return None


def _validity(fact: PeerFact) -> Html:
    since = moment(fact.valid_from, ago=False)
    if fact.valid_until is not None:
        end = moment(fact.valid_until, ago=False)
        return fill("Held from $since until $end", since=since, end=end)
    if fact.confirmed_at > fact.valid_from:
        again = moment(fact.confirmed_at)
        return fill("Holds since $since, said again $again", since=since, again=again)
    return fill("Holds since $since", since=since)


def _standing(fact: PeerFact) -> Html | None:
    """Who approved it, or whose words may be in it."""
    if fact.approved:
        who = fact.approved_by or "nobody whose name was kept"
        return fill('<p class="about">Approved by <bdi>$who</bdi></p>', who=who)
    if not fact.foreign:
        return None
    text = '<p class="about">Quoted until it is approved: words of <bdi>$who</bdi> may be in it</p>'
    return fill(text, who=named(fact.foreign))
