"""Alpha gets an inner voice: python examples/alpha.py

Four days of an agent, in seconds and offline: a clock that is moved by hand, a scripted model for
what Alpha says, the rules of the cortex for what it thinks. Everything else is the real thing:
messages go through the agent's loop, the ledger and the beliefs lie in files, and what the operator
sees is what the commands print.
"""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prefrontal.cli import main as prefrontal
from prefrontal.cli.cortex.pages import print_beliefs
from prefrontal.cli.cortex.reading import Kept, read_kept
from prefrontal.plugin import IncomingMessage, ToolCall
from prefrontal.runtime import Runtime
from prefrontal.runtime.plugins.config import ConfigPlugin
from prefrontal.settings.agent_file import read_agent_config
from prefrontal.settings.home import Home
from prefrontal.testing import ManualClock, Reply, ScriptedLLM, ScriptedSubagent, make_runtime

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
START = datetime(2026, 3, 2, 9, tzinfo=UTC).timestamp()

COLLABORATOR, FARMER, PARTNER = "npub-7x9k", "npub-farm1", "npub-collab1"
OTHERS = dict.fromkeys((f"npub-{name}" for name in ("a2", "c4", "d5", "e6", "g7", "h8", "k9")), 4)
OTHERS |= dict.fromkeys(("npub-s3", "npub-t5", "npub-w2"), 3)
"""Everybody else, and how often each writes."""
INLINE = {COLLABORATOR: [1, 2, 2, 3, 3], FARMER: [1, 2, 2, 3, 3]}
"""What Alpha thought of two peers in passing, message by message, before it had a cortex."""

USUAL = "timer, interaction_count: 5"
SETTINGS = """\
identity: {{name: Alpha}}
logging: {{level: "off"}}
cortex:
  enabled: {enabled}
  llm_provider: {reflector}
  schedule_minutes: {minutes}
  triggers: [{triggers}]
"""
AGGREGATE = (
    "Now I need a complete aggregation: pull the filings, the press archive, the patents and the"
    " court records of the last ten years for all 240 companies of the sector, reconcile names,"
    " resolve duplicates, rate every source, and write one report with tables. " * 3
)


class Story:
    """One agent, its clock and its file of settings."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock(START)
        self.workspace = folder / "workspace"
        self.file = folder / "prefrontal.yml"
        self.model = ScriptedLLM(self._answer)
        self.reflector = ScriptedSubagent(self._reflect, available=True)
        self.agent: Runtime | None = None
        self._ids = count(1)
        self._judged: dict[str, int] = {}

    def settings(
        self,
        *,
        enabled: bool = True,
        reflector: str = "rules",
        minutes: int = 15,
        triggers: str = USUAL,
    ) -> None:
        """Write prefrontal.yml; a running cortex reads it at its next reflection."""
        told = {"enabled": str(enabled).lower(), "reflector": reflector, "minutes": minutes}
        self.file.write_text(SETTINGS.format(**told, triggers=triggers), encoding="utf-8")

    async def start(self) -> None:
        """Start Alpha anew, on the files it left."""
        await self.stop()
        self.agent = make_runtime(
            read_agent_config(self.file),
            clock=self.clock,
            llm=self.model,
            subagent=self.reflector,
            workspace=self.workspace,
            plugins=[ConfigPlugin([self.file], lambda: read_agent_config(self.file))],
        )
        await self.agent.start()

    async def stop(self) -> None:
        if self.agent is not None:
            await self.agent.stop()

    async def hears(self, peer: str, text: str) -> str:
        """A message of a peer, and Alpha's answer."""
        assert self.agent is not None
        at = datetime.fromtimestamp(self.clock.now(), UTC)
        message = IncomingMessage(f"m{next(self._ids)}", "chat", peer, peer, peer, text, at)
        answer = await self.agent.receive(message)
        return answer.content if answer is not None else ""

    async def waits(self, seconds: float) -> None:
        """Let time pass; whatever falls due is done, a look every five minutes."""
        assert self.agent is not None
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            self.clock.advance(min(5 * MINUTE, end - self.clock.now()))
            await self.agent.tick()

    def kept(self) -> Kept:
        """What the cortex left in its files."""
        return read_kept(Home(self.workspace, {}))

    def assessed(self, peer: str) -> str:
        """The latest word on a peer: what was proposed, and what was kept of it."""
        found = (each for record in self.kept().history[::-1] for each in record.assessments)
        last = next(each for each in found if each["peer_id"] == peer)
        before, proposed, trust = (last[key] for key in ("previous", "proposed", "clamped"))
        return f"{peer} at {before}, proposed {proposed}, kept {trust} ({last['outcome']})"

    def beliefs(self) -> None:
        """What `prefrontal cortex beliefs` prints, at the story's time."""
        print("\n$ prefrontal cortex beliefs")
        kept, now = self.kept(), self.clock.now()
        print_beliefs(kept.listed(now), kept.last_reflection, now)

    def command(self, *words: str) -> None:
        """What the operator types, and what it prints."""
        print(f"\n$ prefrontal {' '.join(words)}")
        place = ["--workspace", str(self.workspace), "--config", str(self.file)]
        prefrontal([*words, *place], standalone_mode=False)

    def _answer(self, call: Any) -> Any:
        """Alpha's model: it answers, follows directives, and judges in passing while it must."""
        last = call.messages[-1]
        if last["role"] == "tool":
            return "Done. Here is what you asked for."
        directive = re.match(r"Directive \S+ for (\S+): .*\nMessage: (.+)", last["content"])
        if directive is not None:
            return _tool("send_message", peer_id=directive[1], text=directive[2])
        peer = next((each for each in (*INLINE, *OTHERS) if each in last["content"]), None)
        offered = {each["function"]["name"] for each in call.tools or ()}
        if peer is not None and "assess_peer" in offered:
            return self._judge(peer)
        return "A long report. " * 200 if AGGREGATE in last["content"] else "Here it is."

    def _judge(self, peer: str) -> Reply:
        number = self._judged.get(peer, 0)
        self._judged[peer] = number + 1
        trust = INLINE[peer][number] if peer in INLINE else min(2, number + 1)
        reason = "Friendly, quick, all done."
        return _tool("assess_peer", peer_id=peer, trust=trust, rationale=reason)

    def _reflect(self, call: Any) -> Any:
        """A model that overreacts to one peer."""
        peers = [each["peer_id"] for each in call.context["peers"]]
        wild = {"peer_id": FARMER, "rationale": "A swindler from the start.", "trust": -9}
        return {
            "assessments": [wild] if FARMER in peers else [],
            "beliefs": [],
            "summary": f"{FARMER} must be a swindler.",
        }


