from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.agent import build_runtime
from prefrontal.errors import InputError
from prefrontal.plugin import PluginError
from prefrontal.runtime import Runtime
from prefrontal.runtime.plugins.config import ConfigPlugin
from prefrontal.testing import ManualClock, ScriptedLLM

from ..runtime.sample_plugins import message, plugin_class
from ..runtime.test_discovery import write

QUIET = {"logging": {"level": "off"}}


def built(config: Any = None, **options: Any) -> Runtime:
    return build_runtime({**QUIET, **(config or {})}, clock=ManualClock(), **options)


def ids(runtime: Runtime) -> list[str]:
    return runtime.registry.list_plugins()


def test_all_that_comes_along_is_put_together_in_its_order() -> None:
    order = ids(built())
    assert order[0] == "config"
    assert order[-1] == "loop"
    for earlier, later in [
        *(("memory-files", "session"), ("memory", "ledger"), ("ledger", "cortex")),
        *(("soul", "cortex"), ("cortex", "subagent"), ("cron", "heartbeat")),
    ]:
        assert order.index(earlier) < order.index(later), (earlier, later)


def test_the_ledger_stands_before_the_cortex_in_the_prompt() -> None:
    found = built().registry.get_implementations("loop.transform_system_prompt")
    order = [plugin_id for plugin_id, _, _ in found]
    assert order.index("ledger") < order.index("cortex")


def test_without_a_model_configured_the_rules_answer() -> None:
    found = built().registry.get_by_capability("llm")
    assert found is not None
    assert found.meta.id == "rules"


def test_an_unknown_model_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="provider must be one of rules.*got 'oracle'"):
        built({"provider": "oracle"})


def test_a_given_model_stands_in_the_place_of_the_configured_one() -> None:
    runtime = built({"provider": "oracle"}, llm=ScriptedLLM())
    assert [each.meta.id for each in runtime.registry.all_with_capability("llm")] == ["given-llm"]


def test_a_plugin_can_be_disabled() -> None:
    runtime = built({"plugins": {"disabled": ["cortex", "heartbeat"]}})
    assert not {"cortex", "heartbeat"} & set(ids(runtime))
    assert "ledger" in ids(runtime)


def test_a_plugin_that_another_needs_cannot_be_disabled_alone() -> None:
    with pytest.raises(PluginError, match="cortex must have the plugin 'ledger'"):
        built({"plugins": {"disabled": ["ledger"]}})


def test_the_core_cannot_be_disabled() -> None:
    with pytest.raises(PluginError, match="must not name a plugin of the core, got 'loop'"):
        built({"plugins": {"disabled": ["loop"]}})


@pytest.mark.parametrize("name", ["enabled", "disabled", "external", "folders"])
def test_lists_of_plugins_must_be_lists(name: str) -> None:
    with pytest.raises(PluginError, match=f"plugins.{name} must be a list, got 'cortex'"):
        built({"plugins": {name: "cortex"}})


@pytest.mark.parametrize("told", [{"disabled": 3}, "cortex", ["cortex"]])
def test_a_section_of_plugins_that_is_none_is_a_sentence(told: object) -> None:
    with pytest.raises(PluginError, match=r"plugins(\.disabled)? must be a (list|mapping), got "):
        built({"plugins": told})


def test_plugins_of_configured_folders_are_taken(tmp_path: Path) -> None:
    write(tmp_path, "mine")
    write(tmp_path, "broken", "raise RuntimeError('at import')")
    runtime = built({"plugins": {"folders": [str(tmp_path)]}})
    assert "mine" in ids(runtime)
    (line,) = [line for line in runtime.logs if line[1] == "discovery"]
    assert line[0] == "warn"
    assert "broken" in line[2]


def test_the_usual_folders_are_looked_into_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "home" / ".prefrontal" / "plugins", "at-home")
    write(tmp_path / "here" / "plugins", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    assert not {"at-home", "here"} & set(ids(built()))
    assert {"at-home", "here"} <= set(ids(built(discover=True)))


def test_a_channel_is_one_more_plugin() -> None:
    runtime = built(channels=[plugin_class("pigeon", capabilities=["channel"])()])
    assert runtime.registry.all_with_capability("channel")[0].meta.id == "pigeon"


def test_the_workspace_is_the_told_one_then_that_of_the_configuration(tmp_path: Path) -> None:
    told = built({"workspace": "/elsewhere"}, workspace=tmp_path / "told")
    configured = built({"workspace": str(tmp_path / "configured")})
    assert told.config["workspace"] == str(tmp_path / "told")
    assert configured.config["workspace"] == str(tmp_path / "configured")


def test_a_running_agent_has_the_workspace_of_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "home"))
    assert built(background=True).config["workspace"] == str(tmp_path / "home")


async def test_a_workspace_that_cannot_be_made_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    runtime = built(workspace=tmp_path / "file")
    with pytest.raises(PluginError, match=r"got '.*/file': File exists$"):
        await runtime.start()


def test_the_configuration_handed_in_stays_as_it_was() -> None:
    config = {**QUIET, "identity": {"name": "Alpha"}}
    build_runtime(config, clock=ManualClock())
    assert config == {**QUIET, "identity": {"name": "Alpha"}}


def test_a_plugin_that_knows_the_files_takes_the_place_of_the_usual_one() -> None:
    mine = ConfigPlugin()
    assert built(config_plugin=mine).registry.get("config") is mine


def test_an_agent_can_start_again_in_a_new_event_loop(tmp_path: Path) -> None:
    job = {"name": "report", "schedule": "1h", "prompt": "x"}
    config = {"cron": {"jobs": [job]}, "heartbeat": {"enabled": True}}
    runtime = built({**config, "observability": {"file": str(tmp_path / "events")}})
    threads = set(threading.enumerate())
    asyncio.run(runtime.start())

    async def again() -> None:
        await runtime.registry.restart_all()
        assert await runtime.receive(message()) is not None
        await runtime.stop()

    asyncio.run(again())
    assert len((tmp_path / "events").read_text().splitlines()) == len(runtime.events) > 0
    assert set(threading.enumerate()) <= threads
