"""The incidents of a history in a row: which were told of, and how soon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .incident_words import incident_wait
from .paint import GREEN, INK, RED, SOFT, drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..incidents import Incidents

MOST = 12
"""That have room for their names."""


def draw_incidents(axes: Axes, incidents: Incidents) -> None:
    """A mark for each of the last, with its name and how long it took, into empty axes."""
    axes.set_axis_off()
    each = incidents.each[-MOST:]
    which = "all" if len(each) == incidents.total else f"the last {len(each)}"
    title = f"incidents, {which} in order: \u25cf told of, \u2717 never"
    axes.set_title(title, fontsize=9, color=INK, loc="left", pad=8)
    axes.set_xlim(-0.5, MOST - 0.5)
    axes.set_ylim(0, 1)
    for place, incident in enumerate(each):
        missed = incident.delay_s is None
        axes.plot([place], [0.9], "x" if missed else "o", color=RED if missed else GREEN)
        name = drawable(incident.name, 20)
        if incident.delay_s:
            name += f"\n{incident_wait(incident.delay_s).removeprefix('told ')}"
        axes.text(
            place + 0.1, 0.72, name, fontsize=8, color=RED if missed else SOFT, rotation=32,
            ha="right", va="top", rotation_mode="anchor", parse_math=False,
        )  # fmt: skip
