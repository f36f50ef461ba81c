"""The queue of questions: what the agent was asked, and whether that was right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..feature_words import reason_words
from ..types import Reason
from .markup import Html, escaped, exact, fill, join, moment

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.pages import DecisionPages
    from .tallies import Tallies

SHOWN = 8
MOST_REASONS = 3
LONGEST_EDIT = 2000
"""Characters of a question that a person wrote."""

_CARD = """\
<li id="q-$seq" class="question">
<div class="asked"><p class="text" id="q-$seq-text" dir="auto">$question</p>
<p class="about"><b>$module</b> $when, score $score of $threshold needed$audit</p>
<p class="about why">$why</p></div>
<form class="answers" hx-post="/questions/answer" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="decision" value="$exact">
<button id="q-$seq-accept" name="answer" value="accept" aria-describedby="q-$seq-text">Accept\
</button>
<button id="q-$seq-edit" type="button" data-edit aria-expanded="false" \
aria-controls="q-$seq-editor" aria-describedby="q-$seq-text">Edit</button>
<button id="q-$seq-ignore" name="answer" value="ignore" aria-describedby="q-$seq-text">Ignore\
</button>
</form>
<form id="q-$seq-editor" class="editor" hx-post="/questions/answer" hx-swap="none" \
hx-trigger="submit" hidden>
<input type="hidden" name="decision" value="$exact"><input type="hidden" name="answer" value="edit">
<label for="q-$seq-edited">What it should have asked</label>
<textarea id="q-$seq-edited" name="text" rows="3" maxlength="$most" required dir="auto">$whole\
</textarea>
<button id="q-$seq-save">Save and accept</button>
<button id="q-$seq-cancel" type="button" data-cancel>Cancel</button></form></li>"""


class Queue:
    """Renders open questions one by one and remembers how each looked."""

    def __init__(self) -> None:
        self._known: dict[int, Html] = {}

    def pieces(self, tallies: Tallies, pages: DecisionPages) -> dict[str, Html]:
        """The newest open questions, the newest first."""
        numbers = []
        for seq in reversed(tallies.unanswered):
            numbers.append(seq)
            if len(numbers) == SHOWN:
                break
        if new := [each for each in numbers if each not in self._known]:
            for seq, record in pages.whole(new).items():
                self._known[seq] = _card(seq, record)
        self._known = {seq: self._known[seq] for seq in numbers if seq in self._known}
        pieces = {f"q-{seq}": html for seq, html in self._known.items()}
        if rest := len(tallies.unanswered) - len(numbers):
            pieces["q-more"] = fill(
                '<li id="q-more" class="more">$rest more wait behind these.</li>',
                rest=f"{rest:,}",
            )
        return pieces


def _card(seq: int, record: Decision) -> Html:
    named = reason_words(record.why)[:MOST_REASONS]
    reasons = [f"{words} {amount:+.2f}" for words, amount in named]
    return fill(
        _CARD,
        seq=seq,
        most=LONGEST_EDIT,
        exact=Html(exact(record.id)),
        question=record.question or "",
        whole=escaped(record.question or "", LONGEST_EDIT),
        module=record.subject,
        when=moment(record.time),
        score=f"{record.score:.2f}",
        threshold=f"{record.threshold:.2f}",
        audit=_audit() if record.reason == Reason.AUDIT else None,
        why=join(_reasons(reasons)),
    )


def _audit() -> Html:
    return Html(
        ' <span class="tag">audit</span> it slept, and is asked about to learn what is missed'
    )


def _reasons(reasons: list[str]) -> list[Html]:
    return [fill('<span class="reason">$reason</span> ', reason=each) for each in reasons]
