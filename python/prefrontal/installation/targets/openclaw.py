"""OpenClaw: an automation with a condition script, and the server of MCP in openclaw.json.

Condition scripts: https://docs.openclaw.ai/automation/cron-jobs/schedules, servers:
https://docs.openclaw.ai/cli/mcp.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from ...home_folder import home_folder
from ..jobs import OpenClawJob
from ..json_entries import JsonEntries, JsonEntry
from ..places import FilePlace
from ..programs import Caller
from ..target import InstallTarget, Piece
from ..whole_file import MARK
from .claude_code import NEEDS_SDK

EVENT = (
    "Something happened that may need you; what follows says what. `prefrontal decisions --limit 3`"
    " has its id. If there was nothing to do, run `prefrontal feedback ID useless` and answer"
    " NO_REPLY; otherwise `prefrontal feedback ID useful`."
)
_SCRIPT = """\
// {mark} openclaw`; `prefrontal uninstall openclaw` takes it away.
// OpenClaw takes an error of this script for "do not fire": whatever goes wrong fires instead.
const command = {command};
let answer;
try {{
  const words = {{ command, yieldMs: 20000 }}; // else it goes on in the background, unheard
  const isGlobal = typeof exec === "function"; // earlier releases have it behind tools.call
  const result = await (isGlobal ? exec(words) : tools.call("exec", words));
  const text = String((result?.result?.details ?? result)?.aggregated ?? "");
  answer = JSON.parse(text.trim().split("\\n").pop());
  if (typeof answer.fire !== "boolean") throw new Error("no decision");
}} catch (error) {{
  answer = {{ fire: true, message: `prefrontal could not be asked (${{error}}); look yourself.` }};
}}
json(answer);
"""


def openclaw_home() -> Path:
    """OPENCLAW_STATE_DIR, usually ~/.openclaw."""
    return Path(os.environ.get("OPENCLAW_STATE_DIR") or home_folder() / ".openclaw")


def openclaw(caller: Caller, every: str, *, mcp: bool) -> InstallTarget:
    """every: how often the gate is asked, such as "10m"."""
    config = Path(os.environ.get("OPENCLAW_CONFIG_PATH") or openclaw_home() / "openclaw.json")
    pieces: list[Piece] = []
    if mcp:
        words = caller.words("mcp")
        entry = JsonEntry(
            ("mcp", "servers"), "prefrontal", {"command": words[0], "args": words[1:]}
        )
        pieces.append((FilePlace(config), JsonEntries(str(config), [entry])))
    # `exec` hands back both streams as one, and only standard output is the answer.
    line = caller.line("gate", "--format", "openclaw") + " 2>/dev/null"
    command = json.dumps(line, ensure_ascii=False)
    return InstallTarget(
        name="openclaw",
        key="openclaw",
        title="OpenClaw",
        pieces=pieces,
        jobs=[OpenClawJob(every, EVENT, _SCRIPT.format(mark=MARK, command=command))],
        following=[
            (
                "openclaw config set agents.defaults.heartbeat.every 0m",
                "once you trust it: the heartbeat that it replaces",
            )
        ],
        notes=() if mcp else (NEEDS_SDK,),
    )
