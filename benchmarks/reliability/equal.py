"""The same events give the same decisions: live, on several threads, after restarts, in a replay.

    python benchmarks/reliability/equal.py [--events 1000000] [--restarts 100] [--jobs 1]

Live is the gate over a log on a disk, labels of its wakes included. With threads the events are
handed in by each thread in turn. A replay is the same gate on a kept clock without a log. Compared
is one hash: of each wake the module, event, reason, score, threshold, propensity and question, to
the bit, and at the end the weights that were learned. The runs are processes of their own, as many
at a time as `--jobs` says.

`--kills N` ends the gate N times without its last save. It then knows nothing of the windows that
slept since the save before, so that its thresholds move a little. Told is how many wakes differ,
how much of what matters woke with and without, and whether its log is decided again to the bit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from random import Random

from prefrontal.assembly.wakes_again import VerifyTally, again
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

NOW = 1_700_049_600.0
PAUSE_S = 60.0
SETTINGS = GateSettings(recall=0.9)
MODULES = [
    parse_fingerprint(
        {
            "module_id": name, "cluster": "files", "version": "1", "default_threshold": 0.4,
            "question_template": "{location} was {delta_type} by {actor}: look at it?",
            "signal_priors": {"filesystem": {"watch_directories": [folder]}},
        }
    )
    for name, folder in (("invoices", "/in"), ("code", "/src"), ("all", "/"))
]  # fmt: skip


def signals(count: int) -> Iterator[SignalEvent]:
    """The same events each time, one a minute."""
    draw = Random(19)
    for number in range(count):
        folder = draw.choice(("/in", "/src", "/tmp"))
        name = f"{draw.choice(('bill', 'note', 'build', 'main'))}{draw.randrange(500)}"
        suffix = draw.choice((".pdf", ".py", ".log", ".txt"))
        features = {"actor": draw.choice("abcd"), "text": f"{name} {draw.random():.3f}"}
        yield SignalEvent(
            "filesystem", f"{folder}/{name}{suffix}", draw.choice(("created", "modified")),
            draw.random(), NOW + PAUSE_S * number, features,
        )  # fmt: skip


def worth(decision: Decision) -> float | None:
    """What a person says of it; of some nothing."""
    event = decision.window[-1]
    return None if len(event.location) % 7 == 0 else float(matters(event))


FOLDERS = {"invoices": "/in/", "code": "/src/", "all": "/"}
"""Where the files lie that the modules declare."""


def matters(event: SignalEvent) -> bool:
    """Whether a person would say that it mattered."""
    return "bill" in event.location or event.location.endswith(".py")


def caught(count: int, wakes: set[tuple[float, str]]) -> float:
    """Share of what matters to a module that woke it, over all modules."""
    relevant = [
        (event.timestamp, name)
        for event in signals(count)
        if matters(event)
        for name, folder in FOLDERS.items()
        if event.location.startswith(folder)
    ]
    return sum(each in wakes for each in relevant) / max(1, len(relevant))


Run = tuple[str, set[tuple[float, str]], float]
"""The hash of a run, its wakes, and the seconds it took."""


class Digest:
    """The hash of what was decided. wakes: the number of the event and the module of each."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.wakes: set[tuple[float, str]] = set()

    def add(self, decision: Decision) -> None:
        event = decision.window[-1]
        facts = (decision.subject, str(decision.reason), decision.score.hex(), event.location,
                 event.timestamp.hex(), decision.threshold.hex(), decision.propensity.hex(),
                 decision.question)  # fmt: skip
        self._hash.update(repr(facts).encode())
        self.wakes.add((event.timestamp, decision.subject))

    def add_weights(self, weights: bytes) -> None:
        self._hash.update(weights)

    @property
    def text(self) -> str:
        """The hash so far."""
        return self._hash.hexdigest()


def live(
    events: Iterable[SignalEvent],
    log: DecisionLog,
    *,
    threads: int = 1,
    every: int = 0,
    killed: bool = False,
) -> Digest:
    """The wakes of a live gate. every: events after which it is started anew, after a save unless
    it is killed.
    """
    clock, digest = ManualClock(NOW - PAUSE_S), Digest()
    gates = [Stepper(log, MODULES, SETTINGS, clock=clock)]

    def judge(number: int, event: SignalEvent) -> None:
        clock.advance(PAUSE_S)
        if every and number and number % every == 0:
            if not killed:
                gates[0].close()
            gates[0] = Stepper(log, MODULES, SETTINGS, clock=clock)
        for wake in gates[0].wake(event):
            digest.add(wake)
            if (label := worth(wake)) is not None:
                log.add_label(wake.id, label, clock.now())

    in_turn(events, judge, threads)
    gates[0].close()
    stored = log.load_state("weights")
    digest.add_weights(b"" if stored is None else stored[0])
    return digest


