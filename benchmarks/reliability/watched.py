"""A folder with settings, a log file and a state: laid down, watched, and looked at afterwards."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from starts import Start
from writers import Say, check_database

LOOK_S, LOOK_AGAIN_S = 0.03, 0.2
MODULE = {
    "module_id": "everything",
    "cluster": "test",
    "version": "1",
    "question_template": "{location} says: {text}",
    "default_threshold": 0.0,
    "signal_priors": {},
}


def lay(path: Path, text: str, mode: str = "w") -> None:
    """What others wrote, who are not tried out here: it outlives everything."""
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def write_settings(folder: Path, *, sinks: Sequence[Any] = (), **sources: Any) -> None:
    """Of a gate that wakes on whatever its sources tell, and keeps what it refuses."""
    document = {
        "modules": [MODULE],
        "audit_share": 0,
        "log_refusals": True,
        "policy": {"settle_s": 0.05},
        "sources": sources,
        "sinks": list(sinks),
        "state": "state",
    }
    (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")


def places(folder: Path) -> list[str]:
    """The words for a command that say where settings and state are."""
    return ["--config", str(folder / "prefrontal.yml"), "--state", str(folder / "state")]


def event_line(text: str, number: int) -> str:
    """An event for `prefrontal run --once`, a minute after the one numbered before."""
    event = {"source": "log", "location": "/app.log", "delta_type": "line"}
    return json.dumps(event | {"timestamp": 1.7e9 + 60 * number, "features": {"text": text}}) + "\n"


def watch(folder: Path, start: Start, until: Callable[[], bool], output: Say | None = None) -> None:
    """Watch until that is true of the log. output: what is printed is said, too."""
    words = ["watch", "--json", *places(folder)]
    start(folder, *words, codes=(0, 130), until=seldom(folder, until), output=output)


def seldom(folder: Path, is_so: Callable[[], bool]) -> Callable[[], bool]:
    """The same of the log, but looked at LOOK_S after its files changed, or after LOOK_AGAIN_S."""
    paths = [folder / "state" / name for name in ("decisions.sqlite", "decisions.sqlite-wal")]
    before: list[tuple[int, int] | None] = []
    looked_at = 0.0

    def is_so_now() -> bool:
        nonlocal before, looked_at
        signs = [_sign(path) for path in paths]
        now = time.monotonic()
        if now < looked_at + (LOOK_AGAIN_S if signs == before else LOOK_S):
            return False
        before, looked_at = signs, now
        return is_so()

    return is_so_now


def _sign(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size


def printed(said: Sequence[str], field: str) -> set[str]:
    """That field of each line that is a JSON object; a kill may leave the end of one."""
    rows = []
    for line in said:
        with suppress(ValueError):
            rows.append(json.loads(line))
    return {str(row[field]) for row in rows if isinstance(row, dict) and field in row}


def decision_ids(folder: Path) -> set[str]:
    """Of all decisions of the log."""
    from prefrontal.decisions.log import DecisionLog

    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        return {each.id for each in log.records()}


def texts(folder: Path) -> list[str]:
    """What was decided about, each line as often as it was."""
    from prefrontal.decisions.log import DecisionLog
    from prefrontal.decisions.payloads import WakePayload

    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        return [
            str(event.features["text"])
            for each in log.records()
            if not (
                isinstance(each.payload, WakePayload)
                and (each.payload.gathered or each.payload.late)
            )
            for event in each.window
            if event.source != "time"
        ]


def lines_of(folder: Path) -> list[str]:
    """What the followed log holds."""
    return (folder / "app.log").read_text(encoding="ascii").splitlines()


def has_place(folder: Path) -> bool:
    """Whether some source's place is stored: what comes from then on counts."""
    from prefrontal.decisions.log import DecisionLog

    path = folder / "state" / "decisions.sqlite"
    if not path.exists():
        return False
    with DecisionLog(path) as log:
        return bool(log.load_states("place "))


def are_decided(folder: Path) -> bool:
    """Whether as much was decided about as there are lines."""
    return len(texts(folder)) >= len(lines_of(folder))


def check_lines(folder: Path) -> None:
    """Each line was decided about once."""
    decided, lines = sorted(texts(folder)), sorted(lines_of(folder))
    lost = len(set(lines) - set(decided))
    twice = len(decided) - len(set(decided))
    assert decided == lines, f"of {len(lines)} lines {lost} are lost, {twice} decided twice"
    check_database(folder / "state" / "decisions.sqlite")
