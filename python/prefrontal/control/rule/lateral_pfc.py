"""The rule state of lateral prefrontal cortex: written through a gate, read as a bias of choices.

    step = update_eta clip(gate, 0, 1) (1 + override_gain clip(override, 0, 1))
    rule <- (1 - step) rule + step (delta_proj z_delta + world_pool_weight world_proj z_world)
    bias_k = bound(rule_bias_head [rule, summary_k])

Under a constant source the rule is half way after ln 0.5 / ln(1 - step) ticks: 13.51 at gate 1,
45.9 at 0.3, 276.9 at 0.05. Other ways to hold it: rule_persistence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..layers import layer_tensors
from ..ops.rule import rule_bias, rule_update
from ..seeded_layers import seeded_linear
from .lateral_pfc_config import LateralPFCConfig
from .rule_inputs import check_finite, check_summaries, latent_rows, share
from .rule_persistence import RulePersistence
from .rule_snapshot import rule_parameters, rule_snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..._core.control import RuleState
    from ..choice.trajectory import Trajectories

__all__ = ["LateralPFCAnalog", "LateralPFCConfig"]


class LateralPFCAnalog(nn.Module):
    """A rule [1, R], or [N, R] with `environments`, and the head that makes it a bias.

    The rule is a buffer outside of the state_dict (`persistent_rule_state` puts it in) and never
    has a graph: gradients reach the head and the summaries only. The two projections are never
    trained. With `use_lateral_pfc_analog` off there is no parameter, no number is drawn, `update`
    does nothing and `compute_bias` is neutral.
    """

    rule_state: Tensor
    rule_activity: Tensor | None

    def __init__(
        self, config: LateralPFCConfig | None = None, *, generator: torch.Generator | None = None
    ) -> None:
        """generator: of the weights; None: torch's default."""
        super().__init__()
        self.config = config = config or LateralPFCConfig()
        rule = torch.zeros(config.environments or 1, config.rule_dim)
        on = config.use_lateral_pfc_analog
        self.register_buffer("rule_state", rule, persistent=on and config.persistent_rule_state)
        self.register_buffer("rule_activity", None, persistent=False)
        self.last_gate: float | Tensor | None = None
        self.last_bias: Tensor | None = None
        if on:
            self._build(config, generator)

    def _build(self, config: LateralPFCConfig, generator: torch.Generator | None) -> None:
        wide = config.rule_dim
        self.delta_proj = seeded_linear(config.delta_dim, wide, generator=generator)
        self.world_proj = seeded_linear(config.world_dim, wide, generator=generator)
        inputs = wide if config.bias_form == "uniform" else wide + config.world_dim
        first = seeded_linear(inputs, config.hidden_dim, generator=generator)
        last = seeded_linear(config.hidden_dim, 1, generator=generator)
        self.rule_bias_head = nn.Sequential(first, nn.ReLU(), last)
        scale = {"frozen_zero": 0.0, "frozen_random": 1.0, "trained": 0.25}[config.head]
        with torch.no_grad():
            for parameter in last.parameters():
                parameter.mul_(scale)
        self.persistence = RulePersistence(config, generator=generator)
        if self.persistence.holds_activity:
            self.rule_activity = torch.zeros_like(self.rule_state)

    @property
    def enabled(self) -> bool:
        return self.config.use_lateral_pfc_analog

    def trainable_parameters(self) -> Iterator[nn.Parameter]:
        """The parameters to train: the head's, if it is trained, else none."""
        trained = self.enabled and self.config.head == "trained"
        return self.rule_bias_head.parameters() if trained else iter(())

    @torch.no_grad()
    def update(
        self,
        z_delta: Tensor,
        z_world: Tensor,
        gate: float | Tensor = 1.0,
        override: float | Tensor = 0.0,
    ) -> None:
        """Move the rule one tick.

        z_delta [B, 32], z_world [B, 32]: averaged over B, or one row an environment; [32] will do
        for one rule. gate, override: a number, or [N] with environments; outside 0..1 the nearer
        end counts, and an agent without a coordinator keeps the gate at 1.
        Raises ValueError, and moves nothing, for NaN in either, for other shapes, and where the
        rule would not stay finite.
        """
        if not self.enabled:
            return
        config, rules, many = self.config, self.rule_state, self.config.environments
        opened = share("gate", gate, rules, many)
        forced = 1 + config.override_gain * share("override", override, rules, many)
        step = config.update_eta * opened * forced
        delta = latent_rows("z_delta", z_delta, config.delta_dim, many)
        world = latent_rows("z_world", z_world, config.world_dim, many)
        if len(delta) != len(world):
            raise ValueError(f"z_world must have {len(delta)} rows as z_delta, got {len(world)}")
        if config.persistence == "ema" and isinstance(step, float):
            rule, activity = self._averaged(delta, world, step), None
        else:
            source, held = self.source(delta, world), self.rule_activity
            rule, activity = self.persistence(self.rule_state, source, opened, step, held)
        check_finite(rule)
        self.rule_state, self.rule_activity, self.last_gate = rule, activity, opened

    def source(self, z_delta: Tensor, z_world: Tensor) -> Tensor:
        """The target of the rule [1, R], or [N, R] with environments."""
        pooled = self.config.world_pool_weight * self.world_proj(z_world)
        source: Tensor = self.delta_proj(z_delta) + pooled
        return source.mean(dim=0, keepdim=True) if self.config.environments is None else source

    def compute_bias(self, summaries: Tensor) -> Tensor:
        """The bias [K] of candidates with summaries [K, 32]; [N, K, 32] with environments.

        Within +-bias_scale, and added to scores of which the lowest is best; of the form "gain" a
        factor within 1 +- bias_scale. Disabled: exactly 0 (1). Raises ValueError for other shapes.
        """
        neutral = 1.0 if self.config.bias_form == "gain" else 0.0
        if not self.enabled:
            return torch.full_like(summaries[..., 0], neutral)
        check_summaries(summaries, self.config.world_dim, self.config.environments)
        bias = (
            self._uniform(summaries)
            if self.config.bias_form == "uniform"
            else self._each(summaries)
        )
        self.last_bias = bias.detach()
        return bias + neutral if neutral else bias

    def forward(self, summaries: Tensor) -> Tensor:
        """compute_bias."""
        return self.compute_bias(summaries)

    def summarise(self, candidates: Trajectories) -> Tensor:
        """The state that stands for each candidate [K, 32], by `candidate_summary`."""
        return candidates.summaries(self.config.candidate_summary)

    def biased(self, scores: Tensor, summaries: Tensor) -> Tensor:
        """The scores [K], the bias added, or multiplied by it where it is a gain."""
        bias = self.compute_bias(summaries)
        return scores * bias if self.config.bias_form == "gain" else scores + bias

    def ping(self, strength: float = 1.0) -> None:
        """Wake the activity of a synaptic hold from its trace: activity + strength x rule.

        Updates at an open gate then write it back. Raises ValueError for another persistence.
        """
        if self.rule_activity is None:
            kind = self.config.persistence
            raise ValueError(f"persistence must be 'synaptic_hold' for a ping, got {kind!r}")
        self.rule_activity = self.rule_activity + strength * self.rule_state

    def reset(self, environment: int | None = None) -> None:
        """Zero the rule, its activity and the diagnostics; or one environment's rule.

        Raises ValueError for an environment that is not there.
        """
        rules = len(self.rule_state)
        if environment is not None and not 0 <= environment < rules:
            raise ValueError(f"environment must be 0 to {rules - 1}, got {environment!r}")
        rows = slice(None) if environment is None else slice(environment, environment + 1)
        self.rule_state = _zeroed(self.rule_state, rows)
        if self.rule_activity is not None:
            self.rule_activity = _zeroed(self.rule_activity, rows)
        self.last_gate = self.last_bias = None

    def get_rule_state(self) -> Tensor:
        """A copy of the rule [1, R] (or [N, R])."""
        return self.rule_state.clone()

    def set_rule_state(self, rule: Tensor) -> None:
        """Replace the rule, [1, R] or [R] (or [N, R]); an activity comes to rest.

        Raises ValueError for another shape and for what is not finite.
        """
        value = rule.detach().to(self.rule_state)
        value = value[None] if value.dim() == 1 else value
        if value.shape != self.rule_state.shape:
            shape = tuple(self.rule_state.shape)
            raise ValueError(f"rule must have shape {shape}, got {tuple(rule.shape)}")
        check_finite(value)
        self.rule_state = value.clone()
        if self.rule_activity is not None:
            self.rule_activity = torch.zeros_like(value)

    def rule_parameters(self) -> dict[str, NDArray[np.float32]]:
        """Copies of the parameters by the names that `prefrontal._core.control.RuleState` takes."""
        return rule_parameters(self.named_parameters())

    def snapshot(self, *, candidates: int = 32) -> RuleState:
        """The same rule, parameters and options as an object that answers within a microsecond.

        It does not follow later changes of the module. Raises ValueError for a module that is off
        or whose rule is not held by an average; then the module itself is the path.
        """
        parameters = self.named_parameters()
        return rule_snapshot(self.config, parameters, self.rule_state, candidates)

    def _averaged(self, z_delta: Tensor, z_world: Tensor, step: float) -> Tensor:
        delta, world = self.delta_proj, self.world_proj
        weights = (delta.weight, delta.bias, world.weight, world.bias)
        pool = self.config.world_pool_weight
        return rule_update(self.rule_state, z_delta, z_world, *weights, step=step, pool=pool)

    def _each(self, summaries: Tensor) -> Tensor:
        config = self.config
        return rule_bias(
            summaries,
            self.rule_state,
            *layer_tensors(self.rule_bias_head),
            scale=config.bias_scale,
            tanh=config.bias_bound == "tanh",
            centred=config.centre_summaries,
        )

    def _uniform(self, summaries: Tensor) -> Tensor:
        raw: Tensor = self.rule_bias_head(self.rule_state)
        scale = self.config.bias_scale
        if self.config.bias_bound == "tanh":
            bounded = scale * torch.tanh(raw / scale)
        else:
            bounded = raw.clamp(-scale, scale)
        single = self.config.environments is None
        return (bounded[0] if single else bounded).expand(summaries.shape[:-1])


def _zeroed(state: Tensor, rows: slice) -> Tensor:
    copy = state.clone()
    copy[rows] = 0
    return copy
