"""What a plugin is, before anything runs it."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.clock import SystemClock
from prefrontal.plugin import Plugin, PluginError, PluginMeta


class Quiet(Plugin):
    meta = PluginMeta(id="a-rather-long-name", version="1")

    async def start(self) -> None: ...
    async def stop(self) -> None: ...


@pytest.mark.parametrize(("field", "value"), [("id", ""), ("id", "  "), ("version", ""), ("id", 3)])
def test_id_and_version_must_say_something(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{field} must be a non-empty string, got {value!r}"):
        PluginMeta(**{"id": "a", "version": "1", field: value})


def test_the_defaults_are_those_of_a_plugin_that_needs_nothing() -> None:
    meta = PluginMeta("a", "1")
    assert (meta.priority, list(meta.capabilities), dict(meta.implements)) == (50, [], {})


def test_before_its_start_a_plugin_has_no_registry() -> None:
    with pytest.raises(PluginError, match="a-rather-long-name must be started before"):
        _ = Quiet().registry
    assert isinstance(Quiet().clock, SystemClock)


def test_without_a_registry_the_log_goes_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plugin = Quiet()
    plugin.log_debug("unseen")
    plugin.log_info("first")
    plugin.log_error("last")
    told = capsys.readouterr()
    assert told.err == "[I] [a-rather-lon] first\n[E] [a-rather-lon] last\n"
    assert told.out == ""
