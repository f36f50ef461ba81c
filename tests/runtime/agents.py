"""A runtime with a scripted model and a diary of the points it goes through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prefrontal.plugin import Plugin, PluginMeta
from prefrontal.runtime import Runtime
from prefrontal.testing import ManualClock

from .sample_plugins import plugin_class

POINTS = (
    *("on_message", "transform_system_prompt", "transform_history", "before_llm", "after_llm"),
    *("before_tool", "after_tool", "transform_response", "before_send", "after_send", "on_error"),
)


def model_plugin(model: Any, name: str = "main-model") -> Plugin:
    """The model as a plugin with the capability "llm"."""
    plugin = plugin_class(name, capabilities=["llm"])()
    plugin.chat = model.chat  # type: ignore[attr-defined]
    return plugin


class Watcher(Plugin):
    """Keeps a copy of each ctx of the loop's points; `answers` change it, by point."""

    meta = PluginMeta(
        id="watcher",
        version="1",
        priority=99,
        implements={f"loop.{point}": f"_{point}" for point in POINTS},
    )

    def __init__(self, answers: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.answers = dict(answers or {})

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    @property
    def points(self) -> list[str]:
        return [point for point, _ in self.seen]

    def ctx(self, point: str) -> dict[str, Any]:
        """The first ctx of that point."""
        return next(ctx for seen, ctx in self.seen if seen == point)


def _hook(point: str) -> Any:
    async def hook(self: Watcher, ctx: dict[str, Any]) -> dict[str, Any]:
        self.seen.append((point, dict(ctx)))
        return {**ctx, **self.answers.get(point, {})}

    return hook


for _point in POINTS:
    setattr(Watcher, f"_{_point}", _hook(_point))


class Tools(Plugin):
    """Two tools: `add` of two integers, and `fail`, which raises."""

    meta = PluginMeta(id="sample-tools", version="1", capabilities=["tools"])

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def get_definitions(self) -> list[dict[str, Any]]:
        whole = {"type": "integer"}
        parameters = {"properties": {"a": whole, "b": whole}, "required": ["a", "b"]}
        return [
            {"type": "function", "function": {"name": "add", "parameters": parameters}},
            {"type": "function", "function": {"name": "fail", "parameters": {}}},
        ]

    async def execute(self, name: str, args: Mapping[str, Any]) -> str:
        self.calls.append((name, dict(args)))
        if name == "fail":
            raise RuntimeError("the tool broke")
        return str(args["a"] + args["b"])


def agent(model: Any, *plugins: Plugin, clock: ManualClock | None = None, **config: Any) -> Runtime:
    """A runtime of the core, the model and the plugins; its log is quiet."""
    told = {"logging": {"level": "off"}, **config}
    given: Sequence[Plugin] = [model_plugin(model), *plugins]
    return Runtime(told, clock=clock or ManualClock(), plugins=given)
