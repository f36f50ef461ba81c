from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.routing.catalog.cache import FILE_NAME, FactCache
from prefrontal.routing.catalog.discovery import discover, discover_all, open_cache
from prefrontal.testing import ManualClock

from ..project import write
from ..tool_files import SUMMARIZE, analysis_and_ingest, intent, tool

OLD, NOW = 1_000_000_000, 1_000_000_100


class Reader:
    """Counts how often a file was read and how often its facts were made."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.txt"
        self.read = self.made = 0

    def write(self, text: str, time_s: float = OLD) -> None:
        self.path.write_text(text)
        os.utime(self.path, ns=(int(time_s * 1e9), int(time_s * 1e9)))

    def ask(self, cache: FactCache) -> str:
        _, facts = cache.facts("d/a.txt", self.path.stat(), self._bytes, self._make)
        return str(facts["text"])

    def _bytes(self) -> bytes:
        self.read += 1
        return self.path.read_bytes()

    def _make(self, data: bytes) -> dict[str, str]:
        self.made += 1
        return {"text": data.decode()}


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], FactCache]:
    """The cache as the next run finds it, two minutes after the file was written."""
    return lambda: FactCache(tmp_path / "cache", ManualClock(NOW))


def test_an_old_unchanged_file_is_read_once(reader: Reader, fresh: Callable[[], FactCache]) -> None:
    reader.write("one")
    cache = fresh()
    assert [reader.ask(cache), reader.ask(cache)] == ["one", "one"]
    cache.save()
    assert reader.ask(fresh()) == "one"
    assert (reader.read, reader.made) == (1, 1)


def test_a_changed_file_is_read_again(reader: Reader, fresh: Callable[[], FactCache]) -> None:
    cache = fresh()
    reader.write("one")
    reader.ask(cache)
    reader.write("two", OLD + 1)
    assert reader.ask(cache) == "two"
    reader.write("three")  # the old time, another size
    assert reader.ask(cache) == "three"
    replaced = reader.path.with_name("new")
    replaced.write_text("seven")
    os.utime(replaced, ns=(OLD * 10**9, OLD * 10**9))
    replaced.replace(reader.path)  # the same size and time, another inode
    assert reader.ask(cache) == "seven"


def test_a_file_whose_time_was_set_back_is_read_again(
    reader: Reader, fresh: Callable[[], FactCache]
) -> None:
    cache = fresh()
    reader.write("one")
    reader.ask(cache)
    reader.write("two")  # size, inode and mtime are the same
    assert reader.ask(cache) == "two"


def test_a_touched_file_keeps_its_facts(reader: Reader, fresh: Callable[[], FactCache]) -> None:
    cache = fresh()
    reader.write("one")
    reader.ask(cache)
    reader.write("one", OLD + 5)
    assert reader.ask(cache) == "one"
    assert (reader.read, reader.made) == (2, 1)


@pytest.mark.parametrize("age_s", [-3600.0, 0.0, 1.9])
def test_a_file_that_was_young_when_it_was_read_is_read_again(tmp_path: Path, age_s: float) -> None:
    """Its content could change within the tick of its time."""
    reader, clock = Reader(tmp_path), ManualClock(NOW)
    reader.write("one", NOW - age_s)
    cache = FactCache(None, clock)
    reader.ask(cache)
    clock.advance(7200)
    assert reader.ask(cache) == "one"
    assert (reader.read, reader.made) == (2, 1)
    reader.ask(cache)
    assert reader.read == 2


def test_a_file_of_two_seconds_is_old(tmp_path: Path) -> None:
    reader, cache = Reader(tmp_path), FactCache(None, ManualClock(NOW))
    reader.write("one", NOW - 2)
    assert [reader.ask(cache), reader.ask(cache)] == ["one", "one"]
    assert reader.read == 1


def test_what_is_gone_is_forgotten_where_the_folder_was_looked_at(
    reader: Reader, fresh: Callable[[], FactCache]
) -> None:
    cache = fresh()
    reader.write("one")
    reader.ask(cache)
    for present, kept in [({"e": ["a.txt"]}, 1), ({"d": ["a.txt"]}, 1), ({"d": ["b"]}, 0)]:
        cache.forget(present)
        assert len(cache) == kept
    reader.ask(cache)
    cache.forget({}, whole=True)
    assert len(cache) == 0


def test_a_cache_is_only_written_when_something_changed(
    tmp_path: Path, reader: Reader, fresh: Callable[[], FactCache]
) -> None:
    cache = fresh()
    cache.save()
    assert not (tmp_path / "cache").exists()
    reader.write("one")
    reader.ask(cache)
    cache.save()
    path = tmp_path / "cache" / FILE_NAME
    path.unlink()
    cache.save()
    reader.ask(cache)
    cache.save()
    assert not path.exists()


def test_a_cache_in_memory_writes_nothing(tmp_path: Path, reader: Reader) -> None:
    cache = FactCache(None, ManualClock(NOW))
    reader.write("one")
    assert [reader.ask(cache), reader.ask(cache)] == ["one", "one"]
    cache.save()
    assert reader.read == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt"]


def damaged(data: bytes) -> list[bytes]:
    header, _, body = data.partition(b"\n")
    other = json.loads(header) | {"format": 999}
    return [
        b"",
        b"\n",
        b"{}\n{}",
        b"\xff\xfe",
        data[:-1],
        data + b" ",
        data.replace(b"one", b"two"),
        json.dumps(other).encode() + b"\n" + body,
        json.dumps(json.loads(header) | {"python": "2.7"}).encode() + b"\n" + body,
        b"[" * 100_000,
    ]


def test_a_damaged_cache_is_ignored_with_a_note(
    tmp_path: Path, reader: Reader, fresh: Callable[[], FactCache]
) -> None:
    cache = fresh()
    reader.write("one")
    reader.ask(cache)
    cache.save()
    path = tmp_path / "cache" / FILE_NAME
    good = path.read_bytes()
    for bad in damaged(good):
        path.write_bytes(bad)
        again = fresh()
        assert again.note.startswith(f"the cache {path} was not used: "), bad[:50]
        assert reader.ask(again) == "one"
        again.save()
        assert path.read_bytes() == good


def test_a_cache_that_cannot_be_written_is_a_note(tmp_path: Path, reader: Reader) -> None:
    (tmp_path / "cache").write_text("a file in the way")
    cache = FactCache(tmp_path / "cache", ManualClock(NOW))
    assert cache.note  # it cannot be read either
    reader.write("one")
    reader.ask(cache)
    cache.save()
    assert cache.note.startswith("the cache was not written: ")


def test_a_new_a_changed_and_a_deleted_tool_are_seen(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    folder = layout.domains / "analysis/summarise"

    def found() -> list[tuple[str, str]]:
        tools = discover(layout, intent("analysis", "summarise"), cache=open_cache(layout)).tools
        return [(each.name, each.spec.doc.partition("\n")[0]) for each in tools]

    assert found() == [("summarize_matrix", "Summary statistics of a matrix.")]
    write(folder / "another.py", tool("Another."))
    assert [name for name, _ in found()] == ["another", "summarize_matrix"]
    write(folder / "another.py", tool("Anuther."))
    assert found()[0] == ("another", "Anuther.")
    (folder / "another.py").unlink()
    assert [name for name, _ in found()] == ["summarize_matrix"]
    write(folder / "tool.yaml", "name: summarize_matrix\nintents: [sum]\n")
    [read] = discover(layout, intent("analysis", "summarise"), cache=open_cache(layout)).tools
    assert read.manifest is not None and read.manifest.intents == ("sum",)


def test_a_search_of_one_folder_keeps_what_is_known_of_the_others(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    discover_all(layout, cache=open_cache(layout))
    discover(layout, intent("analysis", "load"), cache=open_cache(layout))
    assert len(open_cache(layout)) == 6
    write(layout.domains / "more/load/x.py", SUMMARIZE)
    discover(layout, intent("more", "load"), cache=open_cache(layout))
    assert len(open_cache(layout)) == 7
    (layout.domains / "more/load/x.py").unlink()
    (layout.domains / "more/load").rmdir()
    discover_all(layout, cache=open_cache(layout))
    assert len(open_cache(layout)) == 6
