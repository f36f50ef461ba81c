"""Stands in for OpenClaw's automations: cron add, list, remove and run.

Follows https://docs.openclaw.ai/automation/cron-jobs/schedules: a condition script gets `exec`,
`trigger.state` and `json`, an error of it does not fire, and its message is appended to the event.
A command that is not waited for goes on in the background, as 2026.9.6 does it. OPENCLAW_TOOLS is
set for an earlier release, with `tools.call`. With node the script itself is run; without, only the
command in it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

JOBS = Path(os.environ.get("OPENCLAW_STATE_DIR") or Path.home() / ".openclaw") / "jobs.json"
AROUND = """
const { spawnSync } = require("node:child_process");
const trigger = { state: %s };
const json = (value) => console.log(JSON.stringify(value));
const run = ({ command, yieldMs }) => {
  if (!(yieldMs >= 10000)) return { status: "running", sessionId: "delta-reef", tail: "" };
  const done = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  return { status: "completed", exitCode: done.status, aggregated: done.stdout + done.stderr };
};
const call = async (name, words) => ({ result: { details: run(words) } });
const early = "OPENCLAW_TOOLS" in process.env;
const given = early ? [undefined, { call }] : [async (words) => run(words), undefined];
(async (exec, tools) => { %s })(...given);
"""


def read() -> list[dict[str, Any]]:
    return list(json.loads(JOBS.read_text())["jobs"]) if JOBS.exists() else []


def write(jobs: list[dict[str, Any]]) -> None:
    if "GATEWAY_DOWN" in os.environ:
        sys.exit("gateway closed (1006)")
    JOBS.parent.mkdir(parents=True, exist_ok=True)
    JOBS.write_text(json.dumps({"jobs": jobs}, indent=2) + "\n")


def add(words: argparse.Namespace) -> None:
    script = (
        sys.stdin.read() if words.trigger_script == "-" else Path(words.trigger_script).read_text()
    )
    job = {"id": f"job-{len(read())}", "declarationKey": words.declaration_key, "name": words.name}
    schedule = {"schedule": {"kind": "every", "every": words.every}, "event": words.system_event}
    write([*read(), job | schedule | {"script": script, "state": None}])
    print(json.dumps({"ok": True, "created": True, "job": job}))


def evaluated(job: dict[str, Any]) -> dict[str, Any]:
    if shutil.which("node"):
        program = AROUND % (json.dumps(job["state"]), job["script"])
        done = subprocess.run(["node", "-e", program], check=False, capture_output=True, text=True)
    else:
        match = re.search(r"^const command = (.*);$", job["script"], re.MULTILINE)
        assert match is not None
        words = ["sh", "-c", json.loads(match[1])]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
    try:
        return dict(json.loads(done.stdout.strip().splitlines()[-1]))
    except (ValueError, IndexError):
        return {"fire": False}


def run(words: argparse.Namespace) -> None:
    jobs = read()
    job = next(each for each in jobs if words.job in (each["id"], each["name"]))
    answer = evaluated(job)
    job["state"] = answer.get("state")
    write(jobs)
    if not answer["fire"]:
        print(f"{job['name']}: did not fire, no model was asked")
    else:
        print(
            f"{job['name']}: the agent is woken with\n{job['event']}\n{answer.get('message', '')}"
        )


def listed(_: argparse.Namespace) -> None:
    print(json.dumps({"jobs": read()}))


def remove(words: argparse.Namespace) -> None:
    write([each for each in read() if each["id"] != words.job])


parser = argparse.ArgumentParser("openclaw")
cron = parser.add_subparsers(required=True).add_parser("cron").add_subparsers(required=True)
adding = cron.add_parser("add")
for name in (
    "name",
    "declaration-key",
    "every",
    "session",
    "wake",
    "system-event",
    "trigger-script",
):
    adding.add_argument(f"--{name}", required=True)
adding.add_argument("--json", action="store_true")
adding.set_defaults(run=add)
listing = cron.add_parser("list")
for name in ("all", "json"):
    listing.add_argument(f"--{name}", action="store_true")
listing.set_defaults(run=listed)
for name, action in (("run", run), ("remove", remove)):
    command = cron.add_parser(name)
    command.add_argument("job")
    command.add_argument("--due", action="store_true")
    command.set_defaults(run=action)
chosen = parser.parse_args()
chosen.run(chosen)
