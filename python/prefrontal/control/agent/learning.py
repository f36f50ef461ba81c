"""How an agent learns from its experience: a step of E1, E2, decoder and harm.

E1: prediction loss + lambda_terrain terrain loss + its auxiliary losses. E2: the error of the next
z_self, and of the next z_world if configured. Latents are detached: encoders are not trained here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from ..memory.terrain_loss import terrain_loss

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from ..choice.e2 import E2FastPredictor
    from ..choice.e3 import E3TrajectorySelector
    from ..choice.harm_forward import ResidualHarmForward
    from ..choice.hippocampal import HippocampalModule
    from ..memory.context_clusters import ContextClusters
    from ..memory.e1 import E1DeepPredictor
    from .control_config import ControlConfig
    from .experience import AgentExperience, Transitions


@dataclass(frozen=True, slots=True)
class AgentLosses:
    """The losses of one step of learning; None where there was too little to learn from."""

    e1: float | None
    e2: float | None
    decoder: float | None
    harm: float | None


class AgentLearning:
    """The parts of an agent that learn, and Adam for each, with a rate of its own."""

    def __init__(
        self,
        config: ControlConfig,
        experience: AgentExperience,
        contexts: ContextClusters | None,
        *,
        e1: E1DeepPredictor,
        e2: E2FastPredictor,
        e3: E3TrajectorySelector,
        hippocampal: HippocampalModule,
        harm_forward: ResidualHarmForward | None,
    ) -> None:
        self._config = config.learning
        self._experience, self._contexts = experience, contexts
        self._e1, self._e2, self._e3 = e1, e2, e3
        self._hippocampal, self._harm_forward = hippocampal, harm_forward
        self._place = self._present_place()
        experience.to(e3.residue_field.weights)
        e1.experience.to(e3.residue_field.weights)
        self._e1_optimizer = _adam(e1.parameters(), config.e1.learning_rate)
        self._e2_optimizer = _adam(e2.parameters(), self._config.e2_learning_rate)
        decoder = hippocampal.action_object_decoder.parameters()
        self._decoder_optimizer = _optimizer(decoder, self._config.decoder_learning_rate)
        heads = [e3.harm_eval_head, e3.benefit_eval_head, e3.harm_eval_z_harm_head, harm_forward]
        harm = [weight for part in heads if part is not None for weight in part.parameters()]
        self._harm_optimizer = _optimizer(harm, self._config.harm_learning_rate)

    def fits(self) -> bool:
        """Whether the parts still have the dtype and the device that the optimizers were made for.

        Otherwise they are to be made anew; experience goes along.
        """
        return self._place == self._present_place()

    def step(self, generator: torch.Generator | None = None) -> AgentLosses:
        """One step of each. E1's dropout is on for its own loss only."""
        cues = self._experience.cues(self._config.cue_batch, generator)
        training = self._e1.training
        self._e1.train()
        try:
            e1 = self._e1_loss(cues, generator)
        finally:
            self._e1.train(training)
        rows = self._experience.transitions(self._config.e2_batch, generator)
        return AgentLosses(
            _descend(e1, self._e1_optimizer),
            _descend_on(rows, self._e2_loss, self._e2_optimizer),
            _descend_on(rows, self._decoder_loss, self._decoder_optimizer),
            _descend_on(rows, self._harm_loss, self._harm_optimizer),
        )

    def _present_place(self) -> tuple[torch.dtype, torch.device]:
        weights = self._e3.residue_field.weights
        return weights.dtype, weights.device

    def _e1_loss(
        self, cues: tuple[Tensor, Tensor] | None, generator: torch.Generator | None
    ) -> Tensor:
        """With learned contexts, their targets, and no auxiliary losses of the attention."""
        e1, contexts = self._e1, self._contexts
        if cues is None or contexts is None or contexts.known == 0:
            z_world, hazards = cues or (None, None)
            return e1.learning_loss(z_world, hazards, generator)
        terrain = e1.extract_cue_context(cues[0], generator)[1]
        wanted, reduction = contexts.targets(cues[0]), e1.config.terrain.reduction
        error = terrain_loss(terrain, wanted, reduction=reduction)
        return e1.learning_loss(generator=generator) + e1.config.lambda_terrain * error

    def _e2_loss(self, rows: Transitions) -> Tensor:
        e2, weight = self._e2, self._config.e2_world_weight
        loss = e2.prediction_loss(rows.z_self, rows.action, rows.next_z_self)
        if weight > 0:
            foreseen = e2.world_forward(rows.z_world, rows.action)
            loss = loss + weight * mse_loss(foreseen, rows.next_z_world)
        return loss

    def _decoder_loss(self, rows: Transitions) -> Tensor:
        return self._hippocampal.decoder_loss(rows.z_world, rows.action)

    def _harm_loss(self, rows: Transitions) -> Tensor:
        """How far E3 is from telling harm and benefit by where they came."""
        e3, forward = self._e3, self._harm_forward
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


def _optimizer(parameters: Iterable[nn.Parameter], rate: float) -> Optimizer | None:
    """Adam, or None at a rate of 0."""
    return _adam(parameters, rate) if rate > 0 else None


def _adam(parameters: Iterable[nn.Parameter], rate: float) -> Optimizer:
    """Adam with one call for all weights; the loop over them took a third of a step."""
    return torch.optim.Adam(parameters, lr=rate, fused=True)


def _descend_on(
    rows: Transitions | None,
    loss: Callable[[Transitions], Tensor],
    optimizer: Optimizer | None,
) -> float | None:
    return None if rows is None or optimizer is None else _descend(loss(rows), optimizer)


def _descend(loss: Tensor, optimizer: Optimizer) -> float | None:
    """One optimizer step; None for a loss without a gradient."""
    if not loss.requires_grad:
        return None
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.item()
