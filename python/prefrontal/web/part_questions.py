"""The queue of questions: what the agent was asked, and whether that was right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..feature_words import reason_words
from ..plural import many
from ..types import Reason
from .markup import Html, escaped, exact, fill, join, moment
from .question_groups import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..decisions.decision import Decision
    from ..decisions.pages import DecisionPages
    from .later_answers import LaterAnswer
    from .question_groups import QuestionGroup, Subject
    from .tallies import Tallies

SHOWN = 4
"""Groups of questions on the page."""
READ = 500
"""Newest open questions that are looked at for groups."""
MOST_EARLIER = 5
MOST_REASONS = 3
LONGEST_EDIT = 2000
"""Characters of a question that a person wrote."""

_CARD = """\
<li id="q-$seq" class="question">
<div class="asked"><p class="subject"><b dir="auto">$name</b>$place$count</p>
<p class="text" id="q-$seq-text" dir="auto">$question</p>
<p class="about"><b>$module</b> $when, score $score of $threshold needed$audit</p>
<p class="about why">$why</p>$location$earlier</div>
<div class="deed"><form class="answers" hx-post="/questions/answer" hx-swap="none" \
hx-trigger="submit">
<input type="hidden" name="decision" value="$exact">
<button id="q-$seq-accept" name="answer" value="accept" aria-describedby="q-$seq-text">Accept\
</button>
<button id="q-$seq-edit" type="button" data-edit aria-expanded="false" \
aria-controls="q-$seq-editor" aria-describedby="q-$seq-text">Edit</button>
<button id="q-$seq-ignore" name="answer" value="ignore" aria-describedby="q-$seq-text">Ignore\
</button>
</form>$alike</div>
<form id="q-$seq-editor" class="editor" hx-post="/questions/answer" hx-swap="none" \
hx-trigger="submit" hidden>
<input type="hidden" name="decision" value="$exact"><input type="hidden" name="answer" value="edit">
<label for="q-$seq-edited">What it should have asked</label>
<textarea id="q-$seq-edited" name="text" rows="3" maxlength="$most" required dir="auto">$whole\
</textarea>
<button id="q-$seq-save">Save and accept</button>
<button id="q-$seq-cancel" type="button" data-cancel>Cancel</button></form></li>"""


_LOCATION = '<p class="location" dir="auto">$location</p>'
_EARLIER = """\
<details id="q-$seq-earlier" class="earlier"><summary>$count</summary>
<ol>$lines</ol></details>"""
_ALIKE = """
<form class="alike" hx-post="/questions/ignore-alike" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="numbers" value="$numbers">
<button id="q-$seq-alike" aria-describedby="q-$seq-text">\
Ignore all $count<span class="unseen"> like this</span></button></form>"""
_LATER = """\
<li id="$key" class="later"><p class="about" dir="auto">Ignoring $count about <b>$words</b></p>
<form hx-post="/questions/undo" hx-swap="none" hx-trigger="submit">
<input type="hidden" name="key" value="$key"><button id="$key-undo">Undo</button></form></li>"""


class Queue:
    """Renders open questions, those about the same thing as one card, and remembers each."""

    def __init__(self) -> None:
        self._known: dict[int, Decision] = {}

    def pieces(
        self, tallies: Tallies, pages: DecisionPages, later: Sequence[LaterAnswer] = ()
    ) -> dict[str, Html]:
        """The groups asked about last, the newest first. later: what can still be taken back."""
        hidden = {number for each in later for number in each.numbers}
        numbers: list[int] = []
        waiting = 0
        for seq in reversed(tallies.unanswered):
            if seq in hidden:
                continue
            waiting += 1
            if len(numbers) < READ:
                numbers.append(seq)
        if new := [each for each in numbers if each not in self._known]:
            self._known |= pages.whole(new)
        self._known = {seq: self._known[seq] for seq in reversed(numbers) if seq in self._known}
        groups = grouped(self._known.items())
        pieces = {each.key: _later(each) for each in reversed(later)}
        pieces |= {f"q-{each.key}": _card(each) for each in groups[:SHOWN]}
        if rest := waiting - sum(len(each.questions) for each in groups[:SHOWN]):
            pieces["q-more"] = fill(
                '<li id="q-more" class="more">$rest more wait behind these.</li>',
                rest=f"{rest:,}",
            )
        return pieces


def _card(group: QuestionGroup) -> Html:
    record, subject = group.newest, group.subject
    named = reason_words(record.why)[:MOST_REASONS]
    reasons = [f"{words} {amount:+.2f}" for words, amount in named]
    times = len(group.questions)
    return fill(
        _CARD,
        seq=group.key,
        most=LONGEST_EDIT,
        exact=Html(exact(record.id)),
        name=subject.name,
        place=fill(" in <bdi>$place</bdi>", place=subject.place) if subject.place else None,
        count=fill(' <span class="tag">asked $n times</span>', n=f"{times:,}")
        if times > 1
        else None,
        location=fill(_LOCATION, location=subject.location)
        if subject.location not in ("", subject.name)
        else None,
        earlier=_earlier(group),
        alike=_alike(group),
        question=_short(record.question or "", subject),
        whole=escaped(record.question or "", LONGEST_EDIT),
        module=record.subject,
        when=moment(record.time),
        score=f"{record.score:.2f}",
        threshold=f"{record.threshold:.2f}",
        audit=_audit() if record.reason == Reason.AUDIT else None,
        why=join(_reasons(reasons)),
    )


def _short(question: str, subject: Subject) -> str:
    """With the name for the location, which stands below."""
    return question.replace(subject.location, subject.name) if subject.location else question


def _earlier(group: QuestionGroup) -> Html | None:
    """The questions before the newest one, folded."""
    before = group.questions[-2::-1]
    if not before:
        return None
    lines = [
        fill(
            '<li class="about" dir="auto">$when: $question</li>',
            when=moment(each.time),
            question=_short(each.question or "", group.subject),
        )
        for _, each in before[:MOST_EARLIER]
    ]
    if rest := len(before) - len(lines):
        lines.append(fill('<li class="about">$rest more</li>', rest=f"{rest:,}"))
    return fill(_EARLIER, seq=group.key, count=f"{len(before):,} earlier", lines=join(lines))


def _alike(group: QuestionGroup) -> Html | None:
    if len(group.questions) < 2:
        return None
    numbers = ",".join(map(str, group.numbers))
    return fill(_ALIKE, seq=group.key, numbers=numbers, count=f"{len(group.questions):,}")


def _later(later: LaterAnswer) -> Html:
    return fill(
        _LATER, key=later.key, count=many(len(later.numbers), "question"), words=later.words
    )


def _audit() -> Html:
    return Html(
        ' <span class="tag">audit</span> it slept, and is asked about to learn what is missed'
    )


def _reasons(reasons: list[str]) -> list[Html]:
    return [fill('<span class="reason">$reason</span> ', reason=each) for each in reasons]
