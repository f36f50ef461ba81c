"""Control: the world, the memory and the rule state of an agent, and the experiments on them.

The names below are loaded at first use; only what needs torch loads torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from . import ops
    from .agent import ControlAgent
    from .context_memory import ContextMemory
    from .control_config import ControlConfig
    from .dacc import DACCAdaptiveControl
    from .diagnosis import diagnose
    from .e1 import E1Config, E1DeepPredictor
    from .e2 import E2Config, E2FastPredictor
    from .e3 import E3Config, E3TrajectorySelector
    from .goal import GoalState
    from .grid_world import CausalGridWorldV2
    from .grid_world_config import GridWorldConfig
    from .hippocampal import HippocampalModule
    from .latent import LatentStack
    from .lateral_pfc import LateralPFCAnalog, LateralPFCConfig
    from .plan_selection import PlanSelector
    from .residue import ResidueField
    from .salience import SalienceCoordinator
    from .theta_buffer import ThetaBuffer
    from .vector_env import CausalGridWorldVecEnv

_HOMES = {
    "CausalGridWorldV2": ".grid_world",
    "CausalGridWorldVecEnv": ".vector_env",
    "ContextMemory": ".context_memory",
    "ControlAgent": ".agent",
    "ControlConfig": ".control_config",
    "DACCAdaptiveControl": ".dacc",
    "E1Config": ".e1",
    "E1DeepPredictor": ".e1",
    "E2Config": ".e2",
    "E2FastPredictor": ".e2",
    "E3Config": ".e3",
    "E3TrajectorySelector": ".e3",
    "GoalState": ".goal",
    "GridWorldConfig": ".grid_world_config",
    "HippocampalModule": ".hippocampal",
    "LateralPFCAnalog": ".lateral_pfc",
    "LateralPFCConfig": ".lateral_pfc",
    "LatentStack": ".latent",
    "PlanSelector": ".plan_selection",
    "ResidueField": ".residue",
    "SalienceCoordinator": ".salience",
    "ThetaBuffer": ".theta_buffer",
    "diagnose": ".diagnosis",
}

__all__ = [
    "CausalGridWorldV2",
    "CausalGridWorldVecEnv",
    "ContextMemory",
    "ControlAgent",
    "ControlConfig",
    "DACCAdaptiveControl",
    "E1Config",
    "E1DeepPredictor",
    "E2Config",
    "E2FastPredictor",
    "E3Config",
    "E3TrajectorySelector",
    "GoalState",
    "GridWorldConfig",
    "HippocampalModule",
    "LatentStack",
    "LateralPFCAnalog",
    "LateralPFCConfig",
    "PlanSelector",
    "ResidueField",
    "SalienceCoordinator",
    "ThetaBuffer",
    "diagnose",
    "ops",
]

_load, _names = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    try:
        if name == "ops":
            from importlib import import_module

            return import_module(".ops", __name__)
        return _load(name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        sentence = f"prefrontal.control.{name} needs torch: pip install 'prefrontal[control]'"
        raise ImportError(sentence, name="torch") from error


def __dir__() -> list[str]:
    return sorted([*_names(), "ops"])
