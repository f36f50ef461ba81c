from __future__ import annotations

from prefrontal.runtime.conversations import Conversations

HERE, THERE = ("test", "here"), ("test", "there")


def contents(conversations: Conversations, key: tuple[str, str] = HERE) -> list[str]:
    return [each["content"] for each in conversations.history(key)]


def test_questions_and_answers_stand_in_pairs() -> None:
    conversations = Conversations()
    conversations.add(HERE, "q", "a")
    assert conversations.history(HERE) == [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"},
    ]
    assert conversations.history(THERE) == []


def test_only_the_newest_messages_are_kept() -> None:
    conversations = Conversations(messages=4)
    for n in range(5):
        conversations.add(HERE, f"q{n}", f"a{n}")
    assert contents(conversations) == ["q3", "a3", "q4", "a4"]


def test_long_messages_push_out_earlier_ones() -> None:
    conversations = Conversations(characters=10)
    conversations.add(HERE, "q", "a")
    conversations.add(HERE, "12345", "12345")
    assert contents(conversations) == ["12345", "12345"]
    conversations.add(HERE, "far too long", "to keep at all")
    assert contents(conversations) == []


def test_the_conversation_used_longest_ago_goes_first() -> None:
    conversations = Conversations(conversations=2)
    for name in ("a", "b"):
        conversations.add(("test", name), "q", "a")
    conversations.add(("test", "a"), "q", "a")
    conversations.add(("test", "c"), "q", "a")
    assert len(conversations) == 2
    assert contents(conversations, ("test", "b")) == []
    assert len(contents(conversations, ("test", "a"))) == 4


def test_a_history_is_a_copy() -> None:
    conversations = Conversations()
    conversations.add(HERE, "q", "a")
    conversations.history(HERE)[0]["content"] = "forged"
    assert contents(conversations) == ["q", "a"]
