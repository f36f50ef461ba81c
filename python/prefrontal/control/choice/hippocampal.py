"""The hippocampal module: candidates for E3, free of value ("E3 introduces all weighting").

Action objects are drawn around a prior of the terrain, decoded into actions and rolled out by E2;
those with the least residue along their way are drawn around next. No head of harm or benefit has
a say here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from ..field_checks import Bounds, Count, Positive, Share, check_fields
from ..layers import layer_tensors, mlp
from ..ops.proposal import propose
from .cross_entropy import Refit, hard_refit, search, soft_refit
from .trajectory import Trajectories

if TYPE_CHECKING:
    from .e2 import E2FastPredictor
    from .residue import ResidueField

__all__ = ["HippocampalConfig", "HippocampalModule"]


@dataclass(frozen=True, slots=True)
class HippocampalConfig:
    """How many candidates are proposed, how long, and in how many iterations.

    horizon: actions of a candidate; an agent's preset has 30, more than E1 predicts ahead.
    elite_fraction: of the candidates, the share that is refitted on, but at least two.
    soft_temperature: of the weights that stand for elites in the differentiable form.
    """

    world_dim: Count = 32
    action_dim: Count = 4
    action_object_dim: Count = 16
    hidden_dim: Count = 128
    horizon: Count = 10
    num_candidates: Annotated[int, Bounds(2)] = 32
    num_cem_iterations: Count = 3
    elite_fraction: Share = 0.2
    soft_temperature: Positive = 1.0

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def n_elite(self) -> int:
        """How many candidates are refitted on."""
        return max(2, int(self.num_candidates * self.elite_fraction))


class HippocampalModule(nn.Module):
    """Proposals. 73,189 parameters of its own at a horizon of 30 and 5 actions.

    `e2` and `residue_field` are shared with their owners: they are submodules here too, so that
    the module can be saved and moved alone.
    """

    def __init__(
        self,
        config: HippocampalConfig,
        e2: E2FastPredictor,
        residue_field: ResidueField,
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        """Raises ValueError where a size of E2 or of the field is another than the config's."""
        super().__init__()
        c = self.config = config
        for name in ("world_dim", "action_dim", "action_object_dim"):
            if getattr(c, name) != getattr(e2.config, name):
                theirs = getattr(e2.config, name)
                raise ValueError(f"{name} must be that of E2 ({theirs}), got {getattr(c, name)!r}")
        if residue_field.config.world_dim != c.world_dim:
            theirs = residue_field.config.world_dim
            raise ValueError(f"world_dim must be the field's ({theirs}), got {c.world_dim!r}")
        self.e2 = e2
        self.residue_field = residue_field
        wide, known = c.hidden_dim, 2 * c.world_dim + 1
        self.terrain_prior = mlp(known, wide, c.horizon * c.action_object_dim, generator=generator)
        self.action_object_decoder = mlp(
            c.action_object_dim, wide, c.action_dim, generator=generator
        )

    def terrain_mean(self, z_world: Tensor, e1_prior: Tensor | None = None) -> Tensor:
        """Action objects [B, H, 16] that the terrain suggests; no e1_prior [B, 32] counts as 0."""
        prior = torch.zeros_like(z_world) if e1_prior is None else e1_prior
        residue = self.residue_field(z_world).unsqueeze(-1)
        flat: Tensor = self.terrain_prior(torch.cat([z_world, prior, residue], dim=-1))
        return flat.view(-1, self.config.horizon, self.config.action_object_dim)

    def decode(self, action_objects: Tensor) -> Tensor:
        """Actions [..., A] from action objects [..., 16]."""
        actions: Tensor = self.action_object_decoder(action_objects)
        return actions

    @torch.no_grad()
    def propose(
        self,
        z_self: Tensor,
        z_world: Tensor,
        e1_prior: Tensor | None = None,
        *,
        action_bias: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> Trajectories:
        """Candidates [K, B, ...] for the latents [B, 32], without a graph.

        action_bias: [B, 16] or [1, 16], added to every action object that E2 gives. It moves the
        mean of the next iteration by exactly itself, and with a single iteration nothing at all.
        Raises ValueError where shapes do not fit.
        """
        self._check(z_self, z_world, e1_prior, action_bias)
        mean = self.terrain_mean(z_world, e1_prior)
        noise = self._noise(mean, generator)
        if len(z_world) != 1 or self.e2.config.output_norm_clamp is not None:
            refit = hard_refit(self.config.n_elite)
            return self._search(z_self, z_world, mean, noise, refit, action_bias)
        proposal = propose(
            z_self,
            z_world,
            mean[0],
            noise[:, :, 0],
            layer_tensors(self.action_object_decoder),
            self.e2.rollout_parameters(),
            self.residue_field.residue_parameters(),
            n_elite=self.config.n_elite,
            bias=action_bias,
            bandwidth=self.residue_field.config.bandwidth,
        )
        return Trajectories(*(it.unsqueeze(1) for it in proposal))

    def propose_differentiable(
        self,
        z_self: Tensor,
        z_world: Tensor,
        e1_prior: Tensor | None = None,
        *,
        action_bias: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> Trajectories:
        """As `propose`, but all candidates are refitted on, softly, and the graph is kept."""
        self._check(z_self, z_world, e1_prior, action_bias)
        mean = self.terrain_mean(z_world, e1_prior)
        refit = soft_refit(self.config.soft_temperature)
        noise = self._noise(mean, generator)
        return self._search(z_self, z_world, mean, noise, refit, action_bias)

    def decoder_loss(self, z_world: Tensor, action: Tensor) -> Tensor:
        """How far decoding is from inverting E2: mean square error of the actions [B, A].

        Teaches the decoder alone; an action bias can only mean an action once this is small.
        """
        with torch.no_grad():
            objects = self.e2.action_object(z_world, action)
        return mse_loss(self.decode(objects), action)

    def _search(
        self,
        z_self: Tensor,
        z_world: Tensor,
        mean: Tensor,
        noise: Tensor,
        refit: Refit,
        action_bias: Tensor | None,
    ) -> Trajectories:
        decoder, latents = self.action_object_decoder, (z_self, z_world)
        return search(
            self.e2, decoder, self.residue_field, latents, mean, noise, refit, action_bias
        )

    def _noise(self, mean: Tensor, generator: torch.Generator | None) -> Tensor:
        sizes = (self.config.num_cem_iterations, self.config.num_candidates, *mean.shape)
        return torch.randn(sizes, generator=generator, dtype=mean.dtype, device=mean.device)

    def _check(
        self,
        z_self: Tensor,
        z_world: Tensor,
        e1_prior: Tensor | None,
        action_bias: Tensor | None,
    ) -> None:
        c = self.config
        _expect("z_world", z_world, c.world_dim, None)
        _expect("z_self", z_self, self.e2.config.self_dim, len(z_world))
        if e1_prior is not None:
            _expect("e1_prior", e1_prior, c.world_dim, len(z_world))
        if action_bias is not None:
            rows = 1 if len(action_bias) == 1 else len(z_world)
            _expect("action_bias", action_bias, c.action_object_dim, rows)


def _expect(name: str, tensor: Tensor, wide: int, rows: int | None) -> None:
    if tensor.ndim != 2 or tensor.shape[1] != wide or rows not in (None, tensor.shape[0]):
        expected = "B" if rows is None else rows
        raise ValueError(f"{name} must be shaped [{expected}, {wide}], got {list(tensor.shape)!r}")
