"""The task of X9: a cue says which of two kinds to approach, and is gone when the choice comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, normalize

from ..seeded_layers import seeded_linear

RAW, LATENT, KINDS = 40, 32, 2


class Encoder(nn.Module):
    """Observations [.., 40] to latents of length 1 [.., 32], and back for its own training.

    Latents several times as long drive the bias into its bound, where the head stops learning:
    seed 0 then stays at chance under one of the two rules.
    """

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        there = (seeded_linear(RAW, 64, generator=generator), nn.ReLU())
        self.encoder = nn.Sequential(*there, seeded_linear(64, LATENT, generator=generator))
        back = (seeded_linear(LATENT, 64, generator=generator), nn.ReLU())
        self.decoder = nn.Sequential(*back, seeded_linear(64, RAW, generator=generator))

    def forward(self, raw: Tensor) -> Tensor:
        unit: Tensor = normalize(self.encoder(raw), dim=-1)
        return unit

    def learn(self, batches: Iterator[Tensor], learning_rate: float = 3e-3) -> float:
        """Train to give back what was observed, without labels; the last loss."""
        optimizer = torch.optim.Adam(self.parameters(), lr=learning_rate)
        loss = torch.tensor(float("nan"))
        for raw in batches:
            loss = mse_loss(self.decoder(self(raw)), raw)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """One trial of N subjects. cue, distractors, before, candidates: observations [N, 40],
    [N, T, 40], [N, 40] and [N, 2, 40]; right [N]: the place of the candidate that the cue means;
    scores [N, 2]: what else speaks for them, lower is better."""

    cue: Tensor
    distractors: Tensor
    before: Tensor
    candidates: Tensor
    right: Tensor
    scores: Tensor


class RuleTask:
    """Two cues, two kinds of stimuli of many shapes each, and pairs of one of either kind.

    A stimulus is its kind's pattern, plus its own shape, plus noise; shapes 0 to `shapes` - 1 are
    for training, the next as many are novel. Distractors are stimuli of any kind.
    """

    def __init__(self, generator: torch.Generator, *, shapes: int = 24) -> None:
        self.generator = generator
        self.shapes = shapes
        self._cues: Tensor = 1.5 * self._normal(KINDS, RAW)
        patterns = self._normal(KINDS, RAW)
        self._kinds: Tensor = 2 * patterns / patterns.norm(dim=1, keepdim=True)
        self._shapes: Tensor = 0.8 * self._normal(2 * shapes, RAW)

    def cues(self, rules: Tensor) -> Tensor:
        """The cue of each rule (0 or 1), with noise: [.., 40]."""
        return self._cues[rules] + 0.1 * self._normal(*rules.shape, RAW)

    def stimuli(self, kinds: Tensor, *, novel: bool = False) -> Tensor:
        """A stimulus of each kind (0 or 1), of any shape, with noise: [.., 40]."""
        shape = self._whole(self.shapes, kinds.shape) + (self.shapes if novel else 0)
        noise = 0.1 * self._normal(*kinds.shape, RAW)
        return self._kinds[kinds] + self._shapes[shape] + noise

    def any_kinds(self, *shape: int) -> Tensor:
        """Kinds, or rules, at random."""
        return self._whole(KINDS, shape)

    def trial(self, rules: Tensor, *, novel: bool = False, delay: int = 20) -> RuleTrial:
        """A trial of each subject under its rule [N], with as many distractors as the delay."""
        subjects = len(rules)
        first = self.any_kinds(subjects)
        pairs = torch.stack([first, 1 - first], dim=1)
        return RuleTrial(
            self.cues(rules),
            self.stimuli(self.any_kinds(subjects, delay)),
            self.stimuli(self.any_kinds(subjects)),
            self.stimuli(pairs, novel=novel),
            (pairs[:, 1] == rules).long(),
            0.02 * self._normal(subjects, KINDS),
        )

    def _normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.generator)

    def _whole(self, below: int, shape: tuple[int, ...] | torch.Size) -> Tensor:
        numbers: Tensor = torch.randint(below, tuple(shape), generator=self.generator)
        return numbers
