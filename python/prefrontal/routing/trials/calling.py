"""Calls a tool with real arguments in the sandbox and returns its result."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, PrefrontalError
from .entry_point import entry_point
from .example_inputs import ExampleInputs, example_inputs
from .execution_checks import CHILD, answer_of, error_of
from .trial import stopped

if TYPE_CHECKING:
    from ...protocols import Runner, RunOutcome

VALUE_ROOM = 30_000
"""Characters and items of a returned value that leave the sandbox: at most about 0.7 MB of JSON,
less than the sandbox's limit of output."""

Fault = Literal["", "tool", "machine"]


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of a call.

    value: as JSON values, not yet redacted. reason: why there is none, in one sentence, not yet
    redacted either. fault: "tool" when it raised or used too much, "machine" when it never ran,
    empty when it returned.
    """

    value: Any
    reason: str
    fault: Fault
    level: str = ""
    seconds: float = 0.0


def call_tool(
    runner: Runner,
    path: Path,
    source: bytes,
    arguments: Mapping[str, Any],
    *,
    scratch: Path,
    readable: Sequence[Path] = (),
) -> CallOutcome:
    """Call the run() or main() of the source; never raises for what the tool does.

    path: of the tool, which it knows as its own. scratch: the one folder it may write, and where
    it starts. readable: what else it may read.
    """
    prepared = _entry_and_inputs(source, arguments)
    if isinstance(prepared, str):
        return CallOutcome(None, prepared, "tool")
    name, inputs = prepared
    nonce = secrets.token_hex(16)
    request = {
        "nonce": nonce,
        "path": str(path),
        "source": source.decode("latin-1"),
        "name": name,
        "call": True,
        "value": VALUE_ROOM,
        "arguments": inputs.arguments,
        "keywords": inputs.keywords,
    }
    argv = [sys.executable, "-I", "-B", str(CHILD)]
    try:
        stdin = json.dumps(request).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return CallOutcome(None, f"its arguments cannot be handed over: {error}", "machine")
    try:
        outcome = runner.run(argv, scratch=scratch, readable=[CHILD, *readable], stdin=stdin)
    except (OSError, PrefrontalError) as error:
        return CallOutcome(None, f"the sandbox could not be started: {error}", "machine")
    return _outcome_of_call(outcome, nonce)


def _entry_and_inputs(
    source: bytes, arguments: Mapping[str, Any]
) -> tuple[str, ExampleInputs] | str:
    """The function's name and its inputs, or a sentence why it cannot be called."""
    try:
        entry = entry_point(source)
    except InputError as error:
        return str(error)
    if entry is None:
        return "the module defines neither run() nor main()"
    required = {one.name for one in entry.parameters if one.required}
    if missing := sorted(required - arguments.keys()):
        return f"{entry.name}() needs {', '.join(missing)}"
    inputs = example_inputs(entry, arguments)
    return inputs if isinstance(inputs, str) else (entry.name, inputs)


def _outcome_of_call(outcome: RunOutcome, nonce: str) -> CallOutcome:
    level, seconds = outcome.level, outcome.duration_s
    never_ran = outcome.stopped_by == "sandbox" or outcome.returncode is None
    ended = stopped(outcome, seconds)
    if ended is not None:
        return CallOutcome(None, ended[1], "machine" if never_ran else "tool", level, seconds)
    answer = answer_of(outcome.stdout, nonce)
    if answer is None:
        reason = f"it ended before it answered (exit status {outcome.returncode})"
        return CallOutcome(None, reason, "tool", level, seconds)
    if answer.get("ok") is not True:
        return CallOutcome(None, error_of(answer), "tool", level, seconds)
    return CallOutcome(answer.get("value"), "", "", level, seconds)
