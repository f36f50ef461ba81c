"""Stores the documents of the cortex in the agent's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..plugin import hookspecs
from ..plugin.hooks import collect, hook_name
from .state import CORRUPT_SUFFIX, damage_in

if TYPE_CHECKING:
    from ..plugin.contract import Registry

Document = TypeVar("Document")


class Keeper:
    """Stores and retrieves through the memory; does nothing without one."""

    def __init__(self, registry: Registry, warn: Callable[[str], None]) -> None:
        self._registry = registry
        self._warn = warn

    async def store(self, documents: dict[str, str]) -> bool:
        """Store texts by key; returns whether all were stored. Warns of a failure."""
        provider: Any = self._registry.get_by_capability("memory")
        hook = hook_name(hookspecs.memory_store)
        if provider is None and not self._registry.get_implementations(hook):
            return True
        try:
            for key, document in documents.items():
                await self._store(provider, key, document)
        except Exception as error:  # noqa: BLE001 - the memory may be anybody's
            self._warn(f"Failed to persist cortex state: {error}")
            return False
        return True

    async def retrieve(self, key: str) -> str | None:
        """The text of a key; None without one, or with a warning when the memory fails."""
        provider: Any = self._registry.get_by_capability("memory")
        try:
            if provider is not None:
                document = await provider.retrieve(key)
            else:
                texts = await collect(self._registry, hookspecs.memory_retrieve, {"key": key})
                document = texts[0] if texts else None
        except Exception as error:  # noqa: BLE001
            self._warn(f"Failed to read {key}: {error}")
            return None
        return document if isinstance(document, str) else None

    async def read(self, key: str, parse: Callable[[str | None], Document]) -> Document:
        """The document of a key, without what is damaged in it; the damaged text is set aside."""
        document = await self.retrieve(key)
        try:
            value, why = parse(document), damage_in(key, document)
            outcome = "is read without what is damaged"
        except ValueError as error:
            value, why, outcome = parse(None), str(error), "cannot be read, starting empty"
        if why:
            aside = await self._aside(key, document or "")
            self._warn(f"{key} {outcome}, its text is under {aside}: {why}")
            await self.store({aside: document or ""})
        return value

    async def _aside(self, key: str, text: str) -> str:
        """The key for a damaged text; one that an earlier text stands under is not taken again."""
        aside, number = key + CORRUPT_SUFFIX, 1
        while await self.retrieve(aside) not in (None, "", text):
            number += 1
            aside = f"{key}{CORRUPT_SUFFIX}-{number}"
        return aside

    async def _store(self, provider: Any, key: str, document: str) -> None:
        if provider is not None:
            await provider.store(key, document)
            return
        ctx: hookspecs.TextToStore = {"key": key, "content": document}
        if not await collect(self._registry, hookspecs.memory_store, ctx):
            raise OSError(f"nobody kept {key}")
