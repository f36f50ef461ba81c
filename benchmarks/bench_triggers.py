"""What asking 100,000 agents whether one is due costs, and what one event costs.

Each round tells 10 % of the agents an event and asks all; the answers of ours, NumPy and a plain
loop are compared, then what was due is settled, outside the timing. The engine does its work when
an event comes, so the first column alone would flatter it: the second has both.

    python benchmarks/bench_triggers.py [--smoke]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import harness
from harness import Row, duration
from prefrontal._core.cortex import TriggerEngine
from trigger_twins import COUNT, PERIOD_S, Dense, Fleet, Ours, Plain, PlainPeers

TARGET_S = 100e-6
NUMPY, PLAIN = "NumPy, no peers", "plain loop, no peers"
KINDS: dict[str, Callable[[int], Fleet]] = {
    "ours": Ours,
    NUMPY: Dense,
    PLAIN: Plain,
    "plain loop with peers": PlainPeers,
}


def main() -> None:
    options = harness.options(__doc__ or "")
    agents = 2_000 if options.smoke else 100_000
    rounds = 2 if options.smoke else options.rounds // 2
    for due in (0, agents // 1000, agents // 10):
        print(evaluation(agents, due, rounds, by_timer=False))
    print(evaluation(agents, agents // 10, rounds, by_timer=True))
    print(single(options.rounds, options.smoke))
    print(pushes(agents, options.rounds, options.smoke))
    print(saving(agents))
    print(memory(agents))


def evaluation(agents: int, due: int, rounds: int, *, by_timer: bool) -> str:
    """Rounds in which the first `due` of the agents told an event become due."""
    random, now = Random(1), 0.0
    fleets = {name: make(agents) for name, make in KINDS.items()}
    told: dict[str, list[float]] = {name: [] for name in fleets}
    both: dict[str, list[float]] = {name: [] for name in fleets}
    again: list[float] = []
    for _ in range(rounds):
        touched = random.sample(range(agents), agents // 10)
        events = touched if by_timer else touched + touched[:due] * (COUNT - 1)
        asked = now + (PERIOD_S if by_timer else 0.0)
        answers = {}
        for name, fleet in fleets.items():
            before = time.perf_counter()
            fleet.ingest(events, now)
            between = time.perf_counter()
            answers[name] = fleet.evaluate(asked)
            after = time.perf_counter()
            told[name].append(after - between)
            both[name].append(after - before)
        assert len(answers["ours"]) == due
        assert all(answer == answers["ours"] for answer in answers.values())
        again.append(_seconds(lambda: fleets["ours"].evaluate(asked)))  # noqa: B023 - called at once
        for fleet in fleets.values():
            fleet.settle(touched, asked)
        now = asked + 1.0
    how = "timer" if by_timer else "count"
    title = f"**{agents:,} agents, events at {agents // 10:,}, {due:,} newly due by {how}**"
    once = harness.table([_row(name, times) for name, times in told.items()], twin=NUMPY)
    all_of_it = harness.table([_row(name, times) for name, times in both.items()], twin=NUMPY)
    verdict = ""
    if due == 0:
        met = statistics.median(told["ours"]) <= TARGET_S
        verdict = f"Target {duration(TARGET_S)} for one evaluation: {'met' if met else 'MISSED'}.\n"
    return (
        f"{title}\n\nevaluation only\n\n{once}\n\nevents told and evaluation\n\n{all_of_it}\n\n"
        f"ours, asked again while they wait: {duration(statistics.median(again))}\n{verdict}"
    )


def single(rounds: int, smoke: bool) -> str:
    fleets = {name: make(1) for name, make in KINDS.items()}
    for fleet in fleets.values():
        fleet.ingest([0], 0.0)
        assert fleet.evaluate(1.0) == []
    entries = {name: lambda fleet=fleet: fleet.evaluate(1.0) for name, fleet in fleets.items()}
    rows = harness.measure(entries, rounds=rounds, smoke=smoke)
    return f"**1 agent, not due**\n\n{harness.table(rows, twin=PLAIN)}\n"


def pushes(agents: int, rounds: int, smoke: bool) -> str:
    few, farming = TriggerEngine(), TriggerEngine(farming=True, new_peer=True)
    many = Ours(agents).engine
    order = Random(2).sample(range(agents), agents)
    step = iter(range(10**12))

    def anywhere() -> None:
        many.push(order[next(step) % agents], "in", "bo", 1.0, 80.0)

    entries: dict[str, Callable[[], object]] = {
        "push, an agent with one peer": lambda: few.push(1, "in", "bo", 1.0, 80.0),
        "the same with farming and new_peer on": lambda: farming.push(1, "in", "bo", 1.0, 80.0),
        "effort": lambda: farming.push(1, "effort", "bo", 1.0, 80.0),
        f"push to one of {agents:,} agents at random": anywhere,
        "an empty Python call, for comparison": lambda: None,
    }
    rows = harness.measure(entries, rounds=rounds, smoke=smoke)
    return f"**one event**\n\n{harness.table(rows)}\n"


def saving(agents: int) -> str:
    engine = Ours(agents).engine
    saved = engine.save()
    assert TriggerEngine.load(saved).save() == saved
    save = min(_seconds(engine.save) for _ in range(3))
    load = min(_seconds(lambda: TriggerEngine.load(saved)) for _ in range(3))
    size = f"{len(saved) / agents:.0f} bytes an agent with one peer"
    return f"{agents:,} agents saved in {duration(save)}, loaded in {duration(load)}; {size}"


def memory(agents: int) -> str:
    code = (
        "from prefrontal._core.cortex import TriggerEngine as E;"
        "rss = lambda: int(open('/proc/self/statm').read().split()[1]) * 4096;"
        f"n = {agents}; e = E(period_s=None, count=None, max_peers=10**7); a = rss();"
        "[e.commit(i, 'bo', 1.0, 'k') and e.uncommit(i, 'k') for i in range(n)]; b = rss();"
        "[e.push(i, 'in', 'bo', 1.0) for i in range(n)]; c = rss();"
        "names = [f'npub{i:060d}' for i in range(n)]; d = rss();"
        "[e.push(0, 'in', name, 1.0) for name in names];"
        "print((b - a) / n, (c - b) / n, (rss() - d) / n)"
    )
    root = Path(__file__).resolve().parent.parent
    told = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=root)
    agent, peer, named = (float(part) for part in told.split())
    return (
        f"memory: {agent:.0f} bytes an agent, {peer:.0f} a peer whose name others know too,"
        f" {named:.0f} a peer with a name of 64 letters of its own"
    )


def _row(name: str, times: Sequence[float]) -> Row:
    return Row(name, min(times), statistics.median(times))


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
