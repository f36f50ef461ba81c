"""The server: what it tells of itself, and who answers which request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from .. import __version__
from . import announcing, peers, replaying, resources, routing, waking
from .audience import EVERY_S
from .progress import Progress

if TYPE_CHECKING:
    from .offered import Offered
    from .served import Served

INSTRUCTIONS = """\
Prefrontal decides when an agent is worth waking, and remembers whom it dealt with. Ask should_wake
before acting on something that changed, and say with give_feedback afterwards whether it was worth
it. Ask consult before a step that is hard to take back. What others were woken for stands at
prefrontal://wakes; subscribe to it to hear of new ones."""

Context = ServerRequestContext[Any, Any]
Page = PaginatedRequestParams | None


def build_server(served: Served, every_s: float | None = EVERY_S) -> Server[Any]:
    """A server over what is served; the transport is the caller's.

    every_s: how often the log is looked at for wakes to tell clients of; None tells of none.
    """
    tools = {each.name: each for each in offered()}
    listed = [each.listed() for each in tools.values()]

    async def list_tools(_: Context, __: Page) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            known = ", ".join(tools)
            sentence = f"name must be one of {known}, got {params.name!r:.80}"
            raise MCPError(INVALID_PARAMS, sentence)
        return await tool.call(served, params.arguments or {}, Progress(context.session))

    async def list_resources(_: Context, __: Page) -> ListResourcesResult:
        items = await anyio.to_thread.run_sync(resources.listed, served)
        return ListResourcesResult(resources=items)

    async def list_templates(_: Context, __: Page) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(_: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await resources.read(served, params.uri)

    about: dict[str, Any] = {
        "version": __version__,
        "title": "Prefrontal",
        "instructions": INSTRUCTIONS,
        "on_list_tools": list_tools,
        "on_call_tool": call_tool,
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
    }
    if every_s is None:
        return Server("prefrontal", **about)
    return announcing.announcing_server("prefrontal", about, served, every_s)


def offered() -> tuple[Offered, ...]:
    """The tools, in the order in which they are listed."""
    return (*waking.TOOLS, *routing.TOOLS, *peers.TOOLS, *replaying.tools())
