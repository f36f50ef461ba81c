"""The provider `rules`: no model, and yet an answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.plugin import IncomingMessage, LLMResponse, current_message
from prefrontal.runtime.models.rules import RulesModel

SEND = {"type": "function", "function": {"name": "send_message"}}
DIRECTIVE = "Directive d-7 for alice: follow up on the report\nMessage: How is the report?"


@contextmanager
def handling(content: str, **told: Any) -> Iterator[None]:
    fields: dict[str, Any] = {
        "id": "1",
        "channel_type": "terminal",
        "channel_id": "main",
        "sender_id": "alice",
        "sender_name": "Alice",
        "timestamp": datetime.fromtimestamp(0, tz=UTC),
    }
    token = current_message.set(IncomingMessage(content=content, **{**fields, **told}))
    try:
        yield
    finally:
        current_message.reset(token)


async def answer(text: str, *more: dict[str, Any], tools: Any = (SEND,)) -> LLMResponse:
    messages = [{"role": "system", "content": "..."}, {"role": "user", "content": text}, *more]
    return await RulesModel().chat(messages, tools)


CORTEX: dict[str, Any] = {
    "channel_type": "cortex",
    "sender_id": "system",
    "sender_name": "Cortex",
    "metadata": {"is_cortex": True, "target_peer": "alice"},
}


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Hello!", "Hello, Alice. "),
        ("good morning, agent", "Hello, Alice. "),
        ("What is the weather?", "I cannot answer that: "),
        ("Can you help me", "I cannot answer that: "),
        ("Thanks for that", "You are welcome"),
        ("Goodbye", "Goodbye. "),
        ("I'll send the report tomorrow.", "Noted: I'll send the report tomorrow."),
        ("   ", "Nothing came with that message"),
    ],
)
async def test_it_answers_in_kind_and_says_that_there_is_no_model(text: str, start: str) -> None:
    with handling(text):
        first, second = await answer(text), await answer(text)
    assert first == second
    assert first.content.startswith(start)
    assert "no language model is configured" in first.content
    assert first.content.count(". ") <= 1
    assert first.tool_calls == ()
    assert (first.model, first.usage) == ("rules", {})


async def test_an_answer_repeats_little_and_no_secrets() -> None:
    text = "the api_key is sk-abcdefghijklmnopqrst\n" + "x" * 5000
    with handling(text, sender_name="A\nl" + "i" * 500):
        said = (await answer(text)).content
        greeted = (await answer("hi")).content
    assert "abcdefgh" not in said
    assert len(said) < 200
    assert "\n" not in said + greeted
    assert len(greeted) < 200


async def test_a_directive_is_followed_by_sending_its_message() -> None:
    with handling(DIRECTIVE, **CORTEX):
        response = await answer(DIRECTIVE)
        done = await answer(DIRECTIVE, {"role": "tool", "content": "Sent to alice."})
    (call,) = response.tool_calls
    assert (call.name, call.arguments) == (
        "send_message",
        {"peer_id": "alice", "text": "How is the report?"},
    )
    assert done.tool_calls == ()
    assert done.content == "Done: Sent to alice."


async def test_a_directive_without_a_message_or_without_the_tool_is_only_noted() -> None:
    only = "Directive d-7 for alice: be careful"
    with handling(only, **CORTEX):
        assert (await answer(only)).content == "Noted for alice: be careful"
    with handling(DIRECTIVE, **CORTEX):
        assert (await answer(DIRECTIVE, tools=None)).tool_calls == ()
    with handling("Directive?", **CORTEX):
        assert (await answer("Directive?")).content == "Noted."


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"sender_id": "system"},
        {"metadata": {"is_cortex": True, "target_peer": "bob"}},
        {"channel_type": "cortex"},
        {"channel_type": "cron", "sender_id": "system", "metadata": {"is_cron": True}},
    ],
)
async def test_what_a_peer_writes_is_never_a_directive(told: dict[str, Any]) -> None:
    with handling(DIRECTIVE, **told):
        assert (await answer(DIRECTIVE)).tool_calls == ()
    assert (await answer(DIRECTIVE)).tool_calls == ()


async def test_a_job_is_noted() -> None:
    with handling("Report.", channel_type="cron", sender_id="system"):
        said = (await answer("Report.")).content
    assert said == "Noted; no language model is configured here, so nothing else is done about it."


async def test_nothing_at_all_is_answered_too() -> None:
    assert (await RulesModel().chat([])).content.startswith("Nothing came")
    assert (await RulesModel().chat([{"role": "user", "content": ["?"]}])).content
