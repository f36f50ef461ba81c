"""`prefrontal cortex status`: whether it runs, what comes next, what waits, what it used."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from ..workspace import open_workspace, workspace_options
from .operator import waiting_directives

if TYPE_CHECKING:
    from .reading import Kept

OPEN = ("queued", "pending")


@click.command(short_help="What runs, what comes next, what waits.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
@workspace_options
def status(as_json: bool, workspace: str | None, config: str | None) -> None:
    """Whether the agent runs, when it reflects next, what was skipped, what waits for approval,
    and what today cost.
    """
    from .reading import read_kept

    place = open_workspace(workspace, config, keys=("cortex", "ledger"))
    told = facts(read_kept(place), place.running(), time.time())
    if as_json:
        click.echo(json.dumps(told))
    else:
        from .status_page import print_status

        print_status(told)


def facts(kept: Kept, process: str | None, now: float) -> dict[str, Any]:
    """Everything `status` shows, as plain values. process: of the running agent."""
    from .reading import listed_beliefs

    state, last = kept.state, kept.last_record
    beliefs = [(belief.key, status) for belief, status, _ in listed_beliefs(kept, now)]
    return {
        "workspace": str(kept.folder),
        "now": now,
        "process": process,
        "enabled": kept.settings.get("enabled", True),
        "cycles": state.cycle,
        "last_reflection": kept.last_reflection,
        "last_cycle": None if last is None else last.cycle,
        "last_trigger": None if last is None else last.trigger,
        "next_due": state.next_due,
        "reflect_requested_at": _asked(kept),
        "skips": dict(state.skips),
        "dropped_events": state.dropped_events,
        "beliefs": len(beliefs),
        "quarantined": [key for key, status in beliefs if status == "quarantined"],
        "approval": waiting_directives(state.directives),
        "directives": [each for each in state.directives if each.get("status") in OPEN],
        "promises": [each for each in state.promises.values() if isinstance(each, dict)],
        "lessons": len(state.lessons),
        "thresholds": dict(state.thresholds),
        "today": today(state.usage, kept.settings, now),
    }


def _asked(kept: Kept) -> float | None:
    """When a reflection was asked for that did not begin yet."""
    asked = kept.wishes.reflect_requested_at
    return asked if asked is not None and asked != kept.state.wishes_at else None


def today(usage: list[dict[str, Any]], settings: dict[str, Any], now: float) -> dict[str, Any]:
    """Reflections, tokens and dollars of the day (of UTC)."""
    date = time.strftime("%Y-%m-%d", time.gmtime(now))
    used = next((each for each in usage if each.get("date") == date), {})
    names = ("cycles", "tokens_in", "tokens_out")
    found: dict[str, Any] = {name: _whole(used.get(name)) for name in names}
    prices = settings.get("cost") or {}
    inward, outward = prices.get("input_per_mtok", 3.0), prices.get("output_per_mtok", 15.0)
    dollars = (found["tokens_in"] * inward + found["tokens_out"] * outward) / 1e6
    caps = {name: prices.get(name) for name in ("daily_tokens", "daily_dollars")}
    return {"date": date, **found, "dollars": dollars, **caps}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
