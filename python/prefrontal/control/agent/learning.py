"""How an agent learns from its experience: a step of E1, E2, decoder and harm.

E1: prediction loss + lambda_terrain terrain loss + its auxiliary losses. E2: the error of the next
z_self, and of the next z_world if told. The latents are detached: encoders are not trained here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from ..memory.terrain_loss import terrain_loss
from .experience import Transitions

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from .agent import ControlAgent


@dataclass(frozen=True, slots=True)
class AgentLosses:
    """The losses of one step of learning; None where there was too little to learn from."""

    e1: float | None
    e2: float | None
    decoder: float | None
    harm: float | None


class AgentLearning:
    """The optimizers of an agent: Adam for each part that learns, with a rate of its own."""

    def __init__(self, agent: ControlAgent) -> None:
        config = agent.config.learning
        self._agent = agent
        self._like = _place(agent)
        agent.experience.to(agent.e3.residue_field.weights)
        agent.e1.experience.to(agent.e3.residue_field.weights)
        self._e1 = torch.optim.Adam(agent.e1.parameters(), lr=agent.config.e1.learning_rate)
        self._e2 = torch.optim.Adam(agent.e2.parameters(), lr=config.e2_learning_rate)
        decoder = agent.hippocampal.action_object_decoder.parameters()
        self._decoder = _optimizer(decoder, config.decoder_learning_rate)
        self._harm = _optimizer(_harm_parameters(agent), config.harm_learning_rate)

    def fits(self) -> bool:
        """Whether the agent still has the dtype and the device that the optimizers were made for.

        Otherwise they are to be made anew; what was experienced is taken along.
        """
        return self._like == _place(self._agent)

    def step(self, generator: torch.Generator | None = None) -> AgentLosses:
        """One step of each. E1's dropout is on for its own loss only."""
        agent, config = self._agent, self._agent.config.learning
        cues = agent.experience.cues(config.cue_batch, generator)
        training = agent.e1.training
        agent.e1.train()
        try:
            e1 = self._e1_loss(cues, generator)
        finally:
            agent.e1.train(training)
        rows = agent.experience.transitions(config.e2_batch, generator)
        return AgentLosses(
            _descend(e1, self._e1),
            self._taught(self._e2_loss, self._e2, rows),
            self._taught(self._decoder_loss, self._decoder, rows),
            self._taught(self._harm_loss, self._harm, rows),
        )

    def _taught(
        self,
        loss: Callable[[Transitions], Tensor],
        optimizer: Optimizer | None,
        rows: Transitions | None,
    ) -> float | None:
        return None if rows is None or optimizer is None else _descend(loss(rows), optimizer)

    def _e1_loss(
        self, cues: tuple[Tensor, Tensor] | None, generator: torch.Generator | None
    ) -> Tensor:
        """With learned contexts, their targets, and no auxiliary losses of the attention."""
        e1, contexts = self._agent.e1, self._agent.contexts
        if cues is None or contexts is None or contexts.known == 0:
            z_world, hazards = cues or (None, None)
            return e1.learning_loss(z_world, hazards, generator)
        terrain = e1.extract_cue_context(cues[0], generator)[1]
        wanted, reduction = contexts.targets(cues[0]), e1.config.terrain.reduction
        taught = terrain_loss(terrain, wanted, reduction=reduction)
        return e1.learning_loss(generator=generator) + e1.config.lambda_terrain * taught

    def _e2_loss(self, rows: Transitions) -> Tensor:
        e2, weight = self._agent.e2, self._agent.config.learning.e2_world_weight
        loss = e2.prediction_loss(rows.z_self, rows.action, rows.next_z_self)
        if weight > 0:
            foreseen = e2.world_forward(rows.z_world, rows.action)
            loss = loss + weight * mse_loss(foreseen, rows.next_z_world)
        return loss

    def _decoder_loss(self, rows: Transitions) -> Tensor:
        return self._agent.hippocampal.decoder_loss(rows.z_world, rows.action)

    def _harm_loss(self, rows: Transitions) -> Tensor:
        """How far E3 is from telling harm and benefit by where they came."""
        e3, forward = self._agent.e3, self._agent.harm_forward
        harm, benefit = (-rows.signal).clamp(0, 1), rows.signal.clamp(0, 1)
        loss = mse_loss(e3.harm_eval(rows.next_z_world), harm)
        if e3.config.benefit_enabled:
            loss = loss + mse_loss(e3.benefit_eval(rows.next_z_world), benefit)
            e3.record_benefit_samples(len(benefit))
        if rows.z_harm is not None and rows.next_z_harm is not None:
            loss = loss + mse_loss(e3.harm_eval_z_harm(rows.next_z_harm), harm)
            if forward is not None:
                loss = loss + forward.prediction_loss(rows.z_harm, rows.action, rows.next_z_harm)
        return loss


def _place(agent: ControlAgent) -> tuple[torch.dtype, torch.device]:
    weights = agent.e3.residue_field.weights
    return weights.dtype, weights.device


def _harm_parameters(agent: ControlAgent) -> list[nn.Parameter]:
    heads = [agent.e3.harm_eval_head, agent.e3.benefit_eval_head, agent.e3.harm_eval_z_harm_head]
    parts = [*heads, *([] if agent.harm_forward is None else [agent.harm_forward])]
    return [it for part in parts for it in part.parameters()]


def _optimizer(parameters: Iterable[nn.Parameter], rate: float) -> Optimizer | None:
    """Adam, or None at a rate of 0."""
    return torch.optim.Adam(parameters, lr=rate) if rate > 0 else None


def _descend(loss: Tensor, optimizer: Optimizer) -> float | None:
    """One step down; None for a loss that teaches nothing."""
    if not loss.requires_grad:
        return None
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.item()
