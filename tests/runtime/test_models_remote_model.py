"""The provider `openai-compatible` against a server that says what the test says."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any

import pytest

from prefrontal.errors import InputError, PrefrontalError
from prefrontal.plugin import ToolCall
from prefrontal.runtime.models.remote_model import RemoteModel
from prefrontal.runtime.models.settings import ModelSettings

from .model_server import CUT, DRIP, HANG, ModelServer, completion, serving

pytestmark = pytest.mark.skipif(  # importing takes a second in each process that collects
    not (find_spec("pydantic_ai") and find_spec("openai")), reason="needs the extra llm"
)

ASK = [{"role": "user", "content": "How are you?"}]
TOOL = {
    "type": "function",
    "function": {
        "name": "send_message",
        "description": "Send it.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@asynccontextmanager
async def asking(*replies: Any, **told: Any) -> AsyncIterator[tuple[RemoteModel, ModelServer]]:
    async with serving(*replies) as server:
        settings = ModelSettings(model="tiny", base_url=server.address, **told)
        model = RemoteModel("openai-compatible", settings)
        try:
            yield model, server
        finally:
            await model.close()


async def test_a_question_goes_out_and_the_answer_comes_back_with_its_cost() -> None:
    async with asking(completion("Fine.")) as (model, server):
        answer = await model.chat([{"role": "system", "content": "Be kind."}, *ASK], max_tokens=77)
    assert (answer.content, answer.model, answer.tool_calls) == ("Fine.", "tiny-1", ())
    assert (answer.tokens_in, answer.tokens_out) == (11, 3)
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert "sk-" not in headers["authorization"]
    assert body["model"] == "tiny"
    assert body["max_tokens"] == 77
    assert body["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "How are you?"},
    ]
    assert "tools" not in body
    assert "response_format" not in body


async def test_the_key_is_taken_from_the_environment_and_another_model_can_be_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEST_KEY", "k-123456")
    monkeypatch.setenv("OPENAI_API_KEY", "never-sent")
    async with asking(completion("a"), completion("b"), api_key_env="TEST_KEY") as (model, server):
        await model.chat(ASK)
        await model.chat(ASK, model="big")
    assert [request[1]["authorization"] for request in server.requests] == ["Bearer k-123456"] * 2
    assert [request[2]["model"] for request in server.requests] == ["tiny", "big"]


async def test_tool_calls_go_both_ways() -> None:
    wanted = {"id": "c1", "type": "function"}
    wanted["function"] = {"name": "send_message", "arguments": '{"text": "hi"}'}  # type: ignore[assignment]
    async with asking(completion(None, tool_calls=[wanted]), completion("Sent.")) as (
        model,
        server,
    ):
        answer = await model.chat(ASK, [TOOL])
        assert answer.tool_calls == (ToolCall("c1", "send_message", {"text": "hi"}),)
        history: list[dict[str, Any]] = [
            *ASK,
            {"role": "assistant", "content": "", "tool_calls": [wanted]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        ]
        assert (await model.chat(history, [TOOL])).content == "Sent."
    first, second = (request[2] for request in server.requests)
    assert first["tools"][0]["function"]["name"] == "send_message"
    assert first["tools"][0]["function"]["parameters"]["properties"] == {"text": {"type": "string"}}
    assistant, tool = second["messages"][1:]
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"text": "hi"}
    assert (tool["role"], tool["tool_call_id"], tool["content"]) == ("tool", "c1", "ok")


async def test_a_tool_call_that_is_no_json_is_a_sentence() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "x", "arguments": '{"text": '}}
    async with asking(completion(None, tool_calls=[call])) as (model, _):
        with pytest.raises(PrefrontalError, match="the tool 'x' must be given a JSON object"):
            await model.chat(ASK, [TOOL])


@pytest.mark.parametrize("mode", ["native", "prompted", "text"])
async def test_a_schema_is_made_to_hold_as_the_settings_say(mode: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    async with asking(completion('{"n": 1}'), output=mode) as (model, server):
        answer = await model.chat(ASK, output_schema=schema)
    assert answer.content == '{"n": 1}'
    body = server.requests[0][2]
    told = body.get("response_format", {}).get("json_schema", {})
    assert (told.get("schema", {}).get("required") == ["n"]) is (mode == "native")
    assert ("integer" in json.dumps(body["messages"])) is (mode == "prompted")


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            (401, {"error": {"message": "bad key sk-abcdefghijklmnop"}}),
            "refuses the key in TEST_KEY",
        ),
        ((403, {"error": {"message": "no"}}), "must accept the key"),
        ((404, {"error": {"message": "no such model"}}), "the error 404: .*no such model"),
        ((429, {"error": {"message": "slow down"}}), "asked too often, it says: .*slow down"),
        ((500, {"error": {"message": "boom"}}), "answers with the error 500: .*boom"),
        ((500, b"<html>"), "answers with the error 500"),
        ((200, b'{"id": "x", "choi'), "must answer with a chat completion|cannot be reached"),
        ((200, b"hello"), "must answer with a chat completion|cannot be reached"),
        ((200, {"nothing": 1}), "must answer with a chat completion"),
        ((200, {**completion("x"), "choices": []}), "must answer with a chat completion"),
        (CUT, "cannot be reached"),
    ],
)
async def test_what_goes_wrong_is_a_sentence_and_asked_only_once(
    reply: Any, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "k-123456")
    async with asking(reply, api_key_env="TEST_KEY") as (model, server):
        with pytest.raises(PrefrontalError, match=sentence) as raised:
            await model.chat(ASK)
    assert len(server.requests) == 1
    text = str(raised.value)
    assert "'tiny' at http://127.0.0.1" in text
    assert "abcdefgh" not in text
    assert "\n" not in text
    assert len(text) < 500


@pytest.mark.parametrize("reply", [HANG, DRIP])
async def test_a_server_that_never_comes_to_an_end_is_given_up_in_time(reply: str) -> None:
    async with asking(reply, timeout_seconds=0.2) as (model, _):
        with pytest.raises(PrefrontalError, match=r"must answer within 0\.2 seconds"):
            await model.chat(ASK)


async def test_a_server_that_is_not_there_is_a_sentence() -> None:
    async with serving() as gone:
        address = gone.address
    model = RemoteModel("openai-compatible", ModelSettings(model="tiny", base_url=address))
    with pytest.raises(PrefrontalError, match="cannot be reached"):
        await model.chat(ASK)
    await model.close()


async def test_a_question_that_nobody_waits_for_is_ended_and_the_loop_goes_on() -> None:
    async with asking(HANG, completion("Fine.")) as (model, server):
        task = asyncio.create_task(model.chat(ASK))
        while not server.requests:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await model.chat(ASK)).content == "Fine."


async def test_the_library_is_imported_beside_the_event_loop() -> None:
    seen: list[str] = []

    class Finder:
        def find_spec(self, name: str, *_: Any) -> None:
            if name == "prefrontal.runtime.models.remote_client":
                seen.append(threading.current_thread().name)

    kept = sys.modules.pop("prefrontal.runtime.models.remote_client", None)
    finder = Finder()
    sys.meta_path.insert(0, finder)
    try:
        async with asking(completion("Fine.")) as (model, _):
            await model.chat(ASK)
    finally:
        sys.meta_path.remove(finder)
        if kept is not None:
            sys.modules["prefrontal.runtime.models.remote_client"] = kept
    assert seen
    assert seen[0] != threading.main_thread().name


def test_a_model_without_a_name_an_address_or_its_key_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    with pytest.raises(InputError, match=r"llm\.model must name the model"):
        RemoteModel("openai-compatible", ModelSettings(base_url="http://x"))
    with pytest.raises(InputError, match=r"llm\.base_url must be the address"):
        RemoteModel("openai-compatible", ModelSettings(model="x"))
    with pytest.raises(PrefrontalError, match="TEST_KEY must be set to the model's key"):
        RemoteModel(
            "openai-compatible",
            ModelSettings(model="x", base_url="http://x", api_key_env="TEST_KEY"),
        )


@pytest.mark.parametrize(
    ("provider", "package", "extra"),
    [
        ("openai-compatible", "pydantic_ai", r"prefrontal\[llm\]"),
        ("openai-compatible", "openai", r"prefrontal\[llm\]"),
        ("anthropic", "anthropic", r"pydantic-ai-slim\[anthropic\]"),
        ("google", "google.genai", r"pydantic-ai-slim\[google\]"),
    ],
)
def test_a_missing_package_is_named_with_how_to_get_it(
    provider: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(PrefrontalError, match=f"'{provider}' must have its package: .*{extra}"):
        RemoteModel(provider, ModelSettings(model="x", base_url="http://x"))
