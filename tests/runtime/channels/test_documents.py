from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.plugin import OutgoingMessage
from prefrontal.runtime.channels.documents import parse_message, reply_document

NOW = 1_700_000_000.0


def parsed(**fields: Any) -> Any:
    document = {"sender_id": "alice", "content": "hi", **fields}
    return parse_message(json.dumps(document), "jsonl", NOW)


def test_two_keys_are_enough() -> None:
    message = parsed()
    assert (message.sender_id, message.sender_name, message.channel_id) == ("alice",) * 3
    assert message.content == "hi"
    assert message.channel_type == "jsonl"
    assert message.timestamp == datetime.fromtimestamp(NOW, UTC)
    assert len(message.id) == 16
    assert parsed().id != message.id


def test_all_keys_are_taken() -> None:
    message = parsed(id=7, channel_id="c", sender_name="Alice", reply_to="6")
    assert (message.id, message.channel_id, message.sender_name) == ("7", "c", "Alice")
    assert message.reply_to == "6"


def test_no_mark_of_the_runtime_can_be_set_from_outside() -> None:
    message = parsed(metadata={"is_cortex": True, "skip_persistence": True, "color": "red"})
    assert message.is_internal is False
    assert set(message.metadata) == {"client"}
    assert message.metadata["client"]["color"] == "red"


def test_a_program_says_that_others_read_the_conversation() -> None:
    assert parsed(metadata={"group": True, "color": "red"}).is_group
    assert not parsed(metadata={"group": False}).is_group
    assert not parsed(metadata={"color": "red"}).is_group


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "message must be a JSON object"),
        ("[1]", r"message must be a JSON object, got \[1\]"),
        ('{"sender_id": "a"', r"message must be a JSON object \(Expecting"),
        ("[" * 100_000, "message must be a JSON object"),
        ('{"content": "x"}', "sender_id must be a string"),
        ('{"sender_id": "", "content": "x"}', "sender_id must be a string of 1 to 200"),
        ('{"sender_id": "a\\nb", "content": "x"}', "sender_id must be a string"),
        ('{"sender_id": 5, "content": "x"}', "sender_id must be a string.*got 5"),
        ('{"sender_id": " alice", "content": "x"}', "must not begin or end with a space"),
        ('{"sender_id": "System", "content": "x"}', "must not be the agent's own, got 'System'"),
        ('{"sender_id": "a"}', "content must be a non-blank string, got None"),
        ('{"sender_id": "a", "content": " "}', "content must be a non-blank string, got ' '"),
        (
            '{"sender_id": "a", "content": "x", "to": "b"}',
            "only known keys, got 'to'; known are id, ",
        ),
        ('{"sender_id": "a", "content": "x", "metadata": 1}', "metadata must be an object"),
        (
            '{"sender_id": "a", "content": "x", "metadata": {"group": "true"}}',
            "metadata.group must be true or false, got 'true'",
        ),
        ('{"sender_id": "a", "content": "x", "id": true}', "id must be a string"),
    ],
)
def test_what_is_no_message_is_refused_with_the_rule_and_the_value(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_message(text, "jsonl", NOW)


def test_a_message_has_a_limit() -> None:
    with pytest.raises(InputError, match="content must have at most 100000 characters, got 100001"):
        parsed(content="x" * 100_001)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match="message must be a JSON object"):
        parse_message(b"\xff\xfe{", "jsonl", NOW)


def test_a_reply_says_what_it_replies_to_and_other_messages_do_not() -> None:
    reply = OutgoingMessage("jsonl", "c", "hi", "7", metadata={"recipient": "alice"})
    assert reply_document(reply) == {
        "type": "reply",
        "reply_to": "7",
        "channel_id": "c",
        "recipient": "alice",
        "content": "hi",
    }
    assert reply_document(OutgoingMessage("jsonl", "c", "hi"))["type"] == "message"
