from __future__ import annotations

from typing import Any

from prefrontal.runtime import PluginRegistry
from prefrontal.runtime.event_log import EventLog
from prefrontal.testing import ManualClock

from .sample_plugins import plugin_class

KEY = "sk-abcdefghijklmnopqrstuvwx"


async def test_an_event_is_an_envelope_with_exactly_six_keys() -> None:
    registry = PluginRegistry(ManualClock(now=5.0), agent_id="alpha")
    await registry.emit("cortex.after_assess", {"trust": 3}, "turn-1")
    assert registry.events == [
        {
            "type": "cortex.after_assess",
            "timestamp": 5.0,
            "agent_id": "alpha",
            "sequence": 1,
            "correlation_id": "turn-1",
            "payload": {"trust": 3},
        }
    ]


async def test_the_sequence_rises_by_one_whatever_the_clock_does() -> None:
    clock = ManualClock()
    registry = PluginRegistry(clock)
    for step in (0, -3600, 10):
        clock.jump(step)
        await registry.emit("a", {})
    assert [event["sequence"] for event in registry.events] == [1, 2, 3]


async def test_secrets_never_stand_in_an_event_however_deep() -> None:
    registry = PluginRegistry()
    payload: dict[str, Any] = {"a": [{"b": f"my key {KEY}"}], KEY: ("x", KEY), "n": 1}
    await registry.emit("a", payload)
    assert KEY not in repr(registry.events)
    assert registry.events[0]["payload"]["n"] == 1
    assert payload["a"][0]["b"] == f"my key {KEY}"


async def test_listeners_and_implementers_are_both_told() -> None:
    heard: list[Any] = []
    registry = PluginRegistry()
    registry.register(plugin_class("p", {"a": lambda self, ctx: heard.append(ctx)}))
    end = registry.subscribe(lambda envelope: heard.append(envelope["payload"]))
    await registry.emit("a", {"n": 1})
    end()
    await registry.emit("a", {"n": 2})
    assert heard == [{"n": 1}, {"n": 1}, {"n": 2}]


async def test_a_listener_that_raises_costs_nobody_anything() -> None:
    heard: list[str] = []

    def broken(envelope: dict[str, Any]) -> None:
        raise RuntimeError("no")

    registry = PluginRegistry()
    registry.subscribe(broken)
    registry.subscribe(lambda envelope: heard.append(envelope["type"]))
    await registry.emit("a", {})
    assert heard == ["a"]
    assert [line[0] for line in registry.logs] == ["error"]


def test_only_the_newest_events_are_kept() -> None:
    log = EventLog("alpha", ManualClock(), capacity=2)
    for n in range(5):
        log.add("a", {"n": n}, None)
    assert [event["payload"]["n"] for event in log.kept] == [3, 4]
