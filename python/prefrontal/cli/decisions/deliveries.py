"""How far questions got with the durable sinks, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...clock import SystemClock
from ...decisions.deliveries import PENDING
from ...plain_text import visible
from ...plural import many

if TYPE_CHECKING:
    from ...decisions.deliveries import Handover, SinkProgress
    from ...decisions.log import DecisionLog

TOLD_DAYS = 7
"""How long a question that was given up is told of without being asked for."""
_DAY_S = 86_400.0


def tell_standing(log: DecisionLog) -> None:
    """On standard error, a line for each sink that is owed something or was given up."""
    deliveries = log.deliveries()
    try:
        standing = deliveries.standing(SystemClock().now() - TOLD_DAYS * _DAY_S)
    finally:
        deliveries.close()
    for each in standing:
        click.echo(visible(standing_line(each), 1000), err=True)


def standing_line(standing: SinkProgress) -> str:
    """`post example.org 1f3a: 2 questions are pending (no answer: Connection refused)`."""
    one, what = standing.count == 1, many(standing.count, "question")
    if standing.state == PENDING:
        state = "is pending" if one else "are pending"
    else:
        state = f"{'was' if one else 'were'} given up within {TOLD_DAYS} days"
    detail = f" ({standing.detail})" if standing.detail else ""
    return f"{standing.sink}: {what} {state}{detail}"


def handovers(log: DecisionLog, decision_id: str) -> list[Handover]:
    """What each durable sink that was owed the decision says of it."""
    deliveries = log.deliveries()
    try:
        return deliveries.of(decision_id)
    finally:
        deliveries.close()


def handover(each: Handover) -> str:
    """`done after 3 tries, HTTP 204`."""
    detail = f", {each.detail}" if each.detail else ""
    return f"{each.state} after {many(each.attempts, 'try')}{detail}"
