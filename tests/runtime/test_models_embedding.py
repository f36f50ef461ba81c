"""Embedding models: the settings, the server, the packages."""

from __future__ import annotations

import socket
import sys
from importlib import import_module
from pathlib import Path

import pytest

from prefrontal.errors import InputError, PrefrontalError
from prefrontal.routing.prompt.vectors import cosine
from prefrontal.runtime.models.embedding import (
    EmbeddingSettings,
    RefusedTextError,
    RemoteEmbedder,
    WordLlamaEmbedder,
    choose_embedder,
    embedding_settings,
)

from .embedding_server import serving, vector

SERVER = {"provider": "openai-compatible", "model": "small", "base_url": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"embeddings": {"provider": "magic"}}, "memory.embeddings.provider must be one of"),
        ({"embeddings": {"provider": "function"}}, "memory.embeddings.model must name the model"),
        (
            {"embeddings": {"provider": "wordllama", "model": "big"}},
            "memory.embeddings.model must be left out for the provider 'wordllama', got 'big'",
        ),
        (
            {"embeddings": {"provider": "openai-compatible", "model": "small"}},
            "memory.embeddings.base_url must be the address of the server",
        ),
        (
            {"embeddings": {**SERVER, "least_similarity": 2}},
            "memory.embeddings.least_similarity must be a number in -1..1, got 2",
        ),
        (
            {"embedding": {}},
            "memory must have only known keys, got 'embedding' (did you mean 'embeddings'?)",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused(section: object, sentence: str) -> None:
    with pytest.raises(InputError) as refusal:
        embedding_settings(section)
    assert sentence in str(refusal.value)


def test_nothing_is_embedded_unless_configured() -> None:
    assert choose_embedder(embedding_settings(None)) is None


def test_the_server_is_asked_as_openai_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBED_KEY", "sesame-sesame")
    with serving() as server:
        section = {**SERVER, "base_url": server.url, "api_key_env": "EMBED_KEY"}
        settings = embedding_settings({"embeddings": section})
        assert RemoteEmbedder(settings).embed(["my boat", "x"]) == [vector("my boat"), vector("x")]
        [(headers, body)] = server.requests
        assert headers["authorization"] == "Bearer sesame-sesame"
        assert body == {"model": "small", "input": ["my boat", "x"]}


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, PrefrontalError, "the embedding model 'small' at http.*answers with the error 401"),
        (302, PrefrontalError, "answers with the error 302"),
        (413, RefusedTextError, "answers with the error 413: .*redacted"),
    ],
)
def test_a_failure_of_the_server_is_a_sentence(
    status: int, kind: type[Exception], words: str
) -> None:
    with serving() as server:
        server.status = status
        settings = embedding_settings({"embeddings": {**SERVER, "base_url": server.url}})
        with pytest.raises(kind, match=words) as failure:
            RemoteEmbedder(settings).embed(["boat"])
        assert type(failure.value) is kind
    with pytest.raises(PrefrontalError, match="'small' at http://.* cannot be read"):
        RemoteEmbedder(settings).embed(["boat"])


def test_an_answer_without_the_vectors_is_refused() -> None:
    embedder = RemoteEmbedder(embedding_settings({"embeddings": SERVER}))
    for body in (b"{}", b"nonsense", b'{"data": [{"index": 0, "embedding": ["x"]}]}', b"[]"):
        with pytest.raises(PrefrontalError, match="must answer with 1 vectors, got: "):
            embedder._vectors(body, 1)


def test_a_missing_key_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMBED_KEY", raising=False)
    settings = embedding_settings({"embeddings": {**SERVER, "api_key_env": "EMBED_KEY"}})
    with pytest.raises(PrefrontalError, match="EMBED_KEY must be set to the model's key"):
        choose_embedder(settings)


def test_a_function_that_is_not_there_is_refused() -> None:
    for name in ("nothing", "nowhere.at_all:f", "json:nothing"):
        settings = EmbeddingSettings("function", name)
        with pytest.raises(InputError, match="memory.embeddings.model must name a function as"):
            choose_embedder(settings)


def test_a_package_on_this_machine_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for sentence-transformers; the benchmark uses the real one."""
    (tmp_path / "sentence_transformers.py").write_text(
        "class SentenceTransformer:\n"
        "    def __init__(self, name):\n"
        "        if name == 'none':\n"
        "            raise OSError('no such model')\n"
        "    def encode(self, texts, show_progress_bar):\n"
        "        return [[float(len(text))] for text in texts]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    embedder = choose_embedder(EmbeddingSettings("sentence-transformers", "tiny"))
    assert embedder is not None
    assert embedder.embed(["abc", "x"]) == [[3.0], [1.0]]
    broken = choose_embedder(EmbeddingSettings("sentence-transformers", "none"))
    assert broken is not None
    with pytest.raises(PrefrontalError, match="must name a model or a folder of one, got 'none'"):
        broken.embed(["abc"])
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)


def test_a_package_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = choose_embedder(EmbeddingSettings("sentence-transformers", "tiny"))
    assert embedder is not None
    with pytest.raises(PrefrontalError, match="pip install sentence-transformers"):
        embedder.embed(["abc"])


def test_wordllama_knows_what_words_mean_without_a_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setenv("HOME", str(tmp_path))
    model = choose_embedder(embedding_settings({"embeddings": {"provider": "wordllama"}}))
    assert model is not None
    flight, plane, table = model.embed(["a cheap flight", "tickets for a plane", "sort the rows"])
    assert len(flight) == len(plane) == 256
    assert cosine(flight, plane) > 0.3 > 0.2 > cosine(flight, table)
    assert list(tmp_path.iterdir()) == []


def test_what_wordllama_lacks_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(PrefrontalError, match=r"pip install 'prefrontal\[embeddings\]'"):
        WordLlamaEmbedder().embed(["boat"])
    monkeypatch.undo()
    wordllama = import_module("wordllama")

    def lost(**_: object) -> None:
        raise FileNotFoundError("weights.safetensors is not there")

    monkeypatch.setattr(wordllama.WordLlama, "load", lost)
    with pytest.raises(PrefrontalError, match="cannot be loaded: weights.safetensors is not there"):
        WordLlamaEmbedder().embed(["boat"])
