"""What was said is searched and opened on the page, as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from prefrontal.assembly.agent_records import AgentRecords
from prefrontal.http_door import Door
from prefrontal.runtime.conversation.models import NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore, conversations_path
from prefrontal.web.app import build_dash

from .dash_samples import HOSTILE, NOON, shown_in

BASE = "http://127.0.0.1:8768"
WORDS = "x-prefrontal-words"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shown_in(tmp_path) as context:
        folder = context.records.folder
        folder.mkdir(parents=True, exist_ok=True)
        with ConversationStore(conversations_path(folder)) as store:
            for peer, text in (("ann", "The boat is called Aurora"), (HOSTILE, f"boat {HOSTILE}")):
                viewer = Viewer(peer, "web", peer)
                turn = store.submit(NewMessage(viewer, "in", text, NOON)).result()
                answer = NewMessage(viewer, "out", "a\nb <i>c</i> " + "d" * 900, NOON, turn)
                store.submit(answer).result()
        with TestClient(build_dash(context, Door()).app, base_url=BASE) as client:
            yield client


def test_words_and_a_peer_find_what_was_said(client: TestClient) -> None:
    found = client.get("/conversations", params={"words": "boat", "peer": "ann"})
    assert found.headers[WORDS] == "Messages that fit: 1."
    assert "The boat is called Aurora" in found.text
    assert "<bdi>ann</bdi>" in found.text
    assert client.get("/conversations").headers[WORDS] == "Messages that fit: 4."
    day = {"since": "2023-11-16", "until": "2023-11-16"}
    assert client.get("/conversations", params=day).headers[WORDS] == "Nothing that was said fits."


def test_a_message_is_opened_whole_between_its_neighbours(client: TestClient) -> None:
    found = client.get("/conversations", params={"id": "2"})
    assert found.text.count("<li class") == 2
    assert f"a<br>b &lt;i&gt;c&lt;/i&gt; {'d' * 900}" in found.text


def test_what_strangers_wrote_stays_text(client: TestClient) -> None:
    found = client.get("/conversations", params={"words": "boat"})
    assert found.text.count("boat") == 2
    assert "<img" not in found.text
    assert "\u202e" not in found.text


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"id": "99"}, "id must be that of a message that is kept"),
        ({"id": "<b>"}, "id must be"),
        ({"since": "<b>soon"}, "since must be a date"),
    ],
)
def test_a_slip_is_a_sentence(client: TestClient, query: dict[str, str], sentence: str) -> None:
    found = client.get("/conversations", params=query)
    assert found.status_code == 422
    assert sentence in found.headers[WORDS]
    assert "<b>" not in found.text


def test_before_anything_was_said_nothing_fits(tmp_path: Path) -> None:
    with (
        shown_in(tmp_path) as context,
        TestClient(build_dash(context, Door()).app, base_url=BASE) as client,
    ):
        found = client.get("/conversations", params={"words": "x"})
    assert (found.status_code, found.headers[WORDS]) == (200, "Nothing that was said fits.")


def test_where_a_model_is_configured_meaning_counts(tmp_path: Path) -> None:
    function = {"provider": "function", "model": "tests.runtime.embedding_server:vectors"}
    config = {"memory": {"embeddings": function}}
    with shown_in(tmp_path) as plain:
        context = replace(plain, records=AgentRecords(tmp_path, config))
        with ConversationStore(conversations_path(tmp_path)) as store:
            viewer = Viewer("ann", "web", "ann")
            store.submit(NewMessage(viewer, "in", "The boat is called Aurora", NOON)).result()
            semantics = context.records.semantics
            assert semantics is not None
            semantics.embed_old(store)
        with TestClient(build_dash(context, Door()).app, base_url=BASE) as client:
            found = client.get("/conversations", params={"words": "ship"})
            assert found.headers[WORDS] == "Messages that fit: 1."
        records = AgentRecords(tmp_path, {"memory": {"embeddings": {**function, "model": "no:t"}}})
        with TestClient(
            build_dash(replace(context, records=records), Door()).app, base_url=BASE
        ) as client:
            found = client.get("/conversations", params={"words": "ship"})
            assert "Nothing that was said fits. Searched by words alone:" in found.headers[WORDS]
