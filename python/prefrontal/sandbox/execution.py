"""Run one command in the sandbox."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .ladder import Rung, best_level, rung
from .launcher import parse_report
from .launching import Launch, launch
from .policy import Policy, readable_paths, scratch_of, variables
from .result import SandboxResult, not_run, result_of

if TYPE_CHECKING:
    from .limits import Limits

_CALLER = Path(__file__).resolve().parent / "call.py"


def run(
    command: Sequence[str] | str,
    limits: Limits,
    policy: Policy,
    *,
    stdin: bytes = b"",
    arguments: Mapping[str, Any] | None = None,
) -> SandboxResult:
    """Run a command, or call a function, within limits and policy; waits for its end.

    command: program and arguments; or "file.py::function", called with `arguments` (plain JSON):
    stdout then holds the returned value as JSON, and its own output goes to stderr. A function that
    ends the process has returned nothing: stopped_by "no result".

    Fails closed: without the level nothing runs, and the result has stopped_by "sandbox". Raises
    InputError for invalid arguments.
    """
    if isinstance(command, str):
        return _call(command, limits, policy, arguments or {})
    if arguments is not None:
        raise InputError(f"arguments must go with a function, got {arguments!r}")
    scratch = scratch_of(policy)
    words = _words(command)
    held = _rung(policy)
    if not held.works:
        return not_run(policy.level if policy.level != "auto" else held.level, held.why)
    order = Launch(
        held.level, scratch, readable_paths(policy), variables(policy, scratch), limits,
        policy.network, words, stdin,
    )  # fmt: skip
    try:
        streams = launch(order)
    except OSError as error:
        return not_run(held.level, f"the launcher cannot be started: {error}")
    report = parse_report(bytes(streams.report))
    outputs = bytes(streams.stdout), bytes(streams.stderr)
    return result_of(report, held.level, outputs, streams.too_much)


def _call(
    target: str, limits: Limits, policy: Policy, arguments: Mapping[str, Any]
) -> SandboxResult:
    name, separator, function = target.rpartition("::")
    path = Path(name).resolve()
    if not separator or not function.isidentifier() or not path.is_file():
        raise InputError(f"command must be a list or 'file.py::function', got {target!r}")
    seen = Policy(
        policy.scratch, (*policy.readable, path), policy.network, policy.level,
        policy.allow_weak, policy.environment,
    )  # fmt: skip
    request = json.dumps(dict(arguments), allow_nan=False).encode()
    words = [sys.executable, "-I", "-B", str(_CALLER), str(path), function]
    result = run(words, limits, seen, stdin=request)
    if not result.ok or _is_json(result.stdout):
        return result
    sentence = "the process ended without the function's result"
    return replace(result, stopped_by="no result", notes=(*result.notes, sentence))


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _words(command: Sequence[str]) -> list[str]:
    words = [os.fspath(word) for word in command]
    if not words or any("\0" in word for word in words):
        raise InputError(f"command must be words without NUL, at least one, got {command!r}")
    program = shutil.which(words[0])
    if program is None:
        raise InputError(f"command must name a program that is here, got {words[0]!r}")
    return [os.path.abspath(program), *words[1:]]  # noqa: PTH100 (a venv's link is no slip)


def _rung(policy: Policy) -> Rung:
    return best_level(weak=policy.allow_weak) if policy.level == "auto" else rung(policy.level)
