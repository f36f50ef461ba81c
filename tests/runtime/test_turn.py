from __future__ import annotations

from typing import Any

import pytest

from prefrontal.plugin import LLMResponse, ToolCall, current_message
from prefrontal.testing import Reply, ScriptedLLM

from .agents import Tools, Watcher, agent
from .sample_plugins import message, plugin_class

IDS = {"peer_id", "recipient_id", "event_id", "channel_type", "channel_id", "correlation_id"}
KEYS = {
    "on_message": {"message", "sender", "sender_id", "channel_type", "channel_id", "event_id"},
    "transform_system_prompt": {"prompt", "peer", "messages"},
    "transform_history": {"messages", "peer"},
    "before_llm": {"messages", "model", "tools", "channel_type", "channel_id"},
    "after_llm": {"response", "model", "tokens_in", "tokens_out", "has_tool_calls"},
    "before_tool": {"tool", "args"},
    "after_tool": {"tool", "args", "result"},
    "transform_response": {"text", "recipient"},
    "before_send": {"text", "recipient"},
    "after_send": {"text", "recipient", "channel_type", "channel_id"},
}


def use(name: str, **arguments: Any) -> Reply:
    return Reply("", tool_calls=[ToolCall("call-1", name, arguments)])


async def answered(model: ScriptedLLM, *plugins: Any, text: str = "hello", **config: Any) -> Any:
    """The runtime after one message, and the answer to it."""
    runtime = agent(model, *plugins, **config)
    await runtime.start()
    reply = await runtime.receive(message(text))
    return runtime, reply


async def test_a_message_goes_through_the_points_in_their_order() -> None:
    watcher = Watcher()
    await answered(ScriptedLLM([use("add", a=1, b=2), "three"]), watcher, Tools())
    assert watcher.points == [
        *("on_message", "transform_system_prompt", "transform_history"),
        *("before_llm", "after_llm", "before_tool", "after_tool", "before_llm", "after_llm"),
        *("transform_response", "before_send", "after_send"),
    ]


async def test_each_point_gets_its_keys_and_the_ids_of_the_message_and_nothing_else() -> None:
    watcher = Watcher()
    await answered(ScriptedLLM([use("add", a=1, b=2), "three"]), watcher, Tools())
    for point, ctx in watcher.seen:
        assert set(ctx) == KEYS[point] | IDS, point
    assert {ctx["correlation_id"] for _, ctx in watcher.seen} != {""}
    assert len({ctx["correlation_id"] for _, ctx in watcher.seen}) == 1


async def test_the_values_are_those_of_the_message() -> None:
    watcher = Watcher()
    await answered(ScriptedLLM([Reply("fine", tokens_in=7, tokens_out=3)]), watcher)
    arrived, sent, said = map(watcher.ctx, ("on_message", "after_send", "after_llm"))
    assert (arrived["message"], arrived["sender"], arrived["sender_id"]) == (
        *("hello", "Alice", "alice"),
    )
    assert arrived["event_id"] == "test:chat-alice:1"
    assert (sent["text"], sent["recipient"], sent["recipient_id"]) == ("fine", "Alice", "alice")
    assert (said["tokens_in"], said["tokens_out"], said["has_tool_calls"]) == (7, 3, False)
    assert isinstance(said["response"], LLMResponse)
    assert watcher.ctx("before_llm")["model"] == "main-model"
    assert watcher.ctx("transform_system_prompt")["peer"] == "Alice"


async def test_the_answer_says_what_it_answers_and_for_whom() -> None:
    runtime, reply = await answered(ScriptedLLM(["fine"]))
    assert (reply.channel_type, reply.channel_id, reply.content) == ("test", "chat-alice", "fine")
    assert reply.reply_to == "1"
    assert reply.metadata["recipient"] == "alice"
    assert runtime.sent == [reply]


async def test_a_hook_changes_what_the_model_is_asked() -> None:
    changes: dict[str, dict[str, Any]] = {
        "on_message": {"message": "cleaned"},
        "transform_system_prompt": {"prompt": "Be kind."},
        "transform_history": {"messages": [{"role": "user", "content": "only this"}]},
    }
    model = ScriptedLLM(["fine"])
    await answered(model, Watcher(changes))
    assert model.calls[0].messages == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "only this"},
    ]


async def test_a_hook_changes_the_answer_before_it_is_sent() -> None:
    watcher = Watcher({"transform_response": {"text": "draft"}, "before_send": {"text": "final"}})
    runtime, _ = await answered(ScriptedLLM(["fine"]), watcher)
    assert watcher.ctx("before_send")["text"] == "draft"
    assert watcher.ctx("after_send")["text"] == "final"
    assert [each.content for each in runtime.sent] == ["final"]


