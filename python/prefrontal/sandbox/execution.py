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
from .backends import Job, LauncherBackend
from .policy import Policy, scratch_of
from .result import SandboxResult

if TYPE_CHECKING:
    from .backends import Backend
    from .limits import Limits

OWN: Backend = LauncherBackend()

_CALLER = Path(__file__).resolve().parent / "call.py"


def run(
    command: Sequence[str] | str,
    limits: Limits,
    policy: Policy,
    *,
    stdin: bytes = b"",
    arguments: Mapping[str, Any] | None = None,
    backend: Backend = OWN,
) -> SandboxResult:
    """Run a command, or call a function, within limits and policy; waits for its end.

    command: program and arguments; or "file.py::function", called with `arguments` (plain JSON):
    stdout then holds the returned value as JSON, and its own output goes to stderr. A value that is
    no JSON is a failed call. A function that ends the process has returned nothing: stopped_by "no
    result". backend: how it is held.

    Fails closed: without the level nothing runs, and the result has stopped_by "sandbox". Raises
    InputError for invalid arguments.
    """
    if isinstance(command, str):
        return _call(command, limits, policy, arguments or {}, backend)
    if arguments is not None:
        raise InputError(f"arguments must go with a function, got {arguments!r}")
    scratch = scratch_of(policy)
    return backend.run(Job(_words(command), scratch, limits, policy, stdin))


def _call(
    target: str, limits: Limits, policy: Policy, arguments: Mapping[str, Any], backend: Backend
) -> SandboxResult:
    name, separator, function = target.rpartition("::")
    path = Path(name).resolve()
    if not separator or not function.isidentifier() or not path.is_file():
        raise InputError(f"command must be a list or 'file.py::function', got {target!r}")
    seen = Policy(
        policy.scratch, (*policy.readable, path), policy.network, policy.level,
        policy.allow_weak, policy.environment,
    )  # fmt: skip
    try:
        request = json.dumps(dict(arguments), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"arguments must be plain JSON, got {arguments!r}: {error}") from None
    words = [sys.executable, "-I", "-B", str(_CALLER), str(path), function]
    result = run(words, limits, seen, stdin=request, backend=backend)
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
