"""Escalations to a command."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import IO, TYPE_CHECKING, Any

from ...errors import InputError, shown
from .outcome import DeliveryOutcome, Shape, checked_shape

if TYPE_CHECKING:
    from ...decisions.decision import Decision

VALUE_LIMIT = 8000
"""Most characters of one value in the environment; a system takes only so much."""
_OPERATORS = frozenset(("|", "|&", "||", "&", "&&", "<", ">", ">>", "&>", "2>", "2>>", "2>&1"))


class CommandSink:
    """Runs a command for each escalation: the question on its standard input, in UTF-8.

    command: split as a shell would, but no shell runs it, so nothing that a signal carries is
        ever read as a command. A list is taken as it is.
    timeout_s: a command that is still running then is killed, with what it started.
    output: where its standard output goes, as for `subprocess`; None is our own.

    In its environment: PREFRONTAL_ID, PREFRONTAL_SUBJECT, PREFRONTAL_SCORE, PREFRONTAL_REASON,
    PREFRONTAL_QUESTION and PREFRONTAL_LOCATION, that of the last event; in shape v1
    PREFRONTAL_MODULE instead of subject and reason. Raises InputError for a command that cannot
    be split or names no program that can be run.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        timeout_s: float = 30.0,
        output: int | IO[Any] | None = None,
        shape: Shape = "v2",
    ) -> None:
        self._shape = checked_shape(shape)
        self._argv = _argv(command)
        self._timeout_s = timeout_s
        self._output = output
        self._lock = Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        question = decision.question or ""
        try:
            with self._lock:
                if self._closed:
                    return DeliveryOutcome(False, "not run: closed")
                process = subprocess.Popen(
                    self._argv,
                    stdin=subprocess.PIPE,
                    stdout=self._output,
                    env=os.environ | _environment(decision, self._shape),
                    start_new_session=True,  # Ctrl-C is for us; and so the whole group can be ended
                )
                self._running.add(process)
        except OSError as error:
            return DeliveryOutcome(
                False, f"cannot be run: {error.strerror or error}", down_for_s=0.0
            )
        try:
            process.communicate(question.encode(errors="replace"), timeout=self._timeout_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
            return DeliveryOutcome(False, f"killed after {self._timeout_s:g} s")
        finally:
            with self._lock:
                self._running.discard(process)
        return _ended(process.returncode)

    def close(self) -> None:
        """Kill what is still running and start nothing more."""
        with self._lock:
            self._closed = True
            for process in self._running:
                _kill(process)


def _argv(command: str | Sequence[str]) -> list[str]:
    try:
        argv = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise InputError(f"command must be split into words ({error}), got {command!r}") from None
    if not argv or shutil.which(argv[0]) is None:
        name = argv[0] if argv else ""
        raise InputError(f"command must name a program that can be run, got {shown(name)}")
    if isinstance(command, str) and (ours := _OPERATORS.intersection(argv)):
        raise InputError(
            f"command must be a program and its words, which no shell reads, got {min(ours)!r};"
            f" for a shell: sh -c {shlex.quote(command)}"
        )
    return argv


def _environment(decision: Decision, shape: Shape) -> dict[str, str]:
    values = {
        "ID": decision.id,
        "SCORE": f"{decision.score:.4f}",
        "QUESTION": decision.question or "",
        "LOCATION": decision.window[-1].location if decision.window else "",
    }
    if shape == "v1":
        values["MODULE"] = decision.subject
    else:
        values |= {"SUBJECT": decision.subject, "REASON": str(decision.reason)}
    return {f"PREFRONTAL_{name}": _plain(value) for name, value in values.items()}


def _plain(value: str) -> str:
    """What an environment can hold; a file name that is no UTF-8 keeps its bytes."""
    text = value[:VALUE_LIMIT].replace("\0", "")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _ended(code: int) -> DeliveryOutcome:
    if code >= 0:
        return DeliveryOutcome(code == 0, f"exit code {code}")
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return DeliveryOutcome(False, f"ended by signal {name}")
