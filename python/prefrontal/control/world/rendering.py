"""A CausalGridWorldV2 as text and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..._core.control import GridWorld

SYMBOLS = ".#+!~@o"
"""empty, wall, resource, hazard, contaminated, agent, waypoint"""

_COLOURS = (
    (245, 245, 240),
    (70, 75, 85),
    (60, 160, 90),
    (205, 60, 50),
    (170, 140, 60),
    (50, 100, 200),
    (150, 90, 180),
)
_CELL_PIXELS = 16
_FULL_CONTAMINATION = (170, 140, 60)


def as_text(world: GridWorld) -> str:
    """One line a row of the grid, and a last one with health, energy and the step."""
    rows = ["".join(SYMBOLS[entity] for entity in row) for row in world.grid()]
    state = f"health {world.health:.2f}  energy {world.energy:.2f}  step {world.steps}"
    return "\n".join((*rows, state))


def as_picture(world: GridWorld, contamination_threshold: float) -> NDArray[np.uint8]:
    """RGB, uint8 [16 size, 16 size, 3]: empty cells darken with the traces on them."""
    grid = world.grid()
    colours = np.array(_COLOURS, dtype=np.float64)[grid]
    trace = np.clip(world.contamination() / contamination_threshold, 0.0, 1.0)
    open_cells = grid == 0
    share: NDArray[Any] = 0.6 * trace[open_cells, None]
    colours[open_cells] = (1 - share) * colours[open_cells] + share * np.array(_FULL_CONTAMINATION)
    picture = np.rint(colours).astype(np.uint8)
    picture = picture.repeat(_CELL_PIXELS, axis=0).repeat(_CELL_PIXELS, axis=1)
    picture[::_CELL_PIXELS] //= 2
    picture[:, ::_CELL_PIXELS] //= 2
    return picture
