"""A watch that holds back is killed again and again: no window that it decided about is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from threading import Event, Timer

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
WATCH = """
import os, sys
from itertools import count
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings import GateSettings
from tests.pulse.test_folding_kill import MODULE, POLICY, change

watch = Watch(GateSettings(policy=POLICY, audit_share=0.0), DecisionLog(sys.argv[1]))
watch.add(MODULE)
watch.start()
for number in count(int(sys.argv[2])):
    watch.push(change(number))
    watch.push(change(number + 0.5))
    while watch.status()["events"] < 2 * (number + 1 - int(sys.argv[2])):
        pass
    watch.learn()  # waits for the batch to be stored
    os.write(1, f"{number}\\n".encode())
"""
MODULE = parse_fingerprint(
    {
        "module_id": "code",
        "cluster": "c",
        "version": "1",
        "question_template": "{location}?",
        "default_threshold": 0.0,
    }
)
POLICY = PolicySettings(cooldown_s=0.02, key_ttl_s=0.0)


def change(number: float) -> SignalEvent:
    return SignalEvent("git", f"/src/{number:g}", "commit", 1.0, 1.0)


def killed_watch(path: Path, first: int, windows: int) -> int:
    """Run a watch from a number on and kill it somewhere after so many; the last that it stored."""
    process = subprocess.Popen(
        [sys.executable, "-c", WATCH, str(path), str(first)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    guard = Timer(PATIENCE_S, process.kill)
    guard.start()
    last = first - 1
    try:
        assert process.stdout is not None
        for line in process.stdout:
            last = int(line)
            if last - first >= windows:
                break
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        assert last - first >= windows
        return max([last, *map(int, rest.split())])
    finally:
        guard.cancel()
        process.kill()


def names(question: Decision, held: dict[str, Decision]) -> list[str]:
    """What a question tells of."""
    wake = question.payload
    assert isinstance(wake, WakePayload)
    own = [] if wake.late else [question.window[0].location]
    return own + [held[each.id].window[0].location for each in wake.folded]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", [3, 50])
def test_a_killed_watch_tells_of_each_window_once(kills: int, tmp_path: Path) -> None:
    path, random, last = tmp_path / "log.sqlite", Random(kills), -1
    for _ in range(kills):
        last = killed_watch(path, last + 1, random.randrange(60))
    with DecisionLog(path) as log:
        waited = log.waiting_windows()
        watch = Watch(GateSettings(policy=POLICY, audit_share=0.0), log)
        watch.add(MODULE)
        asked = Event()
        watch.on_wake(lambda _: None if log.waiting_windows() else asked.set())
        watch.start()
        assert not waited or asked.wait(PATIENCE_S)
        assert watch.stop(PATIENCE_S)
        records = list(log.records())
        assert log.waiting_windows() == []
    held = {each.id: each for each in records if not each.acted}
    told = Counter(name for each in records if each.acted for name in names(each, held))
    stored = {f"/src/{number / 2:g}" for number in range(2 * (last + 1))}
    assert stored <= told.keys()
    assert set(told.values()) == {1}
    assert len(held) > kills


def test_a_hold_that_ends_is_asked_by_the_watch_itself() -> None:
    clock, worked = ManualClock(1_704_137_400.0), Event()
    policy = PolicySettings(cooldown_s=60.0, key_ttl_s=0.0)
    watch = Watch(GateSettings(policy=policy, audit_share=0.0), clock=clock)
    watch.add(MODULE)
    asked: list[str | None] = []

    def handle(decision: Decision) -> None:
        asked.append(decision.question)
        worked.set()

    watch.on_wake(handle)
    watch.start()
    for number in range(6):
        watch.push(change(number))
    assert worked.wait(PATIENCE_S)
    while watch.status()["events"] < 6:
        watch.learn()
    worked.clear()
    clock.advance(60.0)
    assert worked.wait(PATIENCE_S)  # nobody pushed anything
    assert watch.stop(PATIENCE_S)
    assert asked == ["/src/0?", "/src/1? And 4 more: 2 commit; 3 commit; 4 commit; 5 commit."]


def test_a_handler_that_is_done_lets_what_waited_be_asked() -> None:
    asked, go, second = [], Event(), Event()

    def handle(decision: Decision) -> None:
        asked.append(decision.question)
        if len(asked) == 1:
            assert go.wait(PATIENCE_S)
        else:
            second.set()

    policy = PolicySettings(overlap="skip", key_ttl_s=0.0)
    watch = Watch(GateSettings(policy=policy, audit_share=0.0))
    watch.add(MODULE)
    watch.on_wake(handle)
    watch.start()
    for number in range(3):
        watch.push(change(number))
        while watch.status()["events"] < number + 1:
            watch.learn()
        watch.learn()
    assert watch.status()["decisions"] == {"busy": 2, "woke": 1}
    go.set()
    assert second.wait(PATIENCE_S)
    assert watch.stop(PATIENCE_S)
    assert asked == ["/src/0?", "/src/1? And 1 more: 2 commit."]


def test_labels_given_while_nothing_ran_count_from_the_first_window_on() -> None:
    clock = ManualClock(1_704_137_400.0)
    policy = PolicySettings(key_ttl_s=0.0)
    scores = []
    with DecisionLog() as log:
        for _ in range(2):
            watch = Watch(GateSettings(policy=policy, audit_share=0.0), log, clock=clock)
            watch.add(MODULE)
            watch.start()
            watch.push(change(1))
            assert watch.stop(PATIENCE_S)
            [asked] = [each for each in log.records() if each.label is None]
            scores.append(asked.score)
            log.add_label(asked.id, 0.0, clock.now())
    assert scores[1] < scores[0]
