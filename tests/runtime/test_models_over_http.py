"""One question, and one reflection, through a real server of the OpenAI chat API."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import IncomingMessage
from prefrontal.runtime.model_reflector import ModelReflector
from prefrontal.runtime.models.remote_model import RemoteModel
from prefrontal.runtime.models.settings import ModelSettings
from prefrontal.testing import ManualClock, make_runtime

from .llama_server import serving_model
from .tiny_model import write_random_model, write_taught_model

pytestmark = pytest.mark.skipif(  # importing takes a second in each process that collects
    not all(map(find_spec, ("pydantic_ai", "openai", "gguf", "xllamacpp"))),
    reason="needs the extras llm and server",
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "trust": {"type": "integer", "minimum": -10, "maximum": 10},
        "peers": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"enum": ["al", "bo"]}},
        "why": {"type": "string", "minLength": 3, "maxLength": 12},
    },
    "required": ["trust", "peers", "why"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@asynccontextmanager
async def model_at(address: str) -> AsyncIterator[RemoteModel]:
    settings = ModelSettings(model="tiny", base_url=address, timeout_seconds=20)
    model = RemoteModel("openai-compatible", settings)
    try:
        yield model
    finally:
        await model.close()


@pytest.mark.parametrize("seed", [0, 1, 2])
async def test_a_server_holds_a_model_of_random_weights_to_the_schema(
    tmp_path: Path, seed: int
) -> None:
    write_random_model(tmp_path / "random.gguf", seed)
    with serving_model(tmp_path / "random.gguf") as address:
        async with model_at(address) as model:
            answer = await model.chat(
                [{"role": "user", "content": "Judge them."}], output_schema=SCHEMA, max_tokens=2000
            )
    said = json.loads(answer.content)
    assert set(said) == {"trust", "peers", "why"}
    assert said["trust"] in range(-10, 11)
    assert len(said["peers"]) == 2
    assert set(said["peers"]) <= {"al", "bo"}
    assert 3 <= len(said["why"]) <= 12
    assert answer.tokens_in > 0
    assert answer.tokens_out > 0


async def test_a_reflection_goes_through_a_server_and_back(tmp_path: Path) -> None:
    reply = json.dumps({"trust": 3, "peers": ["al", "bo"], "why": "on time"})
    write_taught_model(tmp_path / "taught.gguf", reply)
    with serving_model(tmp_path / "taught.gguf") as address:
        async with model_at(address) as model:
            reflector = ModelReflector(lambda: model, ManualClock(), schema=SCHEMA)
            answer = await reflector.reflect(
                task="Judge them.",
                context={"peers": [{"peer_id": "al", "recent": [{"preview": "hällo"}] * 20}]},
                system_prompt="You reflect.",
                timeout_s=30,
                max_tokens=500,
            )
    assert json.loads(answer.text) == json.loads(reply)
    assert answer.tokens_in is not None
    assert answer.tokens_in > 100
    assert answer.tokens_out is not None


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "told",
    [
        {"provider": "openai-compatible"},
        {"provider": "rules", "cortex": {"llm_provider": "openai-compatible"}},
    ],
    ids=["through the subagent", "through a client of its own"],
)
async def test_the_cortex_of_a_whole_agent_reflects_through_a_server(
    tmp_path: Path, told: dict[str, Any]
) -> None:
    judged = {"peer_id": "alice", "rationale": "kept 5 of 5 promises", "trust": 7}
    held = {"key": "alice-delivers", "value": "on time, always", "rationale": "5 reports"}
    reply = {"assessments": [judged], "beliefs": [held], "summary": "Alice delivers."}
    write_taught_model(tmp_path / "taught.gguf", json.dumps(reply))
    clock = ManualClock()
    with serving_model(tmp_path / "taught.gguf") as address:
        llm = {"model": "tiny", "base_url": address, "timeout_seconds": 30}
        agent = make_runtime({**told, "llm": llm}, clock=clock, workspace=tmp_path / "agent")
        await agent.start()
        for number in range(5):
            await agent.receive(message(f"Report {number} is done.", number, clock.now()))
            clock.advance(60)
        await agent.tick()
        await agent.stop()
    announced = {event["type"]: event["payload"] for event in agent.events}
    assert announced["cortex.after_assess"]["trust"] == 3
    assert announced["cortex.after_assess"]["rationale"] == "kept 5 of 5 promises"
    assert announced["cortex.after_reflect"]["summary"] == "Alice delivers."
    assert announced["cortex.audit"]["tokens_in"] > 500
    assert announced["cortex.audit"]["tokens_out"] >= 5


def message(text: str, number: int, now: float) -> IncomingMessage:
    when = datetime.fromtimestamp(now, tz=UTC)
    return IncomingMessage(str(number), "terminal", "main", "alice", "Alice", text, when)
