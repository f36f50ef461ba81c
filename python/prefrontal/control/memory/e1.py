"""E1DeepPredictor: the slow predictor, with its context memory and cue path."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ..layers import layer_tensors, mlp
from ..ops.sequence import lstm_rollout
from ..ops.sequence_training import lstm_rollout_in_training
from .context_memory import ContextMemory
from .context_memory_config import with_changes
from .e1_config import E1Config
from .e1_cue import CuePath
from .e1_experience import E1Experience
from .e1_terrain import can_be_fused, fused_terrain_step
from .recurrent import Hidden, RecurrentLayers
from .slot_attention import attention_entropy, context_divergence
from .terrain_loss import TerrainTargets, hazard_in_view, terrain_loss

__all__ = ["E1Config", "E1DeepPredictor"]


class E1DeepPredictor(CuePath):
    """Predicts the latent state over a horizon; with the default sizes 468,768 parameters.

    A state is [z_self, z_world], [B, 64]. The cue path (5,394 parameters more, or 5,906 where the
    action bias reads z_world too) exists only if `sd016_enabled`: `hasattr(e1,
    "world_query_proj")`. The hidden state goes on from call to call, detached; it begins as zeros
    after `reset_hidden_state` and where the number of rows, the dtype or the device changes.
    `offline_mode` forbids both places that write the memory.
    """

    def __init__(self, config: E1Config | None = None, **changes: Any) -> None:
        """config, changes: see E1Config. Raises ValueError and TypeError."""
        super().__init__()
        self.config = config = with_changes(config, E1Config, changes)
        latent, hidden = config.latent_dim, config.hidden_dim
        dropout = config.dropout if config.num_layers > 1 else 0.0
        self.context_memory = ContextMemory(config.memory)
        self.transition_rnn = RecurrentLayers(latent, hidden, config.num_layers, dropout)
        self.output_proj = mlp(hidden, hidden, latent)
        self.prior_generator = mlp(2 * latent, hidden, config.world_dim)
        self.offline_mode = False
        self.experience = E1Experience(config.buffer_size)
        self.terrain_targets = TerrainTargets(config.terrain)
        self._hidden: Hidden | None = None
        self._add_cue_path()

    # --- prediction -------------------------------------------------------------------------------

    def forward(
        self, state: Tensor, steps: int | None = None, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Tensor]:
        """(predictions [B, steps, 64], prior [B, 32]) for state [B, 64]; steps: the horizon.

        generator: of the dropout, in training. Raises ValueError for another shape.
        """
        prior = self.generate_prior(state)
        first = torch.cat([prior.new_zeros(prior.shape[0], self.config.self_dim), prior], dim=-1)
        return self._predicted(first, steps, generator), prior

    def predict_long_horizon(
        self, state: Tensor, steps: int | None = None, generator: torch.Generator | None = None
    ) -> Tensor:
        """The predictions [B, steps, 64] alone."""
        return self(state, steps, generator)[0]  # type: ignore[no-any-return]

    def generate_prior(self, state: Tensor) -> Tensor:
        """The prior of the world [B, 32] from the state; leaves the hidden state."""
        prior: Tensor = self.prior_generator(
            torch.cat([state, self.context_memory.read(state)], dim=-1)
        )
        return prior

    def reset_hidden_state(self) -> None:
        """Reset the hidden state, as at the start of an episode."""
        self._hidden = None

    def _predicted(
        self, first: Tensor, steps: int | None, generator: torch.Generator | None
    ) -> Tensor:
        steps = self.config.prediction_horizon if steps is None else steps
        if steps < 1:
            raise ValueError(f"steps must be at least 1, got {steps!r}")
        lstm, output = layer_tensors(self.transition_rnn), layer_tensors(self.output_proj)
        h, c = self._hidden_for(first)
        if self.transition_rnn.drops:
            masks = self.transition_rnn.masks(first, steps, generator)
            rolled = lstm_rollout_in_training(first, h, c, lstm, output, masks)
        else:
            rolled = lstm_rollout(first, h, c, lstm, output, steps=steps)
        predictions, hidden, cell = rolled
        self._hidden = hidden.detach(), cell.detach()
        return predictions

    def _hidden_for(self, first: Tensor) -> Hidden:
        wanted = (self.config.num_layers, first.shape[0], self.config.hidden_dim)
        if self._hidden is not None:
            h = self._hidden[0]
            if h.shape == wanted and h.dtype == first.dtype and h.device == first.device:
                return self._hidden
        return first.new_zeros(wanted), first.new_zeros(wanted)

    # --- learning ---------------------------------------------------------------------------------

    def remember(self, state: Tensor) -> None:
        """Add a detached state [1, 64] to the experience."""
        self.experience.append(state)

    def prediction_loss(self, generator: torch.Generator | None = None) -> Tensor:
        """Mean squared error over a remembered stretch, whose start is drawn; 0 without one,
        and without a gradient. generator: of the start and of the dropout.

        The hidden state of acting is left as it was. In the write mode "train_only" or "both" the
        first state is written to the memory, before the prediction.
        """
        stretch = self.experience.sample(self.config.prediction_horizon, generator)
        if stretch is None:
            return next(self.parameters()).new_zeros(())
        if self.config.sd016_writepath_mode in ("train_only", "both"):
            self._write(stretch.first)
        acting, self._hidden = self._hidden, None
        try:
            ahead = stretch.following.shape[1]
            predictions = self.predict_long_horizon(stretch.first, ahead, generator)
        finally:
            self._hidden = acting
        return functional.mse_loss(predictions, stretch.following)

    def terrain_loss(
        self, z_world: Tensor, harm_obs: Tensor, generator: torch.Generator | None = None
    ) -> Tensor:
        """The terrain loss of detached cues z_world [B, 32] for harm_obs [B, 51]."""
        terrain = self.extract_cue_context(z_world.detach(), generator)[1]
        target = self.terrain_targets(harm_obs).to(terrain)
        return terrain_loss(terrain, target, reduction=self.config.terrain.reduction)

    def terrain_step(self, z_world: Tensor, harm_obs: Tensor, *, scale: float = 1.0) -> Tensor:
        """Backward of scale x terrain loss in one call: adds to the `.grad` of the cue path.

        Returns that loss, detached. Several times faster than autograd for a single cue. Where a
        parameter is frozen, or slots are selected in another way, autograd itself runs.
        """
        if self.config.sd016_enabled and can_be_fused(self):
            self._check_cue(z_world)
            target = self.terrain_targets(harm_obs).to(z_world)
            return fused_terrain_step(self, z_world, target, scale=scale)
        loss = scale * self.terrain_loss(z_world, harm_obs)
        loss.backward()
        return loss.detach()

    def learning_loss(
        self,
        z_world: Tensor | None = None,
        harm_obs: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Prediction loss, and with a cue path and both arguments lambda_terrain x terrain loss,
        and the auxiliary losses whose weight is above 0."""
        config, total = self.config, self.prediction_loss(generator)
        if not config.sd016_enabled:
            return total
        if config.sd016_diversification_weight > 0:
            apart = self.context_memory.diversification_loss()
            total = total + config.sd016_diversification_weight * apart
        if z_world is None or harm_obs is None:
            return total
        terrain = self.terrain_loss(z_world, harm_obs, generator)
        total = total + config.lambda_terrain * terrain
        return total + self._attention_losses(z_world.detach(), harm_obs, generator)

    def _attention_losses(
        self, z_world: Tensor, harm_obs: Tensor, generator: torch.Generator | None
    ) -> Tensor:
        config, total = self.config, z_world.new_zeros(())
        if config.entropy_weight == 0 and config.divergence_weight == 0:
            return total
        weights = self.select_slots(z_world, generator)
        if config.entropy_weight > 0:
            total = total + config.entropy_weight * attention_entropy(weights)
        if config.divergence_weight > 0:
            dangerous = hazard_in_view(harm_obs) > self.terrain_targets.limits[0]
            total = total + context_divergence(weights, dangerous, config.divergence_weight)
        return total

    # --- writing ----------------------------------------------------------------------------------

    def write_on_sense(self, state: Tensor) -> int | None:
        """Write a state [B, 64] just sensed; the slot, or None where the write mode says no."""
        if self.config.sd016_writepath_mode in ("sense_only", "both"):
            return self._write(state)
        return None

    def _write(self, state: Tensor) -> int | None:
        return None if self.offline_mode else self.context_memory.write(state.detach())
