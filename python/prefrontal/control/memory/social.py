"""Social channels: a cue of others' behaviour beside that of the physical world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn

from ..field_checks import Count, check_fields
from .context_memory import ContextMemory

if TYPE_CHECKING:
    from .context_memory_config import ContextMemoryConfig

Attend = Literal["both", "physical", "social"]
Bank = Literal["shared", "second", "tagged"]


@dataclass(frozen=True, slots=True)
class SocialConfig:
    """social_dim: width of the social part of an observation.

    attend: which part of the cue the query is made of; the other counts as zeros.
    bank: "shared" reads the slots of the physical cue; "second" has a bank of its own; "tagged"
    keeps the last `social_slots` slots of the shared bank for social queries and the others for
    physical ones ("both" reads all).
    """

    social_dim: Count
    attend: Attend = "both"
    bank: Bank = "shared"
    social_slots: Count = 4

    def __post_init__(self) -> None:
        check_fields(self)


class SocialRead(NamedTuple):
    """action_bias [B, A], terrain_weight [B, 2] and social_weight [B, 1] in (0, 1), and the weights
    of the slots [B, slots]."""

    action_bias: Tensor
    terrain_weight: Tensor
    social_weight: Tensor
    slot_weights: Tensor


class SocialCue(nn.Module):
    """Reads a context memory with a cue of z_world and a social observation.

    q = query_proj [z_world, z_social], c = what the memory reads with q
    action_bias = action_proj c, terrain_weight = sigmoid(terrain_proj c),
    social_weight = sigmoid(social_proj c)
    """

    def __init__(
        self, config: SocialConfig, memory: ContextMemoryConfig, world_dim: int, action_dim: int
    ) -> None:
        """memory: of the bank to be read. Raises ValueError for more social slots than slots."""
        super().__init__()
        if config.bank == "tagged" and config.social_slots >= memory.num_slots:
            raise ValueError(
                f"social_slots must be below num_slots ({memory.num_slots}), "
                f"got {config.social_slots}"
            )
        self.config, self.world_dim = config, world_dim
        self.query_proj = nn.Linear(world_dim + config.social_dim, memory.memory_dim)
        self.action_proj = nn.Linear(memory.latent_dim, action_dim)
        self.terrain_proj = nn.Linear(memory.latent_dim, 2)
        self.social_proj = nn.Linear(memory.latent_dim, 1)
        if config.bank == "second":
            self.bank = ContextMemory(memory)

    def forward(
        self, shared: ContextMemory, z_world: Tensor, z_social: Tensor, attend: Attend | None = None
    ) -> SocialRead:
        """z_world: [B, world_dim], z_social: [B, social_dim]; attend: in place of the config's.

        Raises ValueError for other shapes.
        """
        attend = self.config.attend if attend is None else attend
        if attend not in get_args(Attend):
            raise ValueError(f"attend must be one of both, physical, social, got {attend!r}")
        memory = self.bank if self.config.bank == "second" else shared
        scores = memory.scores(self.query_proj(self._cue(z_world, z_social, attend)))
        weights = scores.masked_fill(~self._open(scores, attend), -torch.inf).softmax(dim=-1)
        context = memory.read_with(weights)
        return SocialRead(
            self.action_proj(context),
            torch.sigmoid(self.terrain_proj(context)),
            torch.sigmoid(self.social_proj(context)),
            weights,
        )

    def _cue(self, z_world: Tensor, z_social: Tensor, attend: Attend) -> Tensor:
        rows = z_world.shape[0]
        for name, tensor, width in (
            ("z_world", z_world, self.world_dim),
            ("z_social", z_social, self.config.social_dim),
        ):
            if tensor.shape != (rows, width):
                raise ValueError(f"{name} must be of shape [B, {width}], got {list(tensor.shape)}")
        if attend == "physical":
            z_social = torch.zeros_like(z_social)
        elif attend == "social":
            z_world = torch.zeros_like(z_world)
        return torch.cat([z_world, z_social], dim=-1)

    def _open(self, scores: Tensor, attend: Attend) -> Tensor:
        """Which slots may be read, bool [slots]."""
        slots = torch.arange(scores.shape[-1], device=scores.device)
        if self.config.bank != "tagged" or attend == "both":
            return slots >= 0
        social = slots >= len(slots) - self.config.social_slots
        return social if attend == "social" else ~social
