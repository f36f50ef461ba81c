"""The networks of a ControlAgent, each drawn from a seed of its own.

So a feature that is switched on leaves the weights of all other parts as they were, and the
generator handed in gives exactly one number, whatever is on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import nn

from ..choice.dacc import DACCAdaptiveControl
from ..choice.e2 import E2FastPredictor
from ..choice.e3 import E3TrajectorySelector
from ..choice.goal import GoalState
from ..choice.harm_forward import ResidualHarmForward
from ..choice.hippocampal import HippocampalModule
from ..latent.latent import LatentStack, ObservationEncoder
from ..memory.e1 import E1DeepPredictor
from ..rule.lateral_pfc import LateralPFCAnalog

if TYPE_CHECKING:
    from .control_config import ControlConfig

LARGEST_SEED = 2**62


def build_parts(
    config: ControlConfig, generator: torch.Generator | None
) -> dict[str, nn.Module | None]:
    """Name -> part, None for a feature that is off.

    generator: None draws from torch's default. That one is otherwise left as it was.
    """
    seed = int(torch.randint(LARGEST_SEED, (1,), generator=generator))
    parts: dict[str, nn.Module | None] = {}
    for place, (name, build) in enumerate(_BUILDERS.items()):
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed + place)
            parts[name] = build(config, parts)
    return parts


Parts = dict[str, nn.Module | None]


def _hippocampal(config: ControlConfig, parts: Parts) -> nn.Module:
    e2, e3 = parts["e2"], parts["e3"]
    assert isinstance(e2, E2FastPredictor) and isinstance(e3, E3TrajectorySelector)
    return HippocampalModule(config.hippocampal, e2, e3.residue_field)


def _harm_forward(config: ControlConfig, parts: Parts) -> nn.Module | None:
    if not config.use_harm_forward:
        return None
    return ResidualHarmForward(config.latent.harm_dim, config.e2.action_dim)


def _lateral_pfc(config: ControlConfig, parts: Parts) -> nn.Module | None:
    on = config.lateral_pfc.use_lateral_pfc_analog
    return LateralPFCAnalog(config.lateral_pfc) if on else None


_BUILDERS: dict[str, Callable[[ControlConfig, Parts], nn.Module | None]] = {
    "body_obs_encoder": lambda config, _: ObservationEncoder(config.latent.body_obs_dim),
    "world_obs_encoder": lambda config, _: ObservationEncoder(config.latent.world_obs_dim),
    "latent_stack": lambda config, _: LatentStack(config.latent),
    "e1": lambda config, _: E1DeepPredictor(config.e1),
    "e2": lambda config, _: E2FastPredictor(config.e2),
    "e3": lambda config, _: E3TrajectorySelector(config.e3),
    "hippocampal": _hippocampal,
    "harm_forward": _harm_forward,
    "lateral_pfc": _lateral_pfc,
    "dacc": lambda config, _: DACCAdaptiveControl(config.dacc) if config.dacc.use_dacc else None,
    "goal": lambda config, _: GoalState(config.goal) if config.use_goal else None,
}
