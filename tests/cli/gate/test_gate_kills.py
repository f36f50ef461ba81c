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

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload

from ...exhaustive import first
from .turns import PATIENCE_S, Place

SPAN = 0.3, 1.3
"""Moments of a kill, in lengths of a call that was left alone: before that it is still starting."""


def told(output: str) -> set[str]:
    """Ids of the questions in an answer that may have been cut off."""
    try:
        return {each["id"] for each in json.loads(output)["questions"]}
    except (ValueError, KeyError):
        return set()


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


@pytest.mark.parametrize("kills", first(1, [2, 500]))
def test_a_gate_that_is_killed_at_any_moment_loses_no_signal(place: Place, kills: int) -> None:
    moments, numbers, answers = random.Random(0), count(), set[str]()
    place.take()
    killed, length_s = 0, 1.0
    while killed < kills:
        place.write(*(f"line {next(numbers)}" for _ in range(1 + moments.randrange(3))))
        begun = time.monotonic()
        with place.begin("--json") as process:
            try:
                output, _ = process.communicate(timeout=moments.uniform(*SPAN) * length_s)
                length_s = (length_s + time.monotonic() - begun) / 2
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
                output, _ = process.communicate(timeout=PATIENCE_S)
        answers |= told(output)
    place.write("the last line")
    while questions := place.questions():
        answers |= {each["id"] for each in questions}
    lines, asked = outcome(place)
    print(f"{killed} calls killed, {sum(lines.values())} lines, {len(asked)} questions")
    expected = Counter([f"line {number}" for number in range(next(numbers))] + ["the last line"])
    assert lines == expected
    assert answers == asked
