"""Diagnoses a control agent: failures that no loss and no error shows."""

from __future__ import annotations

import copy
import dataclasses
import math
import warnings
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..choice.e3_choice import TerrainOnWorldWarning
from ..memory.e1 import E1DeepPredictor
from ..rule.lateral_pfc import LateralPFCAnalog
from ..world.grid_world import CausalGridWorldV2
from .agent import ControlAgent
from .checkpoint import load
from .diagnosis_checks import (
    Symptom,
    action_symptom,
    bias_symptom,
    harm_symptom,
    label_symptoms,
    memory_symptoms,
    rule_symptom,
)

__all__ = ["Diagnosis", "Symptom", "diagnose"]

Subject = ControlAgent | E1DeepPredictor | LateralPFCAnalog | str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The checked symptoms. `print` it, or ask `healthy`."""

    profile: str
    symptoms: tuple[Symptom, ...]

    @property
    def healthy(self) -> bool:
        """Whether no symptom is wrong."""
        return not any(it.wrong for it in self.symptoms)

    def __str__(self) -> str:
        if not self.symptoms:
            return "nothing to look at: no cue path and no rule state is switched on"
        return "\n".join(map(str, self.symptoms))

    def to_json(self) -> dict[str, Any]:
        """Plain values; a number that is not finite becomes None."""
        symptoms = [dataclasses.asdict(it) for it in self.symptoms]
        for it in symptoms:
            if it["value"] is not None and not math.isfinite(it["value"]):
                it["value"] = None
        return {"profile": self.profile, "healthy": self.healthy, "symptoms": symptoms}


def diagnose(
    subject: Subject,
    *,
    z_world: Tensor | None = None,
    harm_obs: Tensor | None = None,
    world: str = "contrast14",
    steps: int = 500,
    seed: int = 0,
) -> Diagnosis:
    """Look for flat attention, labels that never change, slots alike, biases that do nothing, and a
    policy of one action.

    subject: an agent, the path of its checkpoint, an E1DeepPredictor or a LateralPFCAnalog; it
    stays unchanged. An agent takes `steps` random steps in the world preset `world`, then at most
    100 of its own; a module is
    given cues z_world [B, 32] (None: drawn from N(0, 1)), and E1 the harm observations [B, 51] of
    the same moments, without which nothing is said of labels. Raises ValueError for what is none
    of these and for steps below 2.
    """
    if isinstance(subject, str | PathLike):
        subject = load(subject)
    if steps < 2:
        raise ValueError(f"steps must be at least 2, got {steps!r}")
    generator = torch.Generator().manual_seed(seed)
    if isinstance(subject, ControlAgent):
        return _of_agent(subject, world, steps, seed, generator)
    if isinstance(subject, E1DeepPredictor):
        cues = (
            z_world if z_world is not None else _drawn(steps, subject.config.world_dim, generator)
        )
        return Diagnosis("unknown", tuple(_of_cue(copy.deepcopy(subject), cues, harm_obs)))
    if isinstance(subject, LateralPFCAnalog):
        inputs = z_world if z_world is not None else _drawn(32, subject.config.world_dim, generator)
        return Diagnosis("unknown", tuple(rule_symptom(copy.deepcopy(subject), inputs)))
    kind = type(subject).__name__
    raise ValueError(f"subject must be an agent, its checkpoint, E1 or a lateral PFC, got {kind}")


@torch.no_grad()
def _of_agent(
    agent: ControlAgent, world: str, steps: int, seed: int, generator: torch.Generator
) -> Diagnosis:
    own = copy.deepcopy(agent).eval()
    cues, harms, actions = _wandered(own, world, steps, seed)
    symptoms = _of_cue(own.e1, cues, harms)
    own.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TerrainOnWorldWarning)  # a symptom below
        own.act(actions, generator=generator)
    assert own.candidates is not None
    if own.cue_action_bias is not None:
        symptoms += [bias_symptom(own, seed), harm_symptom(own)]
    if own.lateral_pfc is not None:
        symptoms += rule_symptom(own.lateral_pfc, own.lateral_pfc.summarise(own.candidates))
    symptoms += action_symptom(_chosen(own, world, min(steps, 100), seed, generator))
    return Diagnosis(agent.config.profile, tuple(symptoms))


@torch.no_grad()
def _of_cue(e1: E1DeepPredictor, cues: Tensor, harms: Tensor | None) -> list[Symptom]:
    if not e1.config.sd016_enabled:
        return []
    symptoms = memory_symptoms(e1, cues)
    return symptoms if harms is None else symptoms + label_symptoms(e1, cues, harms)


def _wandered(
    agent: ControlAgent, world: str, steps: int, seed: int
) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """(cues [N, 32], harm observations [N, 51], the last observation) of random steps."""
    env = CausalGridWorldV2(agent.config.world(world))
    random = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    agent.reset()
    cues, harms = [], []
    for _ in range(steps):
        agent.sense(observation)
        assert agent.latent is not None
        cues.append(agent.latent.z_world)
        harms.append(torch.tensor(observation["harm"])[None])
        observation, _, terminated, truncated, _ = env.step(int(random.integers(5)))
        if terminated or truncated:
            observation, _ = env.reset()
            agent.reset()
    return torch.cat(cues), torch.cat(harms), observation


def _chosen(
    agent: ControlAgent, world: str, steps: int, seed: int, generator: torch.Generator
) -> list[int]:
    """The actions of E3's ticks while the agent acts by itself."""
    env = CausalGridWorldV2(agent.config.world(world))
    observation, _ = env.reset(seed=seed)
    agent.reset()
    chosen = []
    for _ in range(steps):
        choice = agent.act(observation, generator=generator)
        chosen += [] if choice.selection is None else [choice.action]
        observation, signal, terminated, truncated, _ = env.step(choice.action)
        agent.update_residue(signal)
        if terminated or truncated:
            observation, _ = env.reset()
            agent.reset()
    return chosen


def _drawn(rows: int, width: int, generator: torch.Generator) -> Tensor:
    return torch.randn(rows, width, generator=generator)
