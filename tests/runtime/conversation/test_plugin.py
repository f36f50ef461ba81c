from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import SourceError
from prefrontal.plugin import ToolCall
from prefrontal.runtime import Runtime
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.testing import ManualClock, Reply, ScriptedLLM

from ..agents import agent
from ..sample_plugins import message
from .chats import chat


def use(name: str, **arguments: Any) -> Reply:
    return Reply("", tool_calls=[ToolCall("call-1", name, arguments)])


async def talk(runtime: Runtime, *messages: Any) -> None:
    await runtime.start()
    for each in messages:
        await runtime.receive(each)
    await runtime.stop()


def history(model: ScriptedLLM, call: int = 0) -> list[str]:
    """What the model was told after its instructions."""
    return [each["content"] for each in model.calls[call].messages[1:]]


async def test_a_conversation_goes_on_after_a_restart(tmp_path: Path) -> None:
    workspace: Any = {"workspace": str(tmp_path / "w")}
    await talk(agent(ScriptedLLM(["Hi Alice."]), **workspace), message("I am Alice"))
    model = ScriptedLLM(["You are Alice.", "Hi Bob."])
    await talk(agent(model, **workspace), message("who am I?"), message("hi", "bob"))
    assert history(model) == ["I am Alice", "Hi Alice.", "who am I?"]
    assert history(model, 1) == ["hi"]


async def test_the_model_searches_the_chat_in_hand_alone(tmp_path: Path) -> None:
    workspace: Any = {"workspace": str(tmp_path)}
    first = ScriptedLLM(["Noted.", "Noted."])
    await talk(
        agent(first, clock=ManualClock(1_700_000_000.0), **workspace),
        message("the boat is called Aurora"),
        message("the boat is called Boreas", "bob"),
    )
    second = ScriptedLLM([use("conversation_search", query="call*"), "Boreas."])
    await talk(agent(second, **workspace), message("my boat?", "bob", 9))
    [result] = [each for each in second.calls[1].messages if each["role"] == "tool"]
    assert json.loads(result["content"]) == [
        {"id": 3, "at": "2023-11-14 22:13", "by": "bob", "text": "the boat is called Boreas"}
    ]


async def test_a_search_leaves_out_the_question_in_hand(tmp_path: Path) -> None:
    search = use("conversation_search", query="boat", limit=1)
    model = ScriptedLLM(["Noted.", search, "Aurora.", search, "Aurora."])
    texts = ("the boat is called Aurora", "which boat?", "which boat was it?")
    lines = [message(text, number=n) for n, text in enumerate(texts)]
    await talk(agent(model, workspace=str(tmp_path)), *lines)
    results = [json.loads(model.calls[n].messages[-1]["content"]) for n in (2, 4)]
    assert [[each["text"] for each in result] for result in results] == [
        ["the boat is called Aurora"],
        ["which boat?"],
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("conversation_search", {"query": "nothing"}, "Nothing that was said here fits."),
        ("conversation_search", {"query": "x", "since": "soon"}, "since must be a date"),
        ("conversation_search", {"query": "hello", "until": "1969-01-01"}, "Nothing that was said"),
        ("conversation_open", {"id": 99}, "There is no message 99 in this chat."),
    ],
)
async def test_what_finds_nothing_is_a_sentence(
    name: str, arguments: Mapping[str, Any], answer: str
) -> None:
    model = ScriptedLLM([use(name, **arguments), "done"])
    await talk(agent(model), message("hello"))
    assert answer in model.calls[1].messages[-1]["content"]


async def test_a_message_is_opened_whole(tmp_path: Path) -> None:
    long = "begin " + "word " * 500 + "end"
    model = ScriptedLLM(["ok", use("conversation_open", id=1), "done"])
    await talk(agent(model), message(long), message("what was it?", number=2))
    opened = json.loads(model.calls[2].messages[-1]["content"])
    assert [each["id"] for each in opened] == [1, 2, 3]
    assert opened[0]["text"] == long


async def test_what_the_agent_sends_of_its_own_accord_belongs_to_the_chat() -> None:
    send = use("send_message", peer_id="bob", text="Ann says hello.")
    model = ScriptedLLM(["Hi Bob.", send, "Sent.", "She did."])
    runtime = agent(model)
    await talk(
        runtime, message("hi", "bob"), message("greet bob", "ann", 2), message("news?", "bob", 3)
    )
    assert history(model, 3) == ["hi", "Hi Bob.", "⟦Ann says hello.⟧", "news?"]


