"""Vectors beside the index of words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from prefrontal.errors import InputError, PrefrontalError
from prefrontal.runtime.conversation import vectors
from prefrontal.runtime.conversation.models import MessageQuery, Viewer
from prefrontal.runtime.conversation.schema import APPLICATION_ID, STEPS
from prefrontal.runtime.conversation.semantics import Semantics, configured
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.runtime.conversation.vectors import Meaning
from prefrontal.storage.migrations import migrate
from prefrontal.storage.opening import open_database

from ..embedding_server import serving, vector
from .chats import NOW, chat, found, said

MODEL = "function:tests.runtime.embedding_server:vectors"
SERVER = {"provider": "openai-compatible", "model": "small"}


def topics(**settings: object) -> Semantics:
    """The model in place of one."""
    embeddings = {
        "provider": "function", "model": "tests.runtime.embedding_server:vectors", **settings
    }  # fmt: skip
    model = configured({"memory": {"embeddings": embeddings}})
    assert model is not None
    return model


def meant(store: ConversationStore, words: str, viewer: Viewer | None = None) -> list[str]:
    """The texts that a search by words and meaning gives, the best first."""
    hits = store.search(MessageQuery(words), viewer, topics().meaning(words))
    return [hit.message.content for hit in hits]


def embed_all(store: ConversationStore, semantics: Semantics | None = None) -> None:
    semantics = semantics or topics()
    last = semantics.embed_old(store)
    while last is not None:
        last = semantics.embed_old(store, last)


def test_what_means_the_same_is_found_beside_what_has_the_words() -> None:
    with ConversationStore() as store:
        said(store, chat(), "we settled in Ghent")
        said(store, chat(), "which city has a zoo?")
        said(store, chat(), "Rex will bark")
        embed_all(store)
        assert found(store, "my city") == ["which city has a zoo?"]
        assert meant(store, "my city") == ["which city has a zoo?", "we settled in Ghent"]
        assert meant(store, "nothing of it") == []
        for exact in ('"which" city', "whi* city"):
            assert "we settled in Ghent" not in meant(store, exact)


def test_the_best_by_words_is_one_of_the_first_two_whatever_is_near() -> None:
    near, far = vectors.packed([1.0, 0.0]), vectors.packed([0.0, 1.0])
    with ConversationStore() as store:
        said(store, chat(), "it was number 4711")
        for each in "abcdefgh":
            said(store, chat(), each)
        rows = [(number, far if number == 1 else near) for number in range(1, 10)]
        store.submit_vectors("m", rows).result()
        hits = store.search(MessageQuery("4711"), chat(), Meaning("m", (1.0, 0.0), 0.2))
    texts = [hit.message.content for hit in hits]
    assert texts[:2] == ["h", "it was number 4711"]


@pytest.mark.parametrize("block", [1024, 64])
def test_the_nearest_are_those_of_the_exact_cosines(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", block)
    chance = np.random.default_rng(3)
    matrix = chance.normal(size=(400, 48))
    with ConversationStore() as store:
        for number in range(400):
            said(store, chat(), f"message {number}")
        rows = [(number + 1, vectors.packed(row)) for number, row in enumerate(matrix)]
        rows[17] = (18, b"")  # refused by the model
        matrix[17] = -1e9 * np.ones(48)
        store.submit_vectors("m", rows).result()
        for row in np.abs(chance.normal(size=(20, 48))):
            exact = matrix @ row / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(row))
            hits = store.search(
                MessageQuery("zzz", limit=10), None, Meaning("m", row.tolist(), -1.0)
            )
            places = [hit.message.id - 1 for hit in hits]
            assert exact[places] == pytest.approx(np.sort(exact)[::-1][:10], abs=0.01)
        least = float(np.sort(exact)[-5])
        hits = store.search(MessageQuery("zzz"), None, Meaning("m", row.tolist(), least - 0.005))
        assert 4 <= len(hits) <= 6


def test_of_what_is_as_near_the_newest_comes_first() -> None:
    with ConversationStore() as store:
        for number in range(5):
            said(store, chat(), f"message {number}")
        same = vectors.packed([1.0, 2.0, -3.0])
        store.submit_vectors("m", [(number, same) for number in (2, 5, 1, 4, 3)]).result()
        hits = store.search(MessageQuery("zzz"), None, Meaning("m", [1.0, 2.0, -3.0], 0.5))
        assert [hit.message.id for hit in hits] == [5, 4, 3, 2, 1]


def test_no_search_by_meaning_looks_over_a_wall_or_out_of_its_filters() -> None:
    chance = random.Random(5)
    with ConversationStore() as store:
        for number in range(300):
            peer = chance.choice(["ann", "bob", "cem"])
            group = chance.random() < 0.2
            viewer = chat(peer, "room" if group else None, group=group)
            said(store, viewer, f"boat {number} {peer} {group}", at=NOW + 60 * number)
        embed_all(store)
        for peer in ("ann", "bob"):
            texts = meant(store, "vessel", chat(peer))
            assert len(texts) == 10
            assert all(text.endswith(f"{peer} False") for text in texts)
        texts = meant(store, "vessel", chat("ann", "room", group=True))
        assert len(texts) == 10
        assert all(text.endswith("True") for text in texts)
        assert meant(store, "vessel", chat("eve")) == []
        query = MessageQuery("vessel", peer_id="cem", since=NOW + 60 * 250, until=NOW + 60 * 260)
        hits = store.search(query, None, topics().meaning("vessel"))
        assert hits
        assert {hit.message.peer_id for hit in hits} == {"cem"}
        assert all(250 <= (hit.message.created_at - NOW) / 60 < 260 for hit in hits)
        query = MessageQuery("vessel", channel_type="mail")
        assert store.search(query, None, topics().meaning("vessel")) == []


@pytest.mark.parametrize("whose", ["one message", "a peer", "all vectors"])
def test_no_byte_of_a_forgotten_vector_is_left(tmp_path: Path, whose: str) -> None:
    path = tmp_path / "conversations.sqlite"
    secret = bytes(range(1, 120))
    with ConversationStore(path) as store:
        number = said(store, chat(), "the boat")
        said(store, chat("bob"), "the dog")
        embed_all(store)
        store.submit_vectors("long", [(number, secret)]).result()
        assert any(secret in each.read_bytes() for each in tmp_path.iterdir())
        if whose == "one message":
            store.delete(number)
        elif whose == "a peer":
            store.forget("ann")
        else:
            assert store.erase_vectors() == 2
        assert store.vector_counts("long")[1] == 0
    assert not any(secret in each.read_bytes() for each in tmp_path.iterdir())


def test_an_interrupted_embedding_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    with serving() as server:
        semantics = configured({"memory": {"embeddings": {**SERVER, "base_url": server.url}}})
        assert semantics is not None
        with ConversationStore(path) as store:
            for number in range(150):
                said(store, chat(), f"boat {number}")
            assert semantics.embed_old(store) == 150 - 63
            server.status = 500
            with pytest.raises(PrefrontalError, match="answers with the error 500: .*redacted"):
                semantics.embed_old(store, 150 - 63)
            server.status = 200
        with ConversationStore(path) as store:
            embed_all(store, semantics)
            assert store.vector_counts(semantics.name) == (150, 150)
        assert len(server.texts) == 150 + 64  # those of the failure twice


def test_a_text_that_the_model_refuses_costs_the_others_nothing() -> None:
    with serving() as server, ConversationStore() as store:
        server.refused = "dog"
        semantics = configured({"memory": {"embeddings": {**SERVER, "base_url": server.url}}})
        assert semantics is not None
        for text in ("the boat", "the dog", "the city"):
            said(store, chat(), text)
        embed_all(store, semantics)
        assert store.vector_counts(semantics.name) == (3, 3)
        assert store.without_vector(semantics.name, 10) == []
        assert meant_of(store, semantics, "aurora") == ["the boat"]
        server.refused = "hello"
        said(store, chat(), "hello again")
        with pytest.raises(PrefrontalError, match="answers with the error 400: .*too long"):
            embed_all(store, semantics)
        assert store.vector_counts(semantics.name) == (4, 3)


def meant_of(store: ConversationStore, semantics: Semantics, words: str) -> list[str]:
    hits = store.search(MessageQuery(words), None, semantics.meaning(words))
    return [hit.message.content for hit in hits]


def test_another_model_takes_the_place_of_the_first() -> None:
    with ConversationStore() as store:
        said(store, chat(), "the boat")
        embed_all(store)
        other = Semantics(Doubled(), "other")
        embed_all(store, other)
        assert store.vector_counts("other") == (1, 1)
        assert store.vector_counts(MODEL) == (1, 0)
        assert meant_of(store, other, "ship") == ["the boat"]
        said(store, chat(), "the dog")
        with pytest.raises(InputError, match="must have 10 numbers as before, got 5"):
            store.submit_vectors("other", [(2, vectors.packed(vector("dog")))]).result()


class Doubled:
    """A model with longer vectors."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[*vector(text), *vector(text)] for text in texts]


def test_an_older_file_is_read_unchanged_and_brought_forward(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    database = open_database(path, application_id=APPLICATION_ID)
    migrate(database, STEPS[:2])
    database.close()
    with ConversationStore(path, read_only=True) as store:
        assert store.search(MessageQuery("boat"), None, topics().meaning("boat")) == []
        assert store.vector_counts(MODEL) == (0, 0)
    with ConversationStore(path) as store:
        said(store, chat(), "the boat")
        embed_all(store)
        assert meant(store, "ship") == ["the boat"]


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [[1.0]]])
def test_what_is_no_vector_is_refused(bad: list[float]) -> None:
    with pytest.raises(InputError, match="vector must be a list of finite numbers"):
        vectors.packed(bad)


def test_a_vector_of_zeros_is_none() -> None:
    assert vectors.packed([0.0, 0.0]) == b""
    assert vectors.packed([0.5, -1.0]) == bytes([64, 129])
