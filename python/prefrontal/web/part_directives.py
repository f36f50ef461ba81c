"""What the cortex asks of the agent and a person has to approve first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..origins import named
from .markup import Html, exact, fill, folded, moment

if TYPE_CHECKING:
    from ..assembly.agent_records import AgentRecords
    from ..cortex.memory.directives import Directive

DIRECTIVES = 3
"""On the page before those that are folded."""
_DIRECTIVE = """\
<li id="d-$id" class="belief"><div><p class="text" dir="auto">$action</p>
<p class="about">for <bdi>$target</bdi>, expires $until</p>$damage$message$why$origins</div>
<form class="answers" hx-post="/directives" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="id" value="$exact">
$approve$reject</form></li>"""
_BUTTON = """\
<button id="d-$id-$deed" name="do" value="$deed">$name <span class="unseen">$id</span></button>
"""
_DAMAGE = '<p class="about trouble" dir="auto">Damaged, it does not go out: $text</p>'
_LINE = '<p class="about" dir="auto">$text</p>'


def directive_pieces(records: AgentRecords) -> dict[str, Html]:
    """The directives that wait for approval. Raises InputError for damaged files."""
    waiting = {f"d-{each.directive.id}": each for each in records.directives()}
    pieces = [(key, _directive(each.directive, each.damage)) for key, each in waiting.items()]
    return folded("d-more", pieces, DIRECTIVES)


def _directive(directive: Directive, damage: str) -> Html:
    origins = None
    if directive.tainted:
        origins = fill(
            '<p class="about">May repeat words of <bdi>$who</bdi></p>', who=named(directive.sources)
        )
    message = f"“{directive.message}”" if directive.message else ""
    return fill(
        _DIRECTIVE,
        id=directive.id,
        exact=Html(exact(directive.id)),
        action=directive.action,
        target=directive.target_peer,
        until=moment(directive.expires_at) or "at a time that cannot be read",
        damage=fill(_DAMAGE, text=damage) if damage else None,
        message=fill(_LINE, text=message) if message else None,
        why=fill(_LINE, text=directive.rationale) if directive.rationale else None,
        origins=origins,
        approve=fill(_BUTTON, id=directive.id, deed="approve", name="Approve"),
        reject=fill(_BUTTON, id=directive.id, deed="reject", name="Reject"),
    )
