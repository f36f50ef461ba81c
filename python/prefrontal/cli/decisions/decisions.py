"""`prefrontal decisions`, `explain` and `feedback`: look into the log, and answer it."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ...decisions.decision import KINDS
from ...decisions.document import document, explanation
from ...decisions.payloads import ACT, ROUTE, WAKE
from ...decisions.words import windows_wait
from ...errors import InputError
from ..answers import json_option
from ..candidates import decision_ids, module_names
from ..paths import home_short
from ..state import decision_log, state_options
from .answerable import ANSWERABLE, ID_LENGTH
from .deliveries import handovers, tell_standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...decisions.log import Decision, DecisionLog
    from ...storage.state_folder import StateFolder

WORDS = {"useful": 1.0, "useless": 0.0, "right": 1.0, "wrong": 0.0}


@click.command()
@click.option("--slept", is_flag=True, help="Those that woke nobody, instead of those that did.")
@click.option(
    "--kind",
    type=click.Choice([*KINDS, "all"]),
    default=WAKE,
    show_default=True,
    help="What sort of decisions.",
)
@click.option(
    "--module",
    metavar="M",
    help="Only of this module, tool, peer or belief.",
    shell_complete=module_names,
)
@click.option("--unanswered", is_flag=True, help="Only those that nobody has answered.")
@click.option("--limit", default=20, show_default=True, metavar="N", help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, the newest first.")
@state_options
def decisions(
    slept: bool,
    kind: str,
    module: str | None,
    unanswered: bool,
    limit: int,
    as_json: bool,
    state: StateFolder,
) -> None:
    """The latest decisions, the newest first.

    What slept is kept for a day in a ring of 64 MB (`slept_mb`), for longer where `log_refusals` is
    on (`prefrontal watch --log-refusals`); what was held back always is, with the question that
    told of it.
    Of the kinds that follow a wake (`prefrontal run`) those that were not done are listed, too.
    Decisions of a clock that was ahead come last.
    """
    if limit < 1:
        raise InputError(f"--limit must be a whole number above 0, got {limit!r}")
    if unanswered and (slept or kind not in ANSWERABLE):
        got = "--slept" if slept else f"--kind {kind}"
        raise InputError(f"--unanswered must come with what woke, a route or an act, got {got}")
    from ...clock import SystemClock

    now = SystemClock().now()
    with decision_log(state) as log:
        acted = not slept if slept or kind == WAKE else None
        chosen = None if kind == "all" else kind
        records = log.recent(limit, subject=module, acted=acted, kind=chosen, unanswered=unanswered)
        _tell_ahead(log, module, acted, chosen, now)
        tell_standing(log)
        questions = log.fold_questions([each.id for each in records if not each.acted])
        waiting = Counter(each.subject for each in log.waiting_windows())
    if as_json:
        for record in records:
            question = {"told_by": questions[record.id]} if record.id in questions else {}
            click.echo(json.dumps(document(record, features=True) | question))
        return
    if waiting and kind == WAKE:
        click.echo(_waits(waiting))
    if records:
        from .explain_page import print_list

        print_list(records, now, mixed=kind == "all", questions=questions)
        if unanswered:
            words = "useful (or useless)" if kind == WAKE else "right (or wrong)"
            click.echo(f"Answer several at once: prefrontal feedback ID ID {words}", err=True)
    elif unanswered:
        click.echo(f"Nothing in {_place(state)} is unanswered.")
    elif kind == WAKE:
        click.echo(_none_found(slept, module, _place(state)))
    else:
        whose = f" of {_plain(module)}" if module else ""
        click.echo(
            f"No {'decision' if kind == 'all' else kind}{whose} is kept in {_place(state)} yet."
        )


def _waits(waiting: Counter[str]) -> str:
    """How many windows wait for a question, and who asks it."""
    names = [_plain(each) for each in waiting]
    who = names[0] if len(names) == 1 else f"{names[0]} or {len(names) - 1} more"
    return windows_wait(waiting.total(), f"a watch that has {who}")


def _tell_ahead(
    log: DecisionLog, module: str | None, acted: bool | None, kind: str | None, now: float
) -> None:
    """Say on standard error where some are of a clock that was ahead."""
    from ...decisions.newest import CLOCKS_DIFFER_S
    from ..page import when

    since = now + CLOCKS_DIFFER_S
    ahead = log.recent(1, subject=module, acted=acted, kind=kind, since=since)
    if not ahead:
        return
    what = "decisions from a clock that was ahead are listed last"
    dated = f"the latest is dated {when(ahead[0].time)} ({ahead[0].id[:ID_LENGTH]})"
    click.echo(f"{what}; {dated}", err=True)


@click.command()
@click.argument("decision_id", metavar="ID", shell_complete=decision_ids)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
@state_options
def explain(decision_id: str, as_json: bool, state: StateFolder) -> None:
    """Why a decision was taken, what led to it, and what it led to.

    ID is what `prefrontal watch` or `run` printed, or any beginning of it of four characters or
    more.
    """
    from .chain import chain_of

    with decision_log(state) as log:
        record = _found(log, decision_id)
        handed = handovers(log, record.id)
        chain = chain_of(log, record)
        questions = log.fold_questions([record.id])
        latest = log.latest_of_burst(record.id)
        source = log.label_source(record.id)
    if as_json:
        others = [each for _, each in chain if each.id != record.id]
        told_by = questions.get(record.id)
        content = explanation(record, others, handed, features=True, told_by=told_by)
        click.echo(json.dumps(content))
    else:
        from .explain_page import print_page

        print_page(record, handed, chain, questions, latest, source)


def _ids_and_words(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """The newest ids, and behind one the words of a label."""
    words = [word for word in WORDS if word.startswith(typed) and context.params.get("label")]
    return [*map(CompletionItem, words), *decision_ids(context, parameter, typed)]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("ids", metavar="ID...", nargs=-1, required=True, shell_complete=_ids_and_words)
@click.argument("label", metavar="useful|useless|right|wrong|0..1")
@json_option
@state_options
def feedback(ids: Sequence[str], label: str, as_json: bool, state: StateFolder) -> None:
    """Say whether a wake was worth it, from 0 (useless) to 1 (useful); the gate learns from it.

    Of a route or an act say whether the choice was right (1) or wrong (0): the tools' ranking
    learns from it. Works while `prefrontal watch` or `run` runs, and when it does not. The last
    word counts. Of several ids each gets the label, or none where one is unknown; `prefrontal
    decisions --unanswered` lists those that have none.
    """
    from ...clock import SystemClock

    value = label_value(label)
    with decision_log(state, writes=True) as log:
        records = {each.id: each for each in [_answerable(log, each) for each in ids]}
        for record in records.values():
            log.add_label(record.id, value, SystemClock().now(), once=True)
            _tell_label(record, value, as_json)
    if not as_json:
        who = "watch" if WAKE in {each.kind for each in records.values()} else "`prefrontal run`"
        click.echo(f"A running {who} learns from it within seconds, otherwise the next one does.")


def _answerable(log: DecisionLog, decision_id: str) -> Decision:
    record = _found(log, decision_id)
    if record.kind not in ANSWERABLE:
        rule = f"belong to a wake, a route or an act, got one of kind {record.kind}"
        raise InputError(f"decision id must {rule}")
    return record


def _tell_label(record: Decision, value: float, as_json: bool) -> None:
    if as_json:
        done = {"id": record.id, "kind": record.kind, "subject": record.subject}
        click.echo(json.dumps(done | {"label": value, "before": record.label}))
        return
    before = "" if record.label is None else f" It was {record.label:g} before."
    what = {ROUTE: ", a route,", ACT: ", an act,"}.get(record.kind, "")
    shown_id = record.id[:ID_LENGTH]
    click.echo(f"Noted: {shown_id}{what} of {_plain(record.subject)} was {value:g}.{before}")


def label_value(text: str) -> float:
    """useful and right are 1, useless and wrong 0, else the number. Raises InputError."""
    try:
        value = WORDS[text] if text in WORDS else float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        words = "useful, useless, right, wrong"
        raise InputError(f"label must be {words} or a number from 0 to 1, got {text!r}")
    return value + 0.0  # -0 is 0


def _found(log: DecisionLog, decision_id: str) -> Decision:
    record = log.get(decision_id)
    if record is None:
        rule = "be one that `prefrontal decisions` lists, or its beginning"
        raise InputError(f"decision id must {rule}, got {decision_id!r}")
    return record


def _none_found(slept: bool, module: str | None, place: str) -> str:
    whose = f" of {_plain(module)}" if module else ""
    if slept:
        hint = "they are kept for a day, for longer with `prefrontal watch --log-refusals`"
        return f"No decision{whose} that woke nobody is kept in {place}; {hint}."
    return f"No decision{whose} in {place} woke the agent yet."


def _place(state: StateFolder) -> str:
    from ...plain_text import visible

    return visible(home_short(str(state.path)), 500)


def _plain(text: str) -> str:
    from ...plain_text import visible

    return visible(text, 80)
