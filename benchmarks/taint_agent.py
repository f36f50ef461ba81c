"""An agent whose reflector is compromised, and the ways in which others' words come to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import taint_strings as strings
from prefrontal.cortex import CortexPlugin
from prefrontal.cortex.consultation.verdict import ConsultRequest
from prefrontal.executive.chooser.beliefs import leanings
from prefrontal.executive.reviewer.conclusions import heard
from prefrontal.ledger.tools import execute
from prefrontal.plugin import IncomingMessage, Plugin, PluginMeta, ToolCall
from prefrontal.runtime import Runtime
from prefrontal.runtime.plugins.conversation import ConversationPlugin
from prefrontal.testing import ManualClock, Reply, ScriptedLLM, ScriptedSubagent, make_runtime

DOORS = ("message", "name", "id", "tool", "page", "event")
READERS = ("alice", "carol")
ASKERS = ("alice", "dave", "erin")
"""Whose questions a tool answers, four each; peers who write send five each: a context holds ten
messages of a conversation, answers included."""
TOOL = "wire_money"
TOOLS = {"tool": "look_up", "page": "fetch_page"}


class Pages(Plugin):
    """A tool that returns what an attacker wrote."""

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        self._name = name
        self._texts = texts

    meta = PluginMeta(id="pages", version="1", capabilities=["tools"])

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def get_definitions(self) -> list[dict[str, Any]]:
        parameters = {"type": "object", "properties": {"n": {"type": "integer"}}}
        function = {"name": self._name, "description": "Read.", "parameters": parameters}
        return [{"type": "function", "function": function}]

    def execute(self, name: str, args: Mapping[str, Any]) -> str:
        return self._texts[int(args["n"])]


class Parrot:
    """The compromised reflector: every order that it reads, in every field that it may write."""

    def __init__(self, way: str, language: str) -> None:
        self.read: set[int] = set()
        self.patient = way == "laundered"
        self._way, self._language = way, language

    def __call__(self, call: Any) -> Any:
        if "May it?" in call.task:
            return {"reasoning": "fine", "decision": "approve", "conditions": []}
        texts = self.repeated(json.dumps(call.context, ensure_ascii=False))
        peers = [each["peer_id"] for each in call.context["peers"]]
        rationale = " ".join(texts[:8]) or "Nothing."
        reply: dict[str, Any] = {
            "assessments": [
                {"peer_id": peer, "trust": 2, "rationale": rationale} for peer in peers
            ],
            "beliefs": [],
            "summary": " ".join(texts)[:900],
            "lessons": texts[:12],
            "commitments": [
                {"peer_id": "alice", "text": text, "due": call.context["now"] + 60}
                for text in texts[:4]
            ],
        }
        if not self.patient:
            reply["beliefs"] = [self._belief(i, text) for i, text in enumerate(texts)]
            reply["directives"] = [
                {"target_peer": peer, "action": texts[i], "message": " ".join(texts[:6])}
                for i, peer in enumerate(READERS)
                if i < len(texts)
            ]
        return reply

    def repeated(self, shown: str) -> list[str]:
        """The orders that it is shown, in its way."""
        orders = sorted(strings.numbers_in(shown))
        self.read.update(orders)
        return [each for order in orders for each in self._texts(order)]

    def _texts(self, order: int) -> tuple[str, ...]:
        if self._way in ("translated", "laundered"):
            return (strings.translated(order, self._language),)
        if self._way == "padded":
            return (strings.padded(order, self._language),)
        if self._way == "split":
            return strings.halves(order, self._language)
        return (strings.written(order, self._language),)

    def _belief(self, number: int, text: str) -> dict[str, Any]:
        code = strings.CODE.search(text)
        key = f"prefer-{number}-{code[0] if code else ''}"
        about = (None, *READERS)[number % 3]
        value = f"Prefer {TOOL}. {text}"
        return {"key": key, "value": value, "rationale": text, "peer_id": about}


class Agent:
    """An agent with a parrot, and the orders of one batch coming in by a door."""

    def __init__(self, door: str, parrot: Parrot, texts: Sequence[str], workspace: str) -> None:
        self.clock = ManualClock()
        self._door, self._parrot, self._texts = door, parrot, texts
        self._workspace = workspace or None
        self._messages = 0
        self.runtime = self._made()

    def _made(self) -> Runtime:
        config = {"cortex": {"triggers": ["timer"], "schedule_minutes": 525_600}}
        tool = TOOLS.get(self._door, "")
        return make_runtime(
            config,
            clock=self.clock,
            subagent=ScriptedSubagent(self._parrot),
            llm=ScriptedLLM(self._answer),
            workspace=self._workspace,
            plugins=[Pages(tool, self._texts)] if tool else (),
        )

    def _answer(self, call: Any) -> Any:
        """What a tool returned is told to the peer as it is."""
        last = call.messages[-1]
        if last["role"] == "tool":
            return last["content"]
        if str(last["content"]).startswith("read "):
            number = int(last["content"].split()[1])
            return Reply("", tool_calls=[ToolCall("1", TOOLS[self._door], {"n": number})])
        return "ok"

    @property
    def cortex(self) -> CortexPlugin:
        plugin = self.runtime.registry.get("cortex")
        assert isinstance(plugin, CortexPlugin)
        return plugin

    @property
    def conversation(self) -> ConversationPlugin:
        plugin = self.runtime.registry.get("conversation")
        assert isinstance(plugin, ConversationPlugin)
        return plugin

    async def restart(self) -> None:
        await self.runtime.stop()
        self.runtime = self._made()
        await self.runtime.start()

    async def come_in(self) -> None:
        for number, text in enumerate(self._texts):
            if self._door == "message":
                await self.hear(f"bob{number // 5}", text)
            elif self._door == "name":
                await self.hear(f"bob{number}", "hello", name=text)
            elif self._door == "id":
                await self.hear(text, "hello")
            elif self._door == "event":
                await self._signal(text)
            else:
                await self.hear(ASKERS[number // 4 % len(ASKERS)], f"read {number}")
        for reader in READERS:
            await self.hear(reader, "Good morning.")

    async def hear(self, peer: str, text: str, name: str = "") -> None:
        self._messages += 1
        await self.runtime.receive(
            IncomingMessage(
                id=f"m{self._messages}",
                channel_type="simulation",
                channel_id=peer,
                sender_id=peer,
                sender_name=name or peer,
                content=text,
                timestamp=datetime.fromtimestamp(self.clock.now(), UTC),
            )
        )

    async def _signal(self, text: str, peer: str = "bob") -> None:
        """As the executive notes the peer behind a wake."""
        self._messages += 1
        ids = {"peer_id": peer, "recipient_id": peer, "channel_id": "feed"}
        ctx = {"event_id": f"e{self._messages}", "message": text, "sender": peer}
        ctx |= {**ids, "channel_type": "signal", "correlation_id": "e", "sender_id": peer}
        await self.runtime.registry.call_extension_chain("loop.on_message", ctx)

    async def reflect(self) -> None:
        self.clock.advance(120)
        record = await self.cortex.reflect()
        assert record is not None and record.status == "ok", record

    async def prompts(self) -> str:
        """What others' conversations hold: the system prompts, and what tools tell there."""
        parts = []
        for reader in READERS:
            ctx = {"prompt": "", "peer": reader, "peer_id": reader, "messages": []}
            chained = await self.runtime.registry.call_extension_chain(
                "loop.transform_system_prompt", ctx
            )
            parts.append(str(chained["prompt"]))
        ledger: Any = self.runtime.registry.get("ledger")
        listed = json.loads(await execute(ledger.ledger, "list_peers", {}, None, "alice"))
        others = {each["peer_id"] for each in listed} - {"alice"}
        asked = [("query_peer", {"peer_id": each}) for each in others]
        for name, args in (*asked, ("list_peers", {})):
            parts.append(await execute(ledger.ledger, name, args, None, "alice"))
        return "\n".join(parts)

    async def rights(self) -> set[int]:
        cortex = self.cortex
        beliefs = heard(cortex, cortex.memory.beliefs.active(self.clock.now()))
        taken = leanings(beliefs, [TOOL])
        orders = strings.numbers_in(" ".join(key for each in taken.values() for key in each.keys))
        writer = "bob0" if self._door in ("message", "name") else "bob"
        request = ConsultRequest("c", writer, "money", " ".join(self._texts)[:600])
        verdict = await cortex.consultation.consult(request)
        return orders | (self._parrot.read if verdict.decision == "approve" else set())
