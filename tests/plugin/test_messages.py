"""Messages, and which of them the runtime made itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.plugin import IncomingMessage
from prefrontal.plugin.messages import is_internal

NOW = datetime.fromtimestamp(0, UTC)


def message(**told: Any) -> IncomingMessage:
    given = {"id": "7", "channel_type": "terminal", "channel_id": "c", "sender_id": "ann",
             "sender_name": "Ann", "content": "hi", "timestamp": NOW}  # fmt: skip
    return IncomingMessage(**{**given, **told})


def test_the_event_id_names_channel_conversation_and_message() -> None:
    assert message().event_id == "terminal:c:7"


@pytest.mark.parametrize(
    "told",
    [
        {"sender_id": "system"},
        {"channel_type": "cron"},
        {"channel_type": "cortex"},
        {"metadata": {"is_cron": True}},
        {"metadata": {"is_cortex": True}},
    ],
)
def test_what_the_runtime_itself_makes_is_internal(told: dict[str, Any]) -> None:
    assert message(**told).is_internal


def test_a_message_of_a_peer_is_not_internal() -> None:
    assert not message().is_internal
    assert not message(metadata={"is_cron": False}).is_internal
    assert not is_internal("ann", "terminal", "no mapping")
