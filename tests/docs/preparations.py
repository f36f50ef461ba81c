"""What a page takes for granted: a git history, the example of the router."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from prefrontal import PulseRegistry, SignalEvent
from prefrontal.decisions.log import DecisionLog

from ..installation.made_history import make_history
from ..installation.stand_in_programs import put_programs
from ..replay.agent_sessions import claude_home, openclaw_home, write_database
from .kept_ledger import keep
from .pages import REPOSITORY

Prepare = Callable[[Path, Mapping[str, str]], None]
COMMITS = 60
START = 1_750_000_000.0
INVOICES = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "Is {location} an invoice to file?",
    "default_threshold": 0.6,
    "signal_priors": {
        "filesystem": {"watch_directories": ["/srv/inbox"], "relevant_extensions": [".pdf"]}
    },
}


def git_history(folder: Path, environment: Mapping[str, str]) -> None:
    """Sixty commits over sixty days, every third with a changelog entry, written in one stream."""
    told = ["blob\nmark :1\ndata 2\na\n"]
    for number in range(COMMITS):
        mattered = number % 3 == 0
        subject = "Mend the reader" if mattered else "Polish a page"
        when = f"Ann <ann@example.org> {1_700_000_000 + number * 86_400} +0000"
        text = f"{subject} {number}"
        told.append(f"commit refs/heads/main\nauthor {when}\ncommitter {when}\n")
        told.append(f"data {len(text)}\n{text}\n")
        paths = [f"docs/page{number}.md"]
        if mattered:
            paths = [f"src/reader{number}.py", f"changelog/{number}.fix.md"]
        told += [f"M 644 :1 {path}\n" for path in paths]
    for words, data in (
        (["init", "-q", "-b", "main", "."], ""),
        (["fast-import", "--quiet"], "".join(told)),
    ):
        subprocess.run(
            ["git", *words], cwd=folder, env=dict(environment), input=data, text=True, check=True
        )


def ratings(folder: Path, _: Mapping[str, str]) -> None:
    """Forty users of a market who rate each other; five of them turn on their customers."""
    rows = ["source,target,rating,time"]
    for number in range(800):
        target = number % 40
        turned = target < 5 and number >= 500
        rating = -8 if turned else 2 + number % 3
        rows.append(f"{100 + number % 17},{target},{rating},{1_500_000_000 + number * 3600}")
    text = "\n".join(rows) + "\n"
    (folder / "ratings.csv").write_text(text)
    (folder / "ratings.csv.gz").write_bytes(gzip.compress(text.encode()))
    labels = [f"{user},{-1 if user < 5 else 1}" for user in range(40)]
    (folder / "labels.csv").write_text("\n".join(["user,label", *labels]) + "\n")


def sessions(_: Path, environment: Mapping[str, str]) -> None:
    """What OpenClaw and Claude Code keep below the home."""
    home = Path(environment["HOME"])
    openclaw_home(home / ".openclaw")
    claude_home(home / ".claude")
    [session] = (home / ".openclaw").rglob("*.jsonl")
    named = session.rename(session.with_name("b7300bff-a214-4c11-97ae-eab26883c67a.jsonl"))
    lines = named.read_text(encoding="utf-8").splitlines()
    database = home / ".openclaw/agents/main/agent/openclaw-agent.sqlite"
    write_database(database, {named.stem: lines})


def reflected(folder: Path, environment: Mapping[str, str]) -> None:
    """An agent to whom two people wrote, and who looked back once."""
    told = "".join(
        json.dumps({"sender_id": who, "id": f"{who}{number}", "content": f"Message {number}."})
        + "\n"
        for who in ("alice", "bob")
        for number in range(2)
    )
    for words in (["agent", "run", "--log", "error"], ["cortex", "reflect"]):
        subprocess.run(
            ["prefrontal", *words],
            cwd=folder,
            env=dict(environment),
            input=told,
            stdout=subprocess.DEVNULL,
            text=True,
            check=True,
        )


def log_of_decisions(folder: Path, _: Mapping[str, str]) -> None:
    """What a gate decided of twenty files, in the folder `state`."""
    (folder / "state").mkdir()
    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        registry = PulseRegistry(log=log, audit_share=0)
        registry.register_module("invoices", INVOICES)
        registry.start()
        for number in range(20):
            name = f"/srv/inbox/bill-{number}.pdf"
            registry.push(SignalEvent("filesystem", name, "created", 1.0, START + 60.0 * number))
        registry.stop()


def stand_in(folder: Path, environment: Mapping[str, str]) -> None:
    """A `claude` that says what it would say, and the page's script made executable."""
    program = Path(environment["PATH"].partition(":")[0]) / "claude"
    program.write_text("#!/bin/sh\nread question\necho Filed bill.pdf.\n")
    for each in (program, folder / "ask-claude.sh"):
        each.chmod(0o755)


def runtimes(_: Path, environment: Mapping[str, str]) -> None:
    """Programs and folders of Claude Code, OpenClaw, Hermes, systemd and cron."""
    programs = Path(environment["PATH"].partition(":")[0])
    put_programs(programs, "claude", "openclaw", "hermes", "systemctl", "crontab")
    for name in (".claude", ".openclaw", ".hermes", ".config/systemd/user"):
        (Path(environment["HOME"]) / name).mkdir(parents=True)


def repairs(folder: Path, _: Mapping[str, str]) -> None:
    """A repository of 240 commits, of which every fourth is a repair, in the folder `project`."""
    (folder / "project").mkdir()
    make_history(folder / "project")


def tool_on_trial(folder: Path, _: Mapping[str, str]) -> None:
    """A small tool, and an empty folder it may write to."""
    (folder / "tool.py").write_text('def main(text: str = "") -> int:\n    return len(text)\n')
    (folder / "scratch").mkdir()


def routing_example(folder: Path, _: Mapping[str, str]) -> None:
    """examples/routing as it is shipped; what another scene left there is gone."""
    shutil.rmtree(folder)
    wanted = shutil.ignore_patterns("logs", "_tmp", "__pycache__", "run.py", "transcripts")
    shutil.copytree(REPOSITORY / "examples/routing", folder, ignore=wanted, dirs_exist_ok=True)


def tools_example(folder: Path, _: Mapping[str, str]) -> None:
    """examples/tools, as the tools of a project."""
    shutil.rmtree(folder)
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "examples/tools", folder / "workflows", ignore=left_out)


PREPARED: dict[str, Prepare] = {
    "a git history": git_history,
    "a stand-in for claude": stand_in,
    "a log of decisions": log_of_decisions,
    "a tool and its scratch folder": tool_on_trial,
    "a ledger of half a year": keep,
    "an agent that reflected": reflected,
    "examples/routing": routing_example,
    "examples/tools": tools_example,
    "a repository with repairs": repairs,
    "stand-ins of the runtimes": runtimes,
    "ratings": ratings,
    "sessions of agents": sessions,
}
