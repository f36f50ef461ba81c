"""The residue field: where and how much harm was done, over the world's latent.

residue(z) = sum_i weights_i exp(-|z - centres_i|^2 / (2 bandwidth^2)) + 0.1 softplus(network z)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from ..field_checks import Amount, Count, Positive, check_fields
from ..layers import layer_tensors, mlp
from ..ops.scores import plain_residue


@dataclass(frozen=True, slots=True)
class ResidueConfig:
    """Sizes and rates of the field.

    accumulation_rate: residue per unit of harm.
    allocation: what happens once every place is taken. "ring" moves the oldest place, with the
    residue it holds, to the new harm, so that the sum never falls; "nearest" adds to the place
    that is nearest, so that the field itself falls nowhere.
    """

    world_dim: Count = 32
    num_centres: Count = 32
    hidden_dim: Count = 64
    bandwidth: Positive = 1.0
    accumulation_rate: Amount = 0.1
    allocation: Literal["ring", "nearest"] = "ring"

    def __post_init__(self) -> None:
        check_fields(self)


class ResidueField(nn.Module):
    """Harm that does not fade. 7,393 parameters; `centres` and `weights` take no gradient.

    Nothing resets it: it outlives episodes, and a checkpoint holds it whole.
    """

    accumulated: Tensor

    def __init__(
        self, config: ResidueConfig | None = None, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        c = self.config = config or ResidueConfig()
        places = torch.zeros(c.num_centres, c.world_dim)
        self.centres = nn.Parameter(places, requires_grad=False)
        self.weights = nn.Parameter(torch.zeros(c.num_centres), requires_grad=False)
        self.network = mlp(c.world_dim, c.hidden_dim, c.hidden_dim, 1, generator=generator)
        self.register_buffer("accumulated", torch.zeros((), dtype=torch.long))

    def forward(self, z_world: Tensor) -> Tensor:
        """The residue [...] at points [..., world_dim]; the network's share is above 0 anywhere."""
        return plain_residue(z_world, self.residue_parameters(), self.config.bandwidth)

    def residue_parameters(self) -> list[Tensor]:
        """The 8 tensors that the score and proposal operators take, in their order."""
        return [self.centres, self.weights, *layer_tensors(self.network)]

    @torch.no_grad()
    def accumulate(
        self, z_world: Tensor, harm: Tensor | float, hypothesis_tag: bool = False
    ) -> None:
        """Leave residue at z_world [B, world_dim] for harm of either sign (a number, or [B]).

        No harm takes no place. Raises ValueError for what was only imagined (`hypothesis_tag`),
        for harm or z_world that is not finite, and for other shapes; then nothing has changed.
        """
        if hypothesis_tag:
            raise ValueError("hypothesis_tag must be False: what is imagined leaves no residue")
        amounts = self._amounts(z_world, harm)
        points = z_world.detach()[amounts > 0].to(self.centres)
        amounts = amounts[amounts > 0]
        used = int(self.accumulated)
        if self.config.allocation == "nearest":
            free = max(0, min(len(points), self.config.num_centres - used))
            self._take(used, points[:free], amounts[:free])
            points, amounts = points[free:], amounts[free:]
            if len(points):
                nearest = torch.cdist(points, self.centres).argmin(dim=1)
                self.weights.index_add_(0, nearest, amounts)
                self.accumulated += len(points)
        else:
            self._take(used, points, amounts)

    def total(self) -> Tensor:
        """The total residue; it never falls."""
        return self.weights.sum()

    def _take(self, first: int, points: Tensor, amounts: Tensor) -> None:
        places = torch.arange(first, first + len(points), device=points.device)
        places = places % self.config.num_centres
        self.weights.index_add_(0, places, amounts)
        last = points[-self.config.num_centres :]  # a place taken twice keeps the later point
        self.centres[places[-self.config.num_centres :]] = last
        self.accumulated += len(points)

    def _amounts(self, z_world: Tensor, harm: Tensor | float) -> Tensor:
        wide = self.config.world_dim
        if z_world.ndim != 2 or z_world.shape[1] != wide:
            raise ValueError(f"z_world must be shaped [B, {wide}], got {list(z_world.shape)!r}")
        if not bool(torch.isfinite(z_world).all()):
            raise ValueError("z_world must be finite, got NaN or infinity")
        amounts = torch.as_tensor(harm, dtype=self.weights.dtype, device=self.weights.device)
        if amounts.ndim and amounts.shape != z_world.shape[:1]:
            raise ValueError(f"harm must be one number or [B], got shape {list(amounts.shape)!r}")
        if not bool(torch.isfinite(amounts).all()):
            raise ValueError(f"harm must be finite, got {amounts.tolist()!r}")
        scaled = amounts.detach().abs() * self.config.accumulation_rate
        return scaled.expand(z_world.shape[0])
