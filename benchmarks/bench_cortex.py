"""What reflection costs and what it buys: hooks, prompts, tokens, ten simulations, a backtest.

    python benchmarks/bench_cortex.py [--data FOLDER] [--pairs FILE.jsonl] [--smoke]

FOLDER holds bitcoin-otc.csv.gz and bitcoin-otc-labels.csv; without it a small made-up stream shows
that the backtest runs. --pairs writes the blinded pairs of the first simulation for people.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import cortex_simulations as simulations
from prefrontal.assembly.trust_backtest import backtest_trust
from prefrontal.cortex import CortexPlugin
from prefrontal.cortex.backtest.ratings import Rating, read_labels, read_ratings
from prefrontal.cortex.backtest.replay import BacktestOptions
from prefrontal.cortex.backtest.result import BacktestResult
from prefrontal.plugin.calling import called
from prefrontal.runtime.registry import registry_of
from prefrontal.testing import ManualClock, ScriptedSubagent, make_runtime

BELIEFS = 20
PLAIN: dict[str, Any] = {"reflector": "mean", "policy": "plain", "timer": False}
TRUST_ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("a rating a cycle", {"batch": 1}),
    ("the same, no hourly cap", {"batch": 1, "per_hour": None}),
    ("the same, policy confirm", {"batch": 1, "policy": "confirm"}),
    ("the same, policy asymmetric", {"batch": 1, "policy": "asymmetric"}),
    ("the same, policy corroborate", {"batch": 1, "policy": "corroborate"}),
    ("the same, rules reflector", {"batch": 1, "reflector": "rules"}),
    ("five ratings a cycle", {"batch": 5}),
    ("the same, rules reflector", {"batch": 5, "reflector": "rules"}),
    ("count 5 and farming", {"batch": 5, "farming": True}),
    ("count 5, timer and farming", {"batch": 5, "timer": True, "farming": True}),
    ("default: count 5 and timer, rules, corroborate", asdict(BacktestOptions())),
)


def each_call(call: Callable[[], Awaitable[object]], calls: int) -> str:
    """Median and 99th percentile of single awaited calls, in microseconds."""

    async def timed() -> list[int]:
        spent = []
        for _ in range(calls):
            start = time.perf_counter_ns()
            await call()
            spent.append(time.perf_counter_ns() - start)
        return spent

    middle, high = np.percentile(asyncio.run(timed()), [50, 99]) / 1e3
    return f"{middle:.1f} | {high:.1f}"


async def _cortex() -> CortexPlugin:
    """A started cortex that holds twenty beliefs, which the operator approved for everybody."""
    beliefs = [
        {"key": f"belief-{n}", "value": f"Peer {n} delivers what it says, most of the time",
         "rationale": "seen"} for n in range(BELIEFS)
    ]  # fmt: skip
    said = {"assessments": [], "beliefs": beliefs, "summary": "scripted"}
    clock = ManualClock()
    runtime = make_runtime({}, clock=clock, subagent=ScriptedSubagent([said]))
    await runtime.start()
    await simulations.Agent(runtime, clock).reflect()
    cortex = runtime.registry.get("cortex")
    assert isinstance(cortex, CortexPlugin)
    memory = cortex.memory
    for key in memory.beliefs.by_key:
        memory.wishes.approve(key, clock.now())
    memory.beliefs.obey(memory.wishes, {})
    assert len(memory.beliefs.by_key) == BELIEFS
    return cortex


def hooks(smoke: bool) -> None:
    """One call each, as the loop makes it; the twin appends a plain dict to a bounded deque."""
    calls = 100 if smoke else 100_000
    cortex = asyncio.run(_cortex())
    ctx: dict[str, Any] = {
        "message": "Please look up the current figure.", "sender": "Alice", "sender_id": "alice",
        "peer_id": "alice", "channel_type": "terminal", "channel_id": "1", "event_id": "e",
        "text": "Here it is.", "recipient": "Alice", "recipient_id": "alice", "tool": "look_up",
        "args": {}, "result": "42", "model": "m", "tokens_in": 900, "tokens_out": 90,
        "has_tool_calls": False, "prompt": "You are an agent.", "peer": "Alice", "messages": [],
    }  # fmt: skip
    kept: deque[dict[str, object]] = deque(maxlen=10_000)

    async def append() -> None:
        kept.append({"type": "on_message", "peer_id": ctx["peer_id"], "at": time.time()})

    shown = sorted(cortex.memory.beliefs.by_key.values(), key=lambda it: -it.created_at)

    async def join() -> str:
        lines = [f"- {belief.key}: {belief.value}" for belief in shown]
        return str(ctx["prompt"]) + "\n\n## Cortex Beliefs\n\n" + "\n".join(lines)

    async def inject() -> str:
        given = dict(ctx)
        await cortex._on_transform_system_prompt(given)
        return str(given["prompt"])

    told = asyncio.run(inject()), asyncio.run(join())
    assert sorted(told[0].splitlines()) == sorted(told[1].splitlines())
    names = ("_on_message", "_on_after_send", "_on_after_llm", "_on_after_tool")
    rows: list[tuple[str, Callable[[], Awaitable[object]]]] = [
        *((name, partial(getattr(cortex, name), ctx)) for name in names),
        ("twin: append a dict", append),
        ("20 beliefs into the prompt", inject),
        ("twin: join 20 lines", join),
    ]
    print("\n| hook | median us | p99 us |\n|---|---|---|")
    for name, call in rows:
        print(f"| {name} | {each_call(call, calls)} |")
    limit(cortex, ctx, calls)


def limit(cortex: CortexPlugin, ctx: dict[str, Any], calls: int) -> None:
    """What the time limit adds to a hook; the twin calls the same without one."""
    calls_hooks = registry_of(cortex).calls.hook

    async def returns(ctx: dict[str, Any]) -> dict[str, Any]:
        return ctx

    async def both(function: Callable[..., Any]) -> list[float]:
        """Medians of alternating calls, so that whatever else the machine does strikes both."""
        spent: tuple[list[int], list[int]] = ([], [])
        for _ in range(calls):
            start = time.perf_counter_ns()
            await called(function, ctx)
            middle = time.perf_counter_ns()
            await calls_hooks(cortex, "loop.on_message", function, ctx)
            spent[0].append(middle - start)
            spent[1].append(time.perf_counter_ns() - middle)
        return [float(np.median(each)) / 1e3 for each in spent]

    print("\n| hook | twin: no limit, median us | with its limit | ratio |\n|---|---|---|---|")
    for name, function in (("one that only returns", returns), ("_on_message", cortex._on_message)):
        without, within = asyncio.run(both(function))
        print(f"| {name} | {without:.2f} | {within:.2f} | {within / without:.2f} |")


def trust(ratings: list[Rating], labels: dict[str, int]) -> None:
    """The stream under each setting."""
    print("\n| setting | AUC | untrusted | missed | cycles | days | lie | flips | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    last: BacktestResult | None = None
    for name, options in TRUST_ROWS:
        last = backtest_trust(ratings, labels, BacktestOptions(**{**PLAIN, **options}))
        turned, lies = last.turncoats, last.lies
        assert lies is not None
        lag = f"{turned.cycles or 0:g} | {turned.days or 0:.2f}"
        print(
            f"| {name} | {_auc(last.separation)} | {_auc(last.untrusted)} "
            f"| {turned.missed} of {turned.peers} | {lag} "
            f"| {lies.drop:.1f} | {lies.flipped} of {lies.peers} | {last.seconds:.1f} |"
        )
    assert last is not None
    tempo = last.farming.tempo
    if tempo is not None:
        spread = f"{tempo.low:.3f} to {tempo.high:.3f}; {tempo.frauds} and {tempo.benign}"
        print(f"\nTempo before the first very bad rating: AUC {tempo.value:.3f} ({spread})")


def _auc(found: Any) -> str:
    return "-" if found is None else f"{found.value:.4f}"


def made_up() -> tuple[list[Rating], dict[str, int]]:
    """Twelve peers of each kind, for a run without data."""
    stream: list[Rating] = []
    labels: dict[str, int] = {}
    for number in range(12):
        good, bad = f"good{number}", f"bad{number}"
        labels |= {good: 1, bad: -1}
        for turn in range(12):
            at = 86400.0 * turn + number
            stream.append(Rating(f"r{turn}", good, 1 + number % 3, at))
            stream.append(Rating(f"good{turn}", bad, 1 if turn < 6 else -10, at / 20))
    return sorted(stream, key=lambda rating: rating.time), labels


def main() -> None:
    parser = argparse.ArgumentParser(description="Hooks, simulations and a backtest of reflection.")
    parser.add_argument("--data", type=Path, help="folder of the ratings")
    parser.add_argument("--pairs", type=Path, help="where to write the blinded pairs")
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    options = parser.parse_args()
    hooks(options.smoke)
    print("\n| simulation | criterion | measured | verdict |\n|---|---|---|---|")
    found = simulations.verdicts(options.pairs)
    for each in found:
        verdict = "pass" if each.passed else "FAIL"
        print(f"| {each.name} | {each.criterion} | {each.measured} | {verdict} |")
    assert all(each.passed for each in found)
    if options.data is None:
        trust(*made_up())
    else:
        trust(
            read_ratings(options.data / "bitcoin-otc.csv.gz"),
            read_labels(options.data / "bitcoin-otc-labels.csv"),
        )


if __name__ == "__main__":
    main()
