"""The optional Gymnasium: spaces and registration of CausalGridWorldV2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gymnasium import spaces

    from .grid_world_config import GridWorldConfig

__all__ = ["ENV_ID", "action_space", "gymnasium", "observation_space", "register"]

ENV_ID = "prefrontal/CausalGridWorld-v2"

try:
    import gymnasium
except ImportError as error:
    raise ImportError(
        "CausalGridWorldV2 needs gymnasium: pip install 'prefrontal[control]'"
    ) from error


def observation_space(config: GridWorldConfig) -> spaces.Dict:
    """body [12], world [250], harm [51] and harm_a [50] of float32, within the bounds they keep.

    A field is at most the number of its sources; an exposure is an average of single harms or
    benefits; contamination grows by `contamination_spread` a step.
    """
    hazards, resources = float(config.num_hazards), float(config.num_resources)
    contact = max(config.hazard_harm, config.contaminated_harm) + config.harm_scale * hazards
    benefit = config.resource_benefit + config.benefit_scale * resources
    trace = config.contamination_spread * config.max_steps / config.contamination_threshold
    return gymnasium.spaces.Dict(
        {
            "body": _box((10, 1.0), (1, contact), (1, benefit)),
            "world": _box((175, 1.0), (25, trace), (50, 1.0)),
            "harm": _box((25, hazards), (25, resources), (1, 1.0)),
            "harm_a": _box((50, 1.0)),
        }
    )


def action_space() -> spaces.Discrete:
    """0 up, 1 down, 2 left, 3 right, 4 stay."""
    return gymnasium.spaces.Discrete(5)


def register() -> None:
    """Make `gymnasium.make("prefrontal/CausalGridWorld-v2")` work; twice does no harm."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="prefrontal.control.world.grid_world:CausalGridWorldV2",
            vector_entry_point="prefrontal.control.world.vector_env:CausalGridWorldVecEnv",
        )


def _box(*parts: tuple[int, float]) -> spaces.Box:
    """From 0 to the bounds, each (how many, bound); rounded up, as float32 rounds to nearest."""
    bounds = [
        np.full(count, 1.0 if bound <= 1.0 else np.nextafter(np.float32(bound), np.float32(np.inf)))
        for count, bound in parts
    ]
    high = np.concatenate(bounds).astype(np.float32)
    return gymnasium.spaces.Box(np.zeros_like(high), high, dtype=np.float32)
