"""Search by meaning in a running agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import PluginError
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.testing import ScriptedLLM

from ..agents import agent
from ..embedding_server import EmbeddingServer, serving
from ..sample_plugins import message
from .test_plugin import talk, use

NAME = "openai-compatible:small"


def settings(server: EmbeddingServer, folder: Path) -> dict[str, Any]:
    embeddings = {"provider": "openai-compatible", "model": "small", "base_url": server.url}
    return {"workspace": str(folder), "memory": {"embeddings": embeddings}}


def results(model: ScriptedLLM) -> list[str]:
    [result] = [each for each in model.calls[-1].messages if each["role"] == "tool"]
    return [each["text"] for each in json.loads(result["content"])]


async def test_what_was_said_is_found_by_what_it_means(tmp_path: Path) -> None:
    with serving() as server:
        model = ScriptedLLM(["Noted.", "Noted."])
        runtime = agent(model, **settings(server, tmp_path))
        await talk(runtime, message("we settled in Ghent"), message("it rains", number=2))
        assert sorted(server.texts) == sorted(["we settled in Ghent", "it rains", *["Noted."] * 2])
        model = ScriptedLLM([use("conversation_search", query="which city?"), "Ghent."])
        await talk(agent(model, **settings(server, tmp_path)), message("my place?", number=3))
        assert results(model) == ["we settled in Ghent"]


async def test_a_server_that_fails_leaves_the_words_and_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        server.status = 503
        model = ScriptedLLM(["ok", "ok", use("conversation_search", query="rains"), "It does."])
        runtime = agent(model, logging={"level": "warn"}, **settings(server, tmp_path))
        await talk(
            runtime, message("it rains"), message("and more", number=2), message("so?", number=3)
        )
        assert results(model) == ["it rains"]
        assert len(server.requests) > 1
    [line] = capsys.readouterr().err.splitlines()
    assert "are searched by words alone: the embedding model 'small' at http://" in line
    assert "answers with the error 503" in line


async def test_what_a_failure_left_is_embedded_at_the_next_start(tmp_path: Path) -> None:
    with serving() as server:
        first = agent(ScriptedLLM(["Noted."]), **settings(server, tmp_path))
        await talk(first, message("the boat"))
        server.status = 503
        second = agent(ScriptedLLM(["Noted."]), **settings(server, tmp_path))
        await talk(second, message("the dog", number=2))
        with ConversationStore(tmp_path / "conversations.sqlite", read_only=True) as store:
            assert store.vector_counts(NAME) == (4, 2)
        server.status = 200
        await talk(agent(ScriptedLLM(), **settings(server, tmp_path)))
        with ConversationStore(tmp_path / "conversations.sqlite", read_only=True) as store:
            assert store.vector_counts(NAME) == (4, 4)


async def test_what_was_said_before_the_model_was_configured_waits_for_the_command(
    tmp_path: Path,
) -> None:
    await talk(agent(ScriptedLLM(["Hm."]), workspace=str(tmp_path)), message("the boat"))
    with serving() as server:
        await talk(
            agent(ScriptedLLM(["Hm."]), **settings(server, tmp_path)), message("a dog", number=2)
        )
        assert sorted(server.texts) == ["Hm.", "a dog"]


def test_unusable_settings_end_the_start() -> None:
    with pytest.raises(PluginError, match="memory.embeddings.model must name the model"):
        agent(ScriptedLLM(), memory={"embeddings": {"provider": "function"}})
