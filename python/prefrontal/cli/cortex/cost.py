"""`prefrontal cortex cost`: what reflection costs, from the settings and from what was used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ..workspace import home_options

if TYPE_CHECKING:
    from ...cortex.memory.cost import CycleTokens, DayEstimate, UsedDay
    from ...settings.cortex import CortexSettings
    from ...settings.home import Home

INTERVALS = (15.0, 30.0, 60.0)
MOST_DAYS = 14


@click.command(short_help="What reflection costs, expected and used.")
@click.option(
    "--interval",
    "intervals",
    type=float,
    multiple=True,
    metavar="MINUTES",
    help="Time between two reflections; may be repeated. [default: 15, 30, 60 and the settings']",
)
@click.option("--peers", default=5, show_default=True, metavar="N", help="Peers in a reflection.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@home_options("cortex")
def cost(
    intervals: tuple[float, ...],
    peers: int,
    as_json: bool,
    home: Home,
) -> None:
    """What reflection can cost a day, and what it did cost on the days so far.

    \b
      prefrontal cortex cost
      prefrontal cortex cost --interval 10 --peers 12

    A day's cycles are the most that the timer alone can start: without a message in between it
    starts none, and an agent with ten messages a day comes to 10 to 15 of 48. The reflector
    `rules` asks no model and costs nothing.
    """
    from ...cortex.memory.cost import DailyCost, day
    from ...settings.cortex import parse_cortex

    if peers < 1:
        raise InputError(f"--peers must be a whole number above 0, got {peers!r}")
    if any(not 0 < minutes <= 525_600 for minutes in intervals):
        raise InputError(f"--interval must be minutes above 0, at most a year, got {intervals!r}")
    settings, _ = parse_cortex(home.config.get("cortex"))
    cycle = _cycle(settings, peers)
    wanted = sorted(set(intervals or (*INTERVALS, settings.schedule_minutes)))
    rows = [(day(minutes, settings.cost), day(minutes, settings.cost, cycle)) for minutes in wanted]
    from .reading import read_kept

    used = DailyCost()
    used.load(read_kept(home).state.usage)
    days = used.days[-MOST_DAYS:]
    if as_json:
        click.echo(json.dumps(_plain(settings, cycle, rows, days)))
    else:
        from .cost_page import print_cost

        print_cost(settings, cycle, rows, days)


def _cycle(settings: CortexSettings, peers: int) -> CycleTokens:
    from ...cortex.memory.cost import typical_cycle

    most = settings.max_peers_per_cycle
    return typical_cycle(
        max_context_tokens=settings.max_context_tokens,
        peers=peers if most is None else min(peers, most),
        context_window=settings.context_window,
        max_beliefs=settings.max_beliefs,
    )


def _plain(
    settings: CortexSettings,
    cycle: CycleTokens,
    rows: list[tuple[DayEstimate, DayEstimate]],
    used: Any,
) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "schedule_minutes": settings.schedule_minutes,
        "prices": settings.cost.model_dump(),
        "cycle": asdict(cycle) | {"input": cycle.input, "total": cycle.total},
        "reference": [asdict(reference) for reference, _ in rows],
        "estimate": [asdict(estimate) for _, estimate in rows],
        "used": [asdict(each) | {"dollars": spent(each, settings)} for each in used],
    }


def spent(used: UsedDay, settings: CortexSettings) -> float:
    """Dollars of a day, at the prices of the settings."""
    from ...cortex.memory.cost import dollars

    return dollars(used.tokens_in, used.tokens_out, settings.cost)
