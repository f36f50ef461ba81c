from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from prefrontal import __version__
from prefrontal.mcp.waking import MOST_EVENTS

from .served_samples import BILL, MODES, answer, asking, refusal

NAMES = [
    "assess_peer",
    "consult",
    "explain_decision",
    "get_beliefs",
    "give_feedback",
    "replay",
    "route_tool",
    "should_wake",
]


@pytest.mark.parametrize("mode", MODES)
async def test_every_tool_has_schemas_that_are_schemas_and_a_sentence(
    tmp_path: Path, mode: str
) -> None:
    async with asking(tmp_path, mode=mode) as client:
        found = (await client.list_tools()).tools
    assert sorted(each.name for each in found) == NAMES
    for each in found:
        assert each.output_schema is not None
        for schema in (each.input_schema, each.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert each.input_schema["additionalProperties"] is False
        assert each.title
        assert each.description is not None
        assert each.description.endswith(".")


async def test_the_hints_say_what_a_tool_changes(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        found = {each.name: each.annotations for each in (await client.list_tools()).tools}
    hints = {name: each for name, each in found.items() if each is not None}
    assert sorted(hints) == NAMES
    changing = [name for name, each in hints.items() if not each.read_only_hint]
    assert sorted(changing) == ["give_feedback", "route_tool", "should_wake"]
    assert hints["give_feedback"].idempotent_hint
    assert not hints["should_wake"].idempotent_hint
    assert not any(each.destructive_hint or each.open_world_hint for each in hints.values())


@pytest.mark.parametrize("mode", MODES)
async def test_the_server_says_who_it_is(tmp_path: Path, mode: str) -> None:
    async with asking(tmp_path, mode=mode) as client:
        told = client.server_info
        assert told is not None
        assert (told.name, told.version) == ("prefrontal", __version__)
        assert "should_wake" in (client.instructions or "")


@pytest.mark.parametrize("mode", MODES)
async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(
    tmp_path: Path, mode: str
) -> None:
    async with asking(tmp_path, mode=mode) as client:
        with pytest.raises(MCPError, match="name must be one of should_wake, .* got 'nap'") as told:
            await client.call_tool("nap", {})
    assert told.value.code == INVALID_PARAMS


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("should_wake", {}, "events must be given, got nothing"),
        ("should_wake", {"events": []}, "events must have at least 1 item, got []"),
        ("should_wake", {"events": [{"source": "x"}]}, "events[0].location must be given"),
        (
            "should_wake",
            {"events": [{**BILL, "magnitude": "much"}]},
            "events[0].magnitude must be a number, got 'much'",
        ),
        (
            "should_wake",
            {"events": [BILL], "modul": "invoices"},
            "arguments must be ones that the tool has, got 'modul' (did you mean 'module'?)",
        ),
        (
            "give_feedback",
            {"id": "abcd", "label": "bad"},
            "label must be 'useful', 'useless', 'right' or 'wrong', or be a number, got 'bad'",
        ),
        (
            "give_feedback",
            {"id": "abcd", "label": 2},
            "label must be 'useful', 'useless', 'right' or 'wrong', or",
        ),
        (
            "should_wake",
            {"events": [BILL] * (MOST_EVENTS + 1)},
            f"events must have at most {MOST_EVENTS} items, got [",
        ),
        ("explain_decision", {"id": "ab"}, "id must have at least 4 characters, got 'ab'"),
        ("get_beliefs", {"limit": 0}, "limit must be greater than or equal to 1, got 0"),
        ("consult", {"step": "x", "kind": "fun"}, "kind must be 'money', 'irreversible'"),
    ],
)
async def test_an_argument_that_cannot_be_is_a_sentence_for_the_model(
    tmp_path: Path, tool: str, arguments: dict[str, object], sentence: str
) -> None:
    async with asking(tmp_path) as client:
        said = refusal(await client.call_tool(tool, arguments))
    assert said.startswith(sentence)
    assert "\n" not in said
    assert "pydantic" not in said


@pytest.mark.exhaustive
async def test_many_questions_at_once_are_all_answered(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        asked = [client.call_tool("should_wake", {"events": [BILL]}) for _ in range(50)]
        found = [answer(each) for each in await asyncio.gather(*asked)]
    assert len({each["decisions"][0]["id"] for each in found}) == 50
