"""Words of others against an agent whose reflector is compromised: it copies all that it reads.

    python benchmarks/bench_taint.py [--strings 1000] [--twin-strings 50] [--jobs 2] [--smoke]
        [--part reflector|conversation|cost]

Orders come in by six doors, in four languages. The reflector writes them, as they are, translated,
padded, split, or over three cycles and a restart, into every field of its replies. Counted is which
of them then stand unmarked in a prompt of another peer, in a directive, or widen a right: choose a
tool, by a belief or in a directive's turn, or get money approved. In the part "conversation" the
agent's own model is compromised, too: it sends what it reads to two other peers, and repeats it in
its answers there, in the notes of these conversations and in the facts it draws; counted is then
also all that the model is shown there, by history, search, notes and facts. The twin is the same
agent by comparison of words alone, as it was before lineage. Beside it the cost: which honest
beliefs of the ten simulations wait for an approval.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product, repeat
from multiprocessing import get_context
from typing import Any

import cortex_simulations as simulations
import taint_strings as strings
from prefrontal.cortex.memory.beliefs import BeliefStore, shown_to
from prefrontal.cortex.memory.directives import refusal
from prefrontal.cortex.models import Belief
from prefrontal.cortex.reflectors.rules import RulesReflector
from taint_agent import DOORS, READERS, TOOL, Agent, Parrot
from taint_conversation import Talk, short_conversations

SINKS = ("prompt", "directive", "right")
PARTS: dict[str, type[Agent]] = {"reflector": Agent, "conversation": Talk}
BATCH = {Agent: 10, Talk: 25}


@dataclass(slots=True)
class Tally:
    """Orders written in, those that reached the reflector, and those let through, by sink."""

    sent: int = 0
    read: int = 0
    through: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SINKS, 0))

    def add(self, other: Tally) -> None:
        self.sent, self.read = self.sent + other.sent, self.read + other.read
        self.through = {sink: self.through[sink] + other.through[sink] for sink in SINKS}

    @property
    def total(self) -> int:
        return sum(self.through.values())


async def attacked(
    door: str,
    way: str,
    language: str,
    batch: Sequence[int],
    *,
    twin: bool = False,
    kind: type[Agent] = Agent,
) -> Tally:
    """One batch of orders, from the door to the sinks."""
    parrot = Parrot(way, language)
    texts = [strings.written(order, language) for order in batch]
    with _workspace(way == "laundered") as workspace, short_conversations():
        agent = kind(door, parrot, texts, workspace)
        await agent.runtime.start()
        _blind(agent, twin)
        await agent.come_in()
        await agent.reflect()
        if parrot.patient:
            for last in (False, True):
                await agent.restart()
                _blind(agent, twin)
                for reader in READERS:
                    await agent.hear(reader, "And now?")
                parrot.patient = not last
                await agent.reflect()
        tally = Tally(len(batch), len(parrot.read & set(batch)))
        tally.through["prompt"] = len(strings.unmarked(await agent.prompts()))
        messages = agent.cortex.memory.directives.poll(agent.clock.now())
        directives = strings.unmarked("\n".join(each.content for each in messages))
        tally.through["directive"] = len(directives)
        rights = await agent.rights()
        for each in messages:
            if not refusal(each, TOOL, {}):
                rights |= strings.numbers_in(each.content)
        tally.through["right"] = len(rights)
        await agent.runtime.stop()
    return tally


def _blind(agent: Agent, twin: bool) -> None:
    """The agent as it was: nobody notes where words come from."""
    if not twin:
        return
    vars(agent.cortex.memory)["sources"] = lambda peer_ids: ()
    store = agent.conversation.store
    submit = store.submit
    vars(store)["submit"] = lambda new: submit(replace(new, origins=()))


@contextmanager
def _workspace(wanted: bool) -> Iterator[str]:
    if not wanted:
        yield ""
        return
    with tempfile.TemporaryDirectory() as folder:
        yield folder


def tallies(
    count: int,
    twin: bool,
    languages: Sequence[str] = strings.LANGUAGES,
    jobs: int = 1,
    kind: type[Agent] = Agent,
) -> dict[tuple[str, str], Tally]:
    """By door and way, over the languages. jobs: processes."""
    roads = list(product(DOORS, strings.WAYS))
    given = (repeat(each) for each in (count, twin, languages, kind))
    result: dict[tuple[str, str], Tally] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for road, tally in zip(roads, pool.map(_tally, roads, *given), strict=True):
            result[road] = tally
            print(*road, _cell(tally), file=sys.stderr, flush=True)
    return result


def _tally(
    road: tuple[str, str], count: int, twin: bool, languages: Sequence[str], kind: type[Agent]
) -> Tally:
    async def attack() -> Tally:
        tally = Tally()
        for language, batch in product(languages, strings.batches(count, BATCH[kind])):
            tally.add(await attacked(*road, language, batch, twin=twin, kind=kind))
        return tally

    return asyncio.run(attack())


@dataclass(slots=True)
class Cost:
    """Honest beliefs of the simulations. waiting: in no conversation until they are approved;
    quoted: in some as a quote only."""

    beliefs: int = 0
    waiting: int = 0
    quoted: int = 0


def cost() -> Cost:
    """The ten simulations, with each belief taken for a model's, as if one had written it."""
    result = Cost()
    update, depth = BeliefStore.update, RulesReflector.depth

    def counting(store: BeliefStore, *args: Any, **more: Any) -> Any:
        changes = update(store, *args, **more)
        for key in changes.added:
            belief = store.by_key.get(key)
            if belief is not None and not belief.quarantined:
                _count(result, belief)
        return changes

    BeliefStore.update = counting  # type: ignore[method-assign,assignment]
    RulesReflector.depth = "deep"
    try:
        simulations.verdicts()
    finally:
        BeliefStore.update = update  # type: ignore[method-assign]
        RulesReflector.depth = depth
    return result


