"""Shared by X1 to X4: an encoder and E1's cue path, trained on random walks in contrast14."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn

from ..memory.context_memory_config import ContextMemoryConfig
from ..memory.e1 import E1Config, E1DeepPredictor
from ..memory.slot_attention import attention_entropy
from ..memory.terrain_loss import (
    Grading,
    TerrainTargets,
    TerrainTargetsConfig,
    hazard_in_view,
    terrain_loss,
)
from ..profiles import profile_values
from ..threads import one_thread
from ..world.grid_world_config import GridWorldConfig
from .bootstrap import auc
from .walks import Walks, learned_encoder, random_walks

LEAST, MOST = 0.25, 0.75
"""The share of steps that each label must hold on, or the run says nothing."""
_HELD_OUT = 100_000  # added to the seed of a walk that nothing is trained on
_LEARNING_RATE = 1e-3
_BATCH = 256
_CURVE = 12  # points of a learning curve

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CueSizes:
    """Sizes of walks and training; smaller ones are for tests.

    worlds x steps are walked for training (12,000 rows); the encoder and each cue path are trained
    for so many batches of 256.
    """

    worlds: int = 24
    steps: int = 500
    encoder_batches: int = 1500
    cue_batches: int = 2000
    held_out_worlds: int = 192
    held_out_steps: int = 400


@dataclass(frozen=True, slots=True, eq=False)
class TrainedCue:
    """An encoder [N, 250] -> [N, 32] and a predictor whose cue path learned the terrain.

    targets: with the thresholds that the labels have. curve: depth on the training rows, each as
    (batches, depth). Shared between experiments: nobody changes it.
    """

    encoder: nn.Module
    e1: E1DeepPredictor
    targets: TerrainTargets
    curve: tuple[tuple[int, float], ...]
    first_entropy: float

    @torch.no_grad()
    def weights(self, world: Tensor) -> Tensor:
        """[w_harm, w_goal] [N, 2] for observations of the world [N, 250]."""
        return terrain_of(self.e1, self.encoder(world))

    def dangerous(self, harm: Tensor) -> Tensor:
        """bool [N]: whether the hazard in view passes the threshold of the labels."""
        return hazard_in_view(harm) > self.targets.limits[0]

    def void(self) -> str:
        """Why the labels say nothing, or "" if they are balanced."""
        shares = dict(zip(("dangerous", "safe"), self.targets.balance(), strict=True))
        off = [f"{k} on {v:.0%}" for k, v in shares.items() if not LEAST <= v <= MOST]
        return f"labels out of balance: {' and '.join(off)} of the steps" if off else ""


def world_config(profile: str, **changes: int | float) -> GridWorldConfig:
    """The world of the experiments, contrast14, in a profile."""
    return GridWorldConfig.preset("contrast14", **profile_values(profile, "world"), **changes)


def held_out(seed: int, profile: str, sizes: CueSizes, **changes: int | float) -> Walks:
    """Walks through worlds that no training has seen."""
    config = world_config(profile, **changes)
    worlds, steps = sizes.held_out_worlds, sizes.held_out_steps
    return random_walks(_HELD_OUT + seed, worlds, steps, config)


@lru_cache(maxsize=64)
def trained_cue(
    seed: int, profile: str, sizes: CueSizes, grading: Grading = "step", frozen_bank: bool = False
) -> TrainedCue:
    """Train one, cached: the same arguments give the same numbers.

    grading: of the targets; "rank" for predictions finer than danger and safety. frozen_bank: the
    slots stay as they were drawn, and all else is trained.
    """
    with one_thread():
        encoder, z, harm = _walked(seed, profile, sizes)
        targets = _targets(profile, grading, harm)
        e1 = cue_predictor(profile, seed)
        e1.context_memory.memory.requires_grad_(not frozen_bank)
        entropy = attention_entropy(e1.select_slots(z[:2000]).detach()).item()
        curve = _train(e1, z, harm, targets, seed, sizes.cue_batches)
    return TrainedCue(encoder, e1.requires_grad_(False), targets, curve, entropy)


@torch.no_grad()
def terrain_of(e1: E1DeepPredictor, z_world: Tensor) -> Tensor:
    """Terrain weights [N, 2] without a gradient."""
    return e1.extract_cue_context(z_world)[1]


def depth(w_harm: Tensor, dangerous: Tensor) -> float:
    """E[w_harm | dangerous] - E[w_harm | safe]; NaN where one of them never occurs."""
    return float(w_harm[dangerous].double().mean() - w_harm[~dangerous].double().mean())


def separation(w_harm: Tensor, dangerous: Tensor) -> float:
    """P(w_harm of a dangerous row > that of a safe one), to six digits of w_harm.

    Differences below that are rounding: a constant weight separates nothing.
    """
    return auc(w_harm.double().round(decimals=6).numpy(), dangerous.numpy())


@lru_cache(maxsize=16)
@torch.no_grad()
def _walked(seed: int, profile: str, sizes: CueSizes) -> tuple[nn.Module, Tensor, Tensor]:
    """The encoder, and z_world [N, 32] and the harm observations [N, 51] of the walks."""
    walks = random_walks(seed, sizes.worlds, sizes.steps, world_config(profile))
    world = walks.before("world")
    with torch.enable_grad():
        encoder = learned_encoder(world, seed, steps=sizes.encoder_batches)
    return encoder, encoder(world), walks.before("harm")


def _targets(profile: str, grading: Grading, harm: Tensor) -> TerrainTargets:
    values = profile_values(profile, "terrain")
    targets = TerrainTargets(TerrainTargetsConfig(**values, grading=grading, window=len(harm)))
    targets.observe(harm)
    return targets


def cue_predictor(profile: str, seed: int) -> E1DeepPredictor:
    """E1 with a cue path as the profile has it; the global generator is left as it was."""
    memory = ContextMemoryConfig(**profile_values(profile, "memory"))
    config = E1Config(sd016_enabled=True, memory=memory, **profile_values(profile, "e1"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return E1DeepPredictor(config)


def _train(
    e1: E1DeepPredictor, z: Tensor, harm: Tensor, targets: TerrainTargets, seed: int, batches: int
) -> tuple[tuple[int, float], ...]:
    """Terrain loss on batches of the rows; the curve of the depth on them."""
    target, dangerous = targets(harm), hazard_in_view(harm) > targets.limits[0]
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(e1.parameters(), lr=_LEARNING_RATE)
    marks = {round(batches * i / _CURVE) for i in range(_CURVE + 1)}
    curve = []
    for batch in range(batches + 1):
        if batch in marks:
            curve.append((batch, depth(terrain_of(e1, z)[:, 0], dangerous)))
        if batch == batches:
            break
        rows = torch.randint(len(z), (_BATCH,), generator=generator)
        terrain = e1.extract_cue_context(z[rows])[1]
        loss = terrain_loss(terrain, target[rows], reduction=targets.config.reduction)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return tuple(curve)
