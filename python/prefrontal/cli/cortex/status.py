"""`prefrontal cortex status`: whether it runs, what comes next, what waits, what it used."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from ..workspace import agent_process, home_options

if TYPE_CHECKING:
    from ...settings.home import Home
    from .reading import Kept

OPEN = ("queued", "pending")


@click.command(short_help="What runs, what comes next, what waits.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
@home_options("cortex", "ledger")
def status(as_json: bool, home: Home) -> None:
    """Whether the agent runs, when it reflects next, what was skipped, what waits for approval,
    and what today cost.
    """
    from .reading import read_kept

    status_facts = facts(read_kept(home), agent_process(home), time.time())
    if as_json:
        click.echo(json.dumps(status_facts))
    else:
        from .status_page import print_status

        print_status(status_facts)


def facts(stored: Kept, process: str | None, now: float) -> dict[str, Any]:
    """Everything `status` shows, as plain values. process: of the running agent."""
    state, last = stored.state, stored.last_record
    listed = stored.listed(now)
    beliefs = [(belief.key, status) for belief, status in listed]
    return {
        "workspace": str(stored.folder),
        "now": now,
        "process": process,
        "enabled": stored.settings.get("enabled", True),
        "cycles": state.cycle,
        "last_reflection": stored.last_reflection,
        "last_cycle": None if last is None else last.cycle,
        "last_trigger": None if last is None else last.trigger,
        "next_due": state.next_due,
        "reflect_requested_at": _asked(stored),
        "skips": dict(state.skips),
        "dropped_events": state.dropped_events,
        "beliefs": len(beliefs),
        "quarantined": [key for key, status in beliefs if status == "quarantined"],
        "quoted": {b.key: list(b.sources) for b, s in listed if b.tainted and s != "quarantined"},
        "waiting": {b.key: b.value for b, s in listed if b.tainted or s == "quarantined"},
        "approval": _approval(stored, now),
        "directives": [each for each in state.directives if each.get("status") in OPEN],
        "promises": [each for each in state.promises.values() if isinstance(each, dict)],
        "lessons": len(state.lessons),
        "thresholds": dict(state.thresholds),
        "today": today(state.usage, stored.settings, now),
    }


def _approval(stored: Kept, now: float) -> list[dict[str, Any]]:
    """The directives that wait, each with its damage; an unreadable time is None."""
    from ...cortex.memory.directives import NO_TIME, waiting_directives

    approval = []
    for each in waiting_directives(stored.state.directives, stored.wishes, now):
        entry = {**each.directive.to_json(), "damage": each.damage}
        approval.append(entry | ({"expires_at": None} if entry["expires_at"] == NO_TIME else {}))
    return approval


def _asked(state: Kept) -> float | None:
    """When a reflection was asked for that did not begin yet."""
    moment = state.wishes.reflect_requested_at
    return moment if moment is not None and moment != state.state.wishes_at else None


def today(usage: list[dict[str, Any]], settings: dict[str, Any], now: float) -> dict[str, Any]:
    """Reflections, tokens and dollars of the day (of UTC)."""
    date = time.strftime("%Y-%m-%d", time.gmtime(now))
    used = next((each for each in usage if each.get("date") == date), {})
    names = ("cycles", "tokens_in", "tokens_out")
    counts: dict[str, Any] = {name: _whole(used.get(name)) for name in names}
    prices = settings.get("cost") or {}
    inward, outward = prices.get("input_per_mtok", 3.0), prices.get("output_per_mtok", 15.0)
    dollars = (counts["tokens_in"] * inward + counts["tokens_out"] * outward) / 1e6
    caps = {name: prices.get(name) for name in ("daily_tokens", "daily_dollars")}
    return {"date": date, **counts, "dollars": dollars, **caps}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
