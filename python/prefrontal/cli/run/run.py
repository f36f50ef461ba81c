"""`prefrontal run`: the whole loop, from a signal to what was learned from acting on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...errors import InputError
from ..option_group import settings_option
from ..state import settings_state_option
from ..watch.gate_options import (
    gate_options,
    gate_overrides,
    partition_options,
    telemetry_options,
)

EPILOG = """\
Tools are looked for in `executive.tools` of prefrontal.yml, else in `routing.workflows_root`. They
run in the sandbox. Where no tool fits the agent is asked: every sink of the settings gets the
question."""


@click.command(epilog=EPILOG)
@click.argument("directories", nargs=-1, type=click.Path(), metavar="[DIR]...")
@settings_option()
@click.option(
    "--workspace", metavar="DIR", type=click.Path(), help="The agent's; also PREFRONTAL_HOME."
)
@click.option(
    "--once",
    metavar="EVENTS.jsonl|-",
    help="Run these events through, in their own time, and end.",
)
@gate_options
@click.option("--json", "as_json", is_flag=True, help="Print each decision as a JSON object.")
@partition_options
@telemetry_options
@settings_state_option
def run(
    directories: tuple[str, ...],
    config: str | None,
    workspace: str | None,
    once: str | None,
    recall: float | None,
    threshold: float | None,
    log_refusals: bool,
    as_json: bool,
    partitions: str | None,
    workers: int | None,
    ray: str | None,
    metrics: str | None,
    log_format: str | None,
    state: str | None,
) -> None:
    """Watch; for each signal that matters run the tool that fits, or ask; learn from it.

    \b
      prefrontal run ~/project
      prefrontal run --config prefrontal.yml --json
      prefrontal run --once events.jsonl
      prefrontal run --partitions auto           # one of several machines

    Tools may read what is watched: the folders, those of the modules, repositories and logs of the
    settings. With --once nothing is watched, but what is named may be read all the same.

    What acting came to teaches the gate, the tools' ranking and the trust in whoever was behind
    the signal. `prefrontal explain ID` tells why, for every decision of the chain.
    """
    from ...settings.agent_file import settings_file, whole_path
    from ..watch.watch import decide_partitions, telemetry_told
    from .parts import RunOptions

    overrides: dict[str, Any] = gate_overrides(recall, threshold, log_refusals)
    overrides |= {"state": str(Path(state).absolute())} if state else {}
    if telemetry := telemetry_told(metrics, log_format):
        overrides["telemetry"] = telemetry
    if any(each is not None for each in (partitions, workers, ray)):
        if partitions is None or directories or workspace or once is not None or log_format:
            raise InputError(
                "--partitions must come without DIR, --workspace, --once and --log-format, and"
                " --workers and --ray with it"
            )
        from ..watch.partitions.plan import NodePlan
        from .partition_episodes import EpisodeHome, check_episodes

        file = settings_file(config)
        name = None if file is None else str(whole_path(file))
        plan = NodePlan(partitions, workers or 0, name, overrides, (), as_json, EpisodeHome)
        plan.check()
        check_episodes(plan)
        click.get_current_context().exit(decide_partitions(plan, ray))
    options = RunOptions.read(config, workspace, overrides)
    if once is not None:
        from .once import run_once

        code = run_once(options, directories, once, as_json)
    else:
        from .live import run_live

        code = run_live(options, directories, as_json)
    click.get_current_context().exit(code)
