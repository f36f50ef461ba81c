"""The checks that run a module: load it, then call it once with example inputs."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .example_inputs import ExampleInputs, example_inputs
from .example_table import is_table
from .trial import ModuleTrial, StepName, StepState, TrialStep, step_of, stopped

if TYPE_CHECKING:
    from ...protocols import RunOutcome
    from .entry_point import EntryPoint
    from .example_files import Content

CHILD = Path(__file__).with_name("child_program.py")

GUESSED = "inputs guessed from type hints"
NETWORK_OFF = "it needs the network, which is off in the sandbox (routing.sandbox.network)"

Verdict = tuple[StepState, str]
Answer = Mapping[str, Any]


def try_import(trial: ModuleTrial, entry: EntryPoint) -> TrialStep:
    """Load the module and compare its signature with that of its source (A21)."""

    def verdict(answer: Answer) -> Verdict:
        if not entry.doc:
            return "failed", f"neither the module nor {entry.name}() has a docstring"
        seen = [tuple(one) for one in answer.get("signature", ())]
        stated = [(one.name, one.kind, one.required) for one in entry.parameters]
        if seen == stated:
            return "ok", ""
        difference = (
            f"{entry.name}() takes {_shown(seen)} at run time, its source says {_shown(stated)}"
        )
        return ("failed" if trial.generated else "ok"), difference

    return _tried(trial, "import", entry, None, trial.settings.validators.import_s, verdict)


def try_call(trial: ModuleTrial, entry: EntryPoint, example: Mapping[str, Any] | None) -> TrialStep:
    """Call the tool once. Without inputs to call it with the step is "not runnable".

    So it is when inputs were guessed from type hints and the call fails, and when the tool needs
    the network and that is off: neither says anything of the tool. Where it does not find a file
    that the example names, one is made and it is called again; a failure then is no fault either.
    """
    inputs = example_inputs(entry, example)
    if isinstance(inputs, str):
        return TrialStep("dry-run", "not runnable", inputs, log=inputs + "\n")
    limit_s = trial.settings.sandbox.max_seconds
    return _tried(trial, "dry-run", entry, inputs, limit_s, lambda _: ("ok", ""))


def _tried(
    trial: ModuleTrial,
    name: StepName,
    entry: EntryPoint,
    inputs: ExampleInputs | None,
    limit_s: float,
    verdict: Callable[[Answer], Verdict],
) -> TrialStep:
    nonce = secrets.token_hex(16)
    request = {
        "nonce": nonce,
        "path": str(trial.path),
        "source": trial.source.decode("latin-1"),
        "name": entry.name,
        "call": inputs is not None,
        "arguments": inputs.arguments if inputs else (),
        "keywords": inputs.keywords if inputs else {},
        "files": _sent(inputs.files) if inputs else {},
    }
    try:
        stdin = json.dumps(request).encode()
    except (TypeError, ValueError) as error:
        reason = f"the example holds what JSON has no word for: {error}"
        return TrialStep(name, "not runnable", reason, log=reason + "\n")
    argv = [sys.executable, "-I", "-B", str(CHILD)]
    readable = [CHILD, trial.layout.root]
    outcome = trial.run(argv, max_seconds=limit_s, readable=readable, stdin=stdin)
    lent = inputs.with_file(_missing_file(outcome, nonce)) if inputs else None
    if lent is not None:
        return _tried(trial, name, entry, lent, limit_s, verdict)
    offline = trial.settings.sandbox.network == "off"
    state, reason = _judged(outcome, nonce, limit_s, inputs, offline, verdict)
    return step_of(name, argv, outcome, state, reason)


def _sent(files: Mapping[str, Content]) -> dict[str, str]:
    """The bytes of each as Latin-1, which JSON can hold."""
    contents = {path: one.encode() if isinstance(one, str) else one for path, one in files.items()}
    return {path: one.decode("latin-1") for path, one in contents.items()}


def _judged(
    outcome: RunOutcome | str,
    nonce: str,
    limit_s: float,
    inputs: ExampleInputs | None,
    offline: bool,
    verdict: Callable[[Answer], Verdict],
) -> Verdict:
    """inputs: of the call; None for an import. offline: whether the sandbox has no network."""
    guessed = inputs is not None and inputs.made_up
    guesses = _made_up(inputs) if inputs and guessed else ""
    ended = stopped(outcome, limit_s)
    if isinstance(outcome, str) or (ended and outcome.stopped_by == "sandbox"):
        return ended or ("failed", str(outcome))
    if ended:
        return ("not runnable", f"{ended[1]}, called with {guesses}") if guessed else ended
    answer = answer_of(outcome.stdout, nonce)
    if answer is None:
        return "failed", f"it ended before it answered (exit status {outcome.returncode})"
    if answer.get("ok") is True:
        return ("ok", f"called with {guesses}") if guessed else verdict(answer)
    reason = error_of(answer)
    if offline and answer.get("network") is True:
        return ("not runnable" if inputs else "failed"), f"{NETWORK_OFF}: {reason}"
    return ("not runnable", f"{guesses} failed: {reason}") if guessed else ("failed", reason)


def _missing_file(outcome: RunOutcome | str, nonce: str) -> str:
    """The file that the call did not find; empty for any other outcome."""
    answer = None if isinstance(outcome, str) else answer_of(outcome.stdout, nonce)
    return str((answer or {}).get("missing", ""))


def _made_up(inputs: ExampleInputs) -> str:
    """What was guessed, and which files were made so that paths lead somewhere."""
    what = GUESSED if inputs.guessed else "the inputs of the example"
    files = ", ".join(f"{path} with made-up rows" * is_table(path) or path for path in inputs.files)
    return f"{what} ({files}, made for the trial)" if files else what


def answer_of(stdout: bytes, nonce: str) -> Answer | None:
    """The one line that begins with the nonce; None when there is none, or two."""
    lines = [line for line in stdout.split(b"\n") if line.startswith(nonce.encode())]
    if len(lines) != 1:
        return None
    try:
        answer = json.loads(lines[0][len(nonce) :].decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def error_of(answer: Answer) -> str:
    """The error of a tool, with the line, in one sentence."""
    kind, text, line = (str(answer.get(key, "")) for key in ("type", "text", "line"))
    sentence = f"{kind}: {text}" if kind and text else kind or text or "it failed"
    return f"{sentence} (line {line})" if line.isdecimal() and line != "0" else sentence


def _shown(parameters: list[Any]) -> str:
    names = [str(one[0]) + ("" if one[2] else "?") for one in parameters]
    return f"({', '.join(names)})"
