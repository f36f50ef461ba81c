from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prefrontal.pulse.sources.filesystem import FilesystemSource
from prefrontal.types import SignalEvent

from ...exhaustive import first
from .receiver import Receiver, facts

SETTLE_S = 0.1


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture(params=["reports", "polling"])
def watch(
    request: pytest.FixtureRequest, receiver: Receiver
) -> Iterator[Callable[..., FilesystemSource]]:
    """`watch(*roots, ...)`: a source that runs, told by the system or polling."""
    running = []

    def start(*roots: Path, **options: object) -> FilesystemSource:
        poll = request.param == "polling"
        chosen = {"settle_s": SETTLE_S, "poll": poll, "poll_s": 0.05} | options
        source = FilesystemSource(roots, **chosen)
        running.append(source)
        source.start(receiver)
        return source

    yield start
    for source in running:
        source.stop()


def ends(folder: Path) -> Callable[[SignalEvent], bool]:
    """Writes a last file; all that was done before is told of before it, or not at all."""
    time.sleep(0.02)  # the times of files have a resolution of some milliseconds
    (folder / "end").write_text("end")
    return lambda event: event.location.endswith("/end")


def test_what_happens_to_files_is_one_event_each(
    home: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    (home / "old.txt").write_text("old")
    watch(home)
    (home / "new.pdf").write_bytes(b"x" * 5)
    [event] = receiver.take()
    assert (event.source, event.delta_type) == ("filesystem", "created")
    assert event.location == str(home / "new.pdf")
    assert event.features["size_bytes"] == 5
    with (home / "old.txt").open("a") as file:
        file.write("er")
    assert facts(receiver.take()) == [("modified", "old.txt")]
    (home / "new.pdf").chmod(0o600)
    (home / "old.txt").unlink()
    assert facts(receiver.take()) == [("deleted", "old.txt")]
    assert receiver.rest() == []


def test_saving_downloading_and_moving_are_one_event_for_the_final_name(
    home: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    (home / "notes.txt").write_text("one")
    (home / "a").write_text("a")
    watch(home)
    (home / "notes.txt.tmp").write_text("two!")
    (home / "notes.txt.tmp").replace(home / "notes.txt")
    assert facts(receiver.take()) == [("modified", "notes.txt")]
    (home / "x.pdf.crdownload").write_text("part")
    (home / "x.pdf.crdownload").rename(home / "x.pdf")
    assert facts(receiver.take()) == [("created", "x.pdf")]
    (home / "a").rename(home / "b")
    [event] = receiver.take()
    assert facts([event]) == [("created", "b")]
    assert event.features["old_location"] == str(home / "a")
    (home / ".b.swp").write_text("swap")
    (home / ".git").mkdir()
    (home / ".git" / "index").write_text("x")
    assert receiver.until(ends(home)) == []


def test_folders_within_folders_are_watched_as_they_come_move_and_go(
    home: Path, tmp_path: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    watch(home)
    (home / "x" / "y").mkdir(parents=True)
    (home / "x" / "y" / "1").write_text("1")
    assert facts(receiver.take()) == [("created", "1")]
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "2").write_text("2")
    outside.rename(home / "in")
    assert facts(receiver.take()) == [("created", "2")]
    (home / "in" / "3").write_text("3")
    assert facts(receiver.take()) == [("created", "3")]
    (home / "x").rename(home / "z")
    [event] = receiver.take()
    assert event.location == str(home / "z" / "y" / "1")
    assert event.features["old_location"] == str(home / "x" / "y" / "1")
    shutil.rmtree(home / "in")
    assert sorted(facts(receiver.take(2))) == [("deleted", "2"), ("deleted", "3")]
    assert receiver.until(ends(home)) == []


def test_nested_repeated_and_linked_roots_give_each_event_once(
    home: Path, tmp_path: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    inner = home / "inner"
    inner.mkdir()
    link = tmp_path / "link"
    link.symlink_to(home)
    source = watch(inner, home, home, link)
    assert source.status()["watched"] == [str(home)]
    (inner / "a").write_text("a")
    assert [event.location for event in receiver.until(ends(home))] == [str(inner / "a")]


def test_a_link_to_a_folder_below_a_root_is_not_followed(
    home: Path, tmp_path: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    (home / "real").mkdir()
    (home / "link").symlink_to(home / "real")
    (home / "loop").symlink_to(home)
    watch(home)
    (home / "real" / "a").write_text("a")
    (home / "late").symlink_to(home / "real")
    events = receiver.until(ends(home))
    assert [event.location for event in events] == [str(home / "real" / "a")]


def test_a_missing_root_is_watched_once_it_is_there_and_again_after_it_was_deleted(
    home: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    late = home / "late" / "deep"
    source = watch(late)
    assert source.status()["missing"] == [str(late)]
    for name in ("1", "2"):
        late.mkdir(parents=True)
        (late / name).write_text(name)
        assert facts(receiver.take()) == [("created", name)]
        assert source.status()["missing"] == []
        shutil.rmtree(home / "late")
        assert facts(receiver.take()) == [("deleted", name)]
    assert receiver.rest() == []


def test_a_root_added_while_it_runs_is_watched_when_the_call_returns(
    home: Path, tmp_path: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    source = watch(home)
    for number in range(3):
        more = tmp_path / f"more{number}"
        more.mkdir()
        (more / "old").write_text("was there")
        source.add_root(more)
        source.add_root(more)
        (more / f"new{number}").write_text("new")
        assert facts(receiver.take()) == [("created", f"new{number}")]
    assert receiver.until(ends(home)) == []


def test_adding_a_root_loses_nothing_of_those_watched_already(
    home: Path, tmp_path: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    inner = home / "inner"
    inner.mkdir()
    source = watch(inner)
    for number in range(20):
        (inner / f"{number}").write_text("x")
        more = tmp_path / f"more{number}"
        more.mkdir()
        source.add_root(more)
    (inner / "last").write_text("x")
    source.add_root(home)  # which holds it
    names = {name for _, name in facts(receiver.take(21))}
    assert names == {*map(str, range(20)), "last"}
    assert receiver.until(ends(home)) == []


def test_what_changed_while_nothing_ran_is_told_at_the_next_start(
    home: Path, tmp_path: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    state = home / "state.json"  # in the watched folder, and no event itself
    for name in ("same", "changed", "removed", "moved"):
        (home / name).write_text(name)
    watch(home, state_path=state).stop()
    assert receiver.rest() == []
    (home / "changed").write_text("changed since")
    (home / "removed").unlink()
    (home / "moved").rename(home / "here")
    (home / "new").write_text("new")
    other = tmp_path / "other"
    other.mkdir()
    (other / "was there").write_text("no event: this folder is new")
    watch(home, other, state_path=state)
    events = receiver.take(4)
    assert sorted(facts(events)) == [
        ("created", "here"),
        ("created", "new"),
        ("deleted", "removed"),
        ("modified", "changed"),
    ]
    assert all(event.features["catch_up"] is True for event in events)
    [moved] = [event for event in events if "old_location" in event.features]
    assert facts([moved]) == [("created", "here")]
    assert receiver.until(ends(home)) == []


def test_a_name_that_is_no_utf8_breaks_nothing(
    home: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    watch(home)
    path = os.fsencode(home) + b"/\xff.txt"
    Path(os.fsdecode(path)).write_text("x")
    [event] = receiver.take()
    assert os.fsencode(event.location) == path
    assert event.features["extension"] == ".txt"
    (home / "after").write_text("x")
    assert facts(receiver.take()) == [("created", "after")]


def test_it_stops_and_starts_again_and_tells_what_happened_between(
    home: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    source = watch(home)
    source.start(receiver)
    source.stop()
    source.stop()
    assert source.status()["running"] is False
    (home / "between").write_text("x")
    source.start(receiver)
    assert facts(receiver.take()) == [("created", "between")]
    (home / "after").write_text("x")
    assert facts(receiver.take()) == [("created", "after")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", first(1, [2_000, 10_000]))
def test_thousands_of_files_in_a_burst_are_one_event_each(
    home: Path, receiver: Receiver, count: int
) -> None:
    source = FilesystemSource([home], SETTLE_S)
    source.start(receiver)
    for number in range(count):
        if number % 1_000 == 0:
            folder = home / str(number)
            folder.mkdir()
        (folder / f"{number}.txt").write_text("x")
    events = receiver.take(count)
    events += receiver.until(ends(home))
    source.stop()
    assert sorted(facts(events)) == sorted(("created", f"{number}.txt") for number in range(count))


def test_what_changes_in_a_folder_of_ones_own_is_no_signal(
    home: Path, receiver: Receiver, watch: Callable[..., FilesystemSource]
) -> None:
    (home / "tools" / "old").mkdir(parents=True)
    (home / "tools2").mkdir()
    watch(home, own_folders=[home / "tools"])
    (home / "tools" / "history.jsonl").write_text("x")
    (home / "tools" / "old" / "deep.txt").write_text("x")
    (home / "tools" / "new").mkdir()
    (home / "tools" / "new" / "deep.txt").write_text("x")
    (home / "tools2" / "mine.txt").write_text("x")
    found = receiver.until(ends(home))
    assert [Path(each.location).name for each in found] == ["mine.txt"]
