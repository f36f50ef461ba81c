"""Damaged conversations: the agent answers all the same, and what can be read is saved."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.runtime.conversation import repair as repair_module
from prefrontal.runtime.conversation.condensing import Note
from prefrontal.runtime.conversation.repair import is_damaged, repair
from prefrontal.runtime.conversation.store import ConversationStore, conversations_path
from prefrontal.testing import ScriptedLLM

from ..agents import agent
from ..sample_plugins import message
from .chats import chat, exchange, found
from .test_plugin import history, talk

PAGE = 4096
ROWS = 400


def converse(path: Path) -> dict[int, str]:
    """Messages over many pages, a fact, a note and vectors; the texts by id."""
    with ConversationStore(path) as store:
        for n in range(ROWS):
            exchange(store, chat(), f"question {n} " + "about the boat " * 9, "Noted.")
        exchange(store, chat("bob"), "I live in Lisbon.", "Noted.")
        store.correct_fact(store.facts()[0].id, "Porto", "ada")
        store.submit_note(chat(), Note(0, 1, 1, "#1 ann: question 0")).result()
        store.submit_vectors("m", [(n, b"\1\2") for n in range(1, 9)]).result()
        return texts(store)


def texts(store: ConversationStore) -> dict[int, str]:
    return dict(store.later(0, 10 * ROWS))


def scribble(path: Path, page: int, seed: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[page * PAGE : (page + 1) * PAGE] = random.Random(seed).randbytes(PAGE)
    path.write_bytes(content)


def page_of(path: Path, text: str) -> int:
    return path.read_bytes().index(text.encode()) // PAGE


def test_around_a_damaged_page_everything_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    before = converse(path)
    assert not is_damaged(path)
    scribble(path, page_of(path, "question 77 "))
    damaged = path.read_bytes()
    assert is_damaged(path)
    with ConversationStore(path) as store, pytest.raises(SourceError) as refusal:
        texts(store)
    assert "then `prefrontal memory repair` saves what can be read" in str(refusal.value)
    outcome = repair(path)
    assert Path(outcome.aside).read_bytes() == damaged
    assert not is_damaged(path)
    with ConversationStore(path) as store:
        after = texts(store)
        assert outcome.messages == len(after) >= len(before) - 2 * PAGE // 100
        assert after.items() < before.items()
        assert 155 not in after, "question 77"
        assert [each.content for each in store.history(chat("bob"), 9)] == [
            *("I live in Lisbon.", "Noted.")
        ]
        assert found(store, '"question 399"') == [before[799]]
        [fact] = store.facts()
        assert (fact.value, fact.approved_by, fact.source) == ("Porto", "ada", 801)
        assert [note.text for note in store.notes(chat())] == ["#1 ann: question 0"]
        assert store.vector_counts("m") == (len(after), 8)


@pytest.mark.parametrize("seed", range(12))
def test_wherever_it_is_damaged_a_repair_ends_and_invents_nothing(
    tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "conversations.sqlite"
    before = converse(path)
    draw = random.Random(seed)
    pages = path.stat().st_size // PAGE
    for page in draw.sample(range(pages), draw.randint(1, 5)):
        scribble(path, page, seed)
    repair(path)
    assert not is_damaged(path)
    with ConversationStore(path) as store:
        assert texts(store).items() <= before.items()
        number = exchange(store, chat(), "And now?", "On we go.")
        assert found(store, "now") == ["And now?"]
        assert store.around(number, 0, 0)[0].content == "And now?"


def test_what_was_put_aside_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    for number in (1, 2):
        path.write_bytes(b"no database " * 99 * number)
        outcome = repair(path)
        assert outcome.messages == 0
    assert Path(outcome.aside).name == "conversations.sqlite-corrupt-2"
    assert (tmp_path / "conversations.sqlite-corrupt").stat().st_size == 12 * 99


async def test_an_agent_whose_conversations_are_damaged_answers_and_remembers_anew(
    tmp_path: Path,
) -> None:
    path = conversations_path(tmp_path)
    path.write_bytes(b"no database at all" * 99)
    runtime = agent(ScriptedLLM(["Hi.", "Hi again."]), workspace=str(tmp_path))
    await talk(runtime, message("I am Alice"))
    later = ScriptedLLM(["Alice."])
    await talk(agent(later, workspace=str(tmp_path)), message("who am I?", number=2))
    assert history(later) == ["I am Alice", "Hi.", "who am I?"]
    assert (tmp_path / "conversations.sqlite-corrupt").exists()


async def test_an_agent_answers_while_a_page_in_the_middle_is_damaged(tmp_path: Path) -> None:
    path = conversations_path(tmp_path)
    converse(path)
    for page in range(1, path.stat().st_size // PAGE):
        scribble(path, page)
    model = ScriptedLLM(["Hi."])
    runtime = agent(model, workspace=str(tmp_path))
    await runtime.start()
    reply = await runtime.receive(message("hello"))
    await runtime.stop()
    assert reply is not None
    assert reply.content == "Hi."


async def test_where_nothing_can_be_repaired_the_agent_answers_without_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> None:
        raise SourceError(f"{path} cannot be written: the disk is full")

    conversations_path(tmp_path).write_bytes(b"no database at all" * 99)
    monkeypatch.setattr("prefrontal.runtime.plugins.conversation.repair", full)
    model = ScriptedLLM(["Hi.", "Hi again."])
    await talk(agent(model, workspace=str(tmp_path)), message("one"), message("two", number=2))
    assert history(model, 1) == ["one", "Hi.", "two"]


def test_a_repair_comes_to_an_end_however_much_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair_module, "_MOST_FAILURES", 20)
    path = tmp_path / "conversations.sqlite"
    before = converse(path)
    for page in range(1, path.stat().st_size // PAGE, 2):
        scribble(path, page)
    repair(path)
    with ConversationStore(path) as store:
        assert texts(store).items() <= before.items()
