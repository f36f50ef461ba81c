"""`prefrontal cortex`: what the agent believes, what it thought about, and a say in both."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ..workspace import home_options
from .backtest import backtest
from .config import config
from .cost import cost
from .operator import approve, forget, pin, reject
from .patterns import patterns
from .reflect import reflect
from .status import status

if TYPE_CHECKING:
    from ...cortex.models import Belief
    from ...settings.home import Home
    from .reading import Kept

EPILOG = """\
All of it reads files of the workspace: it works while the agent runs, and while it does not."""


@click.group(epilog=EPILOG)
def cortex() -> None:
    """What the agent believes, what it thought about, and a say in both.

    \b
      prefrontal cortex beliefs
      prefrontal cortex history -n 5
      prefrontal cortex pin house-rule --value "Quote no price before the scope is written down."
    """


@cortex.command(short_help="What the agent holds to be true for now.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
@home_options("cortex", "ledger")
def beliefs(as_json: bool, home: Home) -> None:
    """What the agent holds to be true for now, and for how long it has."""
    from .reading import read_kept

    state = read_kept(home)
    now = time.time()
    listed = state.listed(now)
    if as_json:
        click.echo(json.dumps(_beliefs_json(state, listed, now)))
    elif listed:
        from .pages import print_beliefs

        print_beliefs(listed, state.last_reflection, now)
    elif state.last_reflection is None:
        click.echo(f"No belief is held: nothing was reflected on yet in {state.folder}.")
    else:
        from ..page import span

        ago = span(now - state.last_reflection)
        click.echo(f"No belief is held at the moment (last reflection: {ago} ago).")


@cortex.command(short_help="The latest reflections, the newest first.")
@click.option("-n", "--limit", default=10, show_default=True, metavar="N", help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, the newest first.")
@home_options("cortex", "ledger")
def history(limit: int, as_json: bool, home: Home) -> None:
    """The latest reflections, the newest first: what started them and what came of them."""
    from .reading import read_kept

    if limit < 1:
        raise InputError(f"-n must be a whole number above 0, got {limit!r}")
    state = read_kept(home)
    records = state.history[::-1][:limit]
    if as_json:
        for record in records:
            click.echo(json.dumps(record.to_json()))
    elif records:
        from .pages import print_history

        print_history(records, time.time())
    else:
        click.echo(f"Nothing was reflected on yet in {state.folder}.")


@cortex.command(short_help="Everything that is kept about one reflection.")
@click.argument("number", metavar="N", type=int)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
@home_options("cortex", "ledger")
def show(number: int, as_json: bool, home: Home) -> None:
    """Everything that is kept about reflection N: input, assessments before and after the clamp,
    beliefs, directives, tokens.
    """
    from .reading import read_kept

    state = read_kept(home)
    record = next((each for each in state.history if each.cycle == number), None)
    if record is None:
        known = f"those kept are {state.cycles()}" if state.history else "none is kept yet"
        raise InputError(f"N must be a reflection that is kept, got {number}; {known}")
    if as_json:
        click.echo(json.dumps(record.to_json()))
    else:
        from .record_page import print_record

        print_record(record)


def _beliefs_json(state: Kept, listed: list[tuple[Belief, str]], now: float) -> dict[str, Any]:
    return {
        "last_reflection": state.last_reflection,
        "now": now,
        "beliefs": [
            {**belief.to_json(), "status": status, "age_seconds": belief.age_s(now)}
            for belief, status in listed
        ],
    }


for command in (approve, backtest, config, cost, forget, patterns, pin, reflect, reject, status):
    cortex.add_command(command)
