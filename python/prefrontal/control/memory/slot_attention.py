"""How a query selects slots: scores, and weights from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..field_checks import Amount, Bounds, Count, check_fields

Selection = Literal["soft", "gumbel", "topk", "hard"]

_SHORTEST = 1e-12  # a query or key shorter than this counts as that long
_COLDEST = 1e-3
_FAR = 2**31


@dataclass(frozen=True, slots=True)
class SlotSelectionConfig:
    """How the cue chooses among the slots.

    selection: "soft" is the softmax; "gumbel" samples one slot in training; "topk" keeps the best k
    and brings their weights to a sum of 1; "hard" keeps the best one. The gradients of the last
    three are those of the softmax (straight through).
    k: of "topk", brought into 1..num_slots.
    tagger: a network on z_world tags the slots, in place of query and keys.
    tagger_hidden, tagger_temperature: its width, and what its tags are divided by (at least 1e-3).
    temperature_learnable: the temperature of the scores is exp(log_tau) + 1e-3, with
    log_tau = ln sqrt(memory_dim) at first.
    gumbel_first, gumbel_last, gumbel_steps: the temperature of the sampling falls in a line from
    the first to the last within so many calls in training; outside training nothing is drawn and
    the schedule stands still.
    """

    selection: Selection = "soft"
    k: Annotated[int, Bounds(-_FAR)] = 4
    tagger: bool = False
    tagger_hidden: Count = 32
    tagger_temperature: Amount = 1.0
    temperature_learnable: bool = False
    gumbel_first: Annotated[float, Bounds(_COLDEST)] = 1.0
    gumbel_last: Annotated[float, Bounds(_COLDEST)] = 0.1
    gumbel_steps: Count = 2000

    def __post_init__(self) -> None:
        """Raises ValueError and TypeError naming the field."""
        check_fields(self)
        if self.tagger and self.temperature_learnable:
            raise ValueError("temperature_learnable must be False with a tagger, got True")

    @property
    def is_plain(self) -> bool:
        """Whether the weights are the softmax of query and keys alone."""
        return self.selection == "soft" and not self.tagger


class SlotSelection:
    """Turns scores [B, slots] into weights [B, slots]; counts its calls in training."""

    def __init__(self, config: SlotSelectionConfig) -> None:
        self.config = config
        self.training_calls = 0

    @property
    def gumbel_temperature(self) -> float:
        """Of the next call in training."""
        config = self.config
        share = min(self.training_calls / config.gumbel_steps, 1.0)
        return config.gumbel_first + share * (config.gumbel_last - config.gumbel_first)

    def __call__(
        self, scores: Tensor, *, training: bool, generator: torch.Generator | None = None
    ) -> Tensor:
        """generator: of the noise of "gumbel"; None: torch's own."""
        if self.config.selection == "gumbel" and training:
            return self._sampled(scores, generator)
        weights = functional.softmax(scores, dim=-1)
        if self.config.selection == "soft":
            return weights
        most = self.config.k if self.config.selection == "topk" else 1
        return _kept(weights, min(max(most, 1), weights.shape[-1]))

    def _sampled(self, scores: Tensor, generator: torch.Generator | None) -> Tensor:
        temperature = self.gumbel_temperature
        self.training_calls += 1
        noise = torch.empty_like(scores).exponential_(generator=generator).log().neg()
        return _kept(functional.softmax((scores + noise) / temperature, dim=-1), 1)


def _kept(weights: Tensor, k: int) -> Tensor:
    """The k best weights, normalised; straight-through gradient of the weights."""
    best = weights.topk(k, dim=-1)
    chosen = torch.zeros_like(weights).scatter(-1, best.indices, best.values)
    chosen = chosen / chosen.sum(dim=-1, keepdim=True).clamp_min(_SHORTEST)
    return chosen.detach() + (weights - weights.detach())


def slot_scores(
    query: Tensor, keys: Tensor, *, cosine: bool = False, log_tau: Tensor | None = None
) -> Tensor:
    """q k / tau [B, slots] of queries [B, D] and keys [slots, D]; cosine: D cos(q, k) / tau."""
    width = query.shape[-1]
    if cosine:
        query, keys = unit(query) * width, unit(keys)
    scores = query @ keys.T
    return scores / (width**0.5 if log_tau is None else log_tau.exp() + _COLDEST)


def unit(rows: Tensor) -> Tensor:
    """Rows [N, D] normalised to length 1."""
    return functional.normalize(rows, dim=-1, eps=_SHORTEST)


def refined(query: Tensor, keys: Tensor, steps: int, beta: float, *, cosine: bool) -> Tensor:
    """The query, replaced steps - 1 times by the keys that it reads."""
    for _ in range(steps - 1):
        query = functional.softmax(beta * slot_scores(query, keys, cosine=cosine), dim=-1) @ keys
    return query


def tagger(world_dim: int, hidden: int, num_slots: int) -> nn.Sequential:
    """The network that tags the slots: z_world [B, world_dim] to scores [B, num_slots]."""
    return nn.Sequential(nn.Linear(world_dim, hidden), nn.ReLU(), nn.Linear(hidden, num_slots))


def attention_entropy(weights: Tensor) -> Tensor:
    """Mean over the rows of -sum w ln w, a scalar in nats; ln(slots) where attention is flat."""
    entropies: Tensor = -torch.special.xlogy(weights, weights).sum(dim=-1)
    return entropies.mean()


def context_divergence(weights: Tensor, dangerous: Tensor, weight: float) -> Tensor:
    """-weight times the distance, in the sum of sizes, of the mean weights in safety and danger.

    dangerous: bool [B]. Exactly 0 where weight is 0 or one of the two never occurs.
    """
    if weight == 0 or not bool(dangerous.any()) or bool(dangerous.all()):
        return weights.new_zeros(())
    apart = weights[~dangerous].mean(dim=0) - weights[dangerous].mean(dim=0)
    divergence: Tensor = -weight * apart.abs().sum()
    return divergence
