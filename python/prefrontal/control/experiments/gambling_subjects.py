"""Simulated people before four decks, many at once: E1's cue path and E3's two heads.

    J(deck) = harm_weight w_harm harm(cue) - w_goal benefit(cue),   p = softmax(-J / temperature)

Everybody begins with the same networks and has four cues of his own as z_world. After each card the
heads learn what the card gave and took, and the cue path learns, by the terrain loss, what the
decks met so far have come to mean: a running average of the harm that followed each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..choice.e3 import E3TrajectorySelector
from ..layers import layer_tensors
from ..memory.context_memory_config import ContextMemoryConfig
from ..memory.e1 import E1Config, E1DeepPredictor
from ..memory.terrain_loss import HAZARD_VIEW, TerrainTargets
from ..ops.cue import CueHeads, MemoryWeights, plain_cue_context
from ..profiles import profile_values
from .gambling_task import CARDS, DECKS, GAINS, loss_schedule

Arm = Literal["intact", "lesion", "equal slots"]
"""intact; without terrain weights, both 0.5; with slots that are all alike, so that the cue path
works and learns but no cue calls up anything of its own."""

FULL_SCALE = 125.0  # money of harm and benefit 1, the mean loss of a card of A and B; more is 1 too
HARM_AVERAGE_RATE = 0.2  # of what a deck has come to mean: over its last five cards or so
CUE_LEARNING_RATE = 0.05  # Adam, one step a card


@dataclass(frozen=True, slots=True)
class GamblingParameters:
    """The three that are fitted; the defaults are what `gambling_fit.fit()` gave.

    learning_rate: of the heads (SGD on the cross-entropy of the last card). temperature: of the
    choice. harm_weight: lambda of E3, of harm beside benefit.
    """

    learning_rate: float = 0.0952
    temperature: float = 0.4311
    harm_weight: float = 1.1524


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """choices: the deck of each card [N, 100], 0 to 3. terrain: w_harm and w_goal of each deck
    before each card and after the last [N, 101, 4, 2]."""

    choices: Tensor
    terrain: Tensor

    def anticipation(self) -> Tensor:
        """w_harm of the bad decks less that of the good ones, before each card: [N, 101]."""
        harm = self.terrain[..., 0]
        return harm[..., :2].mean(-1) - harm[..., 2:].mean(-1)


def play(
    parameters: GamblingParameters,
    people: int,
    seed: int,
    *,
    arm: Arm = "intact",
    profile: str = "sound",
    cards: int = CARDS,
) -> Session:
    """`people` play `cards` cards each. The same seed gives the same people and the same luck."""
    generator = torch.Generator().manual_seed(seed)
    subjects = GamblingSubjects(people, seed, arm, profile, generator)
    luck = torch.rand(cards, people, generator=generator)
    losses, gains = loss_schedule(), torch.tensor(GAINS)
    rows, drawn = torch.arange(people), torch.zeros(people, len(DECKS), dtype=torch.int64)
    choices, terrain = [], []
    for it in luck:
        terrain.append(subjects.terrain())
        chances = torch.softmax(
            -subjects.score(terrain[-1], parameters) / parameters.temperature, 1
        )
        deck = (it[:, None] > chances.cumsum(1)).sum(1).clamp(max=len(DECKS) - 1)
        loss = losses[deck, drawn[rows, deck] % losses.shape[1]]
        drawn[rows, deck] += 1
        subjects.learn(deck, gains[deck], loss, parameters.learning_rate)
        choices.append(deck)
    return Session(torch.stack(choices, 1), torch.stack([*terrain, subjects.terrain()], 1))


class GamblingSubjects:
    """The plastic state of N people: slots, cue query and terrain head of E1; the heads of E3."""

    def __init__(
        self, people: int, seed: int, arm: Arm, profile: str, generator: torch.Generator
    ) -> None:
        e1, e3 = networks(seed, profile)
        self.arm = arm
        self.cues = _cues(people, generator)
        self.cue_path = CuePathOfMany(e1, people, one_slot=arm == "equal slots")
        self.harm_head = _copies(layer_tensors(e3.harm_eval_head), people)
        self.benefit_head = _copies(layer_tensors(e3.benefit_eval_head), people)
        self.stored_harm = torch.zeros(people, len(DECKS))
        self.met = torch.zeros(people, len(DECKS), dtype=torch.bool)
        self._targets = TerrainTargets()
        self._optimizer = torch.optim.Adam(self.cue_path.plastic, lr=CUE_LEARNING_RATE)

    @torch.no_grad()
    def terrain(self) -> Tensor:
        """[w_harm, w_goal] of each deck before a card is drawn: [N, 4, 2]."""
        if self.arm == "lesion":
            return torch.full((*self.cues.shape[:2], 2), 0.5)
        return self.cue_path(self.cues)

    @torch.no_grad()
    def score(self, terrain: Tensor, parameters: GamblingParameters) -> Tensor:
        """J of each deck [N, 4], lower the better."""
        harm = torch.sigmoid(_logits(self.harm_head, self.cues))
        benefit = torch.sigmoid(_logits(self.benefit_head, self.cues))
        return parameters.harm_weight * terrain[..., 0] * harm - terrain[..., 1] * benefit

    def learn(self, deck: Tensor, gain: Tensor, loss: Tensor, learning_rate: float) -> None:
        """From one card each: deck, gain and loss [N]."""
        rows = torch.arange(len(deck))
        seen = self.cues[rows, deck][:, None]
        for head, outcome in ((self.harm_head, loss), (self.benefit_head, gain)):
            _descend(head, seen, (outcome / FULL_SCALE).clamp(max=1.0), learning_rate)
        stored = self.stored_harm[rows, deck]
        self.stored_harm[rows, deck] = stored.lerp(loss / FULL_SCALE, HARM_AVERAGE_RATE)
        self.met[rows, deck] = True
        if self.arm != "lesion":
            self._optimizer.zero_grad()
            self.terrain_losses().sum().backward()
            self._optimizer.step()

    def terrain_losses(self) -> Tensor:
        """The terrain loss of each person over the decks he has met: [N]."""
        targets = self._targets(self.stored_harm[..., None].expand(-1, -1, HAZARD_VIEW))
        errors = (self.cue_path(self.cues) - targets).square().sum(-1) * self.met
        return errors.sum(1) / self.met.sum(1)


class CuePathOfMany:
    """`E1DeepPredictor.extract_cue_context` of N people who share all but their plastic tensors."""

    NAMES = (
        "context_memory.memory",
        *("world_query_proj.weight", "world_query_proj.bias", "context_memory.key_proj.weight"),
        *("context_memory.value_proj.weight", "context_memory.value_proj.bias"),
        *("context_memory.output_proj.weight", "context_memory.output_proj.bias"),
        *("cue_action_proj.weight", "cue_action_proj.bias"),
        *("cue_terrain_proj.weight", "cue_terrain_proj.bias"),
    )
    PLASTIC = ("context_memory.memory", "world_query_proj", "cue_terrain_proj")

    def __init__(self, e1: E1DeepPredictor, people: int, *, one_slot: bool) -> None:
        """one_slot: in place of all slots their mean, which reads as if they were all alike."""
        parameters = {name: it.detach() for name, it in e1.named_parameters()}
        if one_slot:
            parameters[self.NAMES[0]] = parameters[self.NAMES[0]].mean(0, keepdim=True)
        plastic = [name.startswith(self.PLASTIC) for name in self.NAMES]
        self._tensors = [
            _copies([parameters[name]], people)[0] if own else parameters[name]
            for name, own in zip(self.NAMES, plastic, strict=True)
        ]
        self.plastic = [it for it, own in zip(self._tensors, plastic, strict=True) if own]
        self._cosine = e1.config.memory.attention == "cosine"
        own_rows = tuple(0 if own else None for own in plastic)
        self._read = torch.func.vmap(self._terrain, in_dims=(0, *own_rows))

    def __call__(self, cues: Tensor) -> Tensor:
        """Terrain weights [N, M, 2] of the cues [N, M, 32]."""
        terrain: Tensor = self._read(cues, *self._tensors)
        return terrain

    def _terrain(self, cues: Tensor, *tensors: Tensor) -> Tensor:
        memory, heads = MemoryWeights(*tensors[:8]), CueHeads(*tensors[8:])
        return plain_cue_context(cues, memory, heads, cosine=self._cosine)[1]


def networks(seed: int, profile: str) -> tuple[E1DeepPredictor, E3TrajectorySelector]:
    """The initial networks of a seed; leaves torch's own generator alone."""
    memory = ContextMemoryConfig(**profile_values(profile, "memory"))
    config = E1Config(sd016_enabled=True, memory=memory, **profile_values(profile, "e1"))
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        return E1DeepPredictor(config), E3TrajectorySelector()


