"""The live gate as a whole: events a second, memory over a million events, file to handler.

    python benchmarks/bench_registry.py [--smoke]

The figures of the implementation that the specification was measured on: 6,000 module decisions a
second whatever the number of modules, 364 to 680 MiB kept for a million events, 1.8 ms from a
written file to the handler, 2 to 6 wakes for one file.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import harness
from prefrontal.compat.prefrontal import EscalationDecision
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.sources.log_file import LogFileSource
from prefrontal.settings import PolicySettings
from prefrontal.types import SignalEvent

PATIENCE_S = 120.0


def main() -> None:
    options = harness.options(__doc__ or "")
    print(through_put(1, 2_000 if options.smoke else 200_000))
    print(through_put(20 if options.smoke else 1000, 100 if options.smoke else 2_000))
    for threshold in (0.99, 0.0):
        print(followed(500 if options.smoke else 30_000, threshold))
    print(growth(5_000 if options.smoke else 1_000_000))
    print(feedback(2_000 if options.smoke else 1_000_000))
    print(latency(3 if options.smoke else 40))
    print(burst(100 if options.smoke else 10_000))


def fingerprint(module_id: str, folder: str, threshold: float) -> dict[str, Any]:
    return {
        "module_id": module_id,
        "cluster": "bench",
        "version": "1",
        "question_template": "{location}?",
        "default_threshold": threshold,
        "signal_priors": {
            "filesystem": {"watch_directories": [folder], "relevant_extensions": [".pdf"]}
        },
    }


def event(number: int, extension: str) -> SignalEvent:
    location = f"/nowhere/x/a{number}.{extension}"
    return SignalEvent("filesystem", location, "created", 1.0, float(number), {})


def push_all(registry: PulseRegistry, events: Any) -> None:
    for each in events:
        while not registry.push(each):
            time.sleep(0.001)


def through_put(modules: int, count: int) -> str:
    registry = PulseRegistry(audit_share=0.0)
    for number in range(modules):
        registry.register_module(f"m{number}", fingerprint(f"m{number}", "/nowhere", 0.99))
    events = [event(number, "txt") for number in range(count)]
    registry.start()
    started = time.perf_counter()
    push_all(registry, events)
    assert registry.stop(PATIENCE_S)
    seconds = time.perf_counter() - started
    assert registry.status()["decisions"] == {"below_threshold": modules * count}
    return (
        f"{modules:,} modules: {count / seconds:,.0f} events a second in and decided,"
        f" {modules * count / seconds:,.0f} module decisions a second"
    )


def followed(count: int, threshold: float) -> str:
    """Lines of a log that grew at once, until all are decided and their place is stored."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "app.log")
        path.touch()
        log = DecisionLog(Path(folder, "decisions.sqlite"))
        policy = PolicySettings(overlap="parallel")
        sources = [LogFileSource(path, 0.01)]
        registry = PulseRegistry(
            threshold=threshold, log=log, audit_share=0.0, policy=policy, sources=sources
        )
        module = fingerprint("m", "/nowhere", threshold) | {"signal_priors": {}}
        registry.register_module("m", module)
        registry.start()
        worked = time.process_time()
        started = time.perf_counter()
        path.write_text("".join(f"line {n} of a log\n" for n in range(count)), encoding="ascii")
        while registry.status()["events"] < count:
            time.sleep(0.005)
        assert registry.stop(PATIENCE_S)
        seconds, worked = time.perf_counter() - started, time.process_time() - worked
        woken = registry.status()["decisions"].get("woke", 0)
        assert woken == (0 if threshold else count) == sum(1 for _ in log.records())
        log.close()
    what = "each stored as a wake" if woken else "none of which wakes"
    return (
        f"a followed log of {count:,} lines, {what}: {count / seconds:,.0f} lines a second"
        f" read, decided and kept, {1e6 * worked / count:.0f} us of processor time a line"
    )


def growth(count: int) -> str:
    def resident() -> float:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4 / 1024

    delivered = [0]

    def handler(_: EscalationDecision) -> None:
        delivered[0] += 1

    registry = PulseRegistry(audit_share=0.0)
    registry.register_module("m", fingerprint("m", "/nowhere", 0.6))
    registry.on_escalation(handler)
    registry.start()
    before = resident()
    push_all(registry, (event(n, "pdf" if n % 1000 == 0 else "txt") for n in range(count)))
    assert registry.stop(PATIENCE_S)
    assert delivered[0] == registry.status()["decisions"].get("woke", 0)
    return f"{count:,} events grow the process by {resident() - before:.0f} MiB"


def feedback(count: int) -> str:
    """Four producers at once; the handler answers every wake at once with a label."""
    registry = PulseRegistry(
        audit_share=0.0, policy=PolicySettings(overlap="parallel", key_ttl_s=0)
    )
    registry.register_module("m", fingerprint("m", "/nowhere", 0.0))
    seen: set[str] = set()

    def handler(decision: EscalationDecision) -> None:
        assert decision.activation_id is not None
        seen.add(decision.activation_id)
        registry.record_feedback(decision.activation_id, 1.0)

    registry.on_escalation(handler)
    registry.start()
    started = time.perf_counter()

    def produce(start: int) -> None:
        push_all(registry, (event(n, "pdf") for n in range(start, count, 4)))

    threads = [threading.Thread(target=produce, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert registry.stop(600.0)
    seconds = time.perf_counter() - started
    status = registry.status()
    woken = status["decisions"].get("woke", 0)
    assert len(seen) == status["delivered"] == status["labels_learned"] == woken
    return (
        f"{count:,} events of 4 producers: {woken:,} woke, each was labelled from its handler and"
        f" learned once, {status['decisions'].get('dropped', 0):,} were dropped and counted,"
        f" {status['handler_errors']} errors, {seconds:.0f} s"
    )


def latency(count: int) -> str:
    """Median from the end of a write to the handler, less the time the file has to settle."""
    settle_s = 0.05
    with tempfile.TemporaryDirectory() as folder:
        came = threading.Event()
        registry = PulseRegistry(audit_share=0.0, policy=PolicySettings(settle_s=settle_s))
        registry.register_module("m", fingerprint("m", folder, 0.6))
        registry.on_escalation(lambda _: came.set())
        registry.start()
        times = []
        for number in range(count):
            came.clear()
            Path(folder, f"f{number}.pdf").write_bytes(b"x")
            started = time.perf_counter()
            assert came.wait(PATIENCE_S)
            times.append(time.perf_counter() - started - settle_s)
        assert registry.stop(PATIENCE_S)
    return f"file written -> handler: {statistics.median(times) * 1e3:.1f} ms past the settle time"


def burst(count: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        seen: list[str] = []
        everything = threading.Event()

        def handler(decision: EscalationDecision) -> None:
            seen.append(decision.window[-1].location)
            if len(seen) == count:
                everything.set()

        registry = PulseRegistry(audit_share=0.0)
        registry.register_module("m", fingerprint("m", folder, 0.6))
        registry.on_escalation(handler)
        registry.start()
        started = time.perf_counter()
        for number in range(count):
            Path(folder, f"f{number}.pdf").write_bytes(b"x")
        everything.wait(PATIENCE_S)
        seconds = time.perf_counter() - started
        assert registry.stop(PATIENCE_S)
    return (
        f"{count:,} files created at once: {count - len(set(seen)):,} lost,"
        f" {len(seen) - len(set(seen)):,} decided twice, all within {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
