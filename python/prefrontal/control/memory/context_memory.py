"""ContextMemory: sixteen slots, read by attention and written by experience."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from ..layers import is_plain_linear
from ..ops.cue import MemoryWeights, context_read
from .context_memory_config import ContextMemoryConfig, with_changes
from .slot_attention import refined, slot_scores, unit
from .slot_writing import SlotUse, choose_slot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REMEMBERED = 16  # of the slots written last
_UNWRITTEN = {"slot_write_counts": 0, "recent_slots": -1}
_INITIAL_SCALE = 0.01


class ContextMemory(nn.Module):
    """A bank of slots read by attention; with the default sizes 59,840 parameters.

        q = query_proj x, k = key_proj memory, v = value_proj memory
        w = softmax(q k / sqrt(D)), y = output_proj (w v)

    A read changes nothing, does not depend on the order of the slots, and lies in the affine hull
    of the slots' own outputs. A write changes one slot, without gradients, in place: write before
    the forward pass whose gradient is wanted, else autograd refuses the backward pass. So no loss
    on a read reaches `write_gate` (or `write_content`); one on `write_payload` does.
    The state_dict holds the write history, so that a loaded memory writes where the saved one
    would. A layer with hooks, a wrapper or a quantised form in its place is called as it is.
    """

    slot_write_counts: Tensor
    recent_slots: Tensor
    write_usage_ema: Tensor

    def __init__(self, config: ContextMemoryConfig | None = None, **changes: Any) -> None:
        """config, changes: see ContextMemoryConfig. Raises ValueError and TypeError."""
        super().__init__()
        self.config = config = with_changes(config, ContextMemoryConfig, changes)
        self.memory = nn.Parameter(_slots(config))
        self.query_proj = nn.Linear(config.latent_dim, config.memory_dim)
        self.key_proj = nn.Linear(config.memory_dim, config.memory_dim, bias=config.key_bias)
        self.value_proj = nn.Linear(config.memory_dim, config.memory_dim)
        self.output_proj = nn.Linear(config.memory_dim, config.latent_dim)
        self.write_gate = nn.Linear(config.latent_dim, config.memory_dim)
        if config.write_content == "projected":
            self.write_content = nn.Linear(config.latent_dim, config.memory_dim, bias=False)
        counts = torch.zeros(config.num_slots, dtype=torch.int64)
        self.register_buffer("slot_write_counts", counts)
        self.register_buffer("recent_slots", torch.full((REMEMBERED,), -1))
        if config.balances_usage:
            self.register_buffer("write_usage_ema", torch.zeros(config.num_slots))

    # --- reading ----------------------------------------------------------------------------------

    def read(self, x: Tensor) -> Tensor:
        """The read [B, latent_dim] of x [B, latent_dim]. Raises ValueError for another shape."""
        if self.config.is_plain:
            return self.attend(self._checked(x), self.query_proj)[0]
        return self.read_with(self._refined_weights(self.query_proj(self._checked(x))))

    forward = read

    def read_weights(self, x: Tensor) -> Tensor:
        """How much each slot is attended to, [B, num_slots]; a row sums to 1. Differentiable."""
        if self.config.is_plain:
            return self.attend(self._checked(x), self.query_proj)[1]
        return self._refined_weights(self.query_proj(self._checked(x)))

    def scores(self, query: Tensor, log_tau: Tensor | None = None) -> Tensor:
        """Of each slot, [B, num_slots], before the softmax, for a query [B, memory_dim].

        log_tau: [1]; the temperature is then exp(log_tau) + 1e-3 in place of sqrt(memory_dim).
        """
        config, keys = self.config, self.key_proj(self.patterns)
        cosine = config.attention == "cosine"
        query = refined(query, keys, config.update_steps, config.beta, cosine=cosine)
        return config.beta * slot_scores(query, keys, cosine=cosine, log_tau=log_tau)

    def read_with(self, weights: Tensor) -> Tensor:
        """The read [B, latent_dim] with weights [B, num_slots] over the slots."""
        read: Tensor = self.output_proj(weights @ self.value_proj(self.patterns))
        return read

    @property
    def patterns(self) -> Tensor:
        """The slots as they are read, [num_slots, memory_dim]."""
        return unit(self.memory) if self.config.normalised_patterns else self.memory

    def attend(
        self, x: Tensor, query: nn.Linear, log_tau: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """(read [B, latent_dim], weights [B, num_slots]) of x [B, n] seen through a query layer.

        The softmax alone: beta, update_steps and normalised_patterns do not enter.
        """
        cosine = self.config.attention == "cosine"
        if self.has_plain_layers(query):
            return context_read(x, self.weights_with(query, log_tau), cosine=cosine)
        keys = self.key_proj(self.memory)
        weights = slot_scores(query(x), keys, cosine=cosine, log_tau=log_tau).softmax(dim=-1)
        return self.read_with(weights), weights

    def has_plain_layers(self, query: nn.Module) -> bool:
        """Whether a read through this query layer is its layers' weights and biases alone."""
        layers = (query, self.key_proj, self.value_proj, self.output_proj)
        return all(map(is_plain_linear, layers))

    def weights_with(self, query: nn.Linear, log_tau: Tensor | None = None) -> MemoryWeights:
        """The parameters of a read through a query layer."""
        return MemoryWeights(
            slots=self.memory,
            query_weight=query.weight,
            query_bias=query.bias,
            key_weight=self.key_proj.weight,
            value_weight=self.value_proj.weight,
            value_bias=self.value_proj.bias,
            output_weight=self.output_proj.weight,
            output_bias=self.output_proj.bias,
            key_bias=self.key_proj.bias,
            log_tau=log_tau,
        )

    def _refined_weights(self, query: Tensor) -> Tensor:
        return self.scores(query).softmax(dim=-1)

    def _checked(self, x: Tensor) -> Tensor:
        if x.dim() != 2 or x.shape[1] != self.config.latent_dim:
            raise ValueError(
                f"x must be of shape [B, {self.config.latent_dim}], got {list(x.shape)}"
            )
        return x

    # --- writing ----------------------------------------------------------------------------------

    @torch.no_grad()
    def write(self, state: Tensor) -> int:
        """Blend the mean content of state [B, latent_dim], B >= 1, into one slot; its index.

        Raises ValueError for another shape and, changing nothing, for a state not finite.
        """
        if self._checked(state).shape[0] == 0:
            raise ValueError("state must have at least one row, got none")
        content = self.write_payload(state).mean(dim=0)
        if not bool(content.isfinite().all()):
            raise ValueError("state must be finite, got NaN or infinity")
        use = SlotUse(self.slot_write_counts, self._usage(), self.recent_writes)
        chosen = choose_slot(self._sought(state, content), self.memory, use, self.config)
        rate = self.config.allocation_rate if chosen.fresh else self.config.write_rate
        self.memory[chosen.index].mul_(1 - rate).add_(content, alpha=rate)
        self._count(chosen.index)
        return chosen.index

    def write_payload(self, state: Tensor) -> Tensor:
        """The content [B, memory_dim] that each row of state [B, latent_dim] would write."""
        gate = torch.sigmoid(self.write_gate(state))
        if self.config.write_content == "gate":
            return gate
        projection = self.query_proj if self.config.write_content == "query" else self.write_content
        payload: Tensor = gate * projection(state)
        return payload

    def _sought(self, state: Tensor, content: Tensor) -> Tensor:
        """What the slots are compared with: the mean query, or, where slots are matched that hold
        projected contents, which no query is like, the content itself."""
        config = self.config
        if config.write_rule == "matched" and config.write_content == "projected":
            return content
        mean: Tensor = self.query_proj(state).mean(dim=0)
        return mean

    @property
    def recent_writes(self) -> list[int]:
        """The slots written last, at most 16, the latest last."""
        return [slot for slot in self.recent_slots.tolist() if slot >= 0]

    @property
    def last_write_index(self) -> int | None:
        """The slot written last."""
        slot = int(self.recent_slots[-1])
        return slot if slot >= 0 else None

    @property
    def occupancy(self) -> int:
        """How many slots have been written since the memory was made."""
        return int((self.slot_write_counts > 0).sum())

    def _usage(self) -> Tensor | None:
        return self.write_usage_ema if self.config.balances_usage else None

    def restore_writes(self, counts: Tensor, recent: Sequence[int]) -> None:
        """Take over a write history: writes of each slot, and the slots written last."""
        latest = [-1] * REMEMBERED + [int(slot) for slot in recent]
        self.slot_write_counts.copy_(counts)
        self.recent_slots.copy_(torch.tensor(latest[-REMEMBERED:]))

    def _count(self, slot: int) -> None:
        self.slot_write_counts[slot] += 1
        self.recent_slots.copy_(self.recent_slots.roll(-1))
        self.recent_slots[-1] = slot
        usage = self._usage()
        if usage is not None:
            usage.mul_(self.config.usage_decay)
            usage[slot] += 1 - self.config.usage_decay

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *others: Any, **more: Any
    ) -> None:
        """A state_dict without a write history is that of a memory that was never written."""
        for name, nothing in _UNWRITTEN.items():
            empty = torch.full_like(getattr(self, name), nothing)
            state_dict.setdefault(prefix + name, empty)
        super()._load_from_state_dict(state_dict, prefix, *others, **more)

    # --- the bank as a whole ----------------------------------------------------------------------

    def diversification_loss(self) -> Tensor:
        """The mean of cos(slot, other slot)^2, a scalar: 0 for slots at right angles, at most 1."""
        rows = unit(self.memory)
        n = rows.shape[0]
        if n < 2:
            return self.memory.sum() * 0
        squares = (rows @ rows.T).square()
        return (squares.sum() - squares.diagonal().sum()) / (n * (n - 1))

    @torch.no_grad()
    def homeostasis(self, decay: float = 0.85) -> None:
        """Shrink each slot's deviation from the mean slot to `decay` of itself."""
        if not 0 <= decay <= 1:
            raise ValueError(f"decay must be between 0 and 1, got {decay!r}")
        mean = self.memory.mean(dim=0)
        self.memory.sub_(mean).mul_(decay).add_(mean)

    def snapshot(self) -> Mapping[str, NDArray[np.float32]]:
        """The parameters that `prefrontal._core.control.ContextReader` takes, copied."""
        left_out = ("write_gate.", "write_content.")
        return {
            name: value.detach().to("cpu", torch.float32).numpy().copy()
            for name, value in self.named_parameters()
            if not name.startswith(left_out)
        }


def _slots(config: ContextMemoryConfig) -> Tensor:
    if config.slot_init == "normal":
        return _INITIAL_SCALE * torch.randn(config.num_slots, config.memory_dim)
    return nn.init.orthogonal_(torch.empty(config.num_slots, config.memory_dim))
