"""CausalGridWorldV2: a world whose harms come from it and from the traces the agent leaves."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..._core.control import GridWorld
from .grid_world_config import GridWorldConfig, configured
from .gymnasium_parts import action_space, gymnasium, observation_space, register
from .rendering import as_picture, as_text
from .reset_options import read_reset_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

Place = tuple[int, int]
Observation = dict[str, "NDArray[np.float32]"]

RENDER_MODES = ("ansi", "rgb_array")


class CausalGridWorldV2(gymnasium.Env[Observation, np.int64]):
    """The world with Gymnasium's API, registered as "prefrontal/CausalGridWorld-v2".

    Actions: 0 up, 1 down, 2 left, 3 right, 4 stay. Observations are fresh float32 arrays: body
    [12], world [250], harm [51], harm_a [50]. The reward is the harm signal: below 0 harm, above
    0 benefit. Health of 0 terminates, `max_steps` truncates.

    info: transition_type (one of grid_world_config.TRANSITIONS), done_cause ("health", "steps" or
    None) and steps. All that is random is drawn from `np_random`, as NumPy would draw it.
    """

    metadata = {  # noqa: RUF012 - an instance variable in gymnasium
        "render_modes": list(RENDER_MODES),
        "render_fps": 8,
    }

    def __init__(
        self,
        config: GridWorldConfig | str | None = None,
        *,
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        """config: a GridWorldConfig, the name of a preset or None; changes: its fields by name.

        Raises ValueError and TypeError naming the field.
        """
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be ansi, rgb_array or None, got {render_mode!r}")
        self.config = configured(config, changes)
        self.world = GridWorld(**self.config.core_options())
        self.render_mode = render_mode
        self.observation_space = cast("Any", observation_space(self.config))
        self.action_space = action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new layout: the interior cells shuffled; agent, hazards and resources from the end.

        seed: begin as a new environment would: all that follows depends on it alone. Without one
        the stream goes on and, in the profile upstream, harm_a outlives the reset; options:
        {"harm_ema": 0} makes it 0, or any number up to 1.
        """
        choices = read_reset_options(options)
        super().reset(seed=seed)
        if seed is not None:
            self.world.set_harm_ema(0.0)
        if choices.harm_ema is not None:
            self.world.set_harm_ema(choices.harm_ema)
        self.world.reset(self.np_random)
        return self.world.observe(), self._info("none", None)

    def reset_to(
        self,
        agent: Place,
        hazards: Iterable[Place] = (),
        resources: Iterable[Place] = (),
        *,
        harm_ema: float | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """A given layout; places are (row, column) inside the walls, no two on one cell.

        At most `num_hazards` hazards and `num_resources` resources: the observation space is made
        for those. Raises ValueError; then nothing has changed.
        """
        choices = read_reset_options({"harm_ema": harm_ema})
        self.world.reset_to(agent, list(hazards), list(resources))
        if choices.harm_ema is not None:
            self.world.set_harm_ema(choices.harm_ema)
        return self.world.observe(), self._info("none", None)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Raises ValueError for an unknown action and gymnasium's ResetNeeded after an end."""
        if not self.world.running:
            raise gymnasium.error.ResetNeeded("reset() must be called before step()")
        harm_signal, transition, cause = self.world.step(index(action), self.np_random)
        info = self._info(transition, cause)
        return self.world.observe(), harm_signal, cause == "health", cause == "steps", info

    def render(self) -> Any:
        """The grid as text (ansi) or as uint8 [16 size, 16 size, 3] (rgb_array)."""
        if self.render_mode == "ansi":
            return as_text(self.world)
        if self.render_mode == "rgb_array":
            return as_picture(self.world, self.config.contamination_threshold)
        return None

    def _info(self, transition: str, cause: str | None) -> dict[str, Any]:
        return {"transition_type": transition, "done_cause": cause, "steps": self.world.steps}


register()
