"""kill -9 at 500 points while recording: nothing acknowledged is lost, nothing is doubled.

One process after another writes to the same ledger from eight threads and tells each row that was
acknowledged. The kernel kills it when it has told so many; the first point is right after the
start, the last sixty acknowledgements later, so that kills fall into every part of a commit.
`make test` has forty of the points.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from prefrontal.ledger import Ledger
from prefrontal.ledger.lock import WriterLock

from ..exhaustive import first

BATCHES, KILLS = 25, 20

# Forks: an interpreter that has imported everything is ready at once for each of the kills.
PROGRAM = """
import os, sys, threading
from itertools import count
from prefrontal.ledger import Ledger

path, kills, tell = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def record(ledger, run, thread):
    for number in count():
        event = f"{run}.{thread}.{number}"
        peer = f"peer{number % 5}"
        kept = ledger.record_interaction(peer, "in", event_id=event, preview=event * 5, size=9)
        judged = ledger.record_assessment(peer, number % 10, event) if number % 3 == 0 else 0
        os.write(tell, f"{event} {kept} {judged}\\n".encode())

def work(run):
    ledger = Ledger(path)
    for thread in range(8):
        threading.Thread(target=record, args=(ledger, run, thread), daemon=True).start()
    threading.Event().wait()

for run in range(kills):
    pid = os.fork()
    if pid == 0:
        try:
            work(f"{os.getpid()}")
        finally:
            os._exit(1)
    os.write(1, f"{pid}\\n".encode())
    os.waitpid(pid, 0)
"""


def acknowledged(path: Path, kills: int, choose: random.Random) -> list[tuple[str, int, int]]:
    """Each row that was acknowledged before its process was killed: (event, id, judgment)."""
    told, tell = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), str(kills), str(tell)],
        stdout=subprocess.PIPE,
        pass_fds=[tell],
    )
    os.close(tell)
    assert child.stdout is not None
    lines: list[bytes] = []
    with os.fdopen(told, "rb") as rows, child.stdout:
        for _ in range(kills):
            pid = int(child.stdout.readline())
            lines += [rows.readline() for _ in range(choose.randrange(60))]
            os.kill(pid, signal.SIGKILL)
        assert child.wait(60) == 0
        lines += rows.read().splitlines(keepends=True)
    whole = [line.decode().split() for line in lines if line.endswith(b"\n")]
    return [(event, int(kept), int(judged)) for event, kept, judged in whole]


@pytest.mark.parametrize("batch", first(1, range(BATCHES)))
def test_a_kill_at_any_point_loses_and_doubles_nothing(tmp_path: Path, batch: int) -> None:
    path = tmp_path / "ledger.sqlite"
    said = acknowledged(path, KILLS, random.Random(batch))
    with Ledger(path) as ledger:
        kept = list(ledger.interactions())
        judged = {each.id: each for each in ledger.assessments()}
        peers = {peer.peer_id: peer for peer in ledger.list_peers()}
    assert said
    events = {each.event_id: each for each in kept}
    assert len(events) == len(kept)
    assert len({each.rationale for each in judged.values()}) == len(judged)
    for event, number, judgment in said:
        assert events[event].id == number
        assert events[event].preview == (event * 5)[:200]
        if judgment:
            assert judged[judgment].rationale == event
    for name, peer in peers.items():  # the counts are those of the rows: no half transaction
        assert peer.in_count == sum(each.peer_id == name for each in kept)
        assert peer.assessment_count == sum(each.peer_id == name for each in judged.values())
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def test_the_kills_are_five_hundred() -> None:
    assert BATCHES * KILLS == 500


def test_a_killed_writer_leaves_the_ledger_free(tmp_path: Path) -> None:
    acknowledged(tmp_path / "ledger.sqlite", 1, random.Random(1))
    WriterLock(tmp_path / "ledger.sqlite").release()
