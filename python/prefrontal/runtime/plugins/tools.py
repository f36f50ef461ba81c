"""The tools of all plugins, as one provider."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...nearest import did_you_mean
from ...plugin import Plugin, PluginMeta, ToolProvider
from ...plugin.waiting import TimeLimitError
from ..registry import registry_of
from ..tool_arguments import problem_with


class AggregatedToolProvider(Plugin):
    """Offers what the plugins with the capability "tools" offer now.

    Of two tools with one name the plugin that was registered first gives it.
    """

    meta = PluginMeta(id="tools", version="1", consumes=["tools"], priority=30)

    def __init__(self) -> None:
        self._is_checked = False

    async def start(self) -> None:
        self._is_checked = False

    async def stop(self) -> None: ...

    def get_definitions(self) -> list[Mapping[str, Any]]:
        tools = self._tools()
        self._check_limits(tools)
        return [definition for definition, _ in tools.values()]

    async def execute(self, name: str, args: Mapping[str, Any]) -> str:
        """Run a tool; unknown tools, bad arguments and failures return "Error: ..."."""
        tool = self._tools().get(name) if isinstance(name, str) else None
        if tool is None:
            return f"Error: there is no tool {name!r}"
        definition, provider = tool
        try:
            problem = problem_with(args, definition)
            if problem:
                return f"Error: {name}: {problem}"
            return await registry_of(self).calls.tool(provider, name, args)
        except TimeLimitError as error:
            who = getattr(provider, "meta", self.meta).id
            self.log_error(f"Tool {name} of {who} failed: {error}")
            return f"Error: {name} failed: {error}"
        except Exception as error:  # noqa: BLE001 - the model gets the error
            self.log_error(f"Tool {name} failed: {error!r}")
            return f"Error: {name} failed: {error}"

    @property
    def restart_requested(self) -> bool:
        """Whether a tool has requested a restart of the agent."""
        return any(getattr(each, "restart_requested", False) for each in self._providers())

    def _check_limits(self, names: Collection[str]) -> None:
        """Warn once of a limit of a tool that is not there: plugins list theirs only now."""
        if not self._is_checked:
            self._is_checked = True
            for name in registry_of(self).calls.limits.of_tools.keys() - names:
                guess = did_you_mean(name, sorted(names))
                self.log_warn(f"tools.timeouts must name tools, got {name!r}{guess}")

    def _providers(self) -> list[ToolProvider]:
        return list(self.registry.all_with_capability("tools"))  # type: ignore[arg-type]

    def _tools(self) -> dict[str, tuple[Mapping[str, Any], ToolProvider]]:
        tools: dict[str, tuple[Mapping[str, Any], ToolProvider]] = {}
        for provider in self._providers():
            try:
                for definition in provider.get_definitions():
                    tools.setdefault(_name(definition), (definition, provider))
            except Exception as error:  # noqa: BLE001 - list the other tools
                self.log_error(f"Tools of {provider!r:.80} cannot be listed: {error!r}")
        return tools


def _name(definition: Mapping[str, Any]) -> str:
    name = definition.get("function", definition)["name"]
    if not isinstance(name, str) or not name:
        raise ValueError(f"a tool's name must be a non-empty string, got {name!r:.80}")
    return name


def create_plugin() -> AggregatedToolProvider:
    return AggregatedToolProvider()
