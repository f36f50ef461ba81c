"""The table of attempts and levels in docs/sandbox.md."""

from __future__ import annotations

from typing import Any

from .attempt import Attempt
from .attempts_by_runtime import INSIDE, OUT
from .driver import ATTEMPTS

BEGIN = "<!-- attempts: written by scripts/sandbox_table.py -->"
END = "<!-- end of the attempts -->"
COLUMNS = ("namespace", "landlock", "landlock-fs@1", "proxy", "oci")
HEAD = (
    "| attempt | outside | `namespace` | `landlock` | `landlock-fs` | hosts | gVisor |",
    "|---|---|---|---|---|---|---|",
)

Outcomes = dict[tuple[str, str, str], dict[str, Any]]
"""By user, level and attempt."""


def got_out(outcome: dict[str, Any]) -> bool:
    return "ESCAPED" in outcome["output"] or bool(outcome["harm"])


def expected(attempt: Attempt, level: str) -> str:
    """ "held", "out", or "inside" where it works and reaches nothing."""
    if level == "oci":
        name = attempt.name
        return "out" if name in OUT else "inside" if name in INSIDE else "held"
    return "held" if not attempt.only or level in attempt.only else "out"


def rows(outcomes: Outcomes) -> list[str]:
    """The lines of the table."""
    return [*HEAD, *(_row(attempt, outcomes) for attempt in ATTEMPTS)]


def summary(outcomes: Outcomes) -> str:
    """How many of them are shown to work outside."""
    shown = {user: set[str]() for user, _, _ in outcomes}
    for (user, level, name), outcome in outcomes.items():
        if level == "bare" and got_out(outcome):
            shown[user].add(name)
    anybody = set[str]().union(*shown.values())
    each = ", ".join(f"{len(names)} as {user}" for user, names in sorted(shown.items()))
    return (
        f"{len(ATTEMPTS)} attempts, of which {len(anybody)} were shown to work without a sandbox"
        f" on the machine that wrote this ({each})."
    )


def _row(attempt: Attempt, outcomes: Outcomes) -> str:
    showing = [
        user
        for user, level, name in outcomes
        if (level, name) == ("bare", attempt.name) and got_out(outcomes[user, level, name])
    ]
    outside = "yes" if {"root", "nobody"} <= set(showing) else ", ".join(showing) or "not shown"
    cells = [_cell(attempt, level, outcomes) for level in COLUMNS]
    return f"| {' | '.join([attempt.name.replace('_', ' '), outside, *cells])} |"


def _cell(attempt: Attempt, level: str, outcomes: Outcomes) -> str:
    """What was seen, by whichever user."""
    place = level, attempt.name
    tries = [each for (_, *at), each in outcomes.items() if tuple(at) == place]
    if not tries or any(each["stopped_by"] == "sandbox" for each in tries):
        return "not tried"
    if not any(map(got_out, tries)):
        return "held"
    return "inside" if level == "oci" and attempt.name in INSIDE else "out"