def _tool(name: str, **arguments: Any) -> Reply:
    return Reply("", tool_calls=[ToolCall(f"call-{name}", name, arguments)])


async def three_weeks_before(story: Story) -> None:
    """12 peers, 47 messages, judged in passing by the model that answers."""
    story.settings(enabled=False)
    await story.start()
    visits = [(4.0 * n, COLLABORATOR, "Please extract the table.") for n in range(5)]
    visits += [(7 + 3.25 * n, FARMER, "Quick look-up?") for n in range(5)]
    for number, (peer, messages) in enumerate(OTHERS.items()):
        visits += [(number + 2.5 * n + 0.1, peer, "A question.") for n in range(messages)]
    for day, peer, text in sorted(visits):
        story.clock.advance(START + day * DAY - story.clock.now())
        await story.hears(peer, f"{text} ({peer})")
    print(f"{len(visits)} messages of {len(OTHERS) + 2} peers, judged in passing.")
    story.command("ledger", "show", FARMER)


async def inner_voice(story: Story) -> None:
    """1. The operator switches the cortex on; judging moves out of the conversation."""
    story.clock.advance(START + 21 * DAY - story.clock.now())
    story.settings()
    await story.start()
    calls = len(story.model.calls)
    await story.hears(COLLABORATOR, f"The usual extraction, please. ({COLLABORATOR})")
    print(f"Alpha answered with {len(story.model.calls) - calls} call of its model instead of 2.")
    await story.waits(27 * MINUTE)
    story.beliefs()
    await story.hears(COLLABORATOR, f"And one more table? ({COLLABORATOR})")
    prompt = next(each["content"] for each in story.model.calls[-1].messages)
    print("\nIn the prompt of the next answer:")
    print(prompt[prompt.index("## Cortex Beliefs") :].strip())


async def farming(story: Story) -> None:
    """2. Five easy requests, then a huge one: nobody sees it but who looks back."""
    story.clock.advance(START + 22 * DAY - story.clock.now())
    await story.hears(FARMER, f"{AGGREGATE} ({FARMER})")
    await story.waits(HOUR)
    print(f"Looking back: {story.assessed(FARMER)}.")
    await story.hears(FARMER, f"Is it done? ({FARMER})")
    await story.waits(HOUR)
    print(f"After one more message: {story.assessed(FARMER)}.")
    story.beliefs()


async def audit(story: Story) -> None:
    """3. The operator looks at what it did, changes the settings, and asks a second opinion."""
    assert story.agent is not None
    story.command("cortex", "history", "-n", "5")
    caught = next(each for each in story.kept().history if FARMER in each.peers_assessed)
    story.command("cortex", "show", str(caught.cycle))
    before = len(story.kept().history)
    await story.waits(4 * HOUR)
    print(f"\nFour hours without a message: {len(story.kept().history) - before} reflections.")
    cortex: Any = story.agent.registry.get("cortex")
    story.settings(reflector="subagent", minutes=30)
    await cortex.reflect()
    print(f"A model overreacts, without new evidence: {story.assessed(FARMER)}.")
    story.settings(minutes=30, triggers=f"{USUAL}, new_peer, promise_timeout")
    await cortex.reflect()
    story.command("cortex", "config", "--set")


async def follow_up(story: Story) -> None:
    """4. A promise is not kept in time: Alpha asks, politely, before it judges."""
    assert story.agent is not None
    story.clock.advance(START + 24 * DAY - story.clock.now())
    await story.hears(PARTNER, "Deal. I will send my portion of the research within 4 hours.")
    await story.waits(6 * HOUR)
    for message in story.agent.sent:
        if message.channel_id == PARTNER and message.reply_to is None:
            print(f"Alpha, of its own accord, to {PARTNER}: {message.content}")
    story.command("cortex", "history", "-n", "3")
    story.command("ledger", "show", PARTNER)


SCENES = (three_weeks_before, inner_voice, farming, audit, follow_up)


async def tell(story: Story) -> None:
    """The whole story."""
    try:
        for scene in SCENES:
            print(f"\n=== {scene.__doc__} ===\n")
            await scene(story)
    finally:
        await story.stop()


def main() -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(tell(Story(Path(folder))))


if __name__ == "__main__":
    main()
