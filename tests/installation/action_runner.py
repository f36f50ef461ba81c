"""A stand-in for GitHub's runner: executes the steps of a composite action.

As documented: https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax and
.../workflow-commands. Expressions are lookups joined by `||`, which is all that the action uses.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass
class ActionRun:
    """What a run left. outputs: of the action; summary: of the job; log: what it printed."""

    code: int
    outputs: dict[str, str]
    summary: str
    log: str


@dataclass
class ActionRunner:
    """action: the file. workspace: where the repository is. temporary: of this run. path: PATH."""

    action: Path
    workspace: Path
    temporary: Path
    path: str
    event: Mapping[str, Any] = field(default_factory=dict)

    def run(self, **inputs: str) -> ActionRun:
        """Run its steps in order; the first that fails ends it."""
        document = yaml.safe_load(self.action.read_text(encoding="utf-8"))
        assert document["runs"]["using"] == "composite"
        assert set(inputs) <= set(document["inputs"])
        values = {name: str(each["default"]) for name, each in document["inputs"].items()}
        context: dict[str, Any] = {
            "inputs": values | inputs,
            "github": {"event": self.event},
            "steps": {},
        }
        log, code = "", 0
        for step in document["runs"]["steps"]:
            done = self._step(step, context)
            log, code = log + done.stdout, done.returncode
            context["steps"][step["id"]] = {"outputs": self._outputs(step["id"])}
            if code:
                break
        outputs = {n: self._filled(o["value"], context) for n, o in document["outputs"].items()}
        return ActionRun(code, outputs, self._file("summary").read_text(), log)

    def _step(
        self, step: Mapping[str, Any], context: Mapping[str, Any]
    ) -> subprocess.CompletedProcess[str]:
        assert step["shell"] == "bash"
        added = self._file("path").read_text().splitlines()
        environment = {
            "HOME": str(self.temporary),
            "PATH": os.pathsep.join([*reversed(added), self.path]),
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_OUTPUT": str(self._file(f"output-{step['id']}")),
            "GITHUB_STEP_SUMMARY": str(self._file("summary")),
            "GITHUB_PATH": str(self._file("path")),
            **{name: self._filled(value, context) for name, value in step["env"].items()},
        }
        script = self._file("script")
        script.write_text(self._filled(step["run"], context))
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        return subprocess.run(
            words,
            check=False,
            cwd=self.workspace,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    def _outputs(self, step: str) -> dict[str, str]:
        lines = self._file(f"output-{step}").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def _file(self, name: str) -> Path:
        path = self.temporary / f"runner-{name}"
        path.touch()
        return path

    def _filled(self, text: str, context: Mapping[str, Any]) -> str:
        return _EXPRESSION.sub(lambda match: _value(match[1], context), str(text))


def _value(expression: str, context: Mapping[str, Any]) -> str:
    for part in expression.split("||"):
        value: Any = context
        for name in part.strip().split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if value not in (None, ""):
            return str(value)
    return ""
