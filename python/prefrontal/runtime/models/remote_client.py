"""The client library's side of `RemoteModel`: its types, and the meaning of its errors.

Only `remote_model` imports this module, at the first question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic_ai import exceptions
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings as RequestSettings
from pydantic_ai.tools import ToolDefinition

from ...errors import PrefrontalError
from ...plain_text import visible
from ...plugin import LLMResponse, ToolCall
from ...redaction import redact

if TYPE_CHECKING:
    from .settings import ModelSettings

_OPENAI = "https://api.openai.com/"


class RemoteClient:
    """One server, with its pool of connections."""

    def __init__(self, name: str, settings: ModelSettings, key: str | None) -> None:
        self._name = name
        self._settings = settings
        self._key = key
        self._models: dict[str, Model[Any]] = {}
        self._provider: Any = _provider(name, settings, key)

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        model: str | None,
        max_tokens: int,
        schema: Mapping[str, Any] | None,
    ) -> LLMResponse:
        """The answer. Raises as the library; PrefrontalError for a broken tool call."""
        name = model or self._settings.model
        if name not in self._models:
            self._models[name] = _model(self._name, name, self._provider)
        response = await model_request(
            self._models[name],
            list(_requests(messages)),
            model_settings=RequestSettings(
                max_tokens=max_tokens,
                timeout=self._settings.timeout_seconds,
                request_timeout=self._settings.timeout_seconds * (1 + self._settings.retries),
                max_retries=self._settings.retries,
            ),
            model_request_parameters=_parameters(tools, schema, self._settings.output),
        )
        return _answer(response, name)

    async def close(self) -> None:
        async with self._provider:
            """Leaving it closes its connections."""

    def sentence(self, error: Exception) -> str:
        """The error, for people."""
        server = f"the model {self._settings.model!r} at {self._settings.base_url or self._name}"
        if isinstance(error, exceptions.ModelAuthenticationError):
            variable = self._settings.api_key_env
            key = f"the key in {variable}" if variable else "a request without llm.api_key_env"
            return f"{server} must accept the key, it refuses {key}"
        if isinstance(error, (exceptions.ModelRequestTimeout, exceptions.ModelTimeoutError)):
            return f"{server} must answer within {self._settings.timeout_seconds:g} seconds"
        if isinstance(error, exceptions.ModelRateLimitError):
            return f"{server} is asked too often, it says: {_excerpt(error.body or error)}"
        if isinstance(error, exceptions.ModelHTTPError):
            reason = _excerpt(error.body or error)
            return f"{server} answers with the error {error.status_code}: {reason}"
        if isinstance(error, exceptions.ModelConnectionError):
            return f"{server} cannot be reached: {_excerpt(error.__cause__ or error)}"
        return f"{server} must answer with a chat completion, got: {_excerpt(error)}"


def _provider(name: str, settings: ModelSettings, key: str | None) -> Any:
    address = settings.base_url or None
    if name == "anthropic":
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicProvider(api_key=key, base_url=address)
    if name == "google":
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleProvider(api_key=key, base_url=address)
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    profile = OpenAIModelProfile(
        supports_json_schema_output=True,
        openai_chat_supports_max_completion_tokens=settings.base_url.startswith(_OPENAI),
    )
    return OpenAICompatibleProvider(
        "openai-compatible", base_url=settings.base_url, api_key=key, profile=profile
    )


def _model(provider_name: str, name: str, provider: Any) -> Model[Any]:
    if provider_name == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel

        return AnthropicModel(name, provider=provider)
    if provider_name == "google":
        from pydantic_ai.models.google import GoogleModel

        return GoogleModel(name, provider=provider)
    from pydantic_ai.models.openai import OpenAIChatModel

    return OpenAIChatModel(name, provider=provider)


def _requests(messages: Sequence[Mapping[str, Any]]) -> Iterator[ModelMessage]:
    """The conversation in the library's types."""
    names: dict[str, str] = {}
    for message in messages:
        role, content = message.get("role"), str(message.get("content") or "")
        if role == "system":
            yield ModelRequest(parts=[SystemPromptPart(content)])
        elif role == "tool":
            call = str(message.get("tool_call_id") or "")
            part = ToolReturnPart(names.get(call, "tool"), content, tool_call_id=call)
            yield ModelRequest(parts=[part])
        elif role == "assistant":
            calls = [_call_part(call) for call in message.get("tool_calls") or ()]
            names |= {call.tool_call_id: call.tool_name for call in calls}
            text = [TextPart(content)] if content else []
            yield ModelResponse(parts=[*text, *calls])
        else:
            yield ModelRequest(parts=[UserPromptPart(content)])


def _call_part(call: Mapping[str, Any]) -> ToolCallPart:
    function = call["function"]
    return ToolCallPart(function["name"], function["arguments"], tool_call_id=call["id"])


def _parameters(
    tools: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None, mode: str
) -> ModelRequestParameters:
    functions = [
        ToolDefinition(
            name=tool["function"]["name"],
            description=tool["function"].get("description"),
            parameters_json_schema=dict(tool["function"].get("parameters") or {"type": "object"}),
            strict=False,
        )
        for tool in tools
    ]
    if schema is None or mode == "text":
        return ModelRequestParameters(function_tools=functions)
    return ModelRequestParameters(
        function_tools=functions,
        output_mode="native" if mode == "native" else "prompted",
        output_object=OutputObjectDefinition(dict(schema), name="reply", strict=False),
    )


def _answer(response: ModelResponse, name: str) -> LLMResponse:
    parts = response.parts
    used = response.usage
    usage = {"prompt_tokens": used.input_tokens, "completion_tokens": used.output_tokens}
    return LLMResponse(
        content="".join(part.content for part in parts if isinstance(part, TextPart)),
        tool_calls=tuple(_call(part) for part in parts if isinstance(part, ToolCallPart)),
        model=response.model_name or name,
        usage=usage if any(usage.values()) else {},
    )


def _call(part: ToolCallPart) -> ToolCall:
    raw = part.args
    try:
        arguments = json.loads(raw or "{}") if not isinstance(raw, dict) else raw
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        rule = "be given a JSON object"
        raise PrefrontalError(f"the tool {part.tool_name!r} must {rule}, got {_excerpt(raw)!r}")
    return ToolCall(part.tool_call_id, part.tool_name, arguments)


def _excerpt(error: object) -> str:
    """The text of an error on one line, short and without secrets."""
    return visible(redact(str(error)), 300)
