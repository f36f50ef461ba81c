"""`prefrontal verify`: decide everything in the log again, and compare bit for bit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from ...decisions.decision import Decision
from ...plural import many
from ...pulse.gate_module import VERSION
from ..page import plain_table, progress, shown
from ..state import decision_log, state_options

if TYPE_CHECKING:
    from ...assembly.wakes_again import Progress, VerifyTally
    from ...decisions.log import DecisionLog
    from ...executive.again import Deviation
    from ...storage.state_folder import StateFolder

    Verifier = Callable[[DecisionLog, VerifyTally, Progress], Iterator[Deviation]]

DIFFERENT = 3
MOST_SHOWN = 20
MOST_KEPT = 1000
"""Differences that --json holds; all are counted."""

EPILOG = """\
Wakes are decided from what each start of the gate wrote down when it began, from its events and
from the labels as far as they were known. With `log_refusals` what slept is decided again too.
A threshold that follows a recall is decided again without them, from what each wake says of what
slept before it; those of releases before 2 need them."""


@click.command(epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of sentences.")
@state_options
def verify(as_json: bool, state: StateFolder) -> None:
    """Decide every decision of the log again, and tell what comes out otherwise.

    Nothing is written. A log that a running `prefrontal watch` writes may be read, too.
    """
    from ...assembly.wakes_again import VerifyTally

    tally = VerifyTally()
    deviations: list[Deviation] = []
    count = 0
    with decision_log(state) as log, progress() as step:
        for verifier in _verifiers():
            for deviation in verifier(log, tally, _seldom(step)):
                count += 1
                if len(deviations) < MOST_KEPT:
                    deviations.append(deviation)
    if as_json:
        click.echo(json.dumps(_told(tally, deviations, count)))
    else:
        _print(tally, deviations, count)
    click.get_current_context().exit(DIFFERENT if count else 0)


def _verifiers() -> list[Verifier]:
    """One for each kind of decision that can be made again."""
    from ...assembly.wakes_again import again

    return [again]


def _seldom(step: Progress, every: int = 200) -> Progress:
    """Not each decision is worth a look at the screen."""

    def told(what: str, done: int, total: int) -> None:
        if done % every == 0 or done == total:
            step(what, done, total)

    return told


def _told(tally: VerifyTally, deviations: list[Deviation], count: int) -> dict[str, Any]:
    differences = [
        {
            "id": each.id,
            "kind": each.kind,
            "field": each.field,
            "was": _plain(each.was),
            "now": _plain(each.now),
        }
        for each in deviations
    ]
    return {
        "decided": tally.decided,
        "starts": tally.starts,
        "rules": {
            "version": VERSION,
            "decided": {str(version): count for version, count in sorted(tally.versions.items())},
            "differing": {
                str(version): count for version, count in sorted(tally.differing.items())
            },
        },
        "left": dict(tally.left),
        "lost": tally.lost,
        "differing": count,
        "differences": differences,
    }


def _plain(value: Any) -> Any:
    """A value for JSON; a whole decision as its reason, NaN and infinities as null."""
    if isinstance(value, Decision):
        return str(value.reason)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str | int | float | None):
        return str(value) if isinstance(value, str) else value
    return [list(each) for each in value] if isinstance(value, tuple) else str(value)


def _print(tally: VerifyTally, deviations: list[Deviation], count: int) -> None:
    outcome = _differences(count)
    again = many(tally.decided, "decision")
    were = "was" if tally.decided == 1 else "were"
    click.echo(f"{again} of {many(tally.starts, 'start')} {were} made again: {outcome}.")
    for version, of_it in sorted(tally.versions.items()):
        if version != VERSION:
            what = _differences(tally.differing[version])
            click.echo(
                f"{of_it:,} of them by version {version} of the rules, of an earlier release, and"
                f" again by it (today's is {VERSION}): {what}."
            )
    if deviations:
        _print_table(deviations)
        if count > MOST_SHOWN:
            click.echo(f"and {count - MOST_SHOWN:,} more")
    if tally.lost:
        verb = "is" if tally.lost == 1 else "are"
        what = many(tally.lost, "window that slept", "windows that slept")
        click.echo(f"{what} {verb} not in the log any more.")
    for why, left in sorted(tally.left.items()):
        click.echo(f"{many(left, 'decision')} could not be made again: {why}.")


def _differences(count: int) -> str:
    return many(count, "difference") if count else "no difference"


def _print_table(deviations: list[Deviation]) -> None:
    from ..page import page

    table = plain_table("id", "kind", "what", "was", "now")
    for each in deviations[:MOST_SHOWN]:
        table.add_row(
            shown(each.id[:8] if len(each.id) == 32 else each.id),
            each.kind,
            each.field or "decision",
            shown(_word(each.was)),
            shown(_word(each.now)),
        )
    with page() as console:
        console.print(table)


def _word(value: Any) -> str:
    plain = _plain(value)
    if isinstance(value, tuple):
        return ", ".join(f"{name} {amount!r}" for name, amount in value)[:100]
    return "nothing" if plain is None else str(plain)
