"""A LateralPFCAnalog as `prefrontal._core.control.RuleState`, which answers in a microsecond."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.control import RuleState

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from .lateral_pfc_config import LateralPFCConfig

__all__ = ["rule_parameters", "rule_snapshot"]

_PARTS = ("delta_proj", "world_proj", "rule_bias_head")
_OPTIONS = (
    *("update_eta", "world_pool_weight", "bias_scale", "bias_bound", "override_gain"),
    *("centre_summaries", "environments"),
)


def rule_parameters(parameters: Iterable[tuple[str, Tensor]]) -> dict[str, NDArray[np.float32]]:
    """Copies of those that RuleState takes, by its names."""
    return {name: _array(value) for name, value in parameters if name.split(".")[0] in _PARTS}


def rule_snapshot(
    config: LateralPFCConfig,
    parameters: Iterable[tuple[str, Tensor]],
    rule: Tensor,
    candidates: int,
) -> RuleState:
    """The rule [N, R], parameters and options as they are.

    Raises ValueError where RuleState has no form for them.
    """
    enabled = config.use_lateral_pfc_analog
    if not (enabled and config.persistence == "ema"):
        got = repr(config.persistence) if enabled else "a module that is off"
        raise ValueError(
            f"persistence must be 'ema' for a snapshot (others run in the module), got {got}"
        )
    options: dict[str, Any] = {name: getattr(config, name) for name in _OPTIONS}
    options["form"] = config.bias_form
    state = RuleState(rule_parameters(parameters), candidates=candidates, **options)
    state.set_rule_state(_array(rule if config.environments else rule[0]))
    return state


def _array(value: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = value.detach().cpu().float().numpy()
    return np.array(array, dtype=np.float32, order="C")