async def test_members_of_a_named_group_share_what_is_said_in_it() -> None:
    model = ScriptedLLM()
    room = {"channel_id": "team", "metadata": {"group": True}}
    await talk(
        agent(model),
        message("the code is 1234", "ann", 1, **room),
        message("which code?", "bob", 2, **room),
        message("which code?", "bob", 3, channel_id="team"),
    )
    assert history(model, 1)[0] == "ann: the code is 1234"
    assert history(model, 2) == ["which code?"]


ROOM: Any = {"channel_id": "team", "metadata": {"group": True}}


async def test_what_is_meant_for_a_peer_goes_to_its_own_chat_and_never_to_a_group() -> None:
    send = use("send_message", peer_id="ann", text="Your code is 1234.")
    model = ScriptedLLM(["Hi.", "Hi all.", send, "Sent.", "Hm."])
    runtime = agent(model)
    talks = (message("hi", "ann"), message("hi all", "ann", 2, **ROOM), message("tell her", "bob"))
    await talk(runtime, *talks, message("what?", "cat", 4, **ROOM))
    [sent] = [each for each in runtime.sent if "1234" in each.content]
    assert sent.channel_id == "chat-ann"
    assert "1234" not in "".join(history(model, 4))


async def test_who_wrote_in_a_group_alone_gets_nothing_there_that_others_asked_for() -> None:
    send = use("send_message", peer_id="ann", text="Your code is 1234.")
    model = ScriptedLLM(["Hi.", send, "No."])
    runtime = agent(model)
    await talk(runtime, message("hi", "ann", 1, **ROOM), message("tell her", "bob", 2))
    assert "no channel is known in which the peer 'ann' wrote alone" in history(model, 2)[-1]
    assert [each.content for each in runtime.sent] == ["Hi.", "No."]


async def test_what_is_sent_in_answer_to_a_group_stands_in_the_group() -> None:
    send = use("send_message", peer_id="ann", text="One moment.")
    model = ScriptedLLM(["Hi.", send, "Done.", "Hm."])
    runtime = agent(model)
    await talk(
        runtime,
        message("hi", "ann"),
        message("work", "ann", 2, **ROOM),
        message("and?", "bob", 3, **ROOM),
    )
    assert [each.channel_id for each in runtime.sent] == ["chat-ann", "team", "team", "team"]
    assert history(model, 3) == ["ann: work", "Done.", "One moment.", "and?"]


async def test_what_a_job_posts_is_kept_where_it_is_read() -> None:
    """In a group that of all, in a channel with one peer that of the peer."""
    model = ScriptedLLM(["Hi.", "Hi all.", "For ann.", "For all.", "So.", "So."])
    runtime = agent(model)
    await runtime.start()
    await runtime.receive(message("hi", "ann"))
    await runtime.receive(message("hi", "bob", 2, **ROOM))
    for number, place in enumerate(("chat-ann", "team"), start=3):
        output = {"channel_type": "test", "channel_id": place}
        metadata = {"is_cron": True, "skip_persistence": True, "reply_to_channel": output}
        told = {"channel_type": "cron", "channel_id": "morning", "metadata": metadata}
        await runtime.receive(message(f"news for {place}", "system", number, **told))
    await runtime.receive(message("and?", "ann", 5))
    await runtime.receive(message("and?", "cat", 6, **ROOM))
    await runtime.stop()
    assert history(model, 4) == ["hi", "Hi.", "For ann.", "and?"]
    assert history(model, 5) == ["bob: hi", "Hi all.", "For all.", "and?"]


async def test_a_store_that_cannot_be_read_or_written_stops_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise SourceError("the disk is full")

    monkeypatch.setattr(ConversationStore, "submit", broken)
    monkeypatch.setattr(ConversationStore, "history", broken)
    model = ScriptedLLM(["still here"])
    runtime = agent(model, workspace=str(tmp_path))
    await runtime.start()
    reply = await runtime.receive(message("hello"))
    assert reply is not None
    assert reply.content == "still here"
    assert any("could not be kept: the disk is full" in line[2] for line in runtime.logs)
    await runtime.stop()


async def test_the_question_is_on_the_disk_when_the_model_fails(tmp_path: Path) -> None:
    model = ScriptedLLM([RuntimeError("no")])
    await talk(agent(model, workspace=str(tmp_path)), message("hello"))
    with ConversationStore(tmp_path / "conversations.sqlite", read_only=True) as store:
        assert store.history(chat("alice"), 40) == []
        assert [each.content for each in store.around(1, 9, 9)] == ["hello"]
