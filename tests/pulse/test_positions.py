"""Where a source goes on is stored with what was decided about what it told, never before."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Semaphore
from time import monotonic

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells import worker
from prefrontal.pulse.shells.inbox import SOURCE_QUEUE
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.shells.worker_intake import WorkerIntake
from prefrontal.pulse.sources import running
from prefrontal.pulse.sources.lines import LinesSource
from prefrontal.pulse.sources.log_file import LogFileSource
from prefrontal.pulse.sources.network import Answer, NetworkSource
from prefrontal.pulse.sources.source_batch import Post
from prefrontal.settings.gate import GateSettings, PolicySettings
from prefrontal.types import SignalEvent

PATIENCE_S = 60.0
MODULE = parse_fingerprint(
    {
        "module_id": "everything",
        "cluster": "test",
        "version": "1",
        "question_template": "{location} says something",
        "default_threshold": 0.0,
        "signal_priors": {},
    }
)


class Followed:
    """A log file that a watch follows."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "app.log"
        self.state = folder / "read-log"
        self.log = DecisionLog(folder / "decisions.sqlite")
        self.asked: list[str] = []
        self._last = ""
        self._came = Event()
        self.watch: Watch | None = None

    def begin(self) -> Watch:
        self.source = LogFileSource(self.path, interval_s=0.01, state_path=self.state)
        settings = GateSettings(audit_share=0.0)
        self.watch = Watch(settings, self.log, sources=[self.source])
        self.watch.add(MODULE)
        self.watch.on_wake(self._hear)
        self.watch.start()
        return self.watch

    def end(self) -> None:
        if self.watch is not None:
            assert self.watch.stop(PATIENCE_S)
            self.watch = None

    def add(self, *lines: str) -> None:
        with self.path.open("a", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in lines)

    def wait_for(self, last: str) -> None:
        self._last = last
        if last not in self.asked:
            assert self._came.wait(PATIENCE_S)
        self._came.clear()

    def decided(self) -> list[str]:
        return [str(each.window[0].features["text"]) for each in self.log.records()]

    def _hear(self, decision: Decision) -> None:
        self.asked.append(text := str(decision.window[0].features["text"]))
        if text == self._last:
            self._came.set()


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    followed = Followed(tmp_path)
    yield followed
    followed.end()
    followed.log.close()


@pytest.mark.exhaustive
def test_a_burst_greater_than_the_queue_slows_the_source_and_loses_no_line(
    followed: Followed,
) -> None:
    followed.path.touch()
    watch = followed.begin()
    lines = [f"line {number}" for number in range(5 * SOURCE_QUEUE)]
    with watch._worker.paused():
        followed.add(*lines)
        while watch.status()["waiting"] < SOURCE_QUEUE:
            Event().wait(0.01)
        assert watch.status()["waiting"] < 3 * SOURCE_QUEUE
    followed.wait_for(lines[-1])
    assert followed.decided() == lines
    assert watch.status()["refused_by_queue"] == 0


def became_true(condition: Callable[[], bool]) -> bool:
    end = monotonic() + PATIENCE_S
    while not condition() and monotonic() < end:
        Event().wait(0.01)
    return condition()


