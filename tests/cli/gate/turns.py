"""Calls of the gate: within this process, or as a command of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefrontal.cli.gate.call import CODES, GateCall
from prefrontal.cli.gate.report import Report
from prefrontal.cli.gate.turn import take_turn

PATIENCE_S = 60.0
LIMIT_S = 60.0
"""Generous: what is no test of the limit must not meet it on a busy machine."""


class Listener:
    """The role `Caller`: keeps what it is told."""

    def __init__(self, is_printed: bool = True) -> None:
        self.reports: list[Report] = []
        self.steps = 0
        self._is_printed = is_printed

    def go_on(self) -> None:
        self.steps += 1

    def print(self, report: Report) -> bool:
        self.reports.append(report)
        return self._is_printed


@dataclass
class Place:
    """A folder with settings, a log file, and what gates keep."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        return self.folder / "app.log"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def write(self, *lines: str) -> None:
        with self.log.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def settings(self, text: str) -> None:
        (self.folder / "prefrontal.yml").write_text(text, encoding="utf-8")

    def call(self, form: str = "text") -> GateCall:
        return GateCall(workspace=str(self.folder), form=form, limit_s=LIMIT_S)

    def take(self, form: str = "text", *, is_printed: bool = True) -> Report:
        """One turn in this process."""
        caller = Listener(is_printed)
        take_turn(self.call(form), caller)
        [report] = caller.reports
        return report

    def questions(self) -> list[dict[str, Any]]:
        """What one turn tells."""
        answer = json.loads(self.take("json").output)
        assert answer["fault"] is None, answer
        return list(answer["questions"])

    def begin(self, *words: str, limit_s: float = LIMIT_S) -> subprocess.Popen[str]:
        """The command, in a process group of its own."""
        options = ["--workspace", str(self.folder), "--limit", str(limit_s), *words]
        return subprocess.Popen(
            [sys.executable, "-m", "prefrontal", "gate", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={k: v for k, v in os.environ.items() if k != "PREFRONTAL_STATE"},
            start_new_session=True,
        )

    def run(self, *words: str, limit_s: float = LIMIT_S) -> tuple[int, str, str]:
        """(exit code, standard output, standard error) of the command."""
        with self.begin(*words, limit_s=limit_s) as process:
            try:
                output, errors = process.communicate(timeout=PATIENCE_S)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode, output, errors


FORMS = sorted(CODES)
