"""A model over HTTP: a server with the OpenAI chat API, Anthropic's or Google's.

A thread imports the client library at the first question, since that takes a second.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...errors import InputError, PrefrontalError
from ..threads import in_thread

if TYPE_CHECKING:
    from ...plugin import LLMResponse
    from .settings import ModelSettings

_PACKAGES = {"openai-compatible": "openai", "anthropic": "anthropic", "google": "google.genai"}
_GROUPS = {"openai-compatible": "openai", "anthropic": "anthropic", "google": "google"}


class RemoteModel:
    """Asks over HTTP, once unless `retries` says otherwise.

    Raises InputError for unusable settings, PrefrontalError when the package or the key is missing.
    """

    def __init__(self, name: str, settings: ModelSettings) -> None:
        if not settings.model:
            raise InputError(f"llm.model must name the model for the provider {name!r}, got ''")
        if name == "openai-compatible" and not settings.base_url:
            rule = "be the address of the server for the provider 'openai-compatible'"
            raise InputError(f"llm.base_url must {rule}, got ''")
        self.name = name
        self._settings = settings
        self._key = _key(settings.api_key_env)
        _check_packages(name)
        self._client: Any = None
        self._connecting = asyncio.Lock()

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
        *,
        output_schema: Mapping[str, Any] | None = None,
    ) -> LLMResponse:
        """The answer. output_schema: its JSON schema, as far as the server enforces it.

        Raises PrefrontalError with the reason when there is no answer.
        """
        client = await self._connected()
        try:
            return await client.ask(messages, tools or (), model, max_tokens, output_schema)  # type: ignore[no-any-return]
        except PrefrontalError:
            raise
        except Exception as error:
            raise PrefrontalError(client.sentence(error)) from error

    async def close(self) -> None:
        """Close the connections; a later question opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None:
                self._client = await in_thread(_connect, self.name, self._settings, self._key)
        return self._client


def _connect(name: str, settings: ModelSettings, key: str | None) -> Any:
    try:
        from .remote_client import RemoteClient

        return RemoteClient(name, settings, key)
    except ImportError as error:
        raise PrefrontalError(_missing(name)) from error


def _key(variable: str) -> str | None:
    if not variable:
        return None
    key = os.environ.get(variable)
    if not key:
        raise PrefrontalError(f"{variable} must be set to the model's key (llm.api_key_env)")
    return key


def _check_packages(name: str) -> None:
    for package in ("pydantic_ai", _PACKAGES[name]):
        try:
            is_installed = find_spec(package) is not None
        except ModuleNotFoundError:
            is_installed = False
        if not is_installed:
            raise PrefrontalError(_missing(name))


def _missing(name: str) -> str:
    group = _GROUPS[name]
    extra = "prefrontal[llm]" if group == "openai" else f"pydantic-ai-slim[{group}]"
    return f"the provider {name!r} must have its package: pip install '{extra}'"
