"""A configured model draws facts from what is condensed, in the words of its messages alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefrontal.origins import peer_origin, tool_origin
from prefrontal.runtime.conversation.drawn_facts import drawn
from prefrontal.runtime.conversation.facts import Statement
from prefrontal.runtime.conversation.models import Message
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.testing import ChatCall, ScriptedLLM

from ..agents import agent
from ..sample_plugins import message
from .chats import NOW, chat, said
from .test_plugin import talk

ANN, PAGE = peer_origin("ann"), tool_origin("fetch_page")


def told(store: ConversationStore) -> list[Message]:
    """Ann and the agent, who has read a page."""
    said(store, chat(), "Mein Hund heißt Rex.", at=NOW)
    said(store, chat(), "The page says Oslo.", direction="out", turn=1, at=NOW, origins=(ANN, PAGE))
    said(store, chat(), "Ich wohne jetzt in Porto.", at=NOW + 9)
    said(store, chat(), "ok", direction="out", turn=3, at=NOW + 9, origins=(ANN,))
    return store.history(chat(), 9)


async def test_a_line_holds_only_with_its_message_and_in_the_words_of_that() -> None:
    async def write(instructions: str, material: str) -> str:
        assert "#3 ann: Ich wohne jetzt in Porto." in material
        return """Facts:
#1 | self | dog | Rex
#3 | self | home | Oslo
#2 | self | home | Oslo
#99 | self | home | Porto
#3 | Apollo | home | porto
"""

    with ConversationStore() as store:
        facts = await drawn(told(store), write)
    assert facts == [(1, Statement("", "dog", "Rex")), (3, Statement("apollo", "home", "porto"))]


def test_a_drawn_fact_ends_what_is_older_and_is_ended_by_what_is_newer() -> None:
    with ConversationStore() as store:
        messages = told(store)
        home = [Statement("", "home", each) for each in ("Lisbon", "Porto", "Braga")]
        store.submit_facts([(3, home[1])], messages).result()
        store.submit_facts([(1, home[0]), (3, home[1])], messages).result()
        [porto] = store.facts()
        assert (porto.value, porto.source, porto.valid_from) == ("Porto", 3, NOW + 9)
        lisbon = store.facts(ended=True)[0]
        assert (lisbon.value, lisbon.valid_until) == ("Lisbon", NOW + 9)
        said(store, chat(), "I live in Braga.", at=NOW + 20)
        assert [each.value for each in store.facts()] == ["Braga"]
        assert porto.origins == (ANN, PAGE)
        assert porto.foreign == (PAGE,)


async def test_a_model_draws_facts_when_a_conversation_is_condensed(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(call: ChatCall) -> Any:
        if not call.prompt.startswith("List what the peers state"):
            return "ok"
        asked.append(call.prompt)
        return "#1 | self | dog | Rex"

    runtime = agent(ScriptedLLM(answer), workspace=str(tmp_path))
    texts = ["Mein Hund heißt Rex.", *(f"Satz {n}." for n in range(34))]
    await talk(runtime, *(message(text, "ann", n) for n, text in enumerate(texts)))
    assert len(asked) == 1
    with ConversationStore(tmp_path / "conversations.sqlite", read_only=True) as store:
        [fact] = store.facts(chat("ann"))
        assert store.facts(chat("bob")) == []
    assert (fact.attribute, fact.value, fact.origins) == ("dog", "Rex", (ANN,))
