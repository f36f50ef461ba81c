"""Ten simulations of an agent that reflects, each with its criterion, its measurement, its verdict.

S1 compares the rationales of the rules reflector with those of an inline judgment, on twenty made
sequences, by a rubric that counts; a file of blinded pairs lets people judge. The others script
what a model would reply and look at what the agent did with it.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import cortex_rubric as rubric
from prefrontal.ledger import LedgerPlugin
from prefrontal.runtime import IncomingMessage, Runtime
from prefrontal.testing import ManualClock, ScriptedSubagent, make_runtime

HOUR, DAY = 3600.0, 86400.0
PEER = "npub-farm1"


@dataclass(frozen=True, slots=True)
class Verdict:
    """name: S1..S10 and what it is about. criterion: what must hold. measured: what was seen."""

    name: str
    criterion: str
    measured: str
    passed: bool


@dataclass(slots=True)
class Agent:
    """A runtime on a clock, and a way to talk to it."""

    runtime: Runtime
    clock: ManualClock
    sent: int = 0

    async def hear(self, text: str, peer: str = PEER, times: int = 1) -> None:
        for _ in range(times):
            self.sent += 1
            await self.runtime.receive(
                IncomingMessage(
                    id=str(self.sent),
                    channel_type="simulation",
                    channel_id=peer,
                    sender_id=peer,
                    sender_name=peer,
                    content=text,
                    timestamp=datetime.fromtimestamp(self.clock.now(), UTC),
                )
            )

    async def reflect(self, text: str = "Another small thing, please.", times: int = 5) -> None:
        """So many messages, then what is due."""
        await self.hear(text, times=times)
        await self.runtime.tick()

    def payloads(self, event: str) -> list[dict[str, Any]]:
        return [each["payload"] for each in self.runtime.events if each["type"] == event]

    def trusts(self, peer: str = PEER) -> list[int]:
        return [each["trust"] for each in self.payloads("cortex.after_assess")
                if each["peer_id"] == peer]  # fmt: skip

    async def prompt(self, peer: str = PEER) -> str:
        """The system prompt that the agent would answer the peer with."""
        ctx = {"prompt": "", "peer": peer, "peer_id": peer, "messages": []}
        chained = await self.runtime.registry.call_extension_chain(
            "loop.transform_system_prompt", ctx
        )
        return str(chained["prompt"])


async def started(subagent: ScriptedSubagent | None = None, **cortex: Any) -> Agent:
    clock = ManualClock()
    runtime = make_runtime({"cortex": cortex}, clock=clock, subagent=subagent)
    await runtime.start()
    return Agent(runtime, clock)


def reply(trust: int | None = None, peer: str = PEER, **more: Any) -> dict[str, Any]:
    """What a model would say: one assessment, or none."""
    judged = (
        [] if trust is None else [{"peer_id": peer, "trust": trust, "rationale": "as scripted"}]
    )
    return {"assessments": judged, "beliefs": [], "summary": "scripted", **more}


async def s1_quality(pairs: Path | None) -> Verdict:
    scores = []
    for number, sequence in enumerate(rubric.sequences()):
        cortex, inline = await rubric.rationales(sequence)
        scores.append((rubric.score(cortex, sequence), rubric.score(inline, sequence)))
        if pairs is not None:
            rubric.add_blinded_pair(pairs, number, sequence, cortex, inline, random.Random(number))
    better = sum(cortex >= inline for cortex, inline in scores)
    return Verdict(
        "S1 quality",
        "the reflection's rationale is as good or better in at least 70 % of 20 sequences (rubric)",
        f"{better} of {len(scores)}",
        better >= 0.7 * len(scores),
    )


async def s2_hallucination(**cortex: Any) -> Verdict:
    replies = [reply(9), reply(9), *[reply(-10)] * 3, *[reply(9)] * 3]
    agent = await started(ScriptedSubagent(replies), **cortex)
    for _ in replies:
        await agent.reflect()
        agent.clock.advance(2 * HOUR)
    trusts = agent.trusts()
    drops = [before - after for before, after in pairwise(trusts)]
    await agent.runtime.stop()
    return Verdict(
        "S2 hallucination",
        "three misled reflections never cost more than 3 each; the next clean ones recover",
        f"trust {trusts}, largest drop {max(drops)}",
        max(drops) <= 3 and trusts[-1] == trusts[1],
    )


async def s3_pattern() -> Verdict:
    sequence = rubric.farming()
    cortex, inline = await rubric.rationales(sequence)
    named = [rubric.names_the_escalation(text) for text in (cortex, inline)]
    return Verdict(
        "S3 pattern",
        "five trivial requests and a large one: the reflection names it, an inline judgment not",
        f"reflection {named[0]}, inline {named[1]}",
        named == [True, False],
    )


async def s4_cost(**cortex: Any) -> Verdict:
    agent = await started(ScriptedSubagent(lambda call: reply(2)), **cortex)
    for _ in range(10):
        for peer in range(5):
            await agent.hear("Please look up the current figure and tell me. " * 3, f"npub-{peer}")
        await agent.runtime.tick()
        agent.clock.advance(HOUR)
    audits = agent.payloads("cortex.audit")
    used = [each["tokens_in"] + each["tokens_out"] for each in audits if each.get("tokens_in")]
    await agent.runtime.stop()
    mean = sum(used) / max(1, len(used))
    return Verdict(
        "S4 cost",
        "ten cycles with five peers take at most twice 3,000 tokens each",
        f"{len(used)} cycles, {mean:,.0f} tokens each",
        len(used) == 10 and mean <= 6000,
    )


async def s5_activity(**cortex: Any) -> Verdict:
    subagent = ScriptedSubagent(lambda call: reply(1))
    agent = await started(subagent, **cortex)
    for _ in range(24):
        agent.clock.advance(5 * 60)
        await agent.runtime.tick()
    await agent.runtime.stop()
    return Verdict(
        "S5 activity gate",
        "two hours without a message: no cycle, no token",
        f"{len(subagent.calls)} calls",
        not subagent.calls and not agent.payloads("cortex.after_reflect"),
    )


async def s6_expiry(**cortex: Any) -> Verdict:
    belief = {"key": "tides-are-high", "value": "The tides are high", "rationale": "seen twice"}
    agent = await started(ScriptedSubagent([reply(1, beliefs=[belief])]), **cortex)
    await agent.reflect()
    held = "tides-are-high" in await agent.prompt()
    agent.clock.advance(120 * 60)
    at_the_end = "tides-are-high" in await agent.prompt()
    agent.clock.advance(1)
    after = "tides-are-high" in await agent.prompt()
    await agent.runtime.stop()
    return Verdict(
        "S6 belief expiry",
        "a belief is in the prompt for 120 minutes and not a second longer",
        f"held {held}, at 120 min {at_the_end}, a second later {after}",
        (held, at_the_end, after) == (True, True, False),
    )


async def s7_clamp(**cortex: Any) -> Verdict:
    agent = await started(ScriptedSubagent([reply(0), reply(7), reply(7)]), **cortex)
    for _ in range(3):
        await agent.reflect()
        agent.clock.advance(60)
    trusts = agent.trusts()
    await agent.runtime.stop()
    return Verdict(
        "S7 clamp", "from 0, proposed +7 twice: +3, then +6", f"{trusts}", trusts == [0, 3, 6]
    )


async def s8_first(**cortex: Any) -> Verdict:
    agent = await started(ScriptedSubagent([reply(8)]), **cortex)
    await agent.reflect()
    trusts = agent.trusts()
    await agent.runtime.stop()
    return Verdict("S8 first", "+8 for a peer never judged before: +3", f"{trusts}", trusts == [3])


async def s9_migration() -> Verdict:
    found = [await _taken_over(proposed) for proposed in (-10, 10)]
    return Verdict(
        "S9 migration",
        "a peer that stood at +5 before: the first result lies within +2 and +8",
        f"{found}",
        found == [[2], [8]],
    )


async def _taken_over(proposed: int) -> list[int]:
    """Trusts by a cortex whose ledger was there before it."""
    with tempfile.TemporaryDirectory() as workspace:
        clock = ManualClock()
        before = make_runtime({"cortex": {"enabled": False}}, clock=clock, workspace=workspace)
        await before.start()
        await Agent(before, clock).hear("Hello", times=5)
        ledger = before.registry.get("ledger")
        assert isinstance(ledger, LedgerPlugin)
        ledger.record_assessment(PEER, 5, "judged inline, before")
        await before.stop()
        clock.advance(60)
        subagent = ScriptedSubagent([reply(proposed)])
        after = make_runtime({}, clock=clock, workspace=workspace, subagent=subagent)
        await after.start()
        agent = Agent(after, clock, sent=100)
        await agent.reflect()
        trusts = agent.trusts()
        await after.stop()
    return trusts


async def s10_concurrency(**cortex: Any) -> Verdict:
    subagent = ScriptedSubagent(lambda call: reply(2), delay=30.0)
    agent = await started(subagent, **cortex)
    await agent.hear("Hello", times=5)
    slow = asyncio.create_task(agent.runtime.tick())
    while not subagent.running:
        await asyncio.sleep(0)
    await agent.hear("And again", times=5)
    await agent.runtime.tick()
    during = subagent.most_running
    agent.clock.advance(31)
    await slow
    cycles, rows = len(agent.payloads("cortex.after_reflect")), len(agent.trusts())
    await agent.runtime.stop()
    return Verdict(
        "S10 concurrency",
        "a trigger during a slow cycle is skipped: one cycle at a time, no row twice",
        f"{during} at once, {cycles} cycles, {rows} rows",
        (during, cycles, rows) == (1, 1, 1),
    )


def verdicts(pairs: Path | None = None) -> list[Verdict]:
    """All ten, in order. pairs: where the blinded pairs of S1 are written, as JSON lines."""
    if pairs is not None:
        for path in (pairs, pairs.with_suffix(".key.jsonl")):
            path.write_text("", encoding="utf-8")
    runs: list[Callable[[], Awaitable[Verdict]]] = [
        lambda: s1_quality(pairs), s2_hallucination, s3_pattern, s4_cost, s5_activity, s6_expiry,
        s7_clamp, s8_first, s9_migration, s10_concurrency,
    ]  # fmt: skip

    async def run_all() -> list[Verdict]:
        return [await run() for run in runs]

    return asyncio.run(run_all())
