from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources.files.file_watch import QUIET_STEP_MS, STEP_MS, SystemWatch
from prefrontal.pulse.sources.filesystem import FilesystemSource
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from .receiver import PATIENCE_S, Receiver, facts

SETTLE_S = 0.1


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def test_a_damaged_state_is_said_and_started_afresh(
    home: Path, tmp_path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "a").write_text("a")
    state = tmp_path / "state.json"
    for damage in (b"", b"\xff", b"[]", b'{"version":9}', b'{"version":1,"roots":[],"folders":[]}'):
        state.write_bytes(damage)
        caplog.clear()
        source = FilesystemSource([home], SETTLE_S, state_path=state)
        source.start(receiver)
        source.stop()
        assert "must be a saved file index" in caplog.text
        assert source.status()["errors"] == 1
    assert receiver.rest() == []
    source = FilesystemSource([home], SETTLE_S, state_path=state)
    source.start(receiver)
    source.stop()
    assert source.status()["errors"] == 0


def test_a_receiver_that_fails_or_refuses_is_counted_and_the_next_event_still_comes(
    home: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    def push(event: SignalEvent) -> bool:
        receiver(event)
        if event.location.endswith("bad"):
            raise RuntimeError("no")
        return not event.location.endswith("full")

    source = FilesystemSource([home], SETTLE_S)
    source.start(push)
    for name in ("bad", "full", "good"):
        (home / name).write_text("x")
        assert facts(receiver.take()) == [("created", name)]
    source.stop()
    status = source.status()
    assert (status["events"], status["refused"], status["failed"]) == (1, 1, 1)
    assert "could not be handed on" in caplog.text


def test_a_limit_of_the_system_is_loud_and_polling_goes_on(
    home: Path,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    import watchfiles._rust_notify as notify

    def full(*options: object) -> object:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(notify, "RustNotify", full)
    source = FilesystemSource([home], SETTLE_S, poll_s=0.05)
    source.start(receiver)
    (home / "a").write_text("a")
    assert facts(receiver.take()) == [("created", "a")]
    source.stop()
    [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert "watch limit reached" in record.getMessage()
    assert source.status()["polling"] is True
    assert source.status()["errors"] == 1


def test_a_folder_whose_name_is_no_utf8_is_polled(
    home: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    source = FilesystemSource([home], SETTLE_S, poll_s=0.05, rescan_s=3.0)
    source.start(receiver)
    folder = home / "\udcff"
    folder.mkdir()
    (folder / "a").write_text("a")
    assert facts(receiver.take()) == [("created", "a")]
    until(lambda: source.status()["polling"] is True)
    (folder / "b").write_text("b")
    assert facts(receiver.take()) == [("created", "b")]
    folder.rename(home / "good")
    assert len(receiver.take(2)) == 2
    until(lambda: source.status()["polling"] is False)
    (home / "good" / "c").write_text("c")
    assert facts(receiver.take()) == [("created", "c")]
    source.stop()
    assert caplog.text.count("Folders are polled every 0.05 s, as their watch breaks: ") == 1


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        Event().wait(0.02)


def test_what_the_system_forgot_to_report_is_found_by_the_scan(
    home: Path,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from prefrontal.pulse.sources.files import file_watch

    class Deaf(file_watch.PollingWatch):
        def __init__(self, *_: object) -> None:
            super().__init__(0.05)

        def wait(self, interrupt: object) -> file_watch.FileChanges:
            super().wait(interrupt)  # type: ignore[arg-type]
            return file_watch.FileChanges()

    monkeypatch.setattr("prefrontal.pulse.sources.files.file_watcher.SystemWatch", Deaf)
    source = FilesystemSource([home], SETTLE_S, rescan_s=0.2)
    source.start(receiver)
    (home / "a").write_text("a")
    assert facts(receiver.take()) == [("created", "a")]
    source.stop()
    assert source.status()["found_by_scan"] == 1
    assert "a scan found" in caplog.text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"settle_s": -1}, "settle_s must be 0 or more seconds, got -1"),
        ({"settle_s": float("nan")}, "settle_s must be 0 or more seconds, got nan"),
        ({"poll_s": 0}, "poll_s must be a number of seconds above 0, got 0"),
        ({"rescan_s": float("inf")}, "rescan_s must be a number of seconds above 0, got inf"),
    ],
)
def test_a_bad_option_is_refused_by_name(options: dict[str, float], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        FilesystemSource([], **options)  # type: ignore[arg-type]


class Notify:
    """Stands in for watchfiles: tells of `news`, and keeps how often it is asked."""

    def __init__(self) -> None:
        self.news: set[tuple[int, str]] = set()
        self.steps: list[int] = []

    def watch(self, group_ms: int, step_ms: int, wait_ms: int, stop: Event) -> set[tuple[int, str]]:
        self.steps.append(step_ms)
        return self.news


def test_where_nothing_changes_the_system_is_asked_rarely(tmp_path: Path) -> None:
    clock, notify, never = ManualClock(0.0), Notify(), Event()
    watch = SystemWatch([str(tmp_path)], clock)
    watch.close()
    watch._notify = cast("Any", notify)
    for news, seconds in ((False, 4.9), (False, 0.1), (True, 60.0), (False, 4.9), (False, 0.1)):
        clock.advance(seconds)
        notify.news = {(1, str(tmp_path / "a"))} if news else set()
        assert list(watch.wait(never).paths) == [path for _, path in notify.news]
    rare = QUIET_STEP_MS
    assert notify.steps == [STEP_MS, rare, rare, STEP_MS, rare]
