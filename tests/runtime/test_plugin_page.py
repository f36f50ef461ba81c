"""The plugin of docs/plugins.md does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

from prefrontal.plugin.hooks import hooks
from prefrontal.runtime import Runtime
from prefrontal.testing import ManualClock, ScriptedLLM, make_runtime

from ..docs.pages import blocks_of, read
from .sample_plugins import message

PAGE = "docs/plugins.md"


def example() -> str:
    """The first Python block of the page."""
    return next(block.text for block in blocks_of(PAGE) if block.language == "python")


def agent_with_example(folder: Path, model: ScriptedLLM, limit: int) -> Runtime:
    place = folder / "counter"
    place.mkdir(parents=True)
    (place / "plugin.py").write_text(example(), encoding="utf-8")
    plugins = {"folders": [str(folder)], "settings": {"counter_limit": limit}}
    return make_runtime({"plugins": plugins}, clock=ManualClock(), llm=model)


async def test_the_plugin_of_the_page_counts_tells_offers_its_tool_and_drops(
    tmp_path: Path,
) -> None:
    model = ScriptedLLM()
    runtime = agent_with_example(tmp_path, model, limit=2)
    await runtime.start()
    replies = [await runtime.receive(message(number=n)) for n in range(3)]
    tools = runtime.registry.get("tools")
    told = await tools.execute("count_messages", {})  # type: ignore[union-attr]
    await runtime.stop()
    assert [reply is None for reply in replies] == [False, False, True]
    assert "Wrote 2 times." in model.calls[1].prompt
    assert told == "alice: 3"
    assert ("info", "counter", "Heard 3 messages") in runtime.logs


def test_the_plugin_of_the_page_is_short() -> None:
    lines = [line for line in example().splitlines() if line.strip()]
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 100


def test_the_page_lists_every_hook_in_the_order_of_its_specification() -> None:
    assert re.findall(r"^\| `(\w+\.\w+)` \|", read(PAGE), re.MULTILINE) == list(hooks())
