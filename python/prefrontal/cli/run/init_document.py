"""The prefrontal.yml that `prefrontal init` writes: every key with a line on what it does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ...settings.gate import GateSettings
from ..paths import home_short
from .init_questions import OPENCLAW, TERMINAL, Answers, Kind

OPENCLAW_URL = "http://127.0.0.1:18789"
OPENCLAW_TOKEN = "OPENCLAW_HOOK_TOKEN"
_COLUMN = 44
_HEAD = """\
# Written by `prefrontal init`; every key may be left out. Paths are relative to this file, ~ is
# the home folder. docs/pulse.md tells what else can stand here.
"""
_ENDING = """
# Each source above has a module of its own until one of yours declares it: every file, commit or
# line is worth a question at first. Yours take its place (docs/pulse.md, What reaches a module):
# modules:
#   - module_id: releases
#     cluster: work
#     version: "1"
#     question_template: "{what}. Does it need me? ({location})"
#     default_threshold: null  # follows the recall above
#     hold_s: 2                # what comes close together is asked as one
#     signal_priors: {git: {branches: [main], paths: [src]}}
# telemetry: {metrics: {port: 9464}, json_logs: true}  # figures for Prometheus, JSON log lines
"""

Line = tuple[str, str]


def document(answers: Answers, folder: Path) -> str:
    """The text of the file that is to lie in the folder."""
    lines = [
        *_sources(answers, folder),
        *_gate(answers),
        *_sinks(answers.told),
        *_executive(answers.acts),
    ]
    return _HEAD + "".join(f"{_commented(*line)}\n" for line in lines) + _ENDING


def shown_path(path: Path, folder: Path) -> str:
    """The path as the file has it: relative to its folder when it lies below, else with ~."""
    if path.is_relative_to(folder):
        return str(path.relative_to(folder))
    return home_short(str(path))


def _sources(answers: Answers, folder: Path) -> Iterator[Line]:
    meanings: dict[Kind, str] = {
        "git": "repositories: new commits",
        "directories": "folders: files that come, change or go",
        "logs": "log files: new lines, through rotation",
    }
    yield "", ""
    yield "sources:", "where signals come from"
    for kind, meaning in meanings.items():
        paths = [shown_path(path, folder) for name, path in answers.watched if name == kind]
        yield f"  {kind}: {json.dumps(paths, ensure_ascii=False)}", meaning


def _gate(answers: Answers) -> Iterator[Line]:
    hours = "null" if answers.quiet is None else json.dumps(answers.quiet)
    share = GateSettings().audit_share
    yield "", ""
    yield "gate:", "what decides about a wake"
    yield f"  recall: {answers.recall:g}", "share of what matters that must wake; more wakes more"
    yield f"  audit_share: {share:g}", "share of what slept that is asked about, to learn of misses"
    yield "  log_refusals: true", "keep what woke nobody, too, for `prefrontal explain`"
    yield "  policy:", "what holds a wake back"
    yield "    settle_s: 0.5", "seconds that a file must have been left alone"
    yield "    cooldown_s: 60", "seconds between two wakes of one module"
    yield "    wakes_per_hour: 20", "of all modules together"
    yield f"    quiet_hours: {hours}", "first and last hour in which nobody is woken; null: none"


def _sinks(target: str) -> Iterator[Line]:
    yield "", ""
    if target == TERMINAL:
        yield "sinks: []", "where questions go besides the terminal: a command, an address, a file"
        return
    yield "sinks:", "where questions go besides the terminal"
    if target == OPENCLAW:
        yield "  - openclaw:", "the wake hook of its gateway"
        yield f"      url: {json.dumps(OPENCLAW_URL)}", "where the gateway listens"
        yield f"      token_env: {OPENCLAW_TOKEN}", "the variable with its hooks.token"
    elif target.startswith(("http://", "https://")):
        yield f"  - post: {_scalar(target)}", "gets each question as JSON until it has it"
    else:
        yield f"  - exec: {_scalar(target)}", "runs with the question on its standard input"


def _executive(acts: bool) -> Iterator[Line]:
    yield "", ""
    yield "executive:", "what `prefrontal run` does with a wake"
    yield f"  act: {json.dumps(acts)}", "run the tool that fits; without it the agent is asked"
    yield "  tools: null", "the folder of tools; null: routing.workflows_root"
    yield "  links:", "what the parts tell each other"
    yield "    outcomes: true", "what came of acting trains the gate, the router and the ledger"
    yield "    trust: true", "trust in a peer moves the scores and the budget of its signals"
    yield "    beliefs: true", "what is believed reaches the choice of a tool and the agent"
    yield "    consult: true", "what cannot be undone waits for a verdict"
    yield "    control: false", "the control agent picks among ranked tools; needs torch"


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _commented(left: str, comment: str) -> str:
    return f"{left:<{_COLUMN}}  # {comment}" if left else ""
