"""`prefrontal decisions`, `explain` and `feedback`: look into the log, and answer it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .decision_deliveries import handovers, tell_standing
from .state import decision_log, state_option

if TYPE_CHECKING:
    from ..storage.decisions import DecisionLog, DecisionRecord

WORDS = {"useful": 1.0, "useless": 0.0}
ID_LENGTH = 8
"""How much of an id is shown; any beginning of four characters or more finds the decision."""


@click.command()
@click.option("--slept", is_flag=True, help="Those that woke nobody, instead of those that did.")
@click.option("--module", metavar="M", help="Only of this module.")
@click.option("--limit", default=20, show_default=True, metavar="N", help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, the newest first.")
@state_option
def decisions(
    slept: bool, module: str | None, limit: int, as_json: bool, state: str | None
) -> None:
    """The latest decisions, the newest first.

    What woke nobody is kept only where `log_refusals` is on (`prefrontal watch --log-refusals`).
    """
    if limit < 1:
        raise InputError(f"--limit must be a whole number above 0, got {limit!r}")
    with decision_log(state) as log:
        found = log.recent(limit, subject=module, acted=not slept)
        tell_standing(log)
    if as_json:
        for record in found:
            click.echo(json.dumps(as_dict(record)))
    elif found:
        from .decision_page import print_list

        print_list(found)
    else:
        click.echo(_none_found(slept, module))


@click.command()
@click.argument("decision_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
@state_option
def explain(decision_id: str, as_json: bool, state: str | None) -> None:
    """Why a decision was taken: score, threshold, and what pushed the score.

    ID is what `prefrontal watch` printed, or any beginning of it of four characters or more.
    """
    with decision_log(state) as log:
        record = _found(log, decision_id)
        handed = handovers(log, record.id)
    if as_json:
        told = as_dict(record)
        if handed:
            told["deliveries"] = [asdict(each) for each in handed]
        click.echo(json.dumps(told))
    else:
        from .decision_page import print_page

        print_page(record, handed)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("decision_id", metavar="ID")
@click.argument("label", metavar="useful|useless|0..1")
@state_option
def feedback(decision_id: str, label: str, state: str | None) -> None:
    """Say whether a wake was worth it, from 0 (useless) to 1 (useful); the gate learns from it.

    Works while `prefrontal watch` runs, and when it does not. The last word counts.
    """
    from ..clock import SystemClock

    value = label_value(label)
    with decision_log(state) as log:
        record = _found(log, decision_id)
        log.add_label(record.id, value, SystemClock().now())
    before = "" if record.label is None else f" It was {record.label:g} before."
    click.echo(f"Noted: {record.id[:ID_LENGTH]} of {_plain(record.subject)} was {value:g}.{before}")
    click.echo("A running watch learns from it within seconds, otherwise the next one does.")


def label_value(text: str) -> float:
    """useful is 1, useless 0, else the number. Raises InputError."""
    try:
        value = WORDS[text] if text in WORDS else float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise InputError(f"label must be useful, useless or a number from 0 to 1, got {text!r}")
    return value + 0.0  # -0 is 0


def as_dict(record: DecisionRecord) -> dict[str, Any]:
    """A decision as plain values for JSON; a score that is no number is null."""
    plain = asdict(record)
    for name in ("score", "threshold"):
        if not math.isfinite(plain[name]):
            plain[name] = None
    return plain


def _found(log: DecisionLog, decision_id: str) -> DecisionRecord:
    record = log.get(decision_id)
    if record is None:
        rule = "be one that `prefrontal decisions` lists, or its beginning"
        raise InputError(f"decision id must {rule}, got {decision_id!r}")
    return record


def _none_found(slept: bool, module: str | None) -> str:
    whose = f" of {_plain(module)}" if module else ""
    if slept:
        hint = "they are kept with `prefrontal watch --log-refusals`"
        return f"No decision{whose} that woke nobody is kept; {hint}."
    return f"No decision{whose} woke the agent yet."


def _plain(text: str) -> str:
    from ..plain_text import visible

    return visible(text, 80)
