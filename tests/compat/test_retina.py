from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from prefrontal.compat.bus import SignalBus
from prefrontal.compat.retina import FEATURE_DIM, Retina, SignalEvent

PATIENCE_S = 30.0


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) - before == set()


def test_a_written_file_is_one_event_in_the_queue(tmp_path: Path) -> None:
    queue: Queue[SignalEvent] = Queue()
    retina = Retina([tmp_path], queue)
    retina.start()
    retina.start()
    (tmp_path / "hw3.pdf").write_text("x")
    event = queue.get(timeout=PATIENCE_S)
    retina.stop()
    retina.stop()
    assert (event.source, event.delta_type, event.magnitude) == ("filesystem", "created", 1.0)
    assert event.location == str(tmp_path / "hw3.pdf")
    assert event.to_feature_vector().shape == (FEATURE_DIM,)
    assert queue.empty()


def test_ticks_come_at_the_interval_set_and_ask_for_the_minutes(tmp_path: Path) -> None:
    bus = SignalBus()
    retina = Retina([], bus, lambda: 12.345)
    assert Retina.TICK_INTERVAL == 60
    retina.TICK_INTERVAL = 0.01
    retina.start()
    event = bus.get(PATIENCE_S)
    retina.stop()
    bus.stop()
    assert event is not None
    assert (event.source, event.location, event.delta_type) == ("time", "tick", "tick")
    assert event.features["minutes_since_last_activation"] == pytest.approx(12.35, abs=0.006)


def test_a_folder_can_be_added_before_and_after_the_start_and_before_it_exists(
    tmp_path: Path,
) -> None:
    queue: Queue[SignalEvent] = Queue()
    retina = Retina([], queue)
    folders = [tmp_path / name for name in ("before", "after", "later")]
    folders[0].mkdir()
    retina.add_watch_dir(folders[0])
    retina.start()
    folders[1].mkdir()
    retina.add_watch_dir(str(folders[1]))
    retina.add_watch_dir(folders[2])
    retina.add_watch_dir(folders[2])
    folders[2].mkdir()
    for folder in folders:
        (folder / "a").write_text("x")
    found = {queue.get(timeout=PATIENCE_S).location for _ in folders}
    retina.stop()
    assert found == {str(folder / "a") for folder in folders}
    assert queue.empty()


def test_it_starts_again_after_it_was_stopped(tmp_path: Path) -> None:
    queue: Queue[SignalEvent] = Queue()
    retina = Retina([tmp_path], queue)
    for name in ("one", "two"):
        retina.start()
        (tmp_path / name).write_text("x")
        assert queue.get(timeout=PATIENCE_S).location.endswith(name)
        retina.stop()
    assert queue.empty()
