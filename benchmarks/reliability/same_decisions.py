"""The same windows, decided with the log in SQLite and on a PostgreSQL server, bit for bit.

    python benchmarks/reliability/same_decisions.py WINDOWS.jsonl.gz...

Each window is decided by a gate on a kept clock, each wake and audit is labelled in the log, and
what the log says is learned. The hash is over every decision, label and learned weight as they are
read back; ids, which are drawn, are left out. Exit code 1 where the two differ.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from postgres_server import programs, server_in
from prefrontal.decisions.log import DecisionLog, NewLabel
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.opening import open_gate
from prefrontal.replay.histories.windows import read_windows
from prefrontal.settings.gate import GateSettings
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from prefrontal.testing import ManualClock

LEARN_EVERY = 50
"""Windows between two looks for labels."""


def decide(file: Path, path: Path, most: int | None = None) -> tuple[int, str]:
    """Decide about `most` windows with the log at `path`: how many decisions, and their hash."""
    clock = ManualClock(0.0)
    with DecisionLog(path, clock=clock) as log:
        opened = open_gate(GateSettings(log_refusals=True), log, clock, [_module()])
        for number, window in enumerate(islice(read_windows(file), most)):
            clock.advance(max(0.0, window.time - clock.now()))
            opened.gate.judge(tuple(window.events), "module")
            decisions = opened.gate.drain()
            mattered = float(bool(window.relevant))
            labels = [
                NewLabel(each.id, mattered, each.time, "user") for each in decisions if each.acted
            ]
            log.keep(decisions, labels)
            if number % LEARN_EVERY == 0:
                opened.learned.learn()
                log.keep(states=opened.learned.states())
        opened.learned.save()
    return digest(path)


def digest(path: Path) -> tuple[int, str]:
    """How many decisions the log holds, and a hash of all that it says of them."""
    total, number = hashlib.sha256(), 0
    with DecisionLog(path) as log:
        for each in log.records():
            number += 1
            facts = (each.time, each.subject, each.acted, each.reason, each.score, each.threshold)
            more = (each.question, each.propensity, each.window, each.why, each.label)
            total.update(repr(facts + more).encode("utf-8", "surrogatepass"))
        for name, content in sorted(log.load_states("").items()):
            total.update(name.encode() + content)
    return number, total.hexdigest()


def _module() -> ModuleFingerprint:
    return parse_fingerprint(
        {
            "module_id": "module",
            "cluster": "test",
            "version": "1",
            "question_template": "{location} was {delta_type}. Does it matter?",
            "default_threshold": None,
            "signal_priors": {},
        }
    )


def main() -> int:
    """Print both hashes of each file; 1 where they differ."""
    folder = programs()
    if folder is None or not sys.argv[1:]:
        sys.exit("needs files of windows, and PostgreSQL's server (Debian: postgresql)")
    differs = False
    with server_in(folder, fsync="off") as server, tempfile.TemporaryDirectory() as name:
        for number, file in enumerate(map(Path, sys.argv[1:])):
            local, remote = Path(name) / f"local{number}", Path(name) / f"remote{number}"
            write_link(remote, PostgresUrl.parse(server.url()))
            hashes = []
            for kind, path in (("SQLite", local), ("PostgreSQL", remote)):
                began = time.monotonic()
                count, total = decide(file, path)
                hashes.append(total)
                took_s = time.monotonic() - began
                print(f"{file.name} {kind}: {count} decisions, {total[:16]}, {took_s:.0f} s")
            differs |= hashes[0] != hashes[1]
    print("they differ" if differs else "the same on both")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
