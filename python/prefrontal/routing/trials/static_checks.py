"""The checks that read a module without running it: ruff, then mypy, with pinned settings."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...storage.files import write_atomic
from ...storage.lock_file import locked
from .trial import ModuleTrial, StepName, TrialStep, setting_file, short_line, step_of, stopped

if TYPE_CHECKING:
    from ...protocols import RunOutcome

NEEDS_EXTRA = "pip install 'prefrontal[validate]'"
RUFF_RULES = "E4,E7,E9,F"
"""Syntax, undefined and unused names, statements that cannot mean what they say, and some style."""
RUFF_STYLE = "E4,E70,E731,E74"
"""Those of style alone, as two imports on one line: whoever wrote a tool by hand may like it so."""
RUFF_REMARKS = frozenset(["F401", "F541", "F841", "E711", "E712", "E713", "E714", "E721", "E722"])
"""What is superfluous or could be written better, and runs all the same: an import that nothing
uses, a bare `except:`. Of a tool written by hand a person is told; it is no refusal.
"""

_MYPY_CONFIG = Path(__file__).with_name("mypy_for_tools.ini")
_MODULE = "module_on_trial.py"
REMARK_ONLY = "mend it when you like, the tool runs as it is"
_FINDING = re.compile(r".+?:\d+:\d+: (?P<code>[\w-]+)")


def check_with_ruff(trial: ModuleTrial) -> TrialStep:
    """Lint the bytes on trial; no configuration but the settings' own can change the verdict.

    Generated code cannot switch rules off by a comment; of a tool written by hand only what may be
    wrong is a finding.
    """
    program = _ruff()
    if program is None:
        return _missing("ruff")
    config = setting_file(trial, trial.settings.validators.ruff_config)
    style = [f"--ignore={RUFF_STYLE}"] if config is None else []
    rules = ["--isolated", f"--select={RUFF_RULES}"] if config is None else [f"--config={config}"]
    argv = [
        str(program),
        "check",
        *rules,
        "--no-cache",
        "--output-format=concise",
        f"--stdin-filename={trial.path.name}",
        *(["--ignore-noqa"] if trial.generated else style),
        "-",
    ]
    limit_s = trial.settings.validators.ruff_s
    readable = [program] if config is None else [program, config]
    outcome = trial.run(argv, max_seconds=limit_s, readable=readable, stdin=trial.source)
    step = _judged("ruff", argv, outcome, limit_s, trial)
    if config is not None or trial.generated or isinstance(outcome, str) or step.state != "failed":
        return step
    return _without_remarks(step, outcome)


def _without_remarks(step: TrialStep, outcome: RunOutcome) -> TrialStep:
    """The step, ok where all findings are remarks; else with the first of the others as reason."""
    found = [match for line in _lines(outcome.stdout) if (match := _FINDING.match(line))]
    faults = [match.string for match in found if match["code"] not in RUFF_REMARKS]
    if not found or outcome.returncode != 1:
        return step
    if faults:
        return replace(step, reason=short_line(_counted(faults)))
    remark = f"{_counted([match.string for match in found])}; {REMARK_ONLY}"
    return replace(step, state="ok", reason=short_line(remark))


def check_with_mypy(trial: ModuleTrial) -> TrialStep:
    """Check the types of a copy of the bytes on trial, in a folder of its own.

    Trials share a cache; one that makes mypy crash is deleted once.
    """
    if find_spec("mypy") is None:
        return _missing("mypy")
    folder = trial.layout.tmp / ".mypy"
    config = setting_file(trial, trial.settings.validators.mypy_config) or _MYPY_CONFIG
    argv = [sys.executable, "-I", "-B", "-m", "mypy"]
    argv += [f"--config-file={config}", f"--cache-dir={folder / 'cache'}", str(folder / _MODULE)]
    limit_s = trial.settings.validators.mypy_s
    with locked(trial.layout.tmp / ".mypy.lock"):
        outcome = _mypy(trial, folder, argv, config, limit_s)
        if not isinstance(outcome, str) and outcome.returncode not in {0, 1}:
            shutil.rmtree(folder / "cache", ignore_errors=True)
            outcome = _mypy(trial, folder, argv, config, limit_s)
    return _judged("mypy", argv, outcome, limit_s, trial)


def missing_programs() -> list[str]:
    """The programs that are not installed."""
    installed = {"ruff": _ruff() is not None, "mypy": find_spec("mypy") is not None}
    return [name for name, there in installed.items() if not there]


def _mypy(
    trial: ModuleTrial, folder: Path, argv: list[str], config: Path, limit_s: float
) -> RunOutcome | str:
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / _MODULE, trial.source)
    return trial.run(argv, max_seconds=limit_s, scratch=folder, readable=[config])


def _judged(
    name: StepName, argv: list[str], outcome: RunOutcome | str, limit_s: float, trial: ModuleTrial
) -> TrialStep:
    ended = stopped(outcome, limit_s)
    if isinstance(outcome, str) or ended:
        state, summary = ended or ("failed", str(outcome))
        return step_of(name, argv, outcome, state, summary)
    if outcome.ok:
        return step_of(name, argv, outcome, "ok", "")
    summary = _findings(outcome.stdout or outcome.stderr, trial.path.name)
    return step_of(name, argv, outcome, "failed", summary)


def _findings(output: bytes, file_name: str) -> str:
    """The first finding, and how many there are."""
    lines = _lines(output)
    findings = [_renamed(line, file_name) for line in lines if ".py:" in line] or lines
    if not findings:
        return "it said nothing"
    return _counted(findings)


def _lines(output: bytes) -> list[str]:
    text = output.decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _counted(findings: list[str]) -> str:
    return findings[0] + (f" (and {len(findings) - 1} more)" if len(findings) > 1 else "")


def _renamed(line: str, file_name: str) -> str:
    before, match, after = line.partition(f"{_MODULE}:")
    return f"{file_name}:{after}" if match and " " not in before else line


def _missing(name: StepName) -> TrialStep:
    reason = f"{name} is not installed for {sys.executable}: {NEEDS_EXTRA}"
    return TrialStep(name, "missing", reason, log=reason + "\n")


def _ruff() -> Path | None:
    """The program that was installed with this interpreter, else the one on the search path."""
    folders = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    for program in (folder / "ruff" for folder in folders):
        if program.is_file():
            return program
    path = shutil.which("ruff")
    return Path(path) if path else None