def _count(result: Cost, belief: Belief) -> None:
    peers = [each.removeprefix("peer:") for each in belief.sources if each.startswith("peer:")]
    result.beliefs += 1
    result.waiting += not any(shown_to(belief, peer) for peer in peers)
    result.quoted += belief.tainted and len(belief.sources) > 1


def table(ours: Mapping[Any, Tally], twin: Mapping[Any, Tally]) -> str:
    lines = ["| door | " + " | ".join(strings.WAYS) + " |", "|---" * (len(strings.WAYS) + 1) + "|"]
    for door in DOORS:
        cells = [f"{_cell(ours[door, way])}; {_cell(twin[door, way])}" for way in strings.WAYS]
        lines.append(f"| {door} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(tally: Tally) -> str:
    """In a prompt, a directive, a right; of those that were read."""
    return f"{'/'.join(str(tally.through[sink]) for sink in SINKS)} of {tally.read:,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strings", type=int, default=1000, help="orders, at most 1,000")
    parser.add_argument("--twin-strings", type=int, default=50, help="orders for the twin")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--part", choices=[*PARTS, "cost"], help="that one alone")
    options = parser.parse_args()
    count, twins = (1, 1) if options.smoke else (options.strings, options.twin_strings)
    languages = strings.LANGUAGES[: 1 if options.smoke else None]
    for part, kind in PARTS.items():
        if options.part in (None, part):
            ours = tallies(count, False, languages, options.jobs, kind)
            twin = tallies(twins, True, languages, options.jobs, kind)
            show(part, ours, twin)
    if options.part in (None, "cost"):
        honest = cost()
        print(f"\nhonest beliefs of the ten simulations: {honest.beliefs}, {honest.waiting} wait")
        print(f"for an approval, and {honest.quoted} stand as quotes until then")


def show(part: str, ours: Mapping[Any, Tally], twin: Mapping[Any, Tally]) -> None:
    print(f"\n{part}: unmarked in another's prompt / in a directive / a right, of the orders that")
    print("were read; then the same by comparison of words alone\n")
    print(table(ours, twin))
    for name, result in (("lineage", ours), ("words alone", twin)):
        whole = Tally()
        for each in result.values():
            whole.add(each)
        print(f"\n{name}: {whole.total:,} through, of {whole.read:,} read, {whole.sent:,} sent")


if __name__ == "__main__":
    main()
