"""Runs a program with an input, within limits, and returns its output."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ...errors import SourceError

_CHUNK = 1 << 16
_KEPT_COMPLAINT = 2_000


@dataclass(slots=True)
class _Talk:
    """The unsent input and the output so far; each method is True when its stream is done."""

    unsent: memoryview
    reply: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)

    def say(self, pipe: int) -> bool:
        try:
            self.unsent = self.unsent[os.write(pipe, self.unsent[:_CHUNK]) :]
        except BrokenPipeError:  # it closed its input
            return True
        return not self.unsent

    def hear(self, pipe: int) -> bool:
        data = os.read(pipe, _CHUNK)
        self.reply += data
        return not data

    def hear_complaint(self, pipe: int) -> bool:
        data = os.read(pipe, _CHUNK)
        self.complaint += data
        del self.complaint[:-_KEPT_COMPLAINT]
        return not data


def ask_command(argv: Sequence[str], question: bytes, timeout_s: float, most_bytes: int) -> bytes:
    """The output of the program, at most one byte more than `most_bytes`.

    Raises SourceError when it cannot be started, times out or exits with another status than 0.
    Runs it in a process group of its own and kills that at the end.
    """
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{shlex.join(argv)} cannot be started: {reason}") from None
    talk = _Talk(memoryview(question))
    with process:
        try:
            in_time = _converse(process, talk, time.monotonic() + timeout_s, most_bytes)
        finally:
            _kill_group(process)
    return _judged(argv, process.returncode, talk, in_time, timeout_s, most_bytes)


def _judged(
    argv: Sequence[str], status: int, talk: _Talk, in_time: bool, timeout_s: float, most: int
) -> bytes:
    if not in_time:
        raise SourceError(f"{shlex.join(argv)} must reply within {timeout_s:g} s, got no reply")
    if status != 0 and len(talk.reply) <= most:
        words = " ".join(talk.complaint.decode(errors="replace").split())
        raise SourceError(f"{shlex.join(argv)} ended with status {status}: {words or 'no message'}")
    return bytes(talk.reply)


def _converse(process: subprocess.Popen[bytes], talk: _Talk, until: float, most: int) -> bool:
    """Write and read until the output ends or is too long; False after the time limit."""
    parts = [(process.stdin, selectors.EVENT_WRITE, talk.say)]
    parts += [(process.stdout, selectors.EVENT_READ, talk.hear)]
    parts += [(process.stderr, selectors.EVENT_READ, talk.hear_complaint)]
    with selectors.DefaultSelector() as selector:
        for pipe, event, act in parts:
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, event, (pipe, act))
        while selector.get_map() and len(talk.reply) <= most:
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                return False
            for key, _ in ready:
                pipe, act = key.data
                if act(key.fd):
                    selector.unregister(pipe)
                    pipe.close()
    return len(talk.reply) > most or _ended(process, until)


def _ended(process: subprocess.Popen[bytes], until: float) -> bool:
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
