"""The task of X5: contexts, their outcomes, and states that show both."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..memory.context_memory import ContextMemory
from ..memory.context_memory_config import ContextMemoryConfig
from ..profiles import profile_values

PLACES = 5  # decimals of what is recorded: the last bits of float32 depend on where arrays lie
OUTCOME = 4  # numbers that come of a context
_SELF = _WORLD = 32
_STRENGTH = 2.0  # of an outcome in z_self
_CODED = 1024  # states that the decoder is made from


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """cues: z_world of each [N, 32]. outcomes: [N, 4]. appearance: of the outcomes in z_self
    [4, 32]. noise: standard deviation of each number of a presentation."""

    cues: Tensor
    outcomes: Tensor
    appearance: Tensor
    noise: float

    def present(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """States [B, 64] that show the contexts `which` [B] and their outcomes."""
        felt = self.outcomes[which] @ self.appearance
        return self._noisy(torch.cat([felt, self.cues[which]], dim=1), generator)

    def ask(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """States [B, 64] of the cues alone: z_self is 0."""
        states = self._noisy(torch.cat([self.cues[which] * 0, self.cues[which]], 1), generator)
        states[:, :_SELF] = 0
        return states

    def _noisy(self, states: Tensor, generator: torch.Generator) -> Tensor:
        return states + self.noise * torch.randn(states.shape, generator=generator)


def contexts(count: int, noise: float, generator: torch.Generator) -> Contexts:
    """Random ones, standard normal."""
    cues = torch.randn(count, _WORLD, generator=generator)
    outcomes = torch.randn(count, OUTCOME, generator=generator)
    appearance = torch.linalg.qr(torch.randn(_SELF, OUTCOME, generator=generator)).Q.T
    return Contexts(cues, outcomes, _STRENGTH * appearance, noise)


def bank(seed: int, profile: str | None, *, keys_as_drawn: bool = False) -> ContextMemory:
    """An untrained memory; profile None: with the rule and content of the reference.

    Its keys are the slots themselves, which is what the write rule compares with; through keys as
    drawn, a rotation at random, a query does not find what it was written with.
    """
    if profile is None:
        config = ContextMemoryConfig(write_rule="argmin", write_content="gate")
    else:
        config = ContextMemoryConfig(**profile_values(profile, "memory"))
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        memory = ContextMemory(config).requires_grad_(False)
    if not keys_as_drawn:
        memory.key_proj.weight.copy_(torch.eye(config.memory_dim))
    return memory


def write_all(memory: ContextMemory, states: Tensor) -> Tensor:
    """Write each state [N, 64] by itself: the slots [N]."""
    return torch.tensor([memory.write(it[None]) for it in states])


def decoder(memory: ContextMemory, known: Contexts, generator: torch.Generator) -> Tensor:
    """How outcomes are read off what the memory gives back: [65, 4] doubles, by least squares.

    It is made from the payloads of states of other contexts, none of which is written or asked
    for: it knows the code, not the answers.
    """
    outcomes = torch.randn(_CODED, OUTCOME, generator=generator)
    others = torch.randn(_CODED, _WORLD, generator=generator)
    payload = memory.write_payload(torch.cat([outcomes @ known.appearance, others], dim=1))
    code = memory.output_proj(memory.value_proj(payload)).double()
    solution: Tensor = torch.linalg.lstsq(_with_one(code), outcomes.double()).solution
    return solution


def decoded(memory: ContextMemory, states: Tensor, code: Tensor) -> Tensor:
    """The outcomes [B, 4] that states [B, 64] call up, in double."""
    return _with_one(memory.read(states).double()) @ code


def mean_cosine(memory: ContextMemory) -> float:
    """Mean |cos| of two different slots."""
    rows = torch.nn.functional.normalize(memory.memory, dim=1)
    sizes, n = (rows @ rows.T).abs(), len(rows)
    return round(float((sizes.sum() - sizes.diagonal().sum()) / (n * (n - 1))), PLACES)


def _with_one(rows: Tensor) -> Tensor:
    return torch.cat([rows, rows.new_ones(len(rows), 1)], dim=1)