async def test_an_abort_on_arrival_drops_the_message() -> None:
    watcher = Watcher({"on_message": {"abort": True}})
    runtime, reply = await answered(ScriptedLLM(["fine"]), watcher)
    assert reply is None
    assert watcher.points == ["on_message"]
    assert runtime.sent == []


@pytest.mark.parametrize(
    ("told", "answer"), [({}, "Request aborted."), ({"abort_message": "Not now."}, "Not now.")]
)
async def test_an_abort_before_the_model_answers_in_its_place(told: Any, answer: str) -> None:
    model = ScriptedLLM(["fine"])
    _, reply = await answered(model, Watcher({"before_llm": {"abort": True, **told}}))
    assert reply.content == answer
    assert model.calls == []


@pytest.mark.parametrize(
    ("told", "result"), [({}, "Blocked."), ({"abort_message": "Ask first."}, "Ask first.")]
)
async def test_an_abort_before_a_tool_is_its_result(told: Any, result: str) -> None:
    model, tools = ScriptedLLM([use("add", a=1, b=2), "well"]), Tools()
    watcher = Watcher({"before_tool": {"abort": True, **told}})
    await answered(model, watcher, tools)
    assert model.calls[1].messages[-1]["content"] == result
    assert tools.calls == []
    assert "after_tool" not in watcher.points


async def test_an_abort_before_sending_sends_nothing() -> None:
    watcher = Watcher({"before_send": {"abort": True}})
    runtime, reply = await answered(ScriptedLLM(["fine"]), watcher)
    assert reply is None
    assert runtime.sent == []
    assert "after_send" not in watcher.points


@pytest.mark.parametrize("point", ["after_llm", "transform_history", "transform_response"])
async def test_an_abort_elsewhere_is_ignored(point: str) -> None:
    _, reply = await answered(ScriptedLLM(["fine"]), Watcher({point: {"abort": True}}))
    assert reply.content == "fine"


async def test_a_hook_that_raises_costs_no_answer() -> None:
    def broken(self: Any, ctx: Any) -> Any:
        raise RuntimeError("no")

    hooks = {f"loop.{point}": broken for point in KEYS}
    runtime, reply = await answered(ScriptedLLM(["fine"]), plugin_class("broken", hooks)())
    assert reply.content == "fine"
    assert {line[1] for line in runtime.logs if line[0] == "error"} == {"broken"}


async def test_an_empty_answer_is_told_as_such() -> None:
    _, reply = await answered(ScriptedLLM([""]))
    assert reply.content == "(No response generated)"


async def test_a_model_that_fails_gives_a_sentence_with_a_reference_and_is_reported() -> None:
    watcher = Watcher()
    key = "sk-abcdefghijklmnopqrstuvwx"
    runtime, reply = await answered(ScriptedLLM([RuntimeError(f"bad {key}")]), watcher)
    told = watcher.ctx("on_error")
    assert set(told) == {"error", "hook", "error_id"} | IDS
    assert told["hook"] == "llm_call"
    assert len(told["error_id"]) == 8
    assert int(told["error_id"], 16) >= 0
    assert told["error_id"] in reply.content
    assert "bad" not in reply.content
    assert key not in repr(runtime.logs)
    assert any(told["error_id"] in line[2] for line in runtime.logs)


async def test_an_agent_without_a_model_says_so_in_its_log() -> None:
    from prefrontal.runtime import Runtime

    runtime = Runtime({"logging": {"level": "off"}})
    await runtime.start()
    reply = await runtime.receive(message())
    assert reply is not None
    assert "Reference" in reply.content
    assert any("capability 'llm'" in line[2] for line in runtime.logs)


async def test_the_system_prompt_names_the_agent_and_holds_its_soul() -> None:
    model = ScriptedLLM()
    soul = plugin_class("soul", {"context.system_prompt": lambda self: "I am patient."})()
    await answered(model, soul, identity={"name": "Alpha"})
    assert "You are Alpha" in model.calls[0].prompt
    assert "I am patient." in model.calls[0].prompt


async def test_the_message_in_hand_is_known_to_whoever_runs_in_its_task() -> None:
    seen: list[Any] = []

    def note(self: Any, ctx: Any) -> Any:
        seen.append(current_message.get())
        return ctx

    await answered(ScriptedLLM(), plugin_class("p", {"loop.before_llm": note})())
    assert [each.sender_id for each in seen] == ["alice"]
    assert current_message.get() is None


