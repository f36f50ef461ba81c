"""What a person does on the page, a function each, which tells in a sentence what it did."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING

from ..decisions.decision import Decision, new_id
from ..decisions.pages import DecisionPages
from ..decisions.payloads import EDITED_QUESTION, WAKE, DirectivePayload
from ..decisions.threshold_wishes import wish_threshold
from ..errors import InputError
from ..plain_text import visible
from ..plural import many
from ..runtime.conversation.facts import LONGEST_VALUE
from .markup import meant
from .operator_word import (
    approve_belief,
    approve_directive,
    approve_fact,
    forget_belief,
    forget_fact,
    pin_belief,
    reject_directive,
)
from .part_decisions import EDITED
from .part_questions import LONGEST_EDIT, READ
from .question_groups import subject_of

if TYPE_CHECKING:
    from .dash_context import DashContext
    from .later_answers import LaterAnswer

SOURCE = "dash"
"""Whose labels they are, in the log."""
LABELS = {"accept": 1.0, "edit": 1.0, "ignore": 0.0}


def answer(context: DashContext, form: Mapping[str, str]) -> str:
    """Label a wake: accept and edit 1.0, ignore 0.0; an edited question is kept beside it.

    Raises InputError for an unknown decision or answer, or an edit without a text.
    """
    choice = form.get("answer", "")
    if choice not in LABELS:
        raise InputError(f"answer must be one of {', '.join(LABELS)}, got {choice!r:.40}")
    wake_id = named(form, "decision")
    wake = context.log.get(wake_id)
    if wake is None or wake.kind != "wake":
        raise InputError(f"decision must be a wake that the log holds, got {wake_id!r:.80}")
    with context.writing:
        if choice == "edit":
            context.log.append(_edited(context, wake, form.get("text", "")))
        context.log.add_label(wake.id, LABELS[choice], context.clock.now(), SOURCE, once=True)
    words = {"accept": "Accepted", "edit": "Accepted with your words", "ignore": "Ignored"}
    return f"{words[choice]}: {visible(wake.question or wake.subject, 120)}"


def ignore_alike(context: DashContext, form: Mapping[str, str]) -> str:
    """Ignore questions, by their numbers, soon: until then `undo` leaves them open.

    Raises InputError for numbers of anything but wakes with a question that nobody has answered.
    """
    text = form.get("numbers", "")
    numbers = [int(each) for each in text.split(",") if each.isdecimal() and len(each) < 18]
    if not numbers or len(numbers) != text.count(",") + 1 or len(numbers) > READ:
        raise InputError(f"numbers must be 1 to {READ} numbers of questions, got {text!r:.40}")
    with closing(DecisionPages(context.log.path)) as pages:
        records = pages.whole(numbers)
    for number in numbers:
        record = records.get(number)
        if record is None or record.kind != WAKE or record.question is None:
            raise InputError(f"numbers must be those of questions, got {number}")
    hidden = {each for later in context.later.waiting() for each in later.numbers}
    open_ones = [
        (number, records[number].id)
        for number in numbers
        if records[number].label is None and number not in hidden
    ]
    if not open_ones:
        return "They were answered already."
    words = visible(subject_of(records[open_ones[-1][0]]).name, 120)
    context.later.add(open_ones, words, monotonic())
    return f"Ignoring {many(len(open_ones), 'question')} about {words}. Undo takes it back."


def undo(context: DashContext, form: Mapping[str, str]) -> str:
    """Leave questions open that were about to be ignored. Raises InputError when it is too late."""
    later = context.later.take_back(form.get("key", ""))
    if later is None:
        raise InputError("key must be of an answer that can still be taken back; it is kept now")
    return f"Not ignored: {many(len(later.numbers), 'question')} about {later.words}."


def keep_later(context: DashContext, later: LaterAnswer) -> None:
    """Make labels of what nobody took back."""
    with context.writing:
        for decision in later.ids:
            context.log.add_label(
                decision, LABELS["ignore"], context.clock.now(), SOURCE, once=True
            )


def set_threshold(context: DashContext, form: Mapping[str, str]) -> str:
    """Wish a threshold for a module, or take the wish back where none is given.

    Raises InputError for a module that nobody knows or a threshold that is not one.
    """
    module, text = named(form, "module"), form.get("threshold", "")
    if module not in context.modules and not context.log.recent(1, module):
        raise InputError(f"module must be one that is known, got {module!r:.80}")
    threshold = checked_threshold(text) if text else None
    with context.writing:
        wish_threshold(context.log, module, threshold)
    name = visible(module, 80)
    if threshold is None:
        return f"{name}: the gate sets its threshold again."
    return f"{name}: wakes from {threshold:.2f} on. A running gate takes it up within seconds."


def change_belief(context: DashContext, form: Mapping[str, str]) -> str:
    """Pin, approve or forget a belief. Raises InputError, SourceError."""
    deeds = {"pin": pin_belief, "approve": approve_belief, "forget": forget_belief}
    deed = form.get("do", "")
    if deed not in deeds:
        raise InputError(f"do must be one of {', '.join(deeds)}, got {deed!r:.40}")
    with context.writing:
        return visible(deeds[deed](context.records, named(form, "key")), 400)


def change_directive(context: DashContext, form: Mapping[str, str]) -> str:
    """Approve or reject a directive. Raises InputError, SourceError."""
    deeds = {"approve": approve_directive, "reject": reject_directive}
    deed = form.get("do", "")
    if deed not in deeds:
        raise InputError(f"do must be one of {', '.join(deeds)}, got {deed!r:.40}")
    with context.writing:
        return visible(deeds[deed](context.records, named(form, "id")), 400)


def change_fact(context: DashContext, form: Mapping[str, str]) -> str:
    """Approve, correct or forget a fact. Raises InputError, SourceError."""
    text, deed = form.get("fact", ""), form.get("do", "")
    if deed not in ("approve", "correct", "forget"):
        raise InputError(f"do must be one of approve, correct, forget, got {deed!r:.40}")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
    value = visible(form.get("value", "").strip(), LONGEST_VALUE + 1) if deed == "correct" else None
    if value is not None and not 0 < len(value) <= LONGEST_VALUE:
        rule = f"be a text of 1 to {LONGEST_VALUE} characters"
        raise InputError(f"value must {rule}, got {form.get('value', '')!r:.100}")
    was = named(form, "was")
    with context.writing:
        if deed == "forget":
            return visible(forget_fact(context.records, number, was), 400)
        return visible(approve_fact(context.records, number, was, value), 400)


def _edited(context: DashContext, wake: Decision, text: str) -> Decision:
    """The question in a person's words, as a decision that the wake led to."""
    words = visible(text.strip(), LONGEST_EDIT)
    if not words:
        raise InputError(f"text must not be empty, got {text!r:.40}")
    return Decision(
        id=new_id(),
        time=context.clock.now(),
        subject=wake.subject,
        acted=False,
        reason=EDITED,
        score=float("nan"),
        threshold=float("nan"),
        question=words,
        propensity=1.0,
        window=(),
        payload=DirectivePayload(origin=EDITED_QUESTION, asked=wake.question),
        cause=wake.id,
    )


def named(form: Mapping[str, str], field: str) -> str:
    """The name in that field, as `markup.exact` wrote it. Raises InputError for anything else."""
    try:
        return meant(form.get(field, ""))
    except UnicodeDecodeError:
        raise InputError(f"{field} must be a name, got {form[field]!r:.80}") from None


def checked_threshold(text: str) -> float:
    """The number that was given. Raises InputError unless it is from 0 to 1."""
    try:
        threshold = float(text)
    except ValueError:
        threshold = float("nan")
    if not 0.0 <= threshold <= 1.0:
        raise InputError(f"threshold must be a number from 0 to 1, got {text!r:.40}")
    return threshold
