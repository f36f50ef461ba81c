"""A server over a small state folder and workspace, and the official client to ask it with."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.server import Server
from mcp.types import CallToolResult, TextContent

from prefrontal.cortex.models import Belief
from prefrontal.cortex.state import BELIEFS_KEY, dump_beliefs
from prefrontal.http_patience import QuietServer, listen
from prefrontal.http_server import Door
from prefrontal.ledger import Ledger
from prefrontal.mcp.served import Served, open_served
from prefrontal.mcp.server import build_server
from prefrontal.mcp.transports import ENDING_S, PATH, http_app
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.settings import parse_settings
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.storage.state_folder import StateFolder
from prefrontal.testing import ManualClock

MODES = ("legacy", "auto")
"""The handshake of old, and the newest form of the protocol that both sides speak."""

INVOICES: dict[str, Any] = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "{location}: an invoice to file?",
    "default_threshold": 0.6,
    "signal_priors": {
        "filesystem": {"watch_directories": ["/downloads"], "relevant_extensions": [".pdf"]}
    },
}
BILL = {"source": "filesystem", "location": "/downloads/bill.pdf", "delta_type": "created"}
NOTES = {"source": "filesystem", "location": "/downloads/notes.txt", "delta_type": "created"}


@contextmanager
def served(
    folder: Path, *modules: dict[str, Any], clock: ManualClock | None = None, **settings: Any
) -> Iterator[Served]:
    """What a server in the folder stands on. settings: keys of prefrontal.yml."""
    told = parse_settings({"audit_share": 0.0, **settings})
    with open_served(
        told,
        StateFolder(folder / "state"),
        [parse_fingerprint(each) for each in modules or (INVOICES,)],
        workspace=str(folder / "workspace"),
        clock=clock or ManualClock(),
    ) as found:
        yield found


@asynccontextmanager
async def asking(
    folder: Path, *modules: dict[str, Any], mode: str = "auto", **settings: Any
) -> AsyncIterator[Client]:
    """A client of such a server, in this process."""
    with served(folder, *modules, **settings) as found:
        async with Client(build_server(found), mode=mode) as client:
            yield client


@asynccontextmanager
async def listening(
    folder: Path, token: str = "", seen: Callable[[Server[Any]], object] = lambda _: None
) -> AsyncIterator[str]:
    """A server on a free port of this machine; its address. seen: gets the server first."""
    door = Door("127.0.0.1", 0, token)
    with served(folder) as found, listen(door) as taken:
        server = build_server(found)
        seen(server)
        running = QuietServer(http_app(server, door), ENDING_S)
        task = asyncio.create_task(running.serve(sockets=[taken]))
        try:
            yield f"http://127.0.0.1:{taken.getsockname()[1]}{PATH}"
        finally:
            running.should_exit = True
            await task


def answer(result: CallToolResult) -> dict[str, Any]:
    """What a tool answered; its text says the same as its structure."""
    assert not result.is_error, result
    text = result.content[0]
    assert isinstance(text, TextContent)
    found: dict[str, Any] = result.structured_content
    assert json.loads(text.text) == found
    return found


def refusal(result: CallToolResult) -> str:
    """The sentence of a tool that did nothing."""
    assert result.is_error
    assert result.structured_content is None
    [text] = result.content
    assert isinstance(text, TextContent)
    return text.text


def remember(folder: Path, *beliefs: Belief) -> None:
    """Keep beliefs as a cortex does."""
    files = MemoryFiles(folder / "workspace" / "memory" / "files")
    files.store(BELIEFS_KEY, dump_beliefs(beliefs))


def meet(folder: Path, peer_id: str, messages: int, trust: int | None, clock: ManualClock) -> None:
    """Let the agent's ledger know a peer: so many messages a day apart, and one judgment."""
    (folder / "workspace").mkdir(exist_ok=True)
    with Ledger(folder / "workspace" / "ledger.sqlite", clock=clock) as book:
        for _ in range(messages):
            book.record_interaction(
                peer_id, "in", preview="Good morning.", size=13, display_name="Ada"
            )
            clock.advance(86_400)
        if trust is not None:
            book.record_assessment(peer_id, trust, "Kept what it promised.")


def program(folder: Path, *words: str) -> StdioServerParameters:
    """The command in a process of its own, its home and its settings in the folder."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "prefrontal", "mcp", "--state", str(folder / "state"), *words],
        env={"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(folder)},
        cwd=folder,
    )
