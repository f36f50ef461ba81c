"""What one entry of a stream may hold, and what is said of the others."""

from __future__ import annotations

import logging
import re

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources.streams.stream_event import StreamEvents, stream_event

NOW = 1_700_000_000.0
OURS = b'{"source": "mail", "location": "inbox", "delta_type": "created"}'
CLOUD = b'{"specversion": "1.0", "id": "7", "source": "app", "type": "said", "data": "hi"}'


def test_an_event_of_ours_and_a_cloud_event_are_read() -> None:
    ours, cloud = stream_event(OURS, NOW), stream_event(CLOUD, NOW)
    assert (ours.source, ours.location, ours.delta_type) == ("mail", "inbox", "created")
    assert (ours.timestamp, cloud.timestamp) == (NOW, NOW)
    assert (cloud.delta_type, cloud.features["text"]) == ("said", "hi")


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (None, "entry must have a field named event, got none"),
        (b"", "entry must be a JSON object (Expecting value"),
        (b"\xff\xfe", "entry must be a JSON object ("),
        pytest.param(b"[" * 100_000, "must be a JSON object (maximum recursion", id="deep"),
        (b"[1]", "entry must be a JSON object, got [1]"),
        (b'{"source": "mail"}', "location must be text that is not blank, got None"),
        (b'{"specversion": "1.0"}', "must"),
    ],
)
def test_an_entry_that_is_no_event_is_refused_in_a_sentence(
    entry: bytes | None, sentence: str
) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)) as told:
        stream_event(entry, NOW)
    assert len(str(told.value)) < 400


def test_entries_without_an_event_are_counted_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events = StreamEvents("Redis stream work")
    with caplog.at_level(logging.WARNING, logger="prefrontal.pulse"):
        found = events.read([None, OURS, b"{", CLOUD], NOW)
    assert [each.delta_type for each in found] == ["created", "said"]
    assert events.unreadable == 2
    [told] = caplog.messages
    assert told.startswith("Redis stream work: an entry is left out: entry must have a field named")
