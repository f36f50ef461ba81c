"""The provider `replay`: a folder of recorded replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.errors import PrefrontalError, SourceError
from prefrontal.plugin import LLMResponse, ToolCall
from prefrontal.runtime.models.replay import ReplayModel
from prefrontal.runtime.models.scripted import ScriptedModel

ASK = [{"role": "user", "content": "?"}]
TOOLS = [{"type": "function", "function": {"name": "look"}}]


async def recorded(folder: Path) -> LLMResponse:
    call = {"name": "look", "arguments": {"at": 1}}
    usage = {"prompt_tokens": 4, "completion_tokens": 2}
    inner = ScriptedModel([{"text": "one", "tool_calls": [call], "usage": usage, "model": "m"}])
    return await ReplayModel(folder, inner).chat(ASK, TOOLS, max_tokens=9)


async def test_what_was_recorded_is_answered_offline_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "cassette"
    first = await recorded(folder)
    again = await ReplayModel(folder).chat(ASK, TOOLS, max_tokens=9)
    assert again == first
    assert again == LLMResponse(
        "one",
        (ToolCall("call-0-0", "look", {"at": 1}),),
        "m",
        {"prompt_tokens": 4, "completion_tokens": 2},
    )
    assert len(list(folder.iterdir())) == 1


async def test_another_question_has_no_reply(tmp_path: Path) -> None:
    await recorded(tmp_path)
    model = ReplayModel(tmp_path)
    with pytest.raises(SourceError, match=r"has no reply to this request \([0-9a-f]{64}\.json\)"):
        await model.chat([{"role": "user", "content": "??"}], TOOLS, max_tokens=9)
    for told in ({"tools": None}, {"max_tokens": 10}, {"model": "other"}):
        with pytest.raises(SourceError, match="has no reply"):
            await model.chat(ASK, **{"tools": TOOLS, "max_tokens": 9, **told})  # type: ignore[arg-type]


async def test_a_known_question_is_not_asked_again(tmp_path: Path) -> None:
    inner = ScriptedModel(["one"])
    model = ReplayModel(tmp_path, inner)
    assert (await model.chat(ASK)).content == (await model.chat(ASK)).content == "one"
    assert len(inner.asked) == 1


async def test_the_recorded_model_is_held_to_the_schema_too(tmp_path: Path) -> None:
    schemas: list[object] = []

    class Model:
        async def chat(
            self,
            messages: object,
            tools: object = None,
            model: str | None = None,
            max_tokens: int = 2048,
            output_schema: object = None,
        ) -> LLMResponse:
            schemas.append(output_schema)
            return LLMResponse("{}")

    await ReplayModel(tmp_path, Model()).chat(ASK, output_schema={"type": "object"})
    assert schemas == [{"type": "object"}]


async def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    model = ReplayModel(tmp_path, ScriptedModel([{"error": "no"}, "yes"]))
    with pytest.raises(PrefrontalError, match="^no$"):
        await model.chat(ASK)
    assert (await model.chat(ASK)).content == "yes"


async def test_no_secret_stands_in_a_recording(tmp_path: Path) -> None:
    ask = [{"role": "user", "content": "my password: hunter2hunter2 is old"}]
    inner = ScriptedModel(["keep sk-abcdefghijklmnopqrst safe"])
    await ReplayModel(tmp_path, inner).chat(ask)
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    assert "hunter2" not in text
    assert "abcdefgh" not in text
    assert json.loads(text)["request"]["messages"][0]["role"] == "user"
    assert (await ReplayModel(tmp_path).chat(ask)).content == "keep [redacted] safe"


@pytest.mark.parametrize(
    "content",
    [
        *("", "{}", "[]", "[" * 5000, '{"reply": 5}', '{"reply": {"content": "x"}}', "\udcff"),
        '{"reply": {"content": "", "tool_calls": [5], "model": "", "usage": {}}}',
        '{"reply": {"content": "", "tool_calls": [], "model": "", "usage": {"a": "b"}}}',
    ],
)
async def test_a_damaged_recording_is_a_sentence(tmp_path: Path, content: str) -> None:
    await recorded(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(SourceError, match=f"{file.name} must hold a recorded reply"):
        await ReplayModel(tmp_path).chat(ASK, TOOLS, max_tokens=9)


async def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="cannot be"):
        await ReplayModel(tmp_path / "file" / "x", ScriptedModel(["one"])).chat(ASK)


async def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    await recorded(tmp_path / "kept")
    [file] = (tmp_path / "kept").iterdir()
    file.unlink()
    file.mkdir()
    with pytest.raises(SourceError, match=r"\.json cannot be read: Is a directory"):
        await ReplayModel(tmp_path / "kept").chat(ASK, TOOLS, max_tokens=9)
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match=r"\.json cannot be read: Not a directory"):
        await recorded(tmp_path / "file" / "below")
