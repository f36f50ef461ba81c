"""GatedRule: the gated rule state in the place of a recurrent layer, its gates learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GatedRule(nn.Module):
    """Rules that inputs write through gates, at every step; called as nn.GRU, batch first.

        g_t = sigmoid(gate_proj x_t)                                one a rule
        rule_t = (1 - eta g_t) rule + eta g_t source_proj x_t

    LateralPFCAnalog's average, whose gate comes from outside and whose sources are never trained;
    here both learn. A shut gate holds a rule, so that what was written passes on as it is.
    """

    def __init__(self, width: int, rule_dim: int, *, rules: int = 1, eta: float = 1.0) -> None:
        """width: of an input. rules: how many, each of rule_dim numbers with a gate of its own.

        eta: the most that a step replaces, 0 to 1; LateralPFCAnalog's is 0.05.
        Raises ValueError for sizes below 1 and eta out of its range.
        """
        super().__init__()
        for name, size in (("width", width), ("rule_dim", rule_dim), ("rules", rules)):
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size!r}")
        if not 0 < eta <= 1:
            raise ValueError(f"eta must be above 0 and at most 1, got {eta!r}")
        self.rules, self.rule_dim, self.eta = rules, rule_dim, eta
        self.source_proj = nn.Linear(width, rules * rule_dim)
        self.gate_proj = nn.Linear(width, rules)

    def forward(self, x: Tensor, rule: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """(rules [B, T, rules * rule_dim], the last [B, rules * rule_dim]) of x [B, T, width].

        rule: to go on from; zeros without. Raises ValueError for another shape.
        """
        if x.dim() != 3 or x.shape[2] != self.source_proj.in_features:
            wide = self.source_proj.in_features
            raise ValueError(f"x must be of shape [B, T, {wide}], got {list(x.shape)}")
        sources = self.source_proj(x)
        steps = self.eta * torch.sigmoid(self.gate_proj(x))
        steps = steps.repeat_interleave(self.rule_dim, -1)
        rule = x.new_zeros(len(x), sources.shape[2]) if rule is None else rule
        rules = []
        for t in range(x.shape[1]):
            rule = rule + steps[:, t] * (sources[:, t] - rule)
            rules.append(rule)
        return (torch.stack(rules, 1) if rules else sources), rule
