"""The ledger: messages recorded durably a second, and what a prompt waits for.

    python benchmarks/bench_ledger.py [--smoke]

Group commit stands beside a twin that commits each message alone with the same statements; both
go through the same hook of the same event loop, and what is on the disk afterwards is compared.
How much group commit saves depends on the disk: its time to sync is measured first, and a third
comparison makes each sync as slow as a plain network disk's.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import harness
from prefrontal.ledger import Ledger, LedgerPlugin
from prefrontal.ledger.prompt import peer_block
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.storage.group_writer import GroupWriter, run_together
from prefrontal.testing import ManualClock

IN_FLIGHT = 256
SLOW_SYNC_S = 2e-3
PEERS = 100
TWIN_SHARE = 10
"""The twin records only so large a part of the messages: it may take a sync for each."""
TEXT = "Could you extract the table on page 3 and send it to me as a CSV file, please?"
Kept = list[tuple[Any, ...]]


class CommitEach(GroupWriter):
    """The twin: a transaction for each message."""

    def _write(self, batch: Any) -> None:
        for one in batch:
            super()._write([one])


def main() -> None:
    options = harness.options(__doc__ or "")
    count = 300 if options.smoke else 20_000
    few = 100 if options.smoke else 2_000
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        root = Path(folder)
        print(f"one sync of this disk: {harness.duration(sync_s(root))}")
        print(f"\n{count:,} messages of {PEERS} peers, through the hook (the twin: a tenth)")
        print("| in flight | group commit | commit each | ratio |")
        print("|---|---|---|---|")
        for in_flight in (1, 16, IN_FLIGHT):
            compare(root, in_flight, count, str(in_flight))
        with slow_syncs(SLOW_SYNC_S):
            compare(root, IN_FLIGHT, few, f"{IN_FLIGHT}, a sync takes 2 ms more")
        reading(root, options.smoke, options.rounds)
        memory(few)


def compare(root: Path, in_flight: int, count: int, name: str) -> None:
    ours, kept = recorded(root, GroupWriter, in_flight, count)
    twin, also = recorded(root, CommitEach, in_flight, count // TWIN_SHARE)
    assert set(also) <= set(kept), "both keep the same rows of the messages that both got"
    print(f"| {name} | {ours:,.0f} a second | {twin:,.0f} a second | {ours / twin:.1f} |")


def recorded(
    root: Path, writer: type[GroupWriter], in_flight: int, count: int
) -> tuple[float, Kept]:
    """Messages a second, each acknowledged after it is on the disk; and what was kept."""
    return asyncio.run(_recorded(root, writer, in_flight, count))


async def _recorded(
    root: Path, writer: type[GroupWriter], in_flight: int, count: int
) -> tuple[float, Kept]:
    with tempfile.TemporaryDirectory(dir=root) as folder:
        registry = PluginRegistry(ManualClock())
        plugin = LedgerPlugin()
        registry.register(plugin)
        registry.configure_all({"workspace": folder})
        await registry.start_all()
        file = plugin.ledger._file
        file._writer = writer(file.database)
        numbers = iter(range(count))

        async def handle() -> None:
            for number in numbers:
                await plugin.record_incoming(message(number))

        began = time.perf_counter()
        await asyncio.gather(*(handle() for _ in range(in_flight)))
        seconds = time.perf_counter() - began
        await registry.stop_all()
        with Ledger(Path(folder, "ledger.sqlite"), read_only=True) as ledger:
            kept = sorted((each.event_id, each.peer_id) for each in ledger.interactions())
            assert len(kept) == count == ledger.totals()["in"]
        return count / seconds, kept


def message(number: int) -> dict[str, Any]:
    return {
        "message": TEXT,
        "sender": f"Peer {number % PEERS}",
        "sender_id": f"peer{number % PEERS}",
        "channel_type": "http",
        "channel_id": "room",
        "event_id": f"http:room:{number}",
        "correlation_id": f"{number:016x}",
    }


def reading(root: Path, smoke: bool, rounds: int) -> None:
    """What the prompt costs, with nothing else to do and while messages are being recorded."""
    peers, each = (20, 6) if smoke else (1_000, 20)
    with Ledger(root / "read.sqlite", clock=ManualClock()) as ledger:
        waiting: list[Future[Any]] = []
        for number in range(peers * each):
            waiting.append(ledger.submit_interaction(f"peer{number % peers}", "in", preview=TEXT))
        for future in waiting:
            future.result()
        judged = [
            ledger.submit_assessment(f"peer{number % peers}", number % 7, TEXT)
            for number in range(peers * 5)
        ]
        for kept in judged:
            kept.result()
        turn = iter(range(10**9))

        def summary() -> Any:
            return ledger.get_peer_assessment_summary(f"peer{next(turn) % peers}")

        entries: dict[str, Callable[[], object]] = {
            "assessments of one peer": summary,
            "the block of the prompt": lambda: peer_block(summary()),
            "with the last 10 messages": lambda: ledger.get_peer_assessment_summary("peer1", 10),
        }
        print(f"\nreading, {peers:,} peers with {each} messages and 5 judgments each")
        print(harness.table(harness.measure(entries, rounds=rounds, smoke=smoke)))
        print(f"while messages are recorded: {while_recording(ledger, summary, smoke)}")


def while_recording(ledger: Ledger, summary: Callable[[], object], smoke: bool) -> str:
    """Percentiles of one reading in the event loop's thread, the writer always busy."""
    times = []
    waiting: list[Future[Any]] = []
    for number in range(50 if smoke else 5_000):
        if number % 4 == 0:
            waiting.append(ledger.submit_interaction(f"new{number}", "in", preview=TEXT))
        began = time.perf_counter()
        summary()
        times.append(time.perf_counter() - began)
    for future in waiting:
        future.result()
    times.sort()
    median, p99 = statistics.median(times), times[int(len(times) * 0.99)]
    return f"median {harness.duration(median)}, p99 {harness.duration(p99)}"


def memory(count: int) -> None:
    """What a replay pays for each call of a ledger in memory."""
    with Ledger(clock=ManualClock()) as ledger:
        began = time.perf_counter()
        for number in range(count):
            ledger.record_interaction(f"peer{number % 100}", "in")
        record_s = (time.perf_counter() - began) / count
        began = time.perf_counter()
        for number in range(count):
            ledger.record_assessment(f"peer{number % 100}", number % 7, TEXT)
        assess_s = (time.perf_counter() - began) / count
        assert ledger.totals()["assessments"] == ledger.totals()["in"] == count
    print(
        f"\nin memory: a message {harness.duration(record_s)},"
        f" a judgment {harness.duration(assess_s)}"
    )


def sync_s(root: Path) -> float:
    """Median time to bring one page to the disk."""
    times = []
    with (root / "sync").open("wb", buffering=0) as file:
        for _ in range(50):
            file.write(b"x" * 4096)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return statistics.median(times)


@contextmanager
def slow_syncs(seconds: float) -> Iterator[None]:
    """Let each commit of a ledger take so much longer, as a slower disk does."""
    plain = run_together

    def slow(database: Any, jobs: Any) -> Any:
        done = plain(database, jobs)
        time.sleep(seconds)
        return done

    from prefrontal.storage import group_writer

    group_writer.run_together = slow
    try:
        yield
    finally:
        group_writer.run_together = plain


if __name__ == "__main__":
    main()
