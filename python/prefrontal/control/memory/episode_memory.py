"""EpisodeMemory: a ContextMemory in the place of a recurrent layer, with slots for each row."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from .context_memory import ContextMemory
from .context_memory_config import ContextMemoryConfig
from .slot_attention import unit


class SlotState(NamedTuple):
    """What an EpisodeMemory hands on: slots [B, num_slots, memory_dim], writes of each [B, ..]."""

    slots: Tensor
    counts: Tensor


class EpisodeMemory(nn.Module):
    """Reads and writes a context memory at every step of a sequence; called as nn.GRU, batch first.

    Each row of a batch begins with the slots of `bank.memory`. A step is read first, so that it
    sees what came before it, then written as ContextMemory.write does by the rule "matched":

        y_t = bank read of x_t over the row's slots
        slot <- slot + rate share_t (write_payload(x_t) - slot)
        share_t = sigmoid(write_share x_t) with gated_writes, else 1

    Gradients pass through what is written, over all steps; which slot is taken has none.
    """

    def __init__(
        self, config: ContextMemoryConfig | None = None, *, gated_writes: bool = True
    ) -> None:
        """config: of the bank. Raises ValueError where slots are not "matched" or not read once."""
        super().__init__()
        self.bank = ContextMemory(config)
        if self.bank.config.write_rule != "matched":
            raise ValueError(f"write_rule must be 'matched', got {self.bank.config.write_rule!r}")
        if not self.bank.config.is_plain:
            raise ValueError("beta, update_steps and normalised_patterns must be left as they are")
        self.write_share = nn.Linear(self.bank.config.latent_dim, 1) if gated_writes else None

    def initial(self, rows: int) -> SlotState:
        """The state in which an episode begins."""
        memory = self.bank.memory
        counts = torch.zeros(rows, len(memory), dtype=torch.int64, device=memory.device)
        return SlotState(memory.expand(rows, *memory.shape), counts)

    def forward(self, x: Tensor, state: SlotState | None = None) -> tuple[Tensor, SlotState]:
        """(reads [B, T, latent_dim], the state after them) of x [B, T, latent_dim].

        Raises ValueError for another shape.
        """
        wide = self.bank.config.latent_dim
        if x.dim() != 3 or x.shape[2] != wide:
            raise ValueError(f"x must be of shape [B, T, {wide}], got {list(x.shape)}")
        queries, contents = self.bank.query_proj(x), self.bank.write_payload(x)
        projected = self.bank.config.write_content == "projected"
        sought = unit((contents if projected else queries).detach()).unsqueeze(-1)
        shares = None if self.write_share is None else torch.sigmoid(self.write_share(x))
        slots, counts = self.initial(len(x)) if state is None else state
        before = []
        for t in range(x.shape[1]):
            before.append(slots)
            chosen, rate = self._chosen(sought[:, t], slots.detach(), counts)
            counts = counts + chosen
            rates = chosen * (rate if shares is None else rate * shares[:, t])
            slots = slots + rates.unsqueeze(-1) * (contents[:, t].unsqueeze(1) - slots)
        banks = torch.stack(before, 1) if before else slots.unsqueeze(1)[:, :0]
        return self._read(queries, banks), SlotState(slots, counts)

    def _chosen(self, sought: Tensor, slots: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """(which slot is written [B, slots], at which rate [B, 1]); sought: unit [B, D, 1]."""
        config = self.bank.config
        likeness = (unit(slots) @ sought).squeeze(-1)
        best = likeness.amax(-1, keepdim=True)
        matched = best > config.match_threshold
        index = torch.where(matched[:, 0], likeness.argmax(-1), counts.argmin(-1))
        rate = torch.where(matched, config.write_rate, config.allocation_rate).to(slots)
        chosen = index.unsqueeze(-1) == torch.arange(config.num_slots, device=index.device)
        return chosen, rate

    def _read(self, queries: Tensor, banks: Tensor) -> Tensor:
        """Reads [B, T, latent_dim] of queries [B, T, D] over banks [B, T, slots, D]."""
        keys, wide = self.bank.key_proj(banks), queries.shape[-1]
        scores = (keys @ queries.unsqueeze(-1)) / wide**0.5
        if self.bank.config.attention == "cosine":
            lengths = keys.norm(dim=-1, keepdim=True) * queries.norm(dim=-1)[..., None, None]
            scores = scores * wide / lengths.clamp_min(1e-12)
        contents = (scores.softmax(-2).mT @ banks).squeeze(-2)
        read: Tensor = self.bank.output_proj(self.bank.value_proj(contents))
        return read
