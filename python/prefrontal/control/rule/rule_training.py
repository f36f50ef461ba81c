"""The three phases in which a rule head is trained: encoders, head alone, evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

if TYPE_CHECKING:
    from .lateral_pfc import LateralPFCAnalog

__all__ = ["Phase", "RuleTraining", "reinforce_loss", "rule_label_loss"]

Phase = Literal["P0", "P1", "P2"]
_ORDER: tuple[Phase, ...] = get_args(Phase)


class RuleTraining:
    """A state machine: P0 the encoders learn, P1 the head alone on detached latents, P2 nothing.

    It sets requires_grad of both, puts encoders and module into train or eval mode, and refuses a
    step of the head outside of P1. The encoders' own training, in P0, is the caller's.
    """

    def __init__(
        self,
        module: LateralPFCAnalog,
        encoders: Iterable[nn.Module] = (),
        *,
        learning_rate: float = 1e-3,
    ) -> None:
        """Begins in P0. Raises ValueError unless the module is on and its head is "trained"."""
        if not (module.enabled and module.config.head == "trained"):
            state = module.config.head if module.enabled else "a module that is off"
            raise ValueError(f"head must be 'trained' to be trained, got {state!r}")
        self.module = module
        self.encoders = tuple(encoders)
        self.optimizer = torch.optim.Adam(module.trainable_parameters(), lr=learning_rate)
        self._phase: Phase = "P0"
        self._apply()

    @property
    def phase(self) -> Phase:
        return self._phase

    def advance(self) -> Phase:
        """Go to the next phase; raises ValueError after P2. There is no way back."""
        place = _ORDER.index(self._phase) + 1
        if place == len(_ORDER):
            raise ValueError("phase must be P0 or P1 to advance, got 'P2'")
        self._phase = _ORDER[place]
        self._apply()
        return self._phase

    def latent(self, z: Tensor) -> Tensor:
        """z with its graph in P0, without one later."""
        return z if self._phase == "P0" else z.detach()

    def step(self, loss: Tensor) -> float:
        """One optimizer step of the head; returns the loss.

        Raises ValueError outside of P1, and for a loss that is not one finite number or does not
        depend on the head.
        """
        if self._phase != "P1":
            raise ValueError(f"phase must be P1 to train the head, got {self._phase!r}")
        if loss.numel() != 1 or not bool(loss.isfinite().all()):
            raise ValueError(f"loss must be one finite number, got {loss.detach()!r}")
        if not loss.requires_grad:
            raise ValueError("loss must depend on the head, got one without a graph")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def _apply(self) -> None:
        for encoder in self.encoders:
            encoder.requires_grad_(self._phase == "P0").train(self._phase == "P0")
        for parameter in self.module.parameters():
            parameter.requires_grad_(False)
        for parameter in self.module.trainable_parameters():
            parameter.requires_grad_(self._phase == "P1")
        self.module.train(self._phase == "P1")


def rule_label_loss(bias: Tensor, right: Tensor, *, temperature: float = 1.0) -> Tensor:
    """Cross-entropy of the candidate that follows the rule, the lowest bias counting as the best.

    bias [K] with right [] or [N, K] with right [N], the places of the right candidates.
    """
    logits = -bias.reshape(-1, bias.shape[-1]) / temperature
    return cross_entropy(logits, right.reshape(-1))


def reinforce_loss(log_prob: Tensor, reward: Tensor, *, baseline: Tensor | float = 0.0) -> Tensor:
    """-(reward - baseline) log_prob, the mean over trials; only log_prob has a gradient."""
    advantage = (reward - baseline).detach() if isinstance(baseline, Tensor) else reward - baseline
    return -(advantage.detach() * log_prob).mean()
