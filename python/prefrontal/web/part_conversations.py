"""What was said in every conversation, searched on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import InputError, PrefrontalError
from ..runtime.conversation.dates import moment_of
from ..runtime.conversation.models import MessageQuery
from ..runtime.conversation.semantics import close_to
from .markup import Html, escaped, fill, join, moment

if TYPE_CHECKING:
    from ..runtime.conversation.models import Message
    from ..runtime.conversation.vectors import Meaning
    from .dash_context import DashContext

MOST = 20
AROUND = 5
LONGEST = 400
LONGEST_OPEN = 20_000
SEARCH = Html("""\
<section aria-labelledby="conversations-title" id="conversations-section">
<h2 id="conversations-title">Conversations</h2>
<details class="fold"><summary>Search what was said</summary>
<form role="search" class="search" hx-get="/conversations" hx-target="#messages" \
hx-swap="innerHTML">
<label for="search-words">Words, "a phrase" or begin*; nothing for the newest</label>
<input type="search" id="search-words" name="words" maxlength="400" autocomplete="off">
<label for="search-peer">Peer</label>
<input type="text" id="search-peer" name="peer" maxlength="400" autocomplete="off">
<label for="search-since">From</label><input type="date" id="search-since" name="since">
<label for="search-until">To</label><input type="date" id="search-until" name="until">
<button>Search</button></form>
<div id="messages"></div></details></section>
""")
_MESSAGE = """\
<li class="message$mark"><p class="text said" dir="auto">$text</p>
<p class="about"><bdi>$who</bdi> $when $open</p></li>"""
_OPEN = """\
<button class="open" hx-get="/conversations?id=$id" hx-target="#messages" hx-swap="innerHTML">\
Open <span class="unseen">message $id</span></button>"""


def search_messages(context: DashContext, query: Mapping[str, str]) -> tuple[Html, str]:
    """The messages that fit, as markup, and a sentence of how many.

    id: that message whole, with its neighbours, instead. Raises InputError, SourceError.
    """
    if query.get("id"):
        return _opened(context, query["id"])
    wanted = MessageQuery(
        query.get("words", ""),
        query.get("peer") or None,
        since=moment_of("since", query.get("since") or None),
        until=moment_of("until", query.get("until") or None),
        limit=MOST,
    )
    meaning, fault = _meaning(context, wanted.words)
    with context.records.conversations() as store:
        messages = [hit.message for hit in store.search(wanted, meaning=meaning)]
    words = f"Messages that fit: {len(messages)}." if messages else "Nothing that was said fits."
    if len(messages) == MOST:
        words = f"The first {MOST} messages that fit."
    if fault:
        words += f" Searched by words alone: {fault}"
    return _list(messages, words), words


def _meaning(context: DashContext, query: str) -> tuple[Meaning | None, str]:
    """What a query means, or a sentence of what failed."""
    try:
        return close_to(context.records.semantics, query)
    except PrefrontalError as error:  # the settings or the key
        return None, str(error)


def _opened(context: DashContext, text: str) -> tuple[Html, str]:
    number = int(text) if text.isdecimal() and len(text) < 19 else 0
    with context.records.conversations() as store:
        messages = store.around(number, AROUND, AROUND)
    if not messages:
        raise InputError(f"id must be that of a message that is kept, got {text!r:.40}")
    words = f"Message {number} and what was said around it."
    return _list(messages, words, number), words


def _list(messages: Sequence[Message], words: str, whole: int = 0) -> Html:
    head = fill('<p class="about">$words</p>', words=words)
    rows = join(_message(each, each.id == whole) for each in messages)
    return fill('$head<ul class="cards">$rows</ul>', head=head, rows=rows)


def _message(message: Message, is_whole: bool) -> Html:
    to = "agent to " if message.direction == "out" else ""
    text = message.content if is_whole else message.content[: 4 * LONGEST]
    return fill(
        _MESSAGE,
        mark=" whole" if is_whole else "",
        text=escaped_lines(text, LONGEST_OPEN) if is_whole else text,
        who=f"{to}{message.peer_id}",
        when=moment(message.created_at),
        open=None if is_whole else fill(_OPEN, id=message.id),
    )


def escaped_lines(text: str, limit: int) -> Html:
    """The text with its lines, and nothing hidden in them."""
    lines = text[:limit].splitlines() or [""]
    rest = "" if len(text) <= limit else "…"
    return Html("<br>".join(escaped(each, limit) for each in [*lines, rest] if each))
