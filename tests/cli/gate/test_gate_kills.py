"""A gate that is killed at any moment loses no signal."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload

from ..forked_commands import forks
from .turns import LIMIT_S, PATIENCE_S, Place

MANY = int(os.environ.get("PREFRONTAL_GATE_KILLS", "60"))
"""How many commands the long form kills: 60 take two minutes."""
FORKS = 500
"""How many calls it kills that were forked."""
ROOM = 1 << 28
"""Bytes that a disk in memory must have free."""
AT_WORK = 0.8
"""The share of kills that come after the first sign of work in the log."""


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory, if there is room: a kill takes nothing that was written from any disk."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < ROOM:
        yield tmp_path
        return
    with TemporaryDirectory(prefix="prefrontal-kills-", dir=memory) as folder:
        yield Path(folder)


class Moments:
    """When calls are killed: at any time of what they do, as long as that took of late.

    A moment is seconds after the start, or after the first sign of work.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._lasted_s = {False: deque[float](maxlen=5), True: deque[float](maxlen=5)}
        self._began = self._sign = 0.0

    def begin(self) -> bool:
        """A call begins; whether its kill waits for the sign."""
        self._began = self._sign = time.monotonic()
        return self.chance.random() < AT_WORK

    def sign(self) -> None:
        """The call is at work."""
        self._sign = time.monotonic()

    def draw(self, at_work: bool) -> float:
        """Seconds to wait for its end; a first few calls end by themselves."""
        lasted = self._lasted_s[at_work]
        return self.chance.uniform(0.0, 1.25 * median(lasted)) if len(lasted) > 2 else PATIENCE_S

    def end(self, at_work: bool) -> None:
        """The call ended by itself."""
        now = time.monotonic()
        self._lasted_s[at_work].append(now - (self._sign if at_work else self._began))


def told(output: str) -> set[str]:
    """Ids of the questions in an answer that may have been cut off."""
    try:
        return {each["id"] for each in json.loads(output)["questions"]}
    except (ValueError, KeyError):
        return set()


def signs(place: Place) -> list[tuple[int, int]]:
    """Other ones once the log was written to."""
    files = sorted(place.state.glob("decisions.sqlite*"))
    try:
        return [(stat.st_mtime_ns, stat.st_size) for stat in map(Path.stat, files)]
    except FileNotFoundError:  # it is being closed
        return []


def outcome(place: Place) -> tuple[Counter[str], set[str]]:
    """(how often each line was decided about, ids of the questions that tell of them)."""
    lines: Counter[str] = Counter()
    questions = set()
    with DecisionLog(place.state / "decisions.sqlite") as log:
        for each in log.records():
            assert isinstance(each.payload, WakePayload)
            if each.acted:
                questions.add(each.id)
            if not (each.payload.gathered or each.payload.late):  # decided about one by one
                lines.update(str(event.features["text"]) for event in each.window)
        assert log.waiting_windows() == []
    return lines, questions


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", [1, MANY])
def test_a_gate_that_is_killed_at_any_moment_loses_no_signal(place: Place, kills: int) -> None:
    moments, numbers, answers = Moments(0), count(), set[str]()
    place.take()
    killed = 0
    while killed < kills:
        place.write(*(f"line {next(numbers)}" for _ in range(1 + moments.chance.randrange(3))))
        before, at_work = signs(place), moments.begin()
        with place.begin("--json") as process:
            while at_work and process.poll() is None and signs(place) == before:
                time.sleep(0.001)
            moments.sign()
            try:
                output, _ = process.communicate(timeout=moments.draw(at_work))
                moments.end(at_work)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
                output, _ = process.communicate(timeout=PATIENCE_S)
        answers |= told(output)
    nothing_is_lost(place, next(numbers), answers, killed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", [6, FORKS])
def test_a_forked_gate_that_is_killed_at_any_moment_loses_no_signal(
    place: Place, kills: int
) -> None:
    moments, numbers, answers = Moments(1), count(), set[str]()
    place.take()
    killed = 0
    words = ["--workspace", str(place.folder), "--limit", str(LIMIT_S), "--json"]
    with forks(place.folder) as server:
        while killed < kills:
            place.write(*(f"line {next(numbers)}" for _ in range(1 + moments.chance.randrange(3))))
            before, at_work = signs(place), moments.begin()
            call = server.begin("gate", *words)
            while at_work and signs(place) == before and not call.is_over(0.001):
                pass
            moments.sign()
            if call.is_over(moments.draw(at_work)):
                moments.end(at_work)
            else:
                call.kill()
                killed += 1
            answers |= told(call.output())
    nothing_is_lost(place, next(numbers), answers, killed)


def nothing_is_lost(place: Place, lines: int, answers: set[str], killed: int) -> None:
    """Each line is decided once, and each question was in an answer."""
    place.write("the last line")
    while questions := place.questions():
        answers |= {each["id"] for each in questions}
    decided, asked = outcome(place)
    print(f"{killed} calls killed, {sum(decided.values())} lines, {len(asked)} questions")
    expected = Counter([f"line {number}" for number in range(lines)] + ["the last line"])
    assert decided == expected
    assert answers == asked
