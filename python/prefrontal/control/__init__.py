"""Control: the world, the memory and the rule state of an agent, and the experiments on them.

The names below are loaded at first use; only what needs torch loads torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .grid_world import CausalGridWorldV2
    from .grid_world_config import GridWorldConfig
    from .vector_env import CausalGridWorldVecEnv

_HOMES = {
    "CausalGridWorldV2": ".grid_world",
    "CausalGridWorldVecEnv": ".vector_env",
    "GridWorldConfig": ".grid_world_config",
}

__all__ = ["CausalGridWorldV2", "CausalGridWorldVecEnv", "GridWorldConfig"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
