"""`prefrontal replay --log`: what a live gate did, and would have done with other settings."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...plain_text import visible

if TYPE_CHECKING:
    from ...replay.live_figures import LiveFigures
    from ...replay.log_replay import ModuleOutcome
    from ...replay.prices import Prices
    from ...settings.gate import PolicySettings


def replay_the_log(
    path: str,
    threshold: float | None,
    policy: dict[str, float | None],
    since: str | None,
    until: str | None,
    as_json: bool,
    prices: Prices | None = None,
) -> None:
    """Print the figures so far, as the page has them, and one row a module: what it would have
    done.
    """
    from ...assembly.gate_counts import GateCounts
    from ...assembly.replay_gate import policy_admission
    from ...decisions.log import log_to_read
    from ...decisions.pages import DecisionPages
    from ...replay.histories.dates import parse_date
    from ...replay.log_replay import replay_log
    from ...replay.prices import USUAL_PRICES

    if threshold is not None and not 0.0 <= threshold <= 1.0:
        raise InputError(f"threshold must be from 0 to 1, got {threshold!r}")
    settings = _settings(policy)
    if Path(path).is_dir():
        from ...storage.state_folder import StateFolder

        path = str(StateFolder(path).decisions)
    if not Path(path).is_file():
        raise InputError(f"--log must be the log of a gate, got {path!r}, which is not a file")
    now = time.time()
    begin = None if since is None else parse_date(since, now, field="since")
    end = None if until is None else parse_date(until, now, field="until", end=True)
    with log_to_read(path) as log:
        records = log.records(begin, end, own_labels=True)
        outcomes = replay_log(records, threshold, policy_admission(settings))
        with closing(DecisionPages(log.path)) as pages, pages.reading():
            counts = GateCounts.read(pages.gate, begin, end, now)
    figures = counts.figures(prices or USUAL_PRICES)
    if as_json:
        rows = [each.to_dict() for each in outcomes]
        click.echo(json.dumps({"so_far": figures.to_dict(), "modules": rows}))
    else:
        _print(figures, outcomes, is_free=not any(policy.values()))


def _settings(policy: dict[str, float | None]) -> PolicySettings:
    from ...settings.gate import PolicySettings

    fields = {name: value for name, value in policy.items() if value is not None}
    return PolicySettings(**fields)


def _print(figures: LiveFigures, outcomes: list[ModuleOutcome], *, is_free: bool) -> None:
    """is_free: whether no cooldown and no budget was asked for."""
    from rich.console import Console

    from ...replay.report.table import Page
    from ...replay.report.tiles import live_lines

    page = Page(Console(highlight=False))
    if not outcomes:
        page.say("The log holds no decisions of that time.")
        return
    page.say("So far", "bold")
    for line in live_lines(figures):
        page.say(line)
    page.gap()
    heads = ("Module", "Decisions", "Woke", "Would wake", "Caught", "Missed", "Wasted", "Held back")
    page.table(heads, list(map(_row, outcomes)))
    page.say(
        "Caught, missed and wasted count labelled windows; an audit stands for the slept windows"
        " it was drawn from. What the log does not hold cannot be replayed."
        + (" Would wake: without a cooldown or budget, as none was given." * is_free)
    )


def _row(outcome: ModuleOutcome) -> tuple[str, ...]:
    held = ", ".join(f"{count} {why}" for why, count in sorted(outcome.held_back.items())) or "-"
    counts = (outcome.decisions, outcome.woke, outcome.would_wake)
    shares = (outcome.caught, outcome.missed, outcome.wasted)
    return (
        visible(outcome.module, 80),
        *map(str, counts),
        *(f"{each:,.0f}" for each in shares),
        held,
    )
