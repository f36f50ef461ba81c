"""`prefrontal cortex reflect`: look back now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ...errors import SourceError
from ..workspace import agent_process, home_options
from .operator import ask_for_reflection

if TYPE_CHECKING:
    from ...cortex.models import ReflectionRecord
    from ...runtime.runtime import Runtime
    from ...settings.home import Home


@click.command(short_help="Look back now, whatever the triggers say.")
@click.option("--json", "as_json", is_flag=True, help="The record as one JSON object.")
@home_options("cortex", "ledger")
def reflect(as_json: bool, home: Home) -> None:
    """Look back now, whatever the triggers say.

    While the agent runs, it is asked to; it does so at its next look, within seconds. While it
    does not, the reflection happens here, with the agent's own ledger, memory and reflector.
    """
    process = agent_process(home)
    if process is not None:
        ask_for_reflection(home)
        named = "" if process == "unknown" else f" (process {process})"
        click.echo(f"Asked the running agent{named}; `prefrontal cortex history` shows the result.")
        return
    import asyncio

    from ..agent.building import AgentOptions, build

    runtime = build(AgentOptions(home, usual_log="warn"), background=False, discover=False)
    record = asyncio.run(_reflect(runtime))
    if as_json:
        click.echo(json.dumps(record.to_json()))
    else:
        from .record_page import print_record

        print_record(record)


async def _reflect(runtime: Runtime) -> ReflectionRecord:
    await runtime.start()
    try:
        cortex: Any = runtime.registry.get("cortex")
        if cortex is None or not getattr(cortex, "enabled", True):
            raise SourceError("the cortex is switched off (cortex.enabled, plugins.disabled)")
        before = cortex.memory.state.cycle
        await cortex.reflect()
        if cortex.memory.state.cycle == before:
            raise SourceError("no reflection: today's cap (cortex.cost) is reached")
        record: ReflectionRecord = cortex.memory.history[-1]
        return record
    finally:
        await runtime.stop()
