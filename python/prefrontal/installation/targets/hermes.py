"""Hermes: a timed job whose script decides, and the server of MCP in config.yaml.

`wakeAgent`, scripts and jobs:
https://hermes-agent.nousresearch.com/docs/user-guide/features/cron, servers: .../features/mcp.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...home_folder import home_folder
from ..jobs import HermesJob
from ..places import FilePlace
from ..programs import Caller
from ..target import InstallTarget, Piece
from ..whole_file import MARK, WholeFile
from ..yaml_entries import YamlEntry
from .claude_code import NEEDS_SDK

SCRIPT = "prefrontal-gate.sh"
PROMPT = (
    "Something happened that may need you; the output of the script says what. Look into it and"
    " deal with it. `prefrontal decisions --limit 3` has its id. If there was nothing to do, run"
    " `prefrontal feedback ID useless` and answer [SILENT], else `prefrontal feedback ID useful`."
)


def hermes_home() -> Path:
    """HERMES_HOME, usually ~/.hermes."""
    return Path(os.environ.get("HERMES_HOME") or home_folder() / ".hermes")


def hermes(caller: Caller, every: str, *, mcp: bool) -> InstallTarget:
    """every: how often the gate is asked, such as "10m"."""
    home = hermes_home()
    script, config = home / "scripts" / SCRIPT, home / "config.yaml"
    pieces: list[Piece] = [(FilePlace(script), WholeFile(str(script), _script(caller)))]
    if mcp:
        words = caller.words("mcp")
        value = {"command": words[0], "args": words[1:]}
        pieces.append(
            (FilePlace(config), YamlEntry(str(config), "mcp_servers", "prefrontal", value))
        )
    return InstallTarget(
        name="hermes",
        key="hermes",
        title="Hermes",
        pieces=pieces,
        jobs=[HermesJob(home / "cron" / "jobs.json", f"every {every}", PROMPT, SCRIPT)],
        following=[("hermes cron list", "the job; its gateway runs it")],
        notes=() if mcp else (NEEDS_SDK,),
    )


def _script(caller: Caller) -> str:
    return f"""\
#!/bin/sh
# {MARK} hermes`; `prefrontal uninstall hermes` takes it away.
# The last line decides: {{"wakeAgent": false}} ends this tick before a model is asked. Whatever
# goes wrong prints no such line, and Hermes wakes its agent.
{caller.line("gate", "--format", "hermes")}
exit 0
"""
