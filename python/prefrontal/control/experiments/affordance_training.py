"""The parts X6 needs, taught one after the other on random walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, one_hot

from ..choice.affordance import affordance_loss
from ..choice.e2 import E2Config, E2FastPredictor
from ..choice.hippocampal import HippocampalConfig, HippocampalModule
from ..choice.residue import ResidueField
from .trained_cue import cue_predictor, world_config
from .walks import Walks, learned_encoder, random_walks

if TYPE_CHECKING:
    from ..memory.e1 import E1DeepPredictor

ACTIONS = 5
OWN_CELL = 12  # of the hazard view in the harm observation
HARM_SCALE, NOTICED = 0.05, 0.15  # of the world: harm per unit of the field, from here on
HARM_STEP, MOST = 0.001, 20.0  # harm spared that counts by a factor of e, up to this factor


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """An encoder of the world [N, 250] -> [N, 32], proposals, and the cue with its losses."""

    encoder: nn.Module
    hippocampal: HippocampalModule
    e1: E1DeepPredictor
    losses: list[float]
    untaught_spread: float


def taught(
    seed: int, profile: str, *, worlds: int, walk: int, steps: int, horizon: int = 10
) -> Taught:
    """Everything for one seed: encoder, E2 and decoder, then the cue on frozen latents."""
    generator = torch.Generator().manual_seed(seed)
    walks = random_walks(seed, worlds, walk, world_config(profile))
    encoder = learned_encoder(walks.before("world"), seed, steps=steps)
    before, after = encoder(walks.before("world")), encoder(walks.after("world"))
    actions = one_hot(walks.actions[walks.running], ACTIONS).to(before)
    e2 = E2FastPredictor(E2Config(action_dim=ACTIONS), generator=generator)
    config = HippocampalConfig(action_dim=ACTIONS, horizon=horizon)
    hippocampal = HippocampalModule(
        config, e2, ResidueField(generator=generator), generator=generator
    )
    _teach_objects(hippocampal, before, actions, after, steps, generator)
    hippocampal.requires_grad_(False)
    e1 = cue_predictor(profile, seed)
    with torch.no_grad():
        spread = float(e1.extract_cue_context(before)[0].std(dim=0).mean())
    losses = _teach_cue(e1, e2, before, actions, _worth(walks), steps, generator)
    return Taught(encoder, hippocampal, e1.requires_grad_(False), losses, spread)


def _teach_objects(
    hippocampal: HippocampalModule,
    before: Tensor,
    actions: Tensor,
    after: Tensor,
    steps: int,
    generator: torch.Generator,
) -> None:
    """E2's world, and action objects that the decoder can tell apart, with mean 0 over actions."""
    e2, every = hippocampal.e2, torch.eye(ACTIONS)
    optimiser = torch.optim.Adam(hippocampal.parameters(), lr=1e-3)
    for _ in range(steps):
        rows = torch.randint(len(before), (256,), generator=generator)
        z, a = before[rows], actions[rows]
        world = mse_loss(e2.world_forward(z, a), after[rows])
        decoded = mse_loss(hippocampal.decode(e2.action_object(z, a)), a)
        few = z[:64].repeat_interleave(ACTIONS, dim=0)
        objects = e2.action_object(few, every.repeat(64, 1)).view(64, ACTIONS, -1)
        loss = world + decoded + objects.mean(dim=1).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def _teach_cue(
    e1: E1DeepPredictor,
    e2: E2FastPredictor,
    z: Tensor,
    actions: Tensor,
    worth: Tensor,
    steps: int,
    generator: torch.Generator,
) -> list[float]:
    """The cue's bias towards what spared harm; each tenth loss."""
    cue = [it for name, it in e1.named_parameters() if _of_the_cue(name)]
    optimiser = torch.optim.Adam(cue, lr=2e-3)
    losses = []
    for step in range(steps):
        rows = torch.randint(len(z), (256,), generator=generator)
        bias, _ = e1.extract_cue_context(z[rows])
        loss = affordance_loss(bias, e2, z[rows], actions[rows], worth[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 10 == 0:
            losses.append(float(loss.detach()))
    return losses


def _of_the_cue(name: str) -> bool:
    parts = ("memory", "key_proj", "value_proj", "output_proj")
    if name.startswith("context_memory."):
        return name.split(".")[1] in parts
    return name.split(".", maxsplit=1)[0] in ("world_query_proj", "cue_action_proj")


def _worth(walks: Walks) -> Tensor:
    """How well each step turned out: 1 as staying would have, e for each HARM_STEP spared.

    A step that brought a benefit tells nothing of harm, and counts as staying.
    """
    signals, field = walks.signals[walks.running], walks.before("harm")[:, OWN_CELL]
    staying = HARM_SCALE * field * (field >= NOTICED)
    spared = torch.where(signals > 0, torch.zeros_like(staying), staying + signals)
    return torch.exp(spared / HARM_STEP).clamp(max=MOST)
