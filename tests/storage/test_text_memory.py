"""What every `TextMemory` promises: files, a table in SQLite and one on a server alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.storage import postgres_lease
from prefrontal.storage.database import FencedError
from prefrontal.storage.memory_files import LARGEST_CONTENT, MemoryFiles
from prefrontal.storage.memory_table import MemoryTable
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from prefrontal.storage.text_memory import TextMemory, files_folder, open_memory, table_path

from .postgres_server import PostgresServer, running_server
from .test_memory_files import ODD_KEYS

SERVER = pytest.param("postgres", marks=pytest.mark.exhaustive)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def on_server(server: PostgresServer, tmp_path: Path) -> Path:
    """A workspace whose texts lie on the server."""
    table_path(tmp_path).parent.mkdir(parents=True)
    write_link(table_path(tmp_path), PostgresUrl.parse(server.url()))
    return tmp_path


@pytest.fixture(params=["files", "sqlite", SERVER])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "postgres":
        place: Path = request.getfixturevalue("on_server")
        return place
    if request.param == "sqlite":
        table_path(tmp_path).parent.mkdir(parents=True)
        MemoryTable(table_path(tmp_path)).keys()
    return tmp_path


@pytest.fixture
def memory(workspace: Path) -> Iterator[TextMemory]:
    memory = open_memory(workspace)
    assert isinstance(memory, MemoryTable if table_path(workspace).exists() else MemoryFiles)
    with closing(memory):
        yield memory


def test_a_text_is_there_for_who_opens_the_memory_next(workspace: Path, memory: TextMemory) -> None:
    memory.store("cortex-beliefs", '{"a": 1}\r\nzwölf\x00\x1a')
    later = open_memory(workspace)
    assert later.retrieve("cortex-beliefs") == '{"a": 1}\r\nzwölf\x00\x1a'
    assert later.keys() == ["cortex-beliefs"]
    assert (later.modified("cortex-beliefs") or 0) > 1e9
    assert "cortex-beliefs" in later.place("cortex-beliefs")


def test_what_was_never_stored_is_not_in_it(memory: TextMemory) -> None:
    assert memory.retrieve("nothing") is None
    assert memory.modified("nothing") is None
    assert memory.keys() == []
    assert memory.search("nothing") == []
    assert not memory.delete("nothing")


def test_the_last_text_of_a_key_counts(memory: TextMemory) -> None:
    memory.store("note", "a long first text")
    memory.store("note", "a\udcffb")
    assert memory.retrieve("note") == "a?b"
    assert memory.delete("note") and memory.keys() == []


def test_any_text_is_a_key(memory: TextMemory) -> None:
    for key in ODD_KEYS:
        memory.store(key, f"of {key!r}")
    assert memory.keys() == sorted(ODD_KEYS)
    assert [memory.retrieve(key) for key in ODD_KEYS] == [f"of {key!r}" for key in ODD_KEYS]


@pytest.mark.parametrize("key", ["", "  ", "x" * 513, None, 5])
def test_no_key_and_no_text_are_refused(memory: TextMemory, key: object) -> None:
    for call in (memory.retrieve, memory.delete):
        with pytest.raises(InputError, match="key must"):
            call(key)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="key must"):
        memory.store(key, "content")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must have at most 16777216 bytes"):
        memory.store("note", "x" * (LARGEST_CONTENT + 1))
    assert memory.keys() == []


def test_the_text_with_more_of_the_rarer_words_is_first(memory: TextMemory) -> None:
    memory.store("bob", "Bob likes the report.")
    memory.store("alice", "Alice promised a report on Friday.")
    assert [key for key, _ in memory.search("alice REPORT")] == ["alice", "bob"]


def test_who_owns_it_goes_on_beside_who_only_writes(memory: TextMemory, workspace: Path) -> None:
    memory.claim("ada, process 1")
    open_memory(workspace).store("cortex-operator", "{}")
    memory.store("cortex-state", "{}")
    assert memory.keys() == ["cortex-operator", "cortex-state"]


@pytest.mark.exhaustive
def test_an_agent_that_was_replaced_writes_nothing_more(
    on_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_lease, "STALE_S", 600.0)
    with closing(open_memory(on_server)) as first, closing(open_memory(on_server)) as second:
        first.claim("ada, process 1")
        first.store("cortex-beliefs", "of ada")
        with pytest.raises(SourceError, match="another process of prefrontal .ada, process 1"):
            second.claim("bob, process 2")
        monkeypatch.setattr(postgres_lease, "STALE_S", -1.0)  # as if it had hung
        second.claim("bob, process 2")
        with pytest.raises(FencedError, match="has another owner since"):
            first.store("cortex-beliefs", "of ada, late")
        with pytest.raises(FencedError, match="has another owner since"):
            first.delete("cortex-beliefs")
        assert second.retrieve("cortex-beliefs") == "of ada"


@pytest.mark.exhaustive
def test_a_server_that_is_away_is_a_sentence(on_server: Path, server: PostgresServer) -> None:
    memory = open_memory(on_server)
    memory.store("note", "kept")
    server.stop()
    try:
        with pytest.raises(SourceError, match="start the server"):
            memory.retrieve("note")
    finally:
        server.start()
    assert memory.retrieve("note") == "kept"
    assert not files_folder(on_server).exists()
