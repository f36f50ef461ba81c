"""A process that is killed has lost nothing that it was told is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import apsw
import pytest

from prefrontal.decisions.log import DecisionLog

from ..exhaustive import first

ROOT = Path(__file__).parents[2]

BURST = """
import os, sys
from prefrontal.decisions.log import DecisionLog
from tests.decisions.decision_samples import slept, woke

log = DecisionLog(sys.argv[1])
number = 0
while True:
    number += 1
    record = woke(float(number))
    log.append(record)
    os.write(1, f"decision {record.id}\\n".encode())
    if log.add_label(record.id, 0.5, at=float(number)):
        os.write(1, f"label {record.id}\\n".encode())
    batch = [slept(float(number), subject=record.id) for _ in range(20)]
    log.append_many(batch)
    os.write(1, f"batch {record.id}\\n".encode())
    log.save_state("weights", record.id.encode() * 500, through=number)
    os.write(1, f"state {number}\\n".encode())
"""


def killed_after(lines: int, program: str, path: Path) -> list[tuple[str, str]]:
    """What the program said before it was killed, at least `lines` words in pairs."""
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(lines)]
    child.kill()
    said += child.stdout.read().splitlines(keepends=True)
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    pairs = [line.decode().split() for line in said if line.endswith(b"\n")]
    return [(what, value) for what, value in pairs]


@pytest.mark.parametrize("lines", first(2, [1, 2, 3, 4, 50, 333]))
def test_whatever_was_acknowledged_before_a_kill_is_there_and_nothing_is_half(
    tmp_path: Path, lines: int
) -> None:
    path = tmp_path / "log.db"
    said = killed_after(lines, BURST, path)
    with DecisionLog(path) as log:
        found = {record.id: record for record in log.records()}
        batches = Counter(record.subject for record in found.values() if not record.acted)
        labels = {each.decision.id: each.label for each in log.labels_after(0)}
        state = log.load_state("weights")
    for what, value in said:
        if what == "decision":
            assert found[value].window and found[value].why
        elif what == "label":
            assert labels[value] == 0.5
        elif what == "batch":
            assert batches[value] == 20
    assert set(batches.values()) <= {20}
    saved = [int(value) for what, value in said if what == "state"]
    if saved:
        assert state is not None and state[1] >= saved[-1] and len(state[0]) == 16_000
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


@pytest.mark.exhaustive
def test_a_process_killed_again_and_again_adds_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    said = [pair for _ in range(5) for pair in killed_after(9, BURST, path)]
    with DecisionLog(path) as log:
        found = {record.id for record in log.records()}
    assert {value for what, value in said if what == "decision"} <= found


CREATE = """
import os, sys
from prefrontal.decisions.log import DecisionLog

os.write(1, b"start now\\n")
for number in range(10**9):
    DecisionLog(f"{sys.argv[1]}{number % 3}").close()
    os.write(1, f"made {number}\\n".encode())
    os.remove(f"{sys.argv[1]}{(number + 1) % 3}") if number > 2 else None
"""


@pytest.mark.parametrize("lines", first(2, [1, 2, 3, 10, 11]))
def test_a_kill_while_a_file_is_being_made_leaves_one_that_opens(
    tmp_path: Path, lines: int
) -> None:
    killed_after(lines, CREATE, tmp_path / "log")
    for path in {name.name.partition("-")[0] for name in tmp_path.iterdir()}:
        with DecisionLog(tmp_path / path) as log:
            assert log.counts() == {}


def test_a_kill_lets_go_of_the_lock(tmp_path: Path) -> None:
    program = """
import os, sys
from prefrontal.storage.sqlite_database import SqliteDatabase

database = SqliteDatabase(sys.argv[1])
with database.transaction():
    os.write(1, b"locked yes\\n")
    sys.stdin.read()
"""
    path = tmp_path / "log.db"
    read, write = os.pipe()  # keeps the child waiting
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, stdin=read, stdout=subprocess.PIPE
    )
    assert child.stdout is not None and child.stdout.readline() == b"locked yes\n"
    child.kill()
    child.wait()
    child.stdout.close()
    os.close(read)
    os.close(write)
    DecisionLog(path).close()
