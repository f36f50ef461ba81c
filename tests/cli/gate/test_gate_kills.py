"""A gate that is killed at any moment loses no signal."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload

from ...exhaustive import first
from .forked_calls import gate_forks
from .turns import LIMIT_S, PATIENCE_S, Place

MANY = int(os.environ.get("PREFRONTAL_GATE_KILLS", "60"))
"""How many commands the long form kills: 60 take two minutes."""
FORKS = 500
"""How many calls it kills that were forked."""
STARTING_S, WORKING_S = 0.8, 0.3
"""A kill comes so long after the start, or after the first sign of work in the log, at most."""
AT_WORK = 0.8
"""The share of kills that wait for that sign."""


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


@pytest.mark.parametrize("kills", first(1, [2, MANY]))
def test_a_gate_that_is_killed_at_any_moment_loses_no_signal(place: Place, kills: int) -> None:
    moments, numbers, answers = random.Random(0), count(), set[str]()
    place.take()
    killed = 0
    while killed < kills:
        place.write(*(f"line {next(numbers)}" for _ in range(1 + moments.randrange(3))))
        before = signs(place)
        with place.begin("--json") as process:
            longest_s = STARTING_S
            if moments.random() < AT_WORK:
                while process.poll() is None and signs(place) == before:
                    time.sleep(0.001)
                longest_s = WORKING_S
            try:
                output, _ = process.communicate(timeout=moments.uniform(0.0, longest_s))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
                output, _ = process.communicate(timeout=PATIENCE_S)
        answers |= told(output)
    nothing_is_lost(place, next(numbers), answers, killed)


@pytest.mark.parametrize("kills", first(1, [10, FORKS]))
def test_a_forked_gate_that_is_killed_at_any_moment_loses_no_signal(
    place: Place, kills: int
) -> None:
    moments, numbers, answers = random.Random(1), count(), set[str]()
    place.take()
    killed = 0
    words = ["--workspace", str(place.folder), "--limit", str(LIMIT_S), "--json"]
    with gate_forks(place.folder) as forks:
        while killed < kills:
            place.write(*(f"line {next(numbers)}" for _ in range(1 + moments.randrange(3))))
            before, call = signs(place), forks.begin(*words)
            if moments.random() < AT_WORK:
                while signs(place) == before and not call.is_over(0.001):
                    pass
            if not call.is_over(moments.uniform(0.0, WORKING_S)):
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
