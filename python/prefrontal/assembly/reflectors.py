"""Models that reflect by their own name: `cortex.llm_provider: openai-compatible`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cortex.plugin import CortexPlugin
from ..runtime.model_reflector import model_reflectors
from ..runtime.plugins.subagent import SubagentPlugin

if TYPE_CHECKING:
    from ..runtime.registry import PluginRegistry


def offer_models(registry: PluginRegistry) -> None:
    """Let the cortex ask each model that the runtime knows, apart from the agent's own.

    Without a schema: triage and consultation ask the same models for other answers.
    """
    cortex, subagent = registry.get("cortex"), registry.get("subagent")
    if isinstance(cortex, CortexPlugin) and isinstance(subagent, SubagentPlugin):
        cortex.use_reflectors(model_reflectors(subagent))
