"""The configuration of E1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..field_checks import Amount, Count, Share, check_fields
from .context_memory_config import ContextMemoryConfig
from .slot_attention import SlotSelectionConfig
from .social import SocialConfig
from .terrain_loss import TerrainTargetsConfig

CueActionInput = Literal["context", "context+world"]
WritePath = Literal["off", "train_only", "sense_only", "both"]


@dataclass(frozen=True, slots=True)
class E1Config:
    """The slow predictor and its cue path. The defaults are those of the profile `seed`.

    hidden_dim: of the recurrent layers; memory.memory_dim must equal it, and memory.latent_dim must
    be self_dim + world_dim.
    prediction_horizon: steps of a prediction. buffer_size: states kept for learning.
    sd016_enabled: whether there is a cue path; what follows is of use only with it.
    cue_action_input: what the action bias is made of, the context [64] or it with z_world [96].
    sd016_writepath_mode: where experience writes the memory: in the prediction loss ("train_only"),
    at each observation ("sense_only"), in both, or nowhere.
    sd016_diversification_weight, entropy_weight, divergence_weight: of the auxiliary losses.
    lambda_terrain: weight of the terrain loss. social: social channels of the cue, or None.
    """

    self_dim: Count = 32
    world_dim: Count = 32
    hidden_dim: Count = 128
    num_layers: Count = 3
    dropout: Share = 0.1
    prediction_horizon: Count = 20
    buffer_size: Count = 1000
    learning_rate: Amount = 1e-4
    action_object_dim: Count = 16
    memory: ContextMemoryConfig = field(default_factory=ContextMemoryConfig)
    sd016_enabled: bool = False
    cue_action_input: CueActionInput = "context"
    selection: SlotSelectionConfig = field(default_factory=SlotSelectionConfig)
    terrain: TerrainTargetsConfig = field(default_factory=TerrainTargetsConfig)
    lambda_terrain: Amount = 0.1
    sd016_writepath_mode: WritePath = "off"
    sd016_diversification_weight: Amount = 0.0
    entropy_weight: Amount = 0.0
    divergence_weight: Amount = 0.0
    social: SocialConfig | None = None

    def __post_init__(self) -> None:
        """Raises ValueError and TypeError naming the field."""
        check_fields(self)
        _check_equal("memory.memory_dim", self.memory.memory_dim, "hidden_dim", self.hidden_dim)
        latent = self.latent_dim
        _check_equal("memory.latent_dim", self.memory.latent_dim, "self_dim + world_dim", latent)
        if self.social is not None and not self.sd016_enabled:
            raise ValueError("social must be None without sd016_enabled, got a SocialConfig")

    @property
    def latent_dim(self) -> int:
        """z_self and z_world side by side."""
        return self.self_dim + self.world_dim


def _check_equal(name: str, value: int, other_name: str, other: int) -> None:
    if value != other:
        raise ValueError(f"{name} must equal {other_name} ({other}), got {value}")
