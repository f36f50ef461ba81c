"""The configuration of a ContextMemory."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from ..field_checks import Amount, Bounds, Count, Natural, Share, check_fields

Attention = Literal["dot", "cosine"]
SlotInit = Literal["normal", "orthogonal"]
WriteRule = Literal[
    "matched", "usage_balanced", "refractory", "usage_balanced+refractory", "argmin"
]
WriteContent = Literal["query", "gate", "projected"]

Config = TypeVar("Config")


@dataclass(frozen=True, slots=True)
class ContextMemoryConfig:
    """The bank of slots. The defaults are those of the profile `seed`.

    latent_dim: width of what is read and written, z_self and z_world side by side.
    attention: "dot" scores q k / sqrt(memory_dim); "cosine" scores memory_dim cos(q, k) / sqrt(..).
    slot_init: "normal" draws 0.01 N(0, 1), at which attention is all but flat; "orthogonal" draws
    unit slots at right angles.
    key_bias: of key_proj; only to replicate a memory that had one.
    beta: factor of the scores. update_steps: how often the query is replaced by the keys it calls
    up before the values are read. normalised_patterns: read slots as if of length 1.
    write_rule: "matched" takes the slot most like the query (or the content, if that is projected)
    if their cosine is above match_threshold, else the least used; "argmin" takes the one of the
    lowest query . slot; "usage_balanced" too, after usage_bias_weight x usage average x
    sqrt(memory_dim) is added; "refractory" too, but none of the last refractory_steps written;
    "usage_balanced+refractory" does both.
    write_content: sigmoid(write_gate x) times query_proj x ("query"), alone ("gate"), or times
    write_content x, one projection more ("projected").
    write_rate: share of the new in a slot written; allocation_rate: the same where "matched"
    takes a least used slot (1: it begins anew).
    """

    latent_dim: Count = 64
    memory_dim: Count = 128
    num_slots: Count = 16
    attention: Attention = "dot"
    slot_init: SlotInit = "normal"
    key_bias: bool = False
    beta: Amount = 1.0
    update_steps: Count = 1
    normalised_patterns: bool = False
    write_rule: WriteRule = "matched"
    write_content: WriteContent = "query"
    write_rate: Share = 0.1
    allocation_rate: Share = 1.0
    match_threshold: Annotated[float, Bounds(-1, 1)] = 0.5
    usage_bias_weight: Amount = 1.0
    usage_decay: Share = 0.99
    refractory_steps: Natural = 2

    def __post_init__(self) -> None:
        """Raises ValueError and TypeError naming the field."""
        check_fields(self)
        if self.slot_init == "orthogonal" and self.num_slots > self.memory_dim:
            raise ValueError(
                f"num_slots must be at most memory_dim ({self.memory_dim}) for orthogonal slots, "
                f"got {self.num_slots}"
            )

    @property
    def is_plain(self) -> bool:
        """Whether a read is the one softmax that the operators and the snapshots compute."""
        return self.beta == 1 and self.update_steps == 1 and not self.normalised_patterns

    @property
    def balances_usage(self) -> bool:
        """Whether a slot written often is written less."""
        return self.write_rule in ("usage_balanced", "usage_balanced+refractory")

    @property
    def is_refractory(self) -> bool:
        """Whether the slots written last are left out."""
        return self.write_rule in ("refractory", "usage_balanced+refractory")


def with_changes(config: Config | None, default: type[Config], changes: dict[str, Any]) -> Config:
    """`config` or the default one, with changed fields. Raises TypeError for an unknown field."""
    names = {field.name for field in dataclasses.fields(default)}  # type: ignore[arg-type]
    for name in changes:
        if name not in names:
            raise TypeError(f"option must be a field of {default.__name__}, got {name!r}")
    return dataclasses.replace(config or default(), **changes)  # type: ignore[type-var]
