"""Models by their names in the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ...clock import Clock, SystemClock
from ...errors import InputError
from ...plugin import LLMProvider, LLMResponse, Plugin, PluginMeta, Registry
from ..model_call import ask, close
from ..workspace_files import locate, workspace_of
from .remote_model import RemoteModel
from .replay import ReplayModel
from .rules import RulesModel
from .scripted import ScriptedModel
from .settings import ModelSettings, model_settings

KNOWN = ("rules", "openai-compatible", "anthropic", "google", "replay", "scripted")
MAIN = ("", "main", "subagent")
"""Names that mean the agent's own model."""


def choose(
    name: str, settings: ModelSettings, *, clock: Clock | None = None, folder: Path | None = None
) -> LLMProvider:
    """Make the model of that name. folder: the base of a relative cassette.

    Raises InputError for an unknown name and for settings that the model cannot use.
    """
    if name == "rules":
        return RulesModel()
    if name == "scripted":
        return ScriptedModel(settings.replies, repeat=settings.repeat, clock=clock or SystemClock())
    if name == "replay":
        return _replay(settings, clock, folder)
    if name in KNOWN:
        return RemoteModel(name, settings)
    raise InputError(f"provider must be one of {', '.join(KNOWN)}, got {name!r}")


def _replay(settings: ModelSettings, clock: Clock | None, folder: Path | None) -> LLMProvider:
    if not settings.cassette:
        raise InputError("llm.cassette must name a folder for the provider 'replay', got nothing")
    inner = None
    if settings.record:
        if settings.record == "replay":
            raise InputError("llm.record must be another provider than 'replay', got 'replay'")
        inner = choose(settings.record, settings, clock=clock, folder=folder)
    return ReplayModel(locate(folder, settings.cassette), inner)


class ModelPlugin(Plugin):
    """A model as a plugin; its id is the provider's name."""

    def __init__(self) -> None:
        self._config: dict[str, Any] = {}
        self._model: LLMProvider | None = None

    @property
    def name(self) -> str:
        return self.meta.id

    def configure(self, config: dict[str, Any]) -> None:
        self._config = config
        model_settings(config.get("llm"))

    async def start(self) -> None:
        folder = workspace_of(self.registry, self._config)
        settings = model_settings(self._config.get("llm"))
        self._model = choose(self.name, settings, clock=self.clock, folder=folder)

    async def stop(self) -> None:
        await close(self._model)

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
        *,
        output_schema: Mapping[str, Any] | None = None,
    ) -> LLMResponse:
        if self._model is None:
            raise RuntimeError(f"{self.name} must be started before it is asked")
        return await ask(
            self._model,
            messages,
            tools=tools,
            model=model,
            max_tokens=max_tokens,
            output_schema=output_schema,
        )


def create_model(provider: str) -> ModelPlugin:
    """The plugin of a model. Raises InputError for an unknown name."""
    if provider not in KNOWN:
        raise InputError(f"provider must be one of {', '.join(KNOWN)}, got {provider!r}")
    meta = PluginMeta(
        id=provider,
        version="1",
        capabilities=["llm"],
        optional_dependencies=["config", "workspace"],
        priority=20,
    )
    kind: type[ModelPlugin] = type("ModelPlugin", (ModelPlugin,), {"meta": meta})
    return kind()


class Models:
    """Models by name, each made once."""

    def __init__(self, config: Mapping[str, Any], registry: Registry) -> None:
        self._config = config
        self._registry = registry
        self._made: dict[str, LLMProvider] = {}

    def get(self, name: str | None = None) -> LLMProvider | None:
        """The model of that name; without a name the agent's own, or None.

        Raises InputError for an unknown name or unusable settings.
        """
        main: Any = self._registry.get_by_capability("llm")
        if not name or name in MAIN or (main is not None and name == name_of(main)):
            return cast("LLMProvider | None", main)
        if name not in self._made:
            folder = workspace_of(self._registry, self._config)
            settings = model_settings(self._config.get("llm"))
            self._made[name] = choose(name, settings, clock=self._registry.clock, folder=folder)
        return self._made[name]

    async def close(self) -> None:
        """Close the models that were made here."""
        while self._made:
            await close(self._made.popitem()[1])


def name_of(provider: object) -> str:
    """The name of a model: its `name`, else its plugin's id, else ""."""
    name = getattr(provider, "name", None) or getattr(getattr(provider, "meta", None), "id", None)
    return name if isinstance(name, str) else ""