def _cues(people: int, generator: torch.Generator) -> Tensor:
    """Four cues at right angles for each, of the length of a standard normal one: [N, 4, 32]."""
    drawn = torch.randn(people, 32, len(DECKS), generator=generator)
    cues: Tensor = torch.linalg.qr(drawn).Q.transpose(1, 2).contiguous() * 32**0.5
    return cues


def _copies(tensors: list[Tensor], people: int) -> list[Tensor]:
    """One of each for everybody, to be learned."""
    return [nn.Parameter(it.detach().expand(people, *it.shape).clone()) for it in tensors]


def _logits(head: list[Tensor], cues: Tensor) -> Tensor:
    """[N, M] of the cues [N, M, 32]."""
    w1, b1, w2, b2 = head
    hidden = torch.relu(torch.baddbmm(b1[:, None], cues, w1.mT))
    return torch.baddbmm(b2[:, None], hidden, w2.mT).squeeze(-1)


def _descend(head: list[Tensor], seen: Tensor, outcome: Tensor, learning_rate: float) -> None:
    """One step of everybody on the cross-entropy of what was seen [N, 1, 32] and came [N]."""
    logits = _logits(head, seen).squeeze(1)
    loss = functional.binary_cross_entropy_with_logits(logits, outcome, reduction="sum")
    slopes = torch.autograd.grad(loss, head)
    with torch.no_grad():
        for tensor, slope in zip(head, slopes, strict=True):
            tensor.sub_(slope, alpha=learning_rate)
