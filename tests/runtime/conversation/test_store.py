from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.runtime.conversation import store as store_module
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.storage.sqlite_database import SqliteDatabase

from .chats import chat, exchange, found, said


def contents(store: ConversationStore, peer_id: str = "ann", limit: int = 40) -> list[str]:
    return [each.content for each in store.history(chat(peer_id), limit)]


def test_what_was_said_is_there_after_a_restart_whole(tmp_path: Path) -> None:
    path, long = tmp_path / "c.sqlite", "word " * 20_000
    with ConversationStore(path) as store:
        exchange(store, chat(), "hello", long)
        exchange(store, chat("bob"), "bonjour", "salut")
    with ConversationStore(path) as store:
        exchange(store, chat(), "again", "yes")
        assert contents(store) == ["hello", long, "again", "yes"]
        assert contents(store, "bob") == ["bonjour", "salut"]


def test_a_history_is_the_newest_exchanges_with_the_question_before_its_answer() -> None:
    with ConversationStore() as store:
        first = said(store, chat(), "q1")
        second = said(store, chat(), "q2")
        said(store, chat(), "a2", direction="out", turn=second)
        said(store, chat(), "a1", direction="out", turn=first)
        assert contents(store) == ["q1", "a1", "q2", "a2"]
        assert contents(store, limit=2) == ["q2", "a2"]


def test_a_question_without_an_answer_is_kept_but_no_history() -> None:
    with ConversationStore() as store:
        said(store, chat(), "anybody there?")
        exchange(store, chat(), "q", "a")
        said(store, chat(), "of my own accord", direction="out")
        assert contents(store) == ["q", "a", "of my own accord"]
        assert found(store, "anybody") == ["anybody there?"]


def test_secrets_are_taken_out() -> None:
    with ConversationStore() as store:
        exchange(store, chat(), "password: hunter22", "noted")
        assert contents(store) == ["password: [redacted]", "noted"]


def test_any_text_can_be_kept() -> None:
    with ConversationStore() as store:
        for text in ("", "\0", "\ud800 lone", "🐌" * 9, "a\x00b"):
            exchange(store, chat(), text, "ok")
        assert contents(store)[::2] == ["", "\0", "? lone", "🐌" * 9, "a\x00b"]


def test_without_a_file_the_newest_messages_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MOST_IN_MEMORY", 500)
    with ConversationStore() as store:
        for number in range(1100):
            said(store, chat(), f"n{number}", direction="out")
        assert found(store, "n499") == []
        assert found(store, "n500") == ["n500"]
        assert len(contents(store, limit=2000)) == 600


def test_a_message_with_its_neighbours_is_of_one_conversation() -> None:
    with ConversationStore() as store:
        numbers = [said(store, chat(), f"n{n}") for n in range(5)]
        said(store, chat("bob"), "apart")
        around = store.around(numbers[2], 1, 5)
        assert [each.content for each in around] == ["n1", "n2", "n3", "n4"]
        assert store.around(99, 1, 1) == []
        assert store.around(numbers[2], 1, 1, chat("bob")) == []


def test_a_file_of_another_program_or_a_newer_release_is_refused(tmp_path: Path) -> None:
    other = SqliteDatabase(tmp_path / "other.sqlite", application_id=1)
    other.execute("CREATE TABLE t (a)")
    other.close()
    with pytest.raises(SourceError, match="database of another program"):
        ConversationStore(tmp_path / "other.sqlite")
    ConversationStore(tmp_path / "new.sqlite").close()
    newer = SqliteDatabase(tmp_path / "new.sqlite", application_id=0x50464356)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    for read_only in (False, True):
        with pytest.raises(SourceError, match="newer release"):
            ConversationStore(tmp_path / "new.sqlite", read_only=read_only)


def test_a_reader_writes_nothing(tmp_path: Path) -> None:
    with ConversationStore(tmp_path / "c.sqlite") as store:
        exchange(store, chat(), "hello", "hi")
        with ConversationStore(tmp_path / "c.sqlite", read_only=True) as reader:
            assert found(reader, "hello") == ["hello"]
            with pytest.raises(SourceError, match="only to read"):
                said(reader, chat(), "no")