def test_a_source_that_waits_for_room_holds_on_to_files_that_are_rotated_away(
    followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MEANWHILE_S", 0.01)
    monkeypatch.setattr(worker, "ROOM_S", 0.01)

    def follows(files: int) -> Callable[[], bool]:
        return lambda: len(followed.source._files) == files

    followed.path.touch()
    watch = followed.begin()
    lines = [f"line {number}" for number in range(2 * SOURCE_QUEUE)]
    with watch._worker.paused():
        followed.add(*lines)
        assert became_true(lambda: watch.status()["waiting"] >= SOURCE_QUEUE)
        for number in range(4):
            followed.path.replace(followed.path.with_suffix(".log.1"))
            lines.append(f"file {number}")
            followed.add(lines[-1])
            assert became_true(follows(number + 2))
    followed.wait_for(lines[-1])
    assert followed.decided() == lines
    assert watch.status()["gaps"] == 0


def test_lines_that_waited_when_the_watch_ended_are_decided_by_the_next(
    followed: Followed, tmp_path: Path
) -> None:
    followed.path.touch()
    followed.begin()
    followed.end()
    followed.add("while nothing ran")
    followed.path.rename(tmp_path / "app.log.1")
    followed.add("in the new file")
    followed.begin()
    followed.wait_for("in the new file")
    followed.end()
    followed.begin()
    followed.add("last")
    followed.wait_for("last")
    assert followed.decided() == ["while nothing ran", "in the new file", "last"]


def test_a_place_in_a_file_of_the_release_before_is_taken_over(followed: Followed) -> None:
    followed.add("told before", "new")
    found = followed.path.stat()
    place = {"file": [found.st_dev, found.st_ino], "offset": len("told before\n")}
    followed.state.write_text(json.dumps(place), encoding="ascii")
    followed.begin()
    followed.wait_for("new")
    followed.end()
    followed.state.write_text("{", encoding="ascii")  # nobody reads it any more
    followed.begin()
    followed.add("newer")
    followed.wait_for("newer")
    assert followed.decided() == ["new", "newer"]


@pytest.fixture
def full(followed: Followed) -> Callable[[bool], None]:
    """Takes the room in the log away, or gives it back."""

    def fill(is_full: bool) -> None:
        [(pages,)] = followed.log._database.execute("PRAGMA page_count")
        most = pages if is_full else 1 << 30
        followed.log._database.execute(f"PRAGMA max_page_count = {most}")

    return fill


@pytest.mark.exhaustive
def test_a_full_disk_stops_the_source_and_all_is_in_the_log_once_there_is_room(
    followed: Followed, full: Callable[[bool], None], caplog: pytest.LogCaptureFixture
) -> None:
    followed.path.touch()
    watch = followed.begin()
    lines = [f"{number} " + "x" * 500 for number in range(10 * SOURCE_QUEUE)]
    full(True)
    followed.add(*lines)
    while not watch.status()["unstored"]:
        Event().wait(0.01)
    full(False)
    followed.wait_for(lines[-1])
    assert followed.decided() == lines
    assert followed.asked == lines
    told = [record.getMessage() for record in caplog.records]
    assert [line.partition(":")[0] for line in told] == [
        "decisions could not be stored, they are delivered all the same",
        "the log can be written again",
    ]


@pytest.mark.exhaustive
def test_what_a_full_disk_kept_out_of_the_log_until_the_end_comes_again(
    followed: Followed, full: Callable[[bool], None]
) -> None:
    followed.path.touch()
    watch = followed.begin()
    lines = [f"{number} " + "x" * 500 for number in range(10 * SOURCE_QUEUE)]
    full(True)
    followed.add(*lines)
    while not watch.status()["unstored"]:
        Event().wait(0.01)
    followed.end()
    before = followed.decided()
    assert before == lines[: len(before)] != lines
    full(False)
    followed.begin()
    followed.wait_for(lines[-1])
    assert followed.decided() == lines


def test_a_post_waits_until_it_is_stored_and_is_refused_while_the_disk_is_full(
    followed: Followed, full: Callable[[bool], None]
) -> None:
    watch = followed.begin()
    intake = WorkerIntake(watch._worker, followed.log)
    first = post("first")
    assert intake.accept(first, PATIENCE_S)
    assert followed.decided() == ["first"]
    full(True)
    second = post("x" * 1_000_000)
    assert not intake.accept(second, 0.1)
    assert not second.settled.is_set()  # it is decided, and waits for room
    third = post("third")
    assert not intake.accept(third, PATIENCE_S)
    assert third.settled.is_set()
    full(False)
    assert second.settled.wait(PATIENCE_S)
    assert second.stored
    assert followed.decided() == ["first", "x" * 1_000_000]


def test_a_post_that_nobody_took_in_time_is_decided_by_nobody(followed: Followed) -> None:
    watch = followed.begin()
    intake = WorkerIntake(watch._worker, followed.log)
    with watch._worker.paused():
        watch.push(event("in the way"))
        while watch.status()["waiting"]:  # the gate has taken it, and waits for us
            Event().wait(0.01)
        late = post("late")
        assert not intake.accept(late, 0.01)
        assert late.settled.is_set()
    assert intake.accept(post("next"), PATIENCE_S)
    assert followed.decided() == ["in the way", "next"]


def test_pushes_that_are_lost_are_counted_and_said_now_and_then(
    followed: Followed, caplog: pytest.LogCaptureFixture
) -> None:
    watch = followed.begin()
    watch._worker.inbox.queue_size = 3
    with watch._worker.paused():
        assert watch.push(event("in the way"))
        while watch.status()["waiting"]:
            Event().wait(0.01)
        for number in range(10):
            watch.memory.write("notes", f"key {number}", "text")
    assert watch.status()["refused_by_queue"] == 7
    assert watch.memory.status()["refused"] == 7
    [line] = [record.getMessage() for record in caplog.records]
    assert line == "1 pushed events were lost so far: 3 events from 'memory' of 0.0 MB wait already"


@pytest.mark.exhaustive
def test_who_writes_lines_waits_while_the_gate_falls_behind_and_none_is_lost(
    tmp_path: Path,
) -> None:
    log = DecisionLog(tmp_path / "decisions.sqlite")
    read, write = os.pipe()
    stream_in = os.fdopen(read, "rb")
    sources = [LinesSource(stream_in)]
    watch = Watch(GateSettings(audit_share=0.0), log, sources=sources, queue_size=8)
    watch.add(MODULE)
    came = Semaphore(0)
    watch.on_wake(lambda _: came.release())
    watch.start()
    line = '{{"source": "test", "location": "here", "delta_type": "said", "timestamp": {}}}\n'
    with os.fdopen(write, "w") as stream:
        stream.writelines(line.format(number) for number in range(5_000))
    for _ in range(5_000):
        assert came.acquire(timeout=PATIENCE_S)
    assert watch.stop(PATIENCE_S)
    assert [each.window[0].timestamp for each in log.records()] == list(range(5_000))
    assert watch.status()["refused_by_queue"] == 0
    stream_in.close()
    log.close()


def test_what_was_seen_goes_from_the_log_into_the_file_at_the_end(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "decisions.sqlite")
    inbox, came = tmp_path / "inbox", Semaphore(0)
    inbox.mkdir()
    policy = PolicySettings(settle_s=0.01)
    settings = GateSettings(audit_share=0.0, policy=policy)

    def begin() -> Watch:
        watch = Watch(settings, log, watch_dirs=[inbox], files_state=tmp_path / "seen")
        watch.add(MODULE)
        watch.on_wake(lambda _: came.release())
        watch.start()
        return watch

    watch = begin()
    before = (tmp_path / "seen").read_bytes()
    (inbox / "a").touch()
    assert came.acquire(timeout=PATIENCE_S)
    assert len(log.load_states("seen ")) == 1
    assert (tmp_path / "seen").read_bytes() == before
    assert watch.stop(PATIENCE_S)
    assert log.load_states("seen ") == {}
    assert "a" in json.loads((tmp_path / "seen").read_bytes())["folders"][str(inbox)]
    (inbox / "a").unlink()
    watch = begin()
    assert came.acquire(timeout=PATIENCE_S)
    assert watch.stop(PATIENCE_S)
    assert [each.window[0].delta_type for each in log.records()] == ["created", "deleted"]
    log.close()


class Page:
    """The answers of a page, one after the other."""

    def __init__(self, *bodies: str) -> None:
        self.bodies = list(bodies)

    def fetch(self) -> Answer:
        body = self.bodies.pop(0) if len(self.bodies) > 1 else self.bodies[0]
        return Answer(200, body, len(body))


def test_a_page_that_changed_while_nothing_ran_is_told_of_once(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "decisions.sqlite")
    for bodies in (("one",), ("one", "two"), ("three",), ("three",)):
        source = NetworkSource("http://localhost/page", interval_s=0.01)
        source._fetch = Page(*bodies).fetch  # type: ignore[method-assign]
        watch = Watch(GateSettings(audit_share=0.0), log, sources=[source])
        watch.add(MODULE)
        watch.start()
        while int(str(source.status()["requests"])) < 4:
            Event().wait(0.01)
        assert watch.stop(PATIENCE_S)
    changes = [each.window[0].features for each in log.records()]
    log.close()
    assert [(each["previous_hash"], each["content_hash"]) for each in changes] == [
        ("one", "two"),
        ("two", "three"),
    ]


def event(text: str) -> SignalEvent:
    return SignalEvent(
        "test", "here", "said", 1.0, float(zlib.crc32(text.encode())), {"text": text}
    )


def post(text: str) -> Post:
    return Post((event(text),))
