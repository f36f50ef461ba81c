"""What a step brought, told to every part that keeps it: residue, contexts, dACC, goal, clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agent import ControlAgent


def take_in(agent: ControlAgent, signal: float) -> None:
    """signal: below 0 harm, above 0 benefit, of the step the agent has just chosen."""
    latent = agent.latent
    assert latent is not None
    if signal < 0:
        _leave_residue(agent, -signal)
        agent.clock.phase_reset()
    if agent.contexts is not None:
        agent.contexts.observe(latent.z_world, signal)
    if agent.dacc is not None:
        agent.dacc.record_outcome("harm" if signal < 0 else "benefit" if signal > 0 else "none")
    if agent.goal is not None:
        agent.goal.step(max(signal, 0.0), latent.z_world, agent.drive)


def _leave_residue(agent: ControlAgent, harm: float) -> None:
    """Where the agent was when it chose; the reference counts a committed step once more."""
    assert agent.latent is not None
    field, z_world = agent.e3.residue_field, agent.latent.z_world
    field.accumulate(z_world, harm)
    committed = agent.selection is not None and agent.selection.committed
    if agent.config.double_residue and committed:
        field.accumulate(z_world, 1.0)
