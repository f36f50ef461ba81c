"""A `prefrontal watch` that is killed again and again while something writes."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from prefrontal.decisions.log import DecisionLog
from prefrontal.types import SignalEvent

from ..forked_commands import ForkedCommand, forks
from ..running import Running

LONGEST_LIFE_S = 0.4
"""A watch that has begun is killed after at most so long."""
PAUSE_S = 0.02
"""Between two writes."""

MODULE = {
    "module_id": "everything",
    "cluster": "test",
    "version": "1",
    "question_template": "{location} says: {text}",
    "default_threshold": 0.0,
    "signal_priors": {},
}


def config(folder: Path, **sources: Any) -> Path:
    """Settings of a watch that wakes on whatever its sources tell, and keeps what it refuses."""
    document = {
        "modules": [MODULE],
        "audit_share": 0,
        "log_refusals": True,
        "policy": {"settle_s": 0.05},
        "sources": sources,
        "state": str(folder / "state"),
    }
    path = folder / "prefrontal.yml"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@contextmanager
def writing(write: Callable[[], object]) -> Iterator[None]:
    """Calls `write` again and again on a thread while inside."""
    ended = Event()

    def run() -> None:
        while not ended.wait(PAUSE_S):
            write()

    thread = Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def text(event: SignalEvent) -> str:
    """What the event says."""
    return str(event.features["text"])


def soon(running: Running, moments: random.Random) -> None:
    """Wait for some part of LONGEST_LIFE_S."""
    Event().wait(moments.uniform(0.0, LONGEST_LIFE_S))


def at_work(running: Running, moments: random.Random) -> None:
    """Wait for some questions."""
    for _ in range(moments.randrange(1, 30)):
        running.line()


def kill_often(
    kills: int,
    settings: Path,
    wait: Callable[[Running, random.Random], object] = soon,
    words: Sequence[str] = (),
) -> None:
    """Start the watch `kills` times; kill it when it has begun and `wait` returns."""
    moments = random.Random(kills)
    for _ in range(kills):
        running = Running("--config", settings, *words)
        try:
            running.until("Ctrl-C stops")
            wait(running, moments)
        finally:
            running.close()


def kill_forks(
    kills: int,
    settings: Path,
    wait: Callable[[ForkedCommand, random.Random], object],
    *modules: str,
) -> None:
    """As `kill_often`, with watches that need not import anything, these modules included."""
    moments = random.Random(kills)
    with forks(settings.parent, "prefrontal.cli.watch.watch", *modules) as server:
        for _ in range(kills):
            watch = server.begin("watch", "--config", str(settings))
            try:
                watch.until("Ctrl-C stops")
                wait(watch, moments)
            finally:
                watch.kill()
                watch.output()


def decided(
    folder: Path, name: Callable[[SignalEvent], str] = text, since: float | None = None
) -> Counter[str]:
    """How often each event but the minutes was decided about, by the log."""
    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        windows = (record.window for record in log.records(since))
        events = (event for window in windows for event in window)
        return Counter(name(event) for event in events if event.source != "time")
