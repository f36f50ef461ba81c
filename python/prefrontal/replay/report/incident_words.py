"""The words of incidents: how soon each was told of, and how many were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plural import many
from .wording import half_up, printable

if TYPE_CHECKING:
    from ..incidents import IncidentOutcome
    from ..result import ReplayResult


def incident_wait(seconds: float) -> str:
    """How long after its first window an incident was told of."""
    if seconds < 0.5:
        return "told at once"
    if seconds < 120:
        return f"told after {half_up(seconds)} s"
    return f"told after {half_up(seconds / 60):,} min"


def incidents_sentence(result: ReplayResult) -> str:
    """How many incidents were told of and how soon; empty where the history names none."""
    incidents = result.incidents
    if incidents is None:
        return ""
    words = f"Incidents: {incidents.told:,} of {incidents.total:,} told"
    if incidents.delay_s is not None:
        median, late = incidents.delay_s.median, incidents.delay_s.p90
        words += f", half within {half_up(median):,} s, nine of ten within {half_up(late):,} s"
    if incidents.missed:
        words += f". Missed: {', '.join(printable(name, 40) for name in incidents.missed)}"
    return f"{words}."


def incident_line(incident: IncidentOutcome) -> str:
    """ "wpscan, 1,478 windows"."""
    return f"{printable(incident.name, 30)}, {many(incident.windows, 'window')}"
