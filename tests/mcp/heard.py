"""A client that hears of new wakes, and wakes to hear of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client

from prefrontal.decisions.log import Decision, DecisionLog, new_id
from prefrontal.decisions.payloads import WakePayload
from prefrontal.mcp.server import build_server
from prefrontal.types import SignalEvent

from .served_samples import INVOICES, listening, program, served

WAKES = "prefrontal://wakes"
PATIENCE_S = 30.0
DOORS = ("process", "stdio", "http")


def wake(question: str | None = "An invoice to file?", **changes: Any) -> Decision:
    event = SignalEvent("filesystem", "/downloads/bill.pdf", "created", 1.0, 1_700_000_000.0)
    told: dict[str, Any] = {
        "id": new_id(),
        "time": 1_700_000_001.0,
        "payload": WakePayload(),
        "subject": "invoices",
        "acted": question is not None,
        "reason": "woke",
        "score": 0.9,
        "threshold": 0.6,
        "question": question,
        "propensity": 1.0,
        "window": (event,),
    }
    return Decision(**(told | changes))


class Heard:
    """What a client was told, in its order."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, message: Any) -> None:
        self.messages.put_nowait(message)

    async def until(self, kind: type, **fields: Any) -> list[Any]:
        """What came up to the first notification of that kind with these params."""
        found: list[Any] = []
        async with asyncio.timeout(PATIENCE_S):
            while not found or not self._is(found[-1], kind, fields):
                found.append(await self.messages.get())
        return found

    @staticmethod
    def _is(message: Any, kind: type, fields: dict[str, Any]) -> bool:
        if not isinstance(message, kind):
            return False
        params: Any = getattr(message, "params", None)
        return all(getattr(params, name) == value for name, value in fields.items())


@asynccontextmanager
async def client_of(
    folder: Path, door: str, mode: str, level: Any = None
) -> AsyncIterator[tuple[Client, Heard]]:
    """A client behind that door. level: the log messages that it asks for."""
    heard = Heard()
    told: dict[str, Any] = {"mode": mode, "message_handler": heard, "log_level": level}
    if door == "stdio":
        config = folder / "prefrontal.yml"
        config.write_text(json.dumps({"modules": [INVOICES]}), encoding="utf-8")
        async with Client(program(folder, "--config", str(config)), **told) as client:
            yield client, heard
    elif door == "http":
        async with listening(folder) as address, Client(address, **told) as client:
            yield client, heard
    else:
        with served(folder) as found:
            async with Client(build_server(found, 0.01), **told) as client:
                yield client, heard


@asynccontextmanager
async def hearing(client: Client, *uris: str, level: Any = None) -> AsyncIterator[None]:
    """Subscribe as the protocol that was agreed on wants it."""
    if client.protocol_version >= "2026":
        subscribed = client.listen(resources_list_changed=True, resource_subscriptions=uris)
        async with subscribed as stream:
            assert stream.honored.resource_subscriptions == (list(uris) or None)
            yield
        return
    if level is not None:
        await client.set_logging_level(level)
    for uri in uris:
        await client.subscribe_resource(uri)
    yield


def keep(folder: Path, *records: Decision) -> None:
    """Keep decisions as a watch in another process does."""
    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        log.append_many(records)


async def read(client: Client, uri: str) -> dict[str, Any]:
    [content] = (await client.read_resource(uri)).contents
    found: dict[str, Any] = json.loads(content.text)  # type: ignore[union-attr]
    return found
