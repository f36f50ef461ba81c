"""The configuration of a LateralPFCAnalog; the defaults are those of the profile `seed`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..choice.trajectory import Summary
from ..field_checks import Bounds, Count, Positive, Share, check_fields

__all__ = ["BiasBound", "BiasForm", "BiasHead", "LateralPFCConfig", "Persistence", "UpdateClock"]

BiasForm = Literal["per_candidate", "uniform", "gain"]
BiasHead = Literal["frozen_zero", "frozen_random", "trained"]
BiasBound = Literal["clamp", "tanh"]
Persistence = Literal["ema", "gru", "gru_gate_input", "synaptic_hold"]
UpdateClock = Literal["e3", "step"]


@dataclass(frozen=True, slots=True)
class LateralPFCConfig:
    """The rule state, how it is written and held, and how it biases a choice.

    use_lateral_pfc_analog: off, the module holds no parameter and biases nothing.
    rule_dim, delta_dim, world_dim, hidden_dim: widths of the rule, of z_delta, of z_world (and of
    a candidate's summary) and of the head.
    update_eta: share of the source blended in at an open gate (0 to 1); its inverse is the time
    constant in ticks. world_pool_weight: of z_world in the source.
    bias_scale: the largest bias, either way. bias_bound: how it is kept: "clamp", whose gradient is
    0 at the bound, or bias_scale tanh(raw / bias_scale).
    bias_form: "per_candidate"; "uniform", one bias for all candidates, from the rule alone, which
    never changes the best; "gain", 1 + the bias as a factor of the scores.
    head: "frozen_zero" gives exactly 0 until it is trained deliberately; "frozen_random" is as
    torch draws it; "trained" begins at a quarter of that and is meant for RuleTraining.
    persistence: what holds the rule: see rule_persistence.
    centre_summaries: take the mean over the candidates off their summaries, from two on.
    candidate_summary: which world state stands for a candidate. update_clock: whether the agent
    updates the rule at each tick of E3 or at each step.
    override_gain: of an override of 1: eta gate (1 + override_gain override), at most 1.
    tau_activity, tau_trace: of the synaptic hold, in ticks.
    environments: None keeps one rule and takes the mean over the rows of a batch; N keeps one for
    each of N environments.
    persistent_rule_state: whether the rule is in the state_dict.
    """

    use_lateral_pfc_analog: bool = False
    rule_dim: Count = 16
    update_eta: Share = 0.05
    world_pool_weight: float = 0.5
    bias_scale: Positive = 0.1
    hidden_dim: Count = 32
    delta_dim: Count = 32
    world_dim: Count = 32
    bias_form: BiasForm = "per_candidate"
    head: BiasHead = "frozen_zero"
    persistence: Persistence = "ema"
    bias_bound: BiasBound = "clamp"
    centre_summaries: bool = False
    candidate_summary: Summary = "t0"
    update_clock: UpdateClock = "e3"
    override_gain: Annotated[float, Bounds(0, 1000000)] = 0.0
    tau_activity: Annotated[float, Bounds(1, 1000000000)] = 3.0
    tau_trace: Annotated[float, Bounds(1, 1000000000)] = 500.0
    environments: Count | None = None
    persistent_rule_state: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError or TypeError, naming the field."""
        check_fields(self)
        largest = self.update_eta * (1 + self.override_gain)
        if largest > 1 + 1e-9:
            raise ValueError(f"update_eta * (1 + override_gain) must be at most 1, got {largest:g}")
