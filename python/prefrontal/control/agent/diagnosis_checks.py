"""The checks of a diagnosis: each measures one value and says whether and why it is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..memory.slot_attention import attention_entropy
from ..memory.terrain_loss import TerrainTargets, hazard_in_view

if TYPE_CHECKING:
    from ..memory.e1 import E1DeepPredictor
    from ..rule.lateral_pfc import LateralPFCAnalog
    from .agent import ControlAgent

FLAT = 0.98
"""Entropy of the attention, as a share of ln(slots), above which the slots count as indistinct."""
LEAST_DEPTH = 0.1
LEAST_SHARE, MOST_SHARE = 0.25, 0.75
"""Of the steps with a label; outside, the label is all but constant."""
FEWEST_SLOTS = 3
SEEN_SHARE = 0.01
ALIKE = 0.9
ONE_ACTION = 0.95
FEWEST_CHOICES = 8
NOTHING = 1e-6


@dataclass(frozen=True, slots=True)
class Symptom:
    """One check. value: the measurement; meaning: its interpretation, or why it is wrong."""

    name: str
    value: float | None
    wrong: bool
    meaning: str

    def __str__(self) -> str:
        value = "" if self.value is None else f" {self.value:.4g}"
        return f"{'WRONG' if self.wrong else 'well '}  {self.name}{value}: {self.meaning}"


def action_symptom(actions: Sequence[int]) -> list[Symptom]:
    """Whether the agent chooses one action all the time; nothing for too few choices."""
    if len(actions) < FEWEST_CHOICES:
        return []
    share = max(actions.count(it) for it in set(actions)) / len(actions)
    why = f"share of the most frequent action in {len(actions)} choices; 1 is no policy at all"
    return [Symptom("one action", share, share > ONE_ACTION, why)]


def memory_symptoms(e1: E1DeepPredictor, cues: Tensor) -> list[Symptom]:
    """Whether cues [B, 32] call up different slots, and whether the slots differ."""
    weights = e1.select_slots(cues)
    slots = weights.shape[1]
    entropy, flat = float(attention_entropy(weights)), math.log(slots)
    picked = torch.bincount(weights.argmax(dim=1), minlength=slots).double() / len(weights)
    used = int((picked >= SEEN_SHARE).sum())
    unit = normalize(e1.context_memory.memory.detach(), dim=1)
    alike = (unit @ unit.T).abs()
    likeness = float((alike.sum() - alike.trace()) / (slots * (slots - 1)))
    return [
        Symptom(
            "attention entropy", entropy, entropy > FLAT * flat,
            f"ln {slots} = {flat:.4f} would be none: each cue reads the mean of the slots",
        ),
        Symptom(
            "slots in use", float(used), used < FEWEST_SLOTS,
            f"of {slots} slots, those that one cue in a hundred or more attends to most",
        ),
        Symptom(
            "likeness of slots", likeness, likeness > ALIKE,
            "mean |cos| between slots; near 1 they hold the same, as repeated writes can make them",
        ),
    ]  # fmt: skip


def label_symptoms(e1: E1DeepPredictor, cues: Tensor, harms: Tensor) -> list[Symptom]:
    """Whether the terrain's labels vary over harms [B, 51], and the weights with the hazard."""
    targets = TerrainTargets(e1.config.terrain)
    targets.observe(harms)
    dangerous, safe = targets.balance()
    symptoms = [
        Symptom(
            f"label {name}", share, not LEAST_SHARE <= share <= MOST_SHARE,
            "share of steps that bear it; near 0 or 1 the terrain loss teaches a constant",
        )
        for name, share in (("dangerous", dangerous), ("safe", safe))
    ]  # fmt: skip
    hazard = hazard_in_view(harms)
    high = hazard > hazard.median()
    if bool(high.any()) and not bool(high.all()):
        w_harm = e1.extract_cue_context(cues)[1][:, 0]
        depth = float(w_harm[high].mean() - w_harm[~high].mean())
        symptoms.append(
            Symptom(
                "modulation depth", depth, depth < LEAST_DEPTH,
                "w_harm where more hazard than usual is in view, less w_harm elsewhere",
            )
        )  # fmt: skip
    return symptoms


def bias_symptom(agent: ControlAgent, seed: int) -> Symptom:
    """Whether the action bias of the cue reaches the proposals: same noise, with it and without."""
    z_world, z_self = agent.theta_buffer.summary()
    actions = [
        agent.hippocampal.propose(
            z_self, z_world, agent.e1_prior, action_bias=bias,
            generator=torch.Generator().manual_seed(seed),
        ).actions
        for bias in (agent.cue_action_bias, None)
    ]  # fmt: skip
    moved = float((actions[0] - actions[1]).abs().mean())
    scored = agent.config.e3.affordance_mode != "proposal"
    iterations = agent.config.hippocampal.num_cem_iterations
    why = "mean change of the proposed actions by the cue's action bias"
    if iterations == 1:
        why += "; with a single iteration there is none"
    return Symptom("reach of the action bias", moved, moved <= NOTHING and not scored, why)


def harm_symptom(agent: ControlAgent) -> Symptom:
    """Whether the harm that the terrain weighs comes from the harm stream."""
    felt = agent.harm_forward is not None
    why = "of the harm stream" if felt else "read off z_world, which mixes harm with all there is"
    return Symptom("harm that the terrain weighs", None, not felt, why)


def rule_symptom(pfc: LateralPFCAnalog, summaries: Tensor) -> list[Symptom]:
    """Whether the rule's bias differs between candidates with summaries [K, 32]."""
    if not pfc.enabled:
        return []
    bias = pfc.compute_bias(summaries).detach()
    spread = float(bias.max() - bias.min())
    config = pfc.config
    if config.bias_form == "uniform":
        why = "the uniform form is the same for all candidates"
    elif config.head == "frozen_zero" and not bool(bias.any()):
        why = "the head is frozen at zero: the rule has no say until it is trained"
    elif config.candidate_summary == "t0":
        why = "the summary t0 is the present state, the same for all candidates"
    else:
        why = "largest less smallest bias among the candidates"
    return [Symptom("spread of the rule's bias", spread, spread <= NOTHING, why)]
