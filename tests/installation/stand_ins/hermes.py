"""Stands in for Hermes' scheduler: cron create, list, remove and tick.

Follows https://hermes-agent.nousresearch.com/docs/user-guide/features/cron: scripts lie in
HERMES_HOME/scripts, those that end in .sh run under bash, and {"wakeAgent": false} on the last line
skips the agent.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HOME = Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")
JOBS = HOME / "cron" / "jobs.json"


def read() -> list[dict[str, Any]]:
    return list(json.loads(JOBS.read_text())["jobs"]) if JOBS.exists() else []


def write(jobs: list[dict[str, Any]]) -> None:
    JOBS.parent.mkdir(parents=True, exist_ok=True)
    JOBS.write_text(json.dumps({"jobs": jobs}, indent=2) + "\n")


def create(words: argparse.Namespace) -> None:
    script = HOME / "scripts" / words.script
    if not script.is_file() or not words.schedule.startswith("every "):
        sys.exit("cron create: no such script or schedule")
    job = {"id": f"{len(read()):012x}", "name": words.name, "schedule": words.schedule}
    write([*read(), job | {"prompt": words.prompt, "script": words.script}])
    print(f"Created job {job['id']}")


def tick(_: argparse.Namespace) -> None:
    for job in read():
        command = ["bash", str(HOME / "scripts" / job["script"])]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        lines = done.stdout.strip().splitlines()
        try:
            woken = json.loads(lines[-1]).get("wakeAgent", True) if lines else True
        except ValueError:
            woken = True
        if not woken:
            print(f"{job['name']}: skipped, no model was asked")
            continue
        print(f"{job['name']}: the agent is woken with\n{job['prompt']}\n{done.stdout.strip()}")


def remove(words: argparse.Namespace) -> None:
    jobs = read()
    if not any(each["name"] == words.job for each in jobs):
        sys.exit(f"no job {words.job}")
    write([each for each in jobs if each["name"] != words.job])


def listed(_: argparse.Namespace) -> None:
    for job in read():
        print(f"{job['name']}  {job['schedule']}  {job['script']}")


parser = argparse.ArgumentParser("hermes")
cron = parser.add_subparsers(required=True).add_parser("cron").add_subparsers(required=True)
creating = cron.add_parser("create")
for name in ("schedule", "prompt", "--name", "--script"):
    creating.add_argument(name)
creating.set_defaults(run=create)
cron.add_parser("tick").set_defaults(run=tick)
cron.add_parser("list").set_defaults(run=listed)
removing = cron.add_parser("remove")
removing.add_argument("job")
removing.set_defaults(run=remove)
chosen = parser.parse_args()
chosen.run(chosen)
