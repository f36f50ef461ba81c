"""A model that answers from recorded replies, offline."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import SourceError
from ...plugin import LLMProvider, LLMResponse, ToolCall
from ...redaction import redact
from ...storage.files import write_atomic
from ..model_call import ask, close
from ..threads import in_thread

LARGEST_RECORD = 4 << 20
"""Bytes of the largest recorded reply."""


class ReplayModel:
    """Replies from a folder, one in each `<hash of the request>.json`.

    recorded: the model to ask where no reply is recorded yet; records its reply. The file also
    holds the request, redacted, for people; the hash is of the unredacted request.
    """

    name = "replay"

    def __init__(self, folder: Path, recorded: LLMProvider | None = None) -> None:
        self._folder = folder
        self._recorded = recorded

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
        *,
        output_schema: Mapping[str, Any] | None = None,
    ) -> LLMResponse:
        """The recorded reply. Raises SourceError when it is missing or cannot be read."""
        request: dict[str, Any] = {
            "messages": [dict(message) for message in messages],
            "tools": [dict(tool) for tool in tools or ()],
            "model": model,
            "max_tokens": max_tokens,
        }
        if output_schema is not None:
            request["output_schema"] = dict(output_schema)
        file = self._folder / f"{request_key(request)}.json"
        reply = await in_thread(_read, file)
        if reply is not None:
            return reply
        if self._recorded is None:
            raise SourceError(f"{self._folder} has no reply to this request ({file.name})")
        reply = await ask(
            self._recorded,
            messages,
            tools=tools,
            model=model,
            max_tokens=max_tokens,
            output_schema=output_schema,
        )
        await in_thread(_write, file, request, reply)
        return reply

    async def close(self) -> None:
        await close(self._recorded)


def request_key(request: Mapping[str, Any]) -> str:
    """The name of a request's file: the SHA-256 of its JSON, hexadecimal."""
    text = json.dumps(request, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(file: Path) -> LLMResponse | None:
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST_RECORD + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}") from None
    if len(data) > LARGEST_RECORD:
        raise SourceError(f"{file} must have at most {LARGEST_RECORD} bytes, got more")
    try:
        reply = json.loads(data)["reply"]
        calls = [ToolCall(c["id"], c["name"], dict(c["arguments"])) for c in reply["tool_calls"]]
        usage = {str(name): int(count) for name, count in reply["usage"].items()}
        return LLMResponse(str(reply["content"]), tuple(calls), str(reply["model"]), usage)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SourceError(f"{file} must hold a recorded reply, got {error!r:.120}") from None


def _write(file: Path, request: Mapping[str, Any], reply: LLMResponse) -> None:
    record = {
        "request": request,
        "reply": {
            "content": reply.content,
            "tool_calls": [
                {"id": call.id, "name": call.name, "arguments": call.arguments}
                for call in reply.tool_calls
            ],
            "model": reply.model,
            "usage": dict(reply.usage),
        },
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{file.parent} cannot be made: {error.strerror or error}") from None
    write_atomic(file, json.dumps(_without_secrets(record), indent=1, default=str) + "\n")


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {str(key): _without_secrets(each) for key, each in value.items()}
    return [_without_secrets(each) for each in value] if isinstance(value, list) else value
