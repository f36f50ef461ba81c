"""The cue path of E1: z_world alone reads a context, which biases actions and weighs terrain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..._core.control import CueReader
from ..layers import is_plain_linear
from ..ops.cue import CueHeads, MemoryWeights, cue_context
from .cue_path_reader import CuePathReader
from .slot_attention import SlotSelection, tagger
from .social import SocialCue, SocialRead

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .context_memory import ContextMemory
    from .e1_config import E1Config

_HEADS = ("world_query_proj.", "cue_action_proj.", "cue_terrain_proj.", "log_tau")
_COLDEST = 1e-3


class CuePath(nn.Module):
    """What E1DeepPredictor has when `sd016_enabled`; without it, no parameter and no method works.

    q = world_query_proj z, w = softmax(q k / tau) over the slots, c = output_proj (w v)
    action_bias = cue_action_proj c (or of [c, z]), terrain_weight = sigmoid(cue_terrain_proj c)
    """

    config: E1Config
    context_memory: ContextMemory

    def _add_cue_path(self) -> None:
        """The parameters, after all others: those of a predictor without are the same."""
        self._last_cue: Tensor | None = None
        self._last_weights: Tensor | None = None
        config = self.config
        if not config.sd016_enabled:
            return
        beside = config.world_dim if config.cue_action_input == "context+world" else 0
        self.world_query_proj = nn.Linear(config.world_dim, config.hidden_dim)
        self.cue_action_proj = nn.Linear(config.latent_dim + beside, config.action_object_dim)
        self.cue_terrain_proj = nn.Linear(config.latent_dim, 2)
        self.selection = SlotSelection(config.selection)
        if config.selection.temperature_learnable:
            self.log_tau = nn.Parameter(torch.full((1,), math.log(config.hidden_dim) / 2))
        if config.selection.tagger:
            slots = config.memory.num_slots
            hidden = config.selection.tagger_hidden
            self.cue_slot_tagger = tagger(config.world_dim, hidden, slots)
        if config.social is not None:
            self.social_cue = SocialCue(
                config.social, config.memory, config.world_dim, config.action_object_dim
            )

    def extract_cue_context(
        self, z_world: Tensor, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Tensor]:
        """(action_bias [B, 16] without bounds, terrain_weight [B, 2]: w_harm and w_goal).

        z_world: [B, 32], and nothing else: the body does not enter. terrain_weight lies in (0, 1);
        float32 rounds it to 1 from a logit of 17 on. generator: of the noise of "gumbel".
        Raises ValueError for another shape and where the config has no cue path.
        """
        self._check_cue(z_world)
        if self.is_plain and self.has_plain_layers:
            self._last_cue, self._last_weights = z_world.detach(), None
            return self._plain_cue(z_world)
        weights = self.select_slots(z_world, generator)
        self._last_cue, self._last_weights = None, weights.detach()
        context = self.context_memory.read_with(weights)
        beside = self.config.cue_action_input == "context+world"
        seen = torch.cat([context, z_world], dim=-1) if beside else context
        return self.cue_action_proj(seen), torch.sigmoid(self.cue_terrain_proj(context))

    def select_slots(self, z_world: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """How much each slot is attended to by the cues, [B, num_slots]. Differentiable."""
        self._check_cue(z_world)
        if self.is_plain:
            return self.context_memory.attend(z_world, self.world_query_proj, self._log_tau)[1]
        selection = self.config.selection
        if selection.tagger:
            scores = self.cue_slot_tagger(z_world) / max(selection.tagger_temperature, _COLDEST)
        else:
            query = self.world_query_proj(z_world)
            scores = self.context_memory.scores(query, self._log_tau)
        return self.selection(scores, training=self.training, generator=generator)

    def extract_social_context(self, z_world: Tensor, z_social: Tensor) -> SocialRead:
        """The read of a cue of z_world [B, 32] and z_social [B, social_dim].

        Raises ValueError where the config has no social channels.
        """
        if not self.config.sd016_enabled or self.config.social is None:
            raise ValueError("social must be configured for social cues, got None")
        read: SocialRead = self.social_cue(self.context_memory, z_world, z_social)
        return read

    @property
    def cue_weights(self) -> Tensor | None:
        """Weights of the slots [B, num_slots] at the last cue, detached; None before the first.

        Where they are the softmax alone they are computed when asked for, with the parameters as
        they are then.
        """
        if self._last_weights is None and self._last_cue is not None:
            with torch.no_grad():
                self._last_weights = self.select_slots(self._last_cue).detach()
        return self._last_weights

    # --- snapshots --------------------------------------------------------------------------------

    def cue_parameters(self) -> dict[str, NDArray[np.float32]]:
        """The parameters by the names that `prefrontal._core.control.CueReader` takes, copied."""
        self._check_enabled()
        parameters = dict(self.context_memory.snapshot())
        for name in ("query_proj.weight", "query_proj.bias"):
            del parameters[name]
        for name, value in self.named_parameters():
            if name.startswith(_HEADS):
                parameters[name] = value.detach().to("cpu", torch.float32).numpy().copy()
        return parameters

    def cue_snapshot(self) -> CueReader:
        """The cue path as it is now, answering within a microsecond, without torch.

        It follows no later change: `snapshot.refresh(e1.cue_parameters())` brings it up to date.
        Raises ValueError where only this module knows how slots are selected or layers called.
        """
        self._check_enabled()
        if not (self.is_plain and self.has_plain_layers):
            raise ValueError("selection, memory and layers must be plain, got another form")
        config = self.config
        return CueReader(
            self.cue_parameters(),
            cue_action_input=config.cue_action_input,
            attention=config.memory.attention,
        )

    def cue_reader(self) -> CuePathReader:
        """A reader of the cue path that follows this module's changes, in NumPy."""
        self._check_enabled()
        return CuePathReader(self)

    def cue_tensors(self) -> list[Tensor]:
        """The tensors that a cue is read with."""
        action, terrain = self.cue_action_proj, self.cue_terrain_proj
        heads = (action.weight, action.bias, terrain.weight, terrain.bias)
        return [it for it in (*self.cue_memory(), *heads) if it is not None]

    # --- parts ------------------------------------------------------------------------------------

    @property
    def is_plain(self) -> bool:
        """Whether the slots' weights are the one softmax that operators and snapshots compute."""
        return self.config.memory.is_plain and self.config.selection.is_plain

    @property
    def has_plain_layers(self) -> bool:
        """Whether each layer of the cue path is its weight and bias alone (see ContextMemory)."""
        heads = map(is_plain_linear, (self.cue_action_proj, self.cue_terrain_proj))
        return all(heads) and self.context_memory.has_plain_layers(self.world_query_proj)

    @property
    def _log_tau(self) -> Tensor | None:
        return self.log_tau if self.config.selection.temperature_learnable else None

    def cue_memory(self) -> MemoryWeights:
        """The memory's parameters as a cue reads them."""
        return self.context_memory.weights_with(self.world_query_proj, self._log_tau)

    def _plain_cue(self, z_world: Tensor) -> tuple[Tensor, Tensor]:
        action, terrain = self.cue_action_proj, self.cue_terrain_proj
        heads = CueHeads(action.weight, action.bias, terrain.weight, terrain.bias)
        cosine = self.config.memory.attention == "cosine"
        return cue_context(z_world, self.cue_memory(), heads, cosine=cosine)

    def _check_enabled(self) -> None:
        if not self.config.sd016_enabled:
            raise ValueError("sd016_enabled must be True for cues, got False")

    def _check_cue(self, z_world: Tensor) -> None:
        self._check_enabled()
        if z_world.dim() != 2 or z_world.shape[1] != self.config.world_dim:
            shape = list(z_world.shape)
            raise ValueError(f"z_world must be of shape [B, {self.config.world_dim}], got {shape}")
