"""`MemoryFiles`: one file a key, none outside the folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError, SourceError
from prefrontal.storage.memory_files import LARGEST_CONTENT, MemoryFiles

ODD_KEYS = [
    *("Alice Is OK", "alice-is-ok-", "alice--is-ok", "../../escape", "/etc/passwd", "..", "."),
    *("a/b", "a\\b", "a\0b", "nul", "com1", "日本語", "日本", "x" * 300, "a_b", "A-b", "\udcff"),
]


@pytest.fixture
def memory(tmp_path: Path) -> MemoryFiles:
    return MemoryFiles(tmp_path / "memory" / "files")


def test_a_kebab_key_is_a_file_with_the_content_and_nothing_else(memory: MemoryFiles) -> None:
    memory.store("cortex-beliefs", '{"a": 1}\r\nzwölf')
    path = memory.folder / "cortex-beliefs.md"
    assert path.read_bytes() == '{"a": 1}\r\nzwölf'.encode()
    assert memory.path("cortex-beliefs") == path
    assert memory.retrieve("cortex-beliefs") == '{"a": 1}\r\nzwölf'
    assert memory.modified("cortex-beliefs") == path.stat().st_mtime


def test_what_was_never_stored_is_not_there(memory: MemoryFiles) -> None:
    assert memory.retrieve("nothing") is None
    assert memory.modified("nothing") is None
    assert memory.keys() == []
    assert memory.search("nothing") == []


def test_a_second_text_replaces_the_first(memory: MemoryFiles) -> None:
    memory.store("note", "a long first text")
    memory.store("note", "short")
    assert memory.retrieve("note") == "short"
    assert [path.name for path in memory.folder.iterdir()] == ["note.md"]


@pytest.mark.parametrize("key", ODD_KEYS)
def test_an_odd_key_stays_in_the_folder_and_comes_back(memory: MemoryFiles, key: str) -> None:
    memory.store(key, "content")
    assert memory.retrieve(key) == "content"
    assert memory.keys() == [key]
    (path,) = memory.folder.iterdir()
    assert path.resolve().parent == memory.folder.resolve()
    assert len(path.name) < 128


def test_no_two_keys_share_a_file(memory: MemoryFiles) -> None:
    memory.store("Alice Is OK", "first")
    keys = [*ODD_KEYS, "alice-is-ok", memory.path("Alice Is OK").stem]
    paths = {memory.path(key).name.casefold() for key in keys}
    assert len(paths) == len(keys)


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_different_keys_never_have_the_same_file(first: str, second: str) -> None:
    memory = MemoryFiles("anywhere")
    for key in (first, second):
        if not key.strip():
            return
        assert memory.path(key).parent == memory.folder
    assert (memory.path(first) == memory.path(second)) == (first == second)


@pytest.mark.parametrize("key", ["", "  ", "x" * 513, None, 5])
def test_what_is_no_key_is_refused(memory: MemoryFiles, key: object) -> None:
    with pytest.raises(InputError, match="key must"):
        memory.store(key, "content")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="key must"):
        memory.retrieve(key)  # type: ignore[arg-type]
    assert not memory.folder.exists()


def test_a_text_that_is_too_large_leaves_the_old_one(memory: MemoryFiles) -> None:
    memory.store("note", "old")
    with pytest.raises(InputError, match="content of 'note' must have at most 16777216 bytes"):
        memory.store("note", "x" * (LARGEST_CONTENT + 1))
    assert memory.retrieve("note") == "old"


def test_half_a_character_is_stored_as_a_question_mark(memory: MemoryFiles) -> None:
    memory.store("note", "a\udcffb")
    assert memory.retrieve("note") == "a?b"


def test_damaged_bytes_are_read_as_far_as_they_go(memory: MemoryFiles) -> None:
    memory.store("note", "x")
    memory.path("note").write_bytes(b"ab\xff\xfecd")
    assert memory.retrieve("note") == "ab��cd"


def test_a_folder_where_a_file_should_be_is_a_sentence(memory: MemoryFiles) -> None:
    memory.path("note").mkdir(parents=True)
    with pytest.raises(SourceError, match="cannot be read"):
        memory.retrieve("note")
    with pytest.raises(SourceError, match="cannot be written"):
        memory.store("note", "x")
    assert memory.keys() == []


def test_a_file_in_the_place_of_the_folder_is_a_sentence(memory: MemoryFiles) -> None:
    memory.folder.parent.mkdir()
    memory.folder.write_text("")
    with pytest.raises(SourceError, match="cannot be made"):
        memory.store("note", "x")


def test_files_of_others_are_no_memories(memory: MemoryFiles) -> None:
    memory.store("note", "x")
    for name in ("README.txt", "Upper.md", "made-by--hand.md", ".hidden.md.tmp"):
        (memory.folder / name).write_text('<!-- key: "stolen" -->\nx')
    assert memory.keys() == ["note"]


def test_search_puts_the_text_with_more_of_the_rarer_words_first(memory: MemoryFiles) -> None:
    memory.store("alice", "Alice promised a report on Friday.")
    memory.store("bob", "Bob likes the report.")
    memory.store("weather", "It rained all Friday, every friday.")
    memory.store("report", "nothing else")
    found = memory.search("alice REPORT")
    assert [key for key, _ in found] == ["alice", "report", "bob"]
    assert all(0 < score <= 1 for _, score in found)
    assert memory.search("alice report", limit=1) == found[:1]
    assert memory.search("friday")[0][0] == "weather"
    assert memory.search("snow") == memory.search("  ") == []


def test_reading_memories_needs_no_event_loop() -> None:
    code = "import sys, prefrontal.storage.memory_files; sys.exit('asyncio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_remembered_is_private_to_its_owner(tmp_path: Path) -> None:
    kept = MemoryFiles(tmp_path / "memory" / "files")
    kept.store("a", "text")
    assert kept.folder.stat().st_mode & 0o077 == 0
