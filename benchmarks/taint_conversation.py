"""An agent whose own model is compromised, too: what it reads in one turn it passes on to others.

Orders that come in by a door are sent to two other peers. In their conversations the model then
repeats what it is shown: in its answers, in the notes of what was said, in the facts it draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from prefrontal.plugin import IncomingMessage, ToolCall
from prefrontal.plugin.messages import SYSTEM_SENDER
from prefrontal.runtime.conversation import condensing, drawn_facts
from prefrontal.testing import Reply
from taint_agent import ASKERS, READERS, TOOLS, Agent, Parrot

_ID = re.compile(r"^#(\d+) (?:\S+: )?⟦?(\w*)", re.MULTILINE)
_CONDENSING = tuple(
    each.partition("{")[0] for each in (condensing.OBSERVE, condensing.REFLECT, drawn_facts.DRAW)
)
SHORT = {"MOST_MESSAGES": 12, "MESSAGES": 2, "NOTES": 2400}


@contextmanager
def short_conversations() -> Iterator[None]:
    """Notes are made, and made again, within few turns."""
    before = {name: getattr(condensing, name) for name in SHORT}
    try:
        vars(condensing).update(SHORT)
        yield
    finally:
        vars(condensing).update(before)


class Talk(Agent):
    """Orders that the agent's model hears in one conversation, and passes on into others."""

    def __init__(self, door: str, parrot: Parrot, texts: Any, workspace: str) -> None:
        self._reader = ""
        self._number = 0
        self._seen = ""
        super().__init__(door, parrot, texts, workspace)

    async def come_in(self) -> None:
        for reader in READERS:
            await self.hear(reader, "Good morning.")
        for number, text in enumerate(self._texts):
            self._number = number
            if self._door == "message":
                await self.hear(f"bob{number // 5}", f"My order is {text}.")
            elif self._door == "name":
                await self.hear(f"bob{number}", "hello", name=text)
            elif self._door == "id":
                await self.hear(text, "hello")
            elif number % 2 and self._door != "event":
                await self.hear(ASKERS[1 + number // 4 % 2], "read it")
            else:
                if self._door == "event":
                    await self._signal(text, f"bob{number}")
                await self._job()
        for reader in READERS:
            await self._talk(reader)

    async def hear(self, peer: str, text: str, name: str = "") -> None:
        self._reader = peer if peer in READERS else ""
        await super().hear(peer, text, name)

    async def prompts(self) -> str:
        """What the model was shown in the readers' conversations, but for what it wrote there."""
        for reader in READERS:
            await self._talk(reader)
        return f"{await super().prompts()}\n{self._seen}"

    async def _talk(self, reader: str) -> None:
        for text in ("My day was long.", "Search what was said.", "And now?"):
            await self.hear(reader, text)

    async def _job(self) -> None:
        """A scheduled job of the agent."""
        self._reader = ""
        self._messages += 1
        await self.runtime.receive(
            IncomingMessage(
                id=f"j{self._messages}",
                channel_type="cron",
                channel_id="morning",
                sender_id=SYSTEM_SENDER,
                sender_name="Cron",
                content="read it",
                timestamp=datetime.fromtimestamp(self.clock.now(), UTC),
                metadata={"is_cron": True, "skip_persistence": True},
            )
        )

    def _answer(self, call: Any) -> Any:
        own = max(n for n, each in enumerate(call.messages) if each["role"] in ("user", "system"))
        given = [each for n, each in enumerate(call.messages) if n <= own or each["role"] == "tool"]
        shown = "\n".join(str(each["content"]) for each in given)
        texts = self._parrot.repeated(shown)
        if str(call.messages[0]["content"]).startswith(_CONDENSING):
            self._seen += "\n".join(str(each["content"]) for each in call.messages[1:])
            return _lines(shown, texts)
        used = len(call.messages) - 1 - own
        if not self._reader:
            return self._passed_on(str(call.messages[own]["content"]), used, texts)
        self._seen += shown
        if "Search" in str(call.messages[own]["content"]) and not used:
            code = " ".join(sorted(re.findall(r"zq\d{3}", shown))) or "order"
            calls = [
                ToolCall("1", "conversation_search", {"query": code + "*", "limit": 50}),
                ToolCall("2", "conversation_search", {"query": "", "limit": 50}),
                ToolCall("3", "conversation_open", {"id": 1}),
            ]
            return Reply("", tool_calls=calls)
        return " ".join(texts) or "ok"

    def _passed_on(self, asked: str, used: int, texts: list[str]) -> Any:
        if asked == "read it" and not used:
            tool = TOOLS.get(self._door, "query_peer")
            wanted = (
                {"peer_id": f"bob{self._number}"} if tool == "query_peer" else {"n": self._number}
            )
            return Reply("", tool_calls=[ToolCall("1", tool, wanted)])
        if used > 2 or not texts:
            return "ok"
        text = " ".join(texts[-8:])
        sends = ({"peer_id": reader, "text": text} for reader in READERS)
        return Reply(
            "", tool_calls=[ToolCall(str(n), "send_message", one) for n, one in enumerate(sends)]
        )


def _lines(shown: str, texts: list[str]) -> str:
    """Lines as notes have them and as facts are drawn, each with an order."""
    ids = _ID.findall(shown) or [("1", "ok")]
    lines = []
    for n, text in enumerate(texts):
        number, word = ids[n % len(ids)]
        lines.append(f"#{number} {text}")
        lines.append(f"#{number} | {text[:60]} | {text[-60:]} | {word}")
    return "\n".join(lines)
