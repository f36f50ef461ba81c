"""Control: the world, the memory and the rule state of an agent, and the experiments on them.

The names below are loaded at first use; only what needs torch loads torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from . import ops
    from .agent.agent import ControlAgent
    from .agent.control_config import ControlConfig
    from .agent.diagnosis import diagnose
    from .choice.dacc import DACCAdaptiveControl
    from .choice.e2 import E2Config, E2FastPredictor
    from .choice.e3 import E3Config, E3TrajectorySelector
    from .choice.goal import GoalState
    from .choice.hippocampal import HippocampalModule
    from .choice.residue import ResidueField
    from .choice.salience import SalienceCoordinator
    from .latent.latent import LatentStack
    from .latent.theta_buffer import ThetaBuffer
    from .memory.context_memory import ContextMemory
    from .memory.e1 import E1Config, E1DeepPredictor
    from .memory.episode_memory import EpisodeMemory
    from .rule.gated_rule import GatedRule
    from .rule.lateral_pfc import LateralPFCAnalog, LateralPFCConfig
    from .world.grid_world import CausalGridWorldV2
    from .world.grid_world_config import GridWorldConfig
    from .world.vector_env import CausalGridWorldVecEnv

_HOMES = {
    "CausalGridWorldV2": ".world.grid_world",
    "CausalGridWorldVecEnv": ".world.vector_env",
    "ContextMemory": ".memory.context_memory",
    "ControlAgent": ".agent.agent",
    "ControlConfig": ".agent.control_config",
    "DACCAdaptiveControl": ".choice.dacc",
    "E1Config": ".memory.e1",
    "E1DeepPredictor": ".memory.e1",
    "E2Config": ".choice.e2",
    "E2FastPredictor": ".choice.e2",
    "E3Config": ".choice.e3",
    "E3TrajectorySelector": ".choice.e3",
    "EpisodeMemory": ".memory.episode_memory",
    "GatedRule": ".rule.gated_rule",
    "GoalState": ".choice.goal",
    "GridWorldConfig": ".world.grid_world_config",
    "HippocampalModule": ".choice.hippocampal",
    "LateralPFCAnalog": ".rule.lateral_pfc",
    "LateralPFCConfig": ".rule.lateral_pfc",
    "LatentStack": ".latent.latent",
    "ResidueField": ".choice.residue",
    "SalienceCoordinator": ".choice.salience",
    "ThetaBuffer": ".latent.theta_buffer",
    "diagnose": ".agent.diagnosis",
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
    "EpisodeMemory",
    "GatedRule",
    "GoalState",
    "GridWorldConfig",
    "HippocampalModule",
    "LatentStack",
    "LateralPFCAnalog",
    "LateralPFCConfig",
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
