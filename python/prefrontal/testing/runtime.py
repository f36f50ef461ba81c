"""A whole agent for tests: nothing in it runs by itself."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..assembly.agent import build_runtime

if TYPE_CHECKING:
    from ..clock import Clock
    from ..plugin import Plugin
    from ..runtime.runtime import Runtime


def make_runtime(
    config: dict[str, Any] | None = None,
    *,
    clock: Clock,
    subagent: Any = None,
    llm: Any = None,
    workspace: str | PathLike[str] | None = None,
    plugins: Sequence[type[Plugin] | Plugin] = (),
) -> Runtime:
    """An agent with all built-in plugins, on the test's clock.

    subagent, llm: any object with `spawn` and with `chat`, for example `ScriptedSubagent` and
    `ScriptedLLM`, which get the clock. workspace: where files are kept; without one everything is
    kept in memory. plugins: more of them. Start it, hand it messages with `receive`, move the
    clock and `tick`, look at `sent`, `events` and `logs`, stop it.
    """
    for double in (subagent, llm):
        if getattr(double, "clock", clock) is None:
            double.clock = clock
    quiet = {"logging": {"level": "off"}, **(config or {})}
    return build_runtime(
        quiet, clock=clock, subagent=subagent, llm=llm, workspace=workspace, plugins=plugins
    )
