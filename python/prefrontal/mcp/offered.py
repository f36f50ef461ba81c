"""One tool as a client sees it: a name, two schemas, hints, and what a call does."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as ListedTool
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from ..errors import InputError, PrefrontalError, shown
from ..nearest import did_you_mean
from ..plural import noun

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .progress import Progress
    from .served import Served

_KINDS = frozenset({"float", "int", "str", "bool"})
"""How pydantic calls the kinds of an argument that may be of several."""


class Arguments(BaseModel):
    """What a tool is called with; a key that is not known is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ToolAnswer(BaseModel):
    """What a tool answers; what no UTF-8 can say, as in some file names, becomes a "?"."""

    model_config = ConfigDict(frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_sayable(cls, value: Any) -> Any:
        return sayable(value)


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool. read_only: it changes nothing; repeatable: a second call changes nothing more.

    run: a function of what is served and of checked arguments, which gets a thread, or a coroutine
    function of these and the progress, which runs on the loop and must not hold it up.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[ToolAnswer]
    run: Callable[..., Any]
    read_only: bool = False
    repeatable: bool = False

    def listed(self) -> ListedTool:
        """As `tools/list` tells it. Nothing here deletes, and nothing reaches out."""
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.answer.model_json_schema(mode="serialization"),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.read_only,
                destructive_hint=False,
                idempotent_hint=self.read_only or self.repeatable,
                open_world_hint=False,
            ),
        )

    async def call(
        self, served: Served, raw: Mapping[str, Any], progress: Progress
    ) -> CallToolResult:
        """The answer, or, with is_error, the sentence that says why there is none.

        What a model can mend is told to it as a result, not as an error of the protocol.
        """
        try:
            arguments = self._checked(raw)
            if inspect.iscoroutinefunction(self.run):
                answer = await self.run(served, arguments, progress)
            else:
                answer = await anyio.to_thread.run_sync(self.run, served, arguments)
        except PrefrontalError as error:
            return CallToolResult(content=[TextContent(text=sayable(str(error)))], is_error=True)
        structured = answer.model_dump(mode="json")
        text = json.dumps(structured, ensure_ascii=False)
        return CallToolResult(content=[TextContent(text=text)], structured_content=structured)

    def _checked(self, raw: Mapping[str, Any]) -> Arguments:
        try:
            return self.arguments.model_validate(raw)
        except ValidationError as error:
            raise InputError(_sentence(error, self.arguments)) from None


def sayable(value: Any) -> Any:
    """The value with texts in it that can be sent; one that cannot would end the connection."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, list | tuple):
        return [sayable(each) for each in value]
    if isinstance(value, dict):
        return {sayable(key): sayable(each) for key, each in value.items()}
    return value


def _sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """The first thing that is wrong: "<argument> must <rule>, got <value>"."""
    errors = error.errors(include_url=False)
    first = errors[0]
    name = _name(first)
    if first["type"] == "missing":
        return f"{name} must be given, got nothing"
    if first["type"] == "extra_forbidden":
        hint = did_you_mean(first["loc"][-1], model.model_fields) if len(first["loc"]) == 1 else ""
        return f"arguments must be ones that the tool has, got {name!r:.80}{hint}"
    # An argument of several kinds is wrong in as many ways.
    rules = dict.fromkeys(_rule(each) for each in errors if _name(each) == name)
    return f"{name or 'arguments'} must {', or '.join(rules)}, got {shown(first['input'])}"


def _name(error: ErrorDetails) -> str:
    """events[0].location; without what pydantic says of the kind that it tried."""
    name = ""
    for part in error["loc"]:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part.isidentifier() and part not in _KINDS:
            name += f".{part}" if name else part
    return name


def _rule(error: ErrorDetails) -> str:
    bound = error.get("ctx", {})
    unit = "character" if error["type"].startswith("string") else "item"
    if error["type"].endswith("too_short"):
        least = bound["min_length"]
        return f"have at least {least} {noun(least, unit)}"
    if error["type"].endswith("too_long"):
        most = bound["max_length"]
        return f"have at most {most} {noun(most, unit)}"
    rule = error["msg"].replace("Input should be", "be", 1).replace("Input should", "", 1).strip()
    return rule.replace("be a valid ", "be a ")
