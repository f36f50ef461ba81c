"""One message is deleted: what was made of it goes to the last byte, the rest stays."""

from __future__ import annotations

from pathlib import Path

from prefrontal.runtime.conversation import condensing
from prefrontal.runtime.conversation.condensing import Note, observed
from prefrontal.runtime.conversation.facts import Statement
from prefrontal.runtime.conversation.models import Message
from prefrontal.runtime.conversation.store import ConversationStore

from .chats import NOW, chat, exchange, found, said

SECRET = "zanzibar"
OWN = ("peer:ann",)


async def noted(store: ConversationStore, first: int, last: int, text: str = "") -> Note:
    """A note of the messages from one id to another, by the rules or as a model wrote it."""
    messages = [each for n in range(first, last + 1) for each in store.around(n, 0, 0)]
    note = await observed(messages)
    note = Note(0, note.first, note.last, text or note.text, note.origins)
    store.submit_note(chat(), note, messages=messages).result()
    return note


def bytes_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file()).lower()


async def test_of_a_note_by_the_rules_one_line_goes_and_the_other_notes_stay(
    tmp_path: Path,
) -> None:
    with ConversationStore(tmp_path / "c.sqlite") as store:
        for n in range(6):
            text = f"My flight {n} leaves at {n} o'clock."
            exchange(store, chat(), f"We meet in {SECRET}." if n == 2 else text, "Noted.")
        first, second = await noted(store, 1, 8), await noted(store, 9, 12)
        guest = chat("bob", "chat-ann")
        exchange(store, guest, "hello", "Hello.")
        store.submit_note(guest, Note(0, 1, 13, "#13 bob: hello")).result()
        assert SECRET in first.text
        store.delete(5)
        kept, later = store.notes(chat())
        assert kept.text.splitlines() == [
            line for line in first.text.splitlines() if not line.startswith("#5 ")
        ]
        assert (kept.first, kept.last, later.text) == (first.first, first.last, second.text)
        assert [each.text for each in store.notes(guest)] == ["#13 bob: hello"]
        assert found(store, SECRET) == []
        assert SECRET.encode() not in bytes_in(tmp_path)


async def test_what_a_model_wrote_of_it_elsewhere_is_written_anew_by_the_rules(
    tmp_path: Path,
) -> None:
    with ConversationStore(tmp_path / "c.sqlite") as store:
        exchange(store, chat(), f"We meet in {SECRET}.", "Noted.")
        exchange(store, chat(), "My flight is LH 123.", "Noted.")
        exchange(store, chat(), "My dog is Rex.", "Noted.")
        model = f"#1 they meet in {SECRET}\n#3 flies LH 123 to {SECRET}\n#5 ann: My dog is Rex."
        await noted(store, 1, 6, model)
        store.delete(1)
        [note] = store.notes(chat())
        assert note.text == "#3 ann: My flight is LH 123.\n#5 ann: My dog is Rex."
        assert note.origins == OWN
        store.delete(3)
        store.delete(5)
        assert store.notes(chat()) == []
        assert SECRET.encode() not in bytes_in(tmp_path)


def test_a_line_written_anew_stays_a_quote_where_it_was_one() -> None:
    fields = ("peer", "test", "chat-ann", "ann")
    own = Message(3, *fields, "in", "My flight is LH 123.", NOW, 3, OWN)  # type: ignore[arg-type]
    tool = Message(4, *fields, "out", "It is late.", NOW, 3, ("tool:web",))  # type: ignore[arg-type]
    note = Note(7, 1, 4, "#1 ⟦a⟧\n#3 ⟦b⟧\n#4 c", ("more",))
    left = condensing.without(note, {3: own, 4: tool})
    assert left == Note(
        7, 1, 4, "#3 ⟦ann: My flight is LH 123.⟧\n#4 ⟦you: It is late.⟧", ("peer:ann", "tool:web")
    )


async def test_nothing_is_written_that_was_made_before_a_message_was_deleted() -> None:
    with ConversationStore() as store:
        for n in range(3):
            exchange(store, chat(), f"My flight is LH {n}.", "Noted.")
        messages = [each for n in range(1, 7) for each in store.around(n, 0, 0)]
        note = await observed(messages)
        store.submit_note(chat(), note, messages=messages).result()
        old = store.notes(chat())
        store.delete(3)
        store.submit_note(chat(), note, messages=messages).result()
        store.submit_facts([(1, Statement("", "dog", "LH 0"))], messages).result()
        store.submit_note(chat(), Note(0, 1, 6, "#1 all of it"), old).result()
        [kept] = store.notes(chat())
        assert "LH 1" not in kept.text
        assert "LH 2" in kept.text
        assert "dog" not in {each.attribute for each in store.facts()}


def test_a_fact_that_was_stated_again_comes_from_the_later_message() -> None:
    with ConversationStore() as store:
        said(store, chat(), "I live in Lisbon.", at=NOW)
        first = said(store, chat(), "I moved to Porto.", at=NOW + 1)
        said(store, chat("bob"), "I live in Porto.", at=NOW + 2)
        again = said(store, chat(), "As I said, I live in PORTO.", at=NOW + 3)
        store.delete(first)
        porto, lisbon = store.facts(peer_id="ann", ended=True)
        assert (porto.value, porto.source, porto.valid_from) == ("PORTO", again, NOW + 3)
        assert (lisbon.value, lisbon.valid_until) == ("Lisbon", NOW + 3)
        store.delete(again)
        assert [each.value for each in store.facts(peer_id="ann")] == ["Lisbon"]


def test_a_fact_that_a_model_drew_in_its_words_goes_with_it(tmp_path: Path) -> None:
    with ConversationStore(tmp_path / "c.sqlite") as store:
        exchange(store, chat(), f"We call our house {SECRET}.", "Noted.")
        exchange(store, chat(), "Porto is where it stands.", "Noted.")
        messages = [each for n in range(1, 5) for each in store.around(n, 0, 0)]
        drawn = [
            (3, Statement("", f"place of {SECRET}", "Porto")),
            (3, Statement("", "house stands where", "Porto")),
        ]
        said(store, chat("bob"), "A house stands here.")
        store.submit_facts(drawn, messages).result()
        store.delete(1)
        assert [each.attribute for each in store.facts()] == ["house stands where"]
        assert SECRET.encode() not in bytes_in(tmp_path)


def test_of_a_message_its_vector_goes_and_its_answers_are_known() -> None:
    with ConversationStore() as store:
        number = exchange(store, chat(), "hello", "Noted: hello")
        store.submit_vectors("m", [(number, b"\1\2"), (number + 1, b"\1\2")]).result()
        assert store.answers(number) == [number + 1]
        store.delete(number)
        assert store.vector_counts("m") == (1, 1)
        assert not store.delete(number)
