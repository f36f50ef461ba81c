"""How the server is reached: standard input and output, or streamable HTTP."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server

from .last_answers import NotedWriting, OpenRequests, PatientReading
from .standard_input import client_lines

if TYPE_CHECKING:
    from mcp.server import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..http_server import Door

PATH = "/mcp"
ENDING_S = 5


def serve_stdio(server: Server[Any]) -> None:
    """Serve the one client on standard input and output, until it hangs up.

    Whatever else would print to standard output meanwhile goes to standard error.
    """
    anyio.run(_serve_stdio, server)


async def _serve_stdio(server: Server[Any]) -> None:
    with client_lines() as lines:
        stdin = cast("anyio.AsyncFile[str]", lines)  # all that is done with it is to iterate
        async with stdio_server(stdin=stdin) as (reading, writing):
            requests = OpenRequests()
            patient, noted = PatientReading(reading, requests), NotedWriting(writing, requests)
            await server.run(patient, noted, server.create_initialization_options())


def serve_http(server: Server[Any], door: Door, ready: Callable[[str], object]) -> int | None:
    """Serve whoever may ask, until told to end; the number of the signal that did.

    ready: told the address once it is taken.

    Raises SourceError when the address cannot be used.
    """
    from ..http_patience import QuietServer, listen

    with listen(door) as listening:
        ready(door.address(listening.getsockname()[1]) + PATH)
        serving = QuietServer(http_app(server, door), ENDING_S)
        serving.run(sockets=[listening])
    return serving.signal_number


def http_app(server: Server[Any], door: Door) -> ASGIApp:
    """The server as an ASGI application. Without a token only this machine may ask, and no web
    page through its browser; with one, who carries it.
    """
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH, host=door.host, max_request_body_size=door.max_bytes
    )
    return TokenCheck(app, door.token) if door.token else app


class TokenCheck:
    """Lets through what carries "Authorization: Bearer" and the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_let_in(scope):
            await _refuse(send)
        else:
            await self._app(scope, receive, send)

    def _is_let_in(self, scope: Scope) -> bool:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(values) == 1 and hmac.compare_digest(values[0], self._wanted)


async def _refuse(send: Send) -> None:
    body = json.dumps({"error": "Authorization must be 'Bearer' and the token"}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
