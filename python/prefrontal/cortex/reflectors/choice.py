"""Who reflects: a subagent, the rules, or a client that assembly brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ...protocols import Reflector
from ..reply.schema import OUTPUT_SCHEMA
from .rules import RulesReflector
from .subagent import SubagentReflector, available_subagent

if TYPE_CHECKING:
    from ...plugin.contract import Registry
    from ...settings.cortex_growth import Evidence, Sharing

_SUBAGENT_NAMES = frozenset({"subagent", "main"})


class ReflectorSettings(Protocol):
    """The settings that choose the reflector."""

    @property
    def llm_provider(self) -> str | None: ...
    @property
    def model(self) -> str | None: ...
    @property
    def rules(self) -> Evidence: ...
    @property
    def sharing(self) -> Sharing: ...


Factories = Mapping[str, Callable[[Any], Reflector]]


def choose(
    settings: ReflectorSettings,
    registry: Registry | None,
    factories: Factories,
    schema: Mapping[str, Any] = OUTPUT_SCHEMA,
) -> Reflector | None:
    """The reflector of this cycle; None when the configured one is not available.

    Named: "rules", "subagent" or "main", or a name that `factories` knows. Not named: a subagent
    that is available, else the rules. Any other name is an `llm_provider` of the subagent. schema:
    JSON schema of the answer, for reflectors that can enforce one.
    """
    name = settings.llm_provider
    subagent = available_subagent(registry)
    if name == "rules" or (name is None and subagent is None):
        return RulesReflector(settings.rules, settings.sharing.weight)
    if name is not None and name in factories:
        return _held_to(factories[name](settings), schema)
    if registry is None or subagent is None:
        return None
    provider = None if name is None or name in _SUBAGENT_NAMES else name
    return SubagentReflector(registry, settings.model, provider, schema)


def _held_to(reflector: Reflector, schema: Mapping[str, Any]) -> Reflector:
    """The reflector bound to the schema, if it supports one."""
    with_schema: Any = getattr(reflector, "with_schema", None)
    if with_schema is None:
        return reflector
    bound: Reflector = with_schema(schema)
    return bound