def in_turn(
    events: Iterable[SignalEvent], judge: Callable[[int, SignalEvent], None], threads: int
) -> None:
    """Hand each event to `judge(number, event)`, on one thread after the other."""
    with ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(threads)]
        for number, event in enumerate(events):
            pools[number % threads].submit(judge, number, event).result()


def replayed(events: Iterable[SignalEvent]) -> Digest:
    """The wakes of the same gate on a kept clock."""
    clock, digest, store = ManualClock(NOW - PAUSE_S), Digest(), UnlabelledStates()
    one = open_gate(SETTINGS, store, clock, MODULES)
    owed: list[tuple[Decision, float]] = []
    for event in events:
        clock.advance(PAUSE_S)
        for decision, label in owed:  # a live gate learns before the next window
            one.gate.learn(decision, label)
            one.gate.labels += 1
        owed = []
        one.gate.judge([event])
        one.gate.tick()
        for decision in one.gate.drain():
            if decision.acted:
                digest.add(decision)
                if (value := worth(decision)) is not None:
                    owed.append((decision, value))
    for decision, label in owed:
        one.gate.learn(decision, label)
    one.learned.save()
    digest.add_weights(store.states["weights"][0] if "weights" in store.states else b"")
    return digest


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Do the same events give the same decisions?")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--restarts", type=int, default=100)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    count = options.events
    every = max(1, count // (options.restarts + 1))
    runs = [(f"live, {n} threads", partial(_live, count, threads=n)) for n in (1, 2, 4)]
    runs.append((f"live, {options.restarts} restarts", partial(_live, count, every=every)))
    runs.append(("replay", partial(_replayed, count)))
    digests = _told(runs, options.jobs)
    same = len({text for text, _ in digests}) == 1
    print(f"{count:,} events: {'the same' if same else 'not the same'} decisions")
    if options.kills:
        same = _tell_kills(count, options.kills, digests[0][1]) and same
    return 0 if same else 1


def _tell_kills(count: int, kills: int, usual: set[tuple[float, str]]) -> bool:
    """Whether the log of a gate that is killed so often is decided again without a difference."""
    every, tally = max(1, count // (kills + 1)), VerifyTally()
    with (
        tempfile.TemporaryDirectory() as folder,
        DecisionLog(Path(folder, "decisions.sqlite")) as log,
    ):
        begun = time.perf_counter()
        killed = live(signals(count), log, every=every, killed=True)
        _tell(f"live, {kills} kills", killed.text, killed.wakes, time.perf_counter() - begun)
        other = sum(1 for _ in again(log, tally))
    differ = len(killed.wakes ^ usual) / max(1, len(usual))
    before, after = caught(count, usual), caught(count, killed.wakes)
    print(
        f"after kills {differ:.2%} of the wakes differ; of what matters {after:.1%} woke, without"
        f" kills {before:.1%}, with {len(killed.wakes) / max(1, len(usual)) - 1:+.1%} wakes"
    )
    print(f"{tally.decided:,} decisions were made again from the log: {other} differ")
    return not other


def _live(count: int, *, threads: int = 1, every: int = 0) -> Run:
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        DecisionLog(Path(folder, "decisions.sqlite")) as log,
    ):
        digest = live(signals(count), log, threads=threads, every=every)
    return digest.text, digest.wakes, time.perf_counter() - begun


def _replayed(count: int) -> Run:
    begun = time.perf_counter()
    digest = replayed(signals(count))
    return digest.text, digest.wakes, time.perf_counter() - begun


def _told(
    runs: Sequence[tuple[str, Callable[[], Run]]], jobs: int
) -> list[tuple[str, set[tuple[float, str]]]]:
    """The hash and the wakes of each run, told when it ends."""
    digests = {}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        futures = {pool.submit(run): name for name, run in runs}
        for future in as_completed(futures):
            text, wakes, seconds = future.result()
            _tell(futures[future], text, wakes, seconds)
            digests[futures[future]] = text, wakes
    return [digests[name] for name, _ in runs]


def _tell(name: str, text: str, wakes: set[tuple[float, str]], seconds: float) -> None:
    print(f"{name:<20} {text[:16]}  {len(wakes):,} wakes  {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
