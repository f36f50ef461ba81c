"""Holds a rule between updates: gated average, recurrent cell, or synaptic hold.

    ema             rule <- (1 - step) rule + step source,             step = eta gate
    gru             rule <- (1 - gate) rule + gate GRU([source, gate], rule)
    gru_gate_input  rule <- GRU([source, gate], rule)
    synaptic_hold   activity <- (1 - 1 / tau_activity) activity + gate source
                    rule <- rule + step (activity - rule) - rule / tau_trace

All are pure functions of tensors with gradients, so that a recurrent cell can be trained through
time; LateralPFCAnalog itself calls them without a graph. rule, activity and source are [N, R];
gate and step are numbers, or [N, 1] for one each. A shut gate holds the rule of `ema` and `gru` to
the bit; `gru_gate_input` goes on moving, and the trace of `synaptic_hold` fades over tau_trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..seeded_layers import seeded_gru_cell

if TYPE_CHECKING:
    from .lateral_pfc_config import LateralPFCConfig

__all__ = ["RulePersistence", "averaged", "held_in_synapses"]

Amount = float | Tensor


class RulePersistence(nn.Module):
    """The configured way of holding a rule. Only the recurrent ones have weights.

    `cell` is a GRUCell from [source, gate] (R + 1) to the rule (R), or None.
    """

    def __init__(
        self, config: LateralPFCConfig, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.kind = config.persistence
        self.tau_activity, self.tau_trace = config.tau_activity, config.tau_trace
        width, recurrent = config.rule_dim, self.kind in ("gru", "gru_gate_input")
        self.cell = seeded_gru_cell(width + 1, width, generator=generator) if recurrent else None

    @property
    def holds_activity(self) -> bool:
        """Whether there is an activity beside the rule."""
        return self.kind == "synaptic_hold"

    def forward(
        self,
        rule: Tensor,
        source: Tensor,
        gate: Amount,
        step: Amount,
        activity: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """The rule one tick later, and the activity where there is one.

        gate: 0 to 1. step: eta gate, with its override. activity: None: at rest.
        """
        if self.kind == "synaptic_hold":
            resting = torch.zeros_like(rule) if activity is None else activity
            times = (self.tau_activity, self.tau_trace)
            return held_in_synapses(rule, resting, source, gate, step, *times)
        if self.cell is None:
            return averaged(rule, source, step), activity
        column = gate if isinstance(gate, Tensor) else rule.new_full((len(rule), 1), gate)
        inputs = torch.cat([source.expand_as(rule), column.expand(len(rule), 1)], 1)
        candidate = self.cell(inputs, rule)
        if self.kind == "gru_gate_input":
            return candidate, activity
        return averaged(rule, candidate, gate), activity


def averaged(rule: Tensor, source: Tensor, step: Amount) -> Tensor:
    """(1 - step) rule + step source; where step is 0, the rule to the bit."""
    if isinstance(step, Tensor):
        return torch.where(step == 0, rule, (1 - step) * rule + step * source)
    return rule.clone() if step == 0 else (1 - step) * rule + step * source


def held_in_synapses(
    rule: Tensor,
    activity: Tensor,
    source: Tensor,
    gate: Amount,
    step: Amount,
    tau_activity: float,
    tau_trace: float,
) -> tuple[Tensor, Tensor]:
    """The trace, which is the rule, and the activity that writes it, one tick later.

    The trace is read out while the activity is at rest (activity-silent), and fades with a
    half-life of ln 0.5 / ln(1 - 1 / tau_trace), 346 ticks at 500, at any gate.
    """
    active = (1 - 1 / tau_activity) * activity + averaged(torch.zeros_like(rule), source, gate)
    written = averaged(torch.zeros_like(rule), active - rule, step)
    return rule + written - rule / tau_trace, active
