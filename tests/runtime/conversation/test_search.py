from __future__ import annotations

from collections.abc import Iterator

import pytest

from prefrontal.errors import InputError
from prefrontal.runtime.conversation import search
from prefrontal.runtime.conversation.models import MessageQuery, Viewer
from prefrontal.runtime.conversation.store import ConversationStore

from .chats import NOW, chat, found, said

DAY_S = 86_400.0


@pytest.fixture
def store() -> Iterator[ConversationStore]:
    with ConversationStore() as made:
        yield made


def test_words_are_found_in_any_case_and_without_accents(store: ConversationStore) -> None:
    said(store, chat(), "The Café opens at nine")
    said(store, chat(), "nothing of the kind")
    for words in ("cafe", "CAFÉ", "opens cafe", "caf*", '"opens at nine"', "café!"):
        assert found(store, words) == ["The Café opens at nine"], words
    for words in ("cafeteria", '"nine opens"', "caf"):
        assert found(store, words) == [], words


def test_the_message_with_more_and_rarer_words_comes_first(store: ConversationStore) -> None:
    for number in range(20):
        said(store, chat(), f"the report of week {number}")
    said(store, chat(), "the zebra report")
    said(store, chat(), "a zebra")
    said(store, chat(), "the report again")
    assert found(store, "report zebra")[:3] == ["the zebra report", "a zebra", "the report again"]


def test_of_equal_messages_the_newest_comes_first(store: ConversationStore) -> None:
    for number in range(3):
        said(store, chat(), f"lunch {number}")
    assert found(store, "lunch") == ["lunch 2", "lunch 1", "lunch 0"]
    assert found(store, "", limit=2) == ["lunch 2", "lunch 1"]


def test_scripts_without_spaces_are_found_by_any_part(store: ConversationStore) -> None:
    said(store, chat(), "明日の会議は東京です")
    said(store, chat(), "พรุ่งนี้ประชุมที่กรุงเทพ")
    assert found(store, "会議") == ["明日の会議は東京です"]
    assert found(store, "京東") == []
    assert found(store, "ประชุม") == ["พรุ่งนี้ประชุมที่กรุงเทพ"]


def test_peer_channel_and_time_narrow_a_search(store: ConversationStore) -> None:
    said(store, chat("ann"), "lunch at one", at=NOW)
    said(store, chat("bob"), "lunch at two", at=NOW + DAY_S)
    said(store, Viewer("bob", "mail", "x"), "lunch at three", at=NOW + 2 * DAY_S)
    assert found(store, "lunch", peer_id="ann") == ["lunch at one"]
    assert found(store, "lunch", channel_type="mail") == ["lunch at three"]
    assert found(store, "", peer_id="bob", channel_type="test") == ["lunch at two"]
    assert found(store, "lunch", since=NOW + 1) == ["lunch at three", "lunch at two"]
    assert found(store, "lunch", until=NOW + DAY_S) == ["lunch at one"]
    assert found(store, "lunch", since=NOW + 1, until=NOW + 2) == []
    assert found(store, "lunch", peer_id="nobody") == []


def test_time_is_exact_after_a_clock_that_jumped(store: ConversationStore) -> None:
    for at in (NOW + 9, NOW, NOW + 9, NOW + 1):
        said(store, chat(), f"at {at - NOW:.0f}", at=at)
    assert found(store, "at", until=NOW + 5) == ["at 1", "at 0"]
    assert found(store, "", since=NOW + 5) == ["at 9", "at 9"]


def test_what_is_of_another_time_takes_nobodys_place(store: ConversationStore) -> None:
    for number in range(60):
        said(store, chat(), f"lunch lunch {number}", at=NOW + (5 if number % 30 == 0 else 0))
    assert found(store, "lunch", since=NOW + 1, limit=2) == ["lunch lunch 30", "lunch lunch 0"]


@pytest.mark.parametrize(
    "words",
    ['"', "'", "AND", "NOT x", "a OR", "NEAR(", "content:", "x* y", "*", "()", "-", "a\0b", '""*'],
)
def test_no_text_is_a_bad_query(store: ConversationStore, words: str) -> None:
    said(store, chat(), f"this is {words} it")
    found(store, words)


def test_what_stands_in_place_cannot_be_asked_for(store: ConversationStore) -> None:
    said(store, chat(), "hello")
    for words in ("w1", "c1", "p1", "place:w1"):
        assert found(store, words) == [], words


def test_common_words_count_among_what_a_rare_word_finds(
    store: ConversationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CANDIDATES", 5)
    said(store, chat(), "the zebra")
    said(store, chat(), "zebra")
    for number in range(8):
        said(store, chat(), f"the day {number}")
    assert found(store, "the zebra") == ["the zebra", "zebra"]
    assert found(store, "the day", limit=2) == ["the day 7", "the day 6"]


def test_a_limit_out_of_range_is_refused(store: ConversationStore) -> None:
    for limit in (0, search.MOST_LIMIT + 1):
        with pytest.raises(InputError, match="limit must be a whole number"):
            store.search(MessageQuery("x", limit=limit))
