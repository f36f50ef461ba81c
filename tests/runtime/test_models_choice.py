"""From the configuration to a model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.plugin import PluginError
from prefrontal.runtime.models import KNOWN, Models, create_model, name_of
from prefrontal.runtime.models.choice import choose
from prefrontal.runtime.models.settings import ModelSettings, model_settings
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.testing import ManualClock

ASK = [{"role": "user", "content": "hello"}]


async def started(provider: str, **config: Any) -> PluginRegistry:
    registry = PluginRegistry(ManualClock())
    registry.register(create_model(provider))
    registry.configure_all(config)
    await registry.start_all()
    return registry


async def test_the_model_is_a_plugin_with_the_name_of_the_provider() -> None:
    registry = await started("rules")
    plugin: Any = registry.get_by_capability("llm")
    assert plugin.meta.id == name_of(plugin) == "rules"
    assert (await plugin.chat(ASK)).model == "rules"
    await registry.stop_all()
    assert {create_model(name).meta.id for name in KNOWN} == set(KNOWN)


def test_a_model_that_nobody_knows_is_refused_with_those_that_are() -> None:
    sentence = (
        "provider must be one of rules, openai-compatible, anthropic, google, replay, scripted, "
        "got 'gpt-4'"
    )
    for make in (create_model, lambda name: choose(name, ModelSettings())):
        with pytest.raises(InputError) as raised:
            make("gpt-4")
        assert str(raised.value) == sentence


async def test_scripted_replies_come_from_the_configuration() -> None:
    registry = await started("scripted", llm={"replies": ["hi"], "repeat": True})
    plugin: Any = registry.get("scripted")
    assert [(await plugin.chat(ASK)).content for _ in range(2)] == ["hi", "hi"]
    await registry.stop_all()


async def test_a_cassette_lies_in_the_workspace_and_may_be_recorded(tmp_path: Path) -> None:
    llm = {"cassette": "tapes", "record": "rules"}
    registry = await started("replay", llm=llm, workspace=str(tmp_path))
    plugin: Any = registry.get("replay")
    first = await plugin.chat(ASK)
    assert len(list((tmp_path / "tapes").iterdir())) == 1
    await registry.stop_all()
    registry = await started("replay", llm={"cassette": "tapes"}, workspace=str(tmp_path))
    later: Any = registry.get("replay")
    assert await later.chat(ASK) == first
    await registry.stop_all()


@pytest.mark.parametrize(
    ("provider", "llm", "sentence"),
    [
        ("replay", {}, r"llm\.cassette must name a folder"),
        ("replay", {"cassette": "x", "record": "replay"}, r"llm\.record must be another provider"),
        ("scripted", {"replies": [5]}, r"llm\.replies\[0\] must be a text"),
        ("openai-compatible", {}, r"llm\.model must name the model"),
        ("rules", {"retries": -1}, r"llm\.retries must be a whole number in 0\.\.10, got -1"),
    ],
)
async def test_settings_that_a_model_cannot_do_with_keep_the_agent_from_starting(
    provider: str, llm: Any, sentence: str
) -> None:
    with pytest.raises(PluginError, match=sentence):
        await started(provider, llm=llm)


async def test_models_are_made_once_and_the_main_one_is_the_agents() -> None:
    registry = await started("rules", llm={"replies": ["a"]})
    models = Models({"llm": {"replies": ["a"]}}, registry)
    main: Any = registry.get("rules")
    assert all(models.get(name) is main for name in (None, "", "main", "subagent", "rules"))
    assert models.get("scripted") is models.get("scripted")
    with pytest.raises(InputError, match="provider must be one of"):
        models.get("other")
    await models.close()
    assert Models({}, PluginRegistry()).get() is None


def test_the_settings_have_defaults_and_are_checked() -> None:
    assert model_settings(None) == model_settings({}) == ModelSettings()
    assert (ModelSettings().retries, ModelSettings().output) == (0, "native")
    assert model_settings({"timeout_seconds": 5}).timeout_seconds == 5


@pytest.mark.parametrize(
    ("llm", "sentence"),
    [
        ([], "llm must be a mapping"),
        ({"modell": "x"}, r"only known keys, got 'modell' \(did you mean 'model'\?\); known"),
        ({"max_tokens": 0}, r"llm\.max_tokens must be a whole number above 0, got 0"),
        ({"max_tokens": True}, r"llm\.max_tokens must be a whole number"),
        ({"timeout_seconds": float("nan")}, r"llm\.timeout_seconds must be a number of seconds"),
        ({"timeout_seconds": "5"}, r"llm\.timeout_seconds must be a number of seconds"),
        ({"output": "xml"}, r"llm\.output must be one of native, prompted, text"),
        ({"base_url": "localhost:8080"}, r"llm\.base_url must start with http:// or https://"),
        ({"replies": "x"}, r"llm\.replies must be a list"),
        ({"repeat": 1}, r"llm\.repeat must be true or false"),
        ({"model": 5}, r"llm\.model must be a string, got 5"),
    ],
)
def test_a_setting_that_breaks_its_rule_is_named(llm: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        model_settings(llm)


def test_choosing_imports_no_model_library() -> None:
    code = (
        "import sys; from prefrontal.runtime.models import create_model; create_model('rules');"
        "create_model('openai-compatible');"
        "sys.exit(any(name in sys.modules for name in ('pydantic_ai', 'openai', 'httpx2')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
