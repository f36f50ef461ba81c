"""A LateralPFCAnalog as `prefrontal._core.control.RuleState`, which answers in a microsecond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.control import RuleState

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from .lateral_pfc import LateralPFCAnalog

__all__ = ["rule_parameters", "rule_snapshot"]

_PARTS = ("delta_proj", "world_proj", "rule_bias_head")
_OPTIONS = (
    *("update_eta", "world_pool_weight", "bias_scale", "bias_bound", "override_gain"),
    *("centre_summaries", "environments"),
)


def rule_parameters(module: LateralPFCAnalog) -> dict[str, NDArray[np.float32]]:
    """Copies of the parameters, by the names that RuleState takes."""
    return {
        name: _array(value)
        for name, value in module.named_parameters()
        if name.split(".")[0] in _PARTS
    }


def rule_snapshot(module: LateralPFCAnalog, candidates: int) -> RuleState:
    """The rule, parameters and options as they are; raises ValueError where RuleState has no form
    for them, and says that the module itself is the path."""
    config = module.config
    if not (module.enabled and config.persistence == "ema"):
        found = repr(config.persistence) if module.enabled else "a module that is off"
        raise ValueError(
            f"persistence must be 'ema' for a snapshot (others run in the module), got {found}"
        )
    options: dict[str, Any] = {name: getattr(config, name) for name in _OPTIONS}
    options["form"] = config.bias_form
    state = RuleState(rule_parameters(module), candidates=candidates, **options)
    state.set_rule_state(_array(module.rule_state if config.environments else module.rule_state[0]))
    return state


def _array(value: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = value.detach().cpu().float().numpy()
    return np.array(array, dtype=np.float32, order="C")
