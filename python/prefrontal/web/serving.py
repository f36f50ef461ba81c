"""How the page is served: one address, until told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..http_patience import QuietServer, listen
from .app import Dash, build_dash

if TYPE_CHECKING:
    from ..http_door import Door
    from .dash_context import DashContext

MOST_AT_ONCE = 256
"""Connections; who comes after that is sent away."""
_ENDING_S = 2


class DashServer(QuietServer):
    """Closes the streams first when it is told to end; they would go on for ever."""

    def __init__(self, dash: Dash) -> None:
        super().__init__(dash.app, _ENDING_S, server_header=False, limit_concurrency=MOST_AT_ONCE)
        self._stream = dash.stream

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stream.end()
        await super().shutdown(sockets)


def serve_dash(
    context: DashContext, door: Door, ready: Callable[[str], object], names: Collection[str] = ()
) -> int | None:
    """Serve whoever may ask, until told to end; the number of the signal that did.

    ready: told the address once it is taken; with the token in it where one is needed. names: by
    which it may be opened, besides this machine's.

    Raises SourceError when the address cannot be used.
    """
    with listen(door) as listening:
        dash = build_dash(context, door, names)
        ready(address(door, listening.getsockname()[1]))
        server = DashServer(dash)
        server.run(sockets=[listening])
    return server.signal_number


def address(door: Door, port: int) -> str:
    """What a person opens in the browser."""
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(door.host, door.host)
    host = f"[{name}]" if ":" in name else name
    return f"http://{host}:{port}/" + (f"?token={quote(door.token, safe='')}" if door.token else "")
