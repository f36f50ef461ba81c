"""`prefrontal route calibrate`: what each threshold is worth on the project's own phrasings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...plain_text import one_line
from ...plural import many
from ..answers import printable_json

if TYPE_CHECKING:
    from ...routing.ranking.held_out import HeldOut, TauRow
    from ...settings.routing import Routing

SHOWN = 5
"""Phrasings that went to another tool, of which a text names the surest ones."""


def print_calibration(
    settings: Routing, workflows: Path, precision: float, *, as_json: bool
) -> None:
    """Rank each phrasing without it and print the thresholds. Raises InputError, SourceError."""
    from ...assembly.router import build_embedder, build_layout
    from ...clock import SystemClock
    from ...routing.catalog.discovery import discover_all, open_cache
    from ...routing.ranking.held_out import TAUS, held_out, suggested, tau_rows
    from ...routing.run.parsed_prompt import read_histories

    layout = build_layout(settings, workflows)
    cache = open_cache(layout) if settings.cache_enabled else None
    tools = discover_all(layout, cache=cache).tools
    histories, findings = read_histories(tools)
    for finding in findings:
        click.echo(f"Warning: {one_line(str(finding))}", err=True)
    ranker, now = settings.ranker, SystemClock().now()
    results = held_out(tools, histories, ranker, now, build_embedder(settings))
    rows = tau_rows(results, (*TAUS, ranker.threshold))
    best = suggested(rows, precision)
    if as_json:
        table = [
            {
                "tau": row.tau,
                "reached": row.reached,
                "right": row.right,
                "precision": row.precision,
                "coverage": row.coverage,
            }
            for row in rows
        ]
        document = {
            "tools": len(tools),
            "phrasings": len(results),
            "tau": ranker.threshold,
            "wanted": precision,
            "suggested": best,
            "rows": table if results else [],
        }
        click.echo(printable_json(document))
    elif results:
        _print_text(len(tools), results, rows, ranker.threshold, precision, best)
    else:
        click.echo(
            "No phrasings yet: prompts that were accepted and `intents` of manifests are counted.",
            err=True,
        )


def _print_text(
    tools: int,
    results: Sequence[HeldOut],
    rows: Sequence[TauRow],
    tau: float,
    wanted: float,
    best: float | None,
) -> None:
    click.echo(f"{many(len(results), 'phrasing')} of {many(tools, 'tool')}, each ranked without it")
    click.echo("tau    reach it           right of those")
    for row in rows:
        reach = f"{row.coverage:.2f} ({row.reached} of {row.total})"
        right = "" if row.precision is None else f"{row.precision:.2f}"
        now = "  now" if row.tau == tau else ""
        click.echo(f"{row.tau:.2f}   {reach:<17}  {right:<4}{now}".rstrip())
    wrong = [one for one in results if one.score >= tau and not one.right]
    for one in sorted(wrong, key=lambda one: -one.score)[:SHOWN]:
        click.echo(one_line(f"wrong at {one.score:.2f}: {one.phrasing!r} went to {one.chosen}"))
    click.echo(_verdict(rows, tau, wanted, best))
    click.echo("Prompts that mean no tool are not counted; a lower tau takes more of them, too.")


def _verdict(rows: Sequence[TauRow], tau: float, wanted: float, best: float | None) -> str:
    from ...routing.ranking.held_out import ENOUGH

    if best is not None:
        what = "as it is now" if best == tau else f"set routing.ranker.threshold to {best:g}"
        return f"tau {best:g} is the lowest with {wanted:g} right of those that reach it: {what}."
    if any(row.reached >= ENOUGH for row in rows):
        return f"No tau that {ENOUGH} phrasings reach has {wanted:g} right of those."
    most = max(row.reached for row in rows)
    return f"Too few to suggest a tau: {most} reach the lowest, {ENOUGH} are needed."
