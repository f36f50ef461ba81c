"""What the ring of what slept costs an event: a watch with it beside its twin without, in turns.

Events are pushed, so that no source costs anything beside; CPU time of the whole process.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import harness
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings.gate import GateSettings
from prefrontal.types import SignalEvent

EVENTS = 20_000
TURNS = 5
MODULES = (1, 5)


def event(number: int) -> SignalEvent:
    """A changed file of a commit, as the git source tells it."""
    path = f"src/pkg/file{number}.py"
    features = {"extension": ".py", "path": path, "commit": "a" * 40, "actor": "ada"}
    features["text"] = "Fix the thing that broke"
    return SignalEvent("git", f"/w/{path}", "modified", 0.5, 1e9 + number, features)


def cost(megabytes: float, modules: int, events: int) -> tuple[float, float]:
    """(CPU microseconds, bytes in the ring) of an event that wakes nobody."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "decisions.sqlite")
        with DecisionLog(path) as log:
            watch = Watch(GateSettings(audit_share=0.0, slept_mb=megabytes), log)
            for number in range(modules):
                fingerprint = {
                    "module_id": f"module{number}",
                    "cluster": "bench",
                    "version": "1",
                    "question_template": "{location}?",
                    "default_threshold": 0.9999,
                    "signal_priors": {},
                }
                watch.add(parse_fingerprint(fingerprint))
            watch.start()
            pushed = [event(number) for number in range(events)]
            begun = time.process_time()
            for each in pushed:
                while not watch.push(each):
                    time.sleep(0.001)
            assert watch.stop(600.0)
            spent = time.process_time() - begun
            assert watch.status()["decisions"] == {"below_threshold": events * modules}
        ring = path.with_suffix(".slept")
        size = sum(each.stat().st_size for each in ring.iterdir()) if megabytes else 0
        assert not megabytes or size > events
        return spent / events * 1e6, size / events


def main() -> None:
    options = harness.options((__doc__ or "").partition("\n")[0])
    turns, events = (1, 500) if options.smoke else (TURNS, EVENTS)
    for modules in MODULES:
        both = [(cost(0.0, modules, events)[0], *cost(64.0, modules, events)) for _ in range(turns)]
        without, ring, size = (statistics.median(column) for column in zip(*both, strict=True))
        print(
            f"{modules} module(s): {without:.1f} us an event without, {ring:.1f} us with the ring"
            f" ({ring - without:+.1f}), {size:.0f} bytes"
        )


if __name__ == "__main__":
    main()
