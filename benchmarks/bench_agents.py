"""What the learned states of many agents take: bytes held, bytes saved, seconds.

    python benchmarks/bench_agents.py [--agents 1000000] [--partitions 256] [--labels 20]

An agent is a module of its own with the linear scorer, and has learned from labelled windows of one
file each. Those of one partition are registered and learn; their file is then loaded as that of
each partition, so that all agents are held at once, and saved. Seconds are those at work.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from prefrontal.pulse import parse_fingerprint
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.types import SignalEvent

PAGE = 4096


def main() -> None:
    """Print a line a step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agents", type=int, default=1_000_000)
    parser.add_argument("--partitions", type=int, default=256)
    parser.add_argument("--labels", type=int, default=20, help="windows that each learned from")
    parser.add_argument("--smoke", action="store_true", help="1,000 agents")
    options = parser.parse_args()
    if options.smoke:
        options.agents, options.partitions = 1_000, 4
    fingerprint = parse_fingerprint(
        {
            "module_id": "agent",
            "cluster": "agents",
            "version": "1",
            "question_template": "Does {location} matter?",
            "default_threshold": None,
        }
    )
    windows = [
        [SignalEvent("filesystem", f"/project/src/file{n}.py", "modified", 1.0, 1.7e9 + n)]
        for n in range(options.labels)
    ]
    names = [f"agent{number}" for number in range(options.agents // options.partitions)]
    first = LimbicLayer()

    def register() -> None:
        for name in names:
            first.register(name, fingerprint)

    def learn() -> None:
        for number, name in enumerate(names):
            for place, window in enumerate(windows):
                first.update_weights(name, window, float((number + place) % 2))

    _tell("registered", register, len(names))
    _tell(f"learned {options.labels} labels each", learn, len(names))
    layers = [LimbicLayer() for _ in range(options.partitions)]
    count = len(names) * len(layers)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / str(number) for number in range(len(layers))]
        first.save(files[0])
        print(f"file: {files[0].stat().st_size / len(names):,.0f} bytes an agent")
        before = _resident()
        _tell("loaded", lambda: [each.load(files[0]) for each in layers], count)
        print(f"held: {(_resident() - before) / count:,.0f} bytes an agent, names included")

        def save() -> None:
            for layer, file in zip(layers, files, strict=True):
                layer.save(file)

        _tell("saved", save, count)
    for name in (names[0], names[-1]):
        score = first.score(name, windows[0])
        assert layers[-1].score(name, windows[0]) == score, "a loaded agent must score the same"


def _tell(what: str, work: Callable[[], object], count: int) -> None:
    begin, processor = time.perf_counter(), time.process_time()
    work()
    seconds, at_work = time.perf_counter() - begin, time.process_time() - processor
    print(f"{what}: {at_work:.1f} s at work, {seconds:.1f} s by the clock, {count:,} agents",
          flush=True)  # fmt: skip


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


if __name__ == "__main__":
    main()
