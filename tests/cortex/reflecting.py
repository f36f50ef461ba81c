"""A whole agent with a scripted reflector, for the tests of the cortex in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from prefrontal.cortex import CortexPlugin
from prefrontal.ledger import LedgerPlugin
from prefrontal.plugin import IncomingMessage
from prefrontal.testing import ManualClock, ScriptedLLM, ScriptedSubagent, make_runtime


def assessed(
    peer_id: str = "alice", trust: Any = 2, rationale: Any = "Five clear requests."
) -> Any:
    return {"peer_id": peer_id, "trust": trust, "rationale": rationale}


def believed(key: str = "alice-is-reliable", value: Any = "Delivers accurate forecasts") -> Any:
    return {"key": key, "value": value, "rationale": "Three forecasts came true."}


def reply(
    *assessments: Any, beliefs: Any = (), summary: str = "All is well.", **more: Any
) -> dict[str, Any]:
    return {"assessments": list(assessments), "beliefs": list(beliefs), "summary": summary, **more}


async def until(happened: Callable[[], bool]) -> None:
    """Let the event loop turn until it did."""
    async with asyncio.timeout(20):
        while not happened():
            await asyncio.sleep(0)


class Agent:
    """A runtime in which peers write, time passes and things fall due.

    replies: of the subagent, see `ScriptedSubagent`; the last one is repeated.
    """

    def __init__(
        self,
        replies: Any = (),
        *,
        clock: ManualClock | None = None,
        workspace: Any = None,
        plugins: Any = (),
        subagent: Any = None,
        llm: Any = None,
        root: Mapping[str, Any] | None = None,
        **cortex: Any,
    ) -> None:
        self.clock = clock or ManualClock()
        self.subagent = subagent or ScriptedSubagent(replies, repeat=True)
        self.llm = llm or ScriptedLLM()
        self.runtime = make_runtime(
            {"cortex": cortex, **(root or {})},
            clock=self.clock,
            subagent=self.subagent,
            llm=self.llm,
            workspace=workspace,
            plugins=plugins,
        )
        self._written = 0

    async def __aenter__(self) -> Agent:
        await self.runtime.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.runtime.stop()

    @property
    def cortex(self) -> CortexPlugin:
        found = self.runtime.registry.get("cortex")
        assert isinstance(found, CortexPlugin)
        return found

    @property
    def ledger(self) -> LedgerPlugin:
        found = self.runtime.registry.get("ledger")
        assert isinstance(found, LedgerPlugin)
        return found

    async def hear(
        self, peer_id: str = "alice", text: str = "What about rain?", **more: Any
    ) -> None:
        """One message of a peer, answered."""
        self._written += 1
        given = {
            "id": f"m{id(self)}-{self._written}",
            "channel_type": "test",
            "channel_id": f"with-{peer_id}",
            "sender_id": peer_id,
            "sender_name": peer_id.title(),
            "content": text,
            "timestamp": datetime.fromtimestamp(self.clock.now(), UTC),
        }
        await self.runtime.receive(IncomingMessage(**{**given, **more}))

    async def cycle(self, peer_id: str = "alice", messages: int = 5, text: str = "Rain?") -> None:
        """So many messages of one peer, then what is due."""
        for _ in range(messages):
            await self.hear(peer_id, text)
        await self.runtime.tick()

    async def tick(self, seconds: float = 0.0) -> None:
        """Time passes, then what is due."""
        self.clock.advance(seconds)
        await self.runtime.tick()

    @property
    def asked(self) -> list[Any]:
        """Contexts that the reflector was given."""
        return [call.context for call in self.subagent.calls]

    async def prompt(self, peer_id: str = "alice") -> str:
        """The system prompt of the agent for the next message of that peer."""
        await self.hear(peer_id)
        return str(self.llm.calls[-1].prompt)

    def trusts(self, peer_id: str = "alice") -> list[int]:
        """What was written of a peer, oldest first."""
        return list(self.ledger.get_peer_assessment_summary(peer_id)["trajectory"])

    def payloads(self, kind: str) -> list[Any]:
        return [each["payload"] for each in self.runtime.events if each["type"] == kind]

    def logged(self, level: str) -> list[str]:
        return [text for at, who, text in self.runtime.logs if (at, who) == (level, "cortex")]