async def test_the_conversation_goes_on_with_what_was_said() -> None:
    model = ScriptedLLM(["Hi Alice.", "Paris."])
    runtime = agent(model)
    await runtime.start()
    await runtime.receive(message("hello", number=1))
    await runtime.receive(message("capital of France?", number=2))
    assert [each["content"] for each in model.calls[1].messages[1:]] == [
        *("hello", "Hi Alice.", "capital of France?"),
    ]


async def test_conversations_do_not_leak_into_each_other() -> None:
    model = ScriptedLLM()
    runtime = agent(model)
    await runtime.start()
    await runtime.receive(message("the code is canary", "alice", 1))
    await runtime.receive(message("hello", "bob", 2))
    assert "canary" not in repr(model.calls[1])


@pytest.mark.parametrize("reason", ["failed", "held back", "skip_persistence"])
async def test_what_was_not_said_or_is_not_to_be_kept_is_no_part_of_the_conversation(
    reason: str,
) -> None:
    watcher = Watcher({"before_send": {"abort": True}} if reason == "held back" else {})
    model = ScriptedLLM([RuntimeError("no") if reason == "failed" else "first", "second"])
    runtime = agent(model, watcher)
    await runtime.start()
    metadata = {"skip_persistence": True} if reason == "skip_persistence" else {}
    await runtime.receive(message("hello", number=1, metadata=metadata))
    watcher.answers.clear()
    await runtime.receive(message("again", number=2))
    assert [each["content"] for each in model.calls[1].messages[1:]] == ["again"]


def internal(**metadata: Any) -> Any:
    told = {"is_cortex": True, "skip_persistence": True, **metadata}
    return message("Directive 1", "system", channel_type="cortex", metadata=told)


async def test_a_message_of_the_runtime_itself_has_no_peer_and_its_answer_goes_nowhere() -> None:
    watcher = Watcher()
    runtime = agent(ScriptedLLM(["done"]), watcher)
    await runtime.start()
    assert await runtime.receive(internal()) is None
    assert all(ctx["internal"] is True for _, ctx in watcher.seen)
    assert {ctx["peer_id"] for _, ctx in watcher.seen} == {""}
    assert runtime.sent == []
    assert "before_send" not in watcher.points


async def test_a_directive_is_about_the_peer_it_names() -> None:
    watcher = Watcher()
    runtime = agent(ScriptedLLM(["done"]), watcher)
    await runtime.start()
    await runtime.receive(internal(target_peer="bob"))
    assert {ctx["peer_id"] for _, ctx in watcher.seen} == {"bob"}


async def test_the_answer_to_a_job_goes_where_the_job_says() -> None:
    runtime = agent(ScriptedLLM(["report"]))
    await runtime.start()
    place = {"channel_type": "test", "channel_id": "office", "recipient": "carol"}
    reply = await runtime.receive(internal(reply_to_channel=place))
    assert reply is not None
    assert (reply.channel_type, reply.channel_id, reply.content) == ("test", "office", "report")
    assert reply.metadata["recipient"] == "carol"
    assert reply.reply_to is None


@pytest.mark.parametrize(
    "garbage",
    [{}, {"odd": 1}, dict.fromkeys(("message", "prompt", "messages", "tools", "args", "text"), 7)],
)
@pytest.mark.parametrize("point", sorted(KEYS))
async def test_a_hook_that_returns_garbage_costs_no_answer(point: str, garbage: Any) -> None:
    careless = plugin_class("careless", {f"loop.{point}": lambda self, ctx: garbage})()
    model = ScriptedLLM([use("add", a=1, b=2), "fine"])
    _, reply = await answered(model, careless, Tools())
    assert reply.content == "fine"


async def test_what_a_hook_leaves_out_is_still_there_for_those_behind_it() -> None:
    careless = plugin_class("careless", {"loop.on_message": lambda self, ctx: {}}, priority=1)()
    watcher = Watcher()
    await answered(ScriptedLLM(["fine"]), careless, watcher)
    assert watcher.ctx("on_message")["sender_id"] == "alice"


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": None}, {"prompt_tokens": "many"}])
async def test_an_answer_is_not_lost_because_nobody_knows_what_it_cost(usage: Any) -> None:
    watcher = Watcher()
    model = ScriptedLLM([])
    model.chat = lambda messages, **told: LLMResponse("fine", usage=usage)  # type: ignore[method-assign, assignment]
    _, reply = await answered(model, watcher)
    assert reply.content == "fine"
    assert watcher.ctx("after_llm")["tokens_in"] == 0
