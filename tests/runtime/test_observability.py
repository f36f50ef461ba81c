from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import PluginError
from prefrontal.runtime import Runtime
from prefrontal.runtime.plugins.observability import ObservabilityPlugin
from prefrontal.testing import ManualClock

KEY = "sk-abcdefghijklmnopqrstuvwx"


async def observed(**settings: Any) -> tuple[Runtime, ObservabilityPlugin]:
    plugin = ObservabilityPlugin()
    config = {"observability": settings, "identity": {"name": "alpha"}}
    runtime = Runtime(config, clock=ManualClock(now=9.0), plugins=[plugin])
    await runtime.start()
    return runtime, plugin


async def test_every_announcement_is_kept_in_its_envelope() -> None:
    runtime, plugin = await observed()
    await runtime.registry.emit("cortex.after_assess", {"trust": 3}, "c1")
    await runtime.registry.emit("cron.after_job", {"job": "x"})
    assert plugin.events == runtime.events
    assert plugin.events[0] == {
        "type": "cortex.after_assess",
        "timestamp": 9.0,
        "agent_id": "alpha",
        "sequence": 1,
        "correlation_id": "c1",
        "payload": {"trust": 3},
    }
    await runtime.stop()


async def test_judgments_of_both_authors_and_reflections_are_told_apart_from_the_rest() -> None:
    runtime, plugin = await observed()
    judgments = ["ledger.after_assess", "cortex.after_assess", "cortex.after_reflect"]
    for point in (*judgments, "ledger.after_record"):
        await runtime.registry.emit(point, {})
    assert [event["type"] for event in plugin.judgments] == judgments
    await runtime.stop()


async def test_only_wanted_events_and_only_the_newest_are_kept() -> None:
    runtime, plugin = await observed(capacity=2, events=["a"])
    for n in range(4):
        await runtime.registry.emit("a", {"n": n})
        await runtime.registry.emit("b", {"n": n})
    assert [event["payload"]["n"] for event in plugin.events] == [2, 3]
    await runtime.stop()


async def test_events_are_appended_to_a_file_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for n in range(2):
        runtime, _ = await observed(file=str(path))
        await runtime.registry.emit("a", {"n": n, "text": f"key {KEY}"})
        await runtime.stop()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["payload"]["n"] for line in lines] == [0, 1]
    assert KEY not in path.read_text(encoding="utf-8")


async def test_after_the_end_nothing_is_kept() -> None:
    runtime, plugin = await observed()
    await runtime.stop()
    await runtime.registry.emit("a", {})
    assert plugin.events == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"capacity": 0}, "observability.capacity must be at least 1, got 0"),
        ({"capacity": "many"}, "capacity must be at least 1, got 'many'"),
        ({"events": "all"}, "observability.events must be a list, got 'all'"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings: Any, words: str) -> None:
    with pytest.raises(PluginError, match=words):
        Runtime({"observability": settings}, plugins=[ObservabilityPlugin()])


async def test_a_file_that_cannot_be_written_is_told_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"observability.file cannot be written"):
        await observed(file=str(tmp_path / "nowhere" / "events.jsonl"))
