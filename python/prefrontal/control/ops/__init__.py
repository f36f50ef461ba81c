"""The operators of control: `torch.ops.prefrontal.*`, each with its plain torch form.

A float32 call on the CPU runs a kernel of ours; every other dtype and device, vmap, and the
gradient of a gradient run the plain form, which is also all there is where `prefrontal._torch` was
not built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import lazy_names

if TYPE_CHECKING:
    from .compiled import available
    from .cue import CueHeads, MemoryWeights, context_read, cue_context
    from .proposal import propose
    from .rollouts import rollout
    from .rule import rule_bias, rule_update
    from .scores import score_trajectories
    from .sequence import lstm_rollout
    from .terrain import TerrainWeights, terrain_step

_HOMES = {
    "CueHeads": ".cue",
    "MemoryWeights": ".cue",
    "TerrainWeights": ".terrain",
    "available": ".compiled",
    "context_read": ".cue",
    "cue_context": ".cue",
    "lstm_rollout": ".sequence",
    "propose": ".proposal",
    "rollout": ".rollouts",
    "rule_bias": ".rule",
    "rule_update": ".rule",
    "score_trajectories": ".scores",
    "terrain_step": ".terrain",
}

__all__ = [
    "CueHeads",
    "MemoryWeights",
    "TerrainWeights",
    "available",
    "context_read",
    "cue_context",
    "lstm_rollout",
    "propose",
    "rollout",
    "rule_bias",
    "rule_update",
    "score_trajectories",
    "terrain_step",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
