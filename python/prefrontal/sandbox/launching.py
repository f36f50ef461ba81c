"""Runs the launcher: starts it, feeds and drains it, and always ends it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .exchange import Exchange, Streams
from .launcher import launcher

if TYPE_CHECKING:
    from .limits import Limits

GRACE_S = 10.0  # for a launcher that hangs; it enforces the time limit itself


@dataclass(frozen=True, slots=True)
class Launch:
    """The launcher's orders. level: a named one. network: off, on or proxy.

    proxy_socket: a descriptor of a Unix socket, for the network "proxy".
    """

    level: str
    scratch: Path
    read: Sequence[str]
    variables: Mapping[str, str]
    limits: Limits
    network: str
    command: Sequence[str]
    stdin: bytes = b""
    proxy_socket: int | None = None

    def words(self, report: int) -> list[str]:
        """The launcher's command line."""
        limits = self.limits
        options: dict[str, object] = {
            "report": report,
            "level": self.level,
            "scratch": self.scratch,
            "network": self.network,
            "seconds": limits.max_seconds,
            "memory-mb": limits.max_mem_mb,
            "file-mb": limits.max_file_mb,
            "scratch-mb": limits.max_scratch_mb,
            "scratch-entries": limits.max_scratch_entries,
            "processes": limits.max_processes,
            "open-files": limits.max_open_files,
            "processors": limits.cpus,
        }
        if self.proxy_socket is not None:
            options["proxy-socket"] = self.proxy_socket
        words = [str(launcher())]
        for name, value in options.items():
            words += [f"--{name}", str(value)]
        for path in self.read:
            words += ["--read", path]
        for name, value in self.variables.items():
            words += ["--variable", f"{name}={value}"]
        return [*words, "--", *self.command]


def launch(order: Launch) -> Streams:
    """Run to the end; on an exception, also Ctrl-C, ends every process first."""
    limits = order.limits
    longest_s = limits.max_seconds + GRACE_S
    reading, writing = os.pipe()
    passed = [writing] if order.proxy_socket is None else [writing, order.proxy_socket]
    streams = Streams()
    with os.fdopen(reading, "rb", buffering=0) as report:
        try:
            process = subprocess.Popen(
                order.words(writing), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, pass_fds=passed, start_new_session=True, env={},
                cwd="/",
            )  # fmt: skip
        finally:
            os.close(writing)
        with process:
            try:
                Exchange(process, report, streams, limits.max_output_bytes).run(
                    order.stdin, longest_s
                )
            finally:
                end(process)
    return streams


def end(process: subprocess.Popen[bytes]) -> None:
    """Tell the launcher to end all processes; kills them if it does not."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        _kill_tree(process.pid)


def _kill_tree(root: int) -> None:
    """Kill from the leaves up, so that no process is reparented first."""
    for child in _children(root):
        _kill_tree(child)
    with suppress(ProcessLookupError):
        os.kill(root, signal.SIGKILL)


def _children(parent: int) -> list[int]:
    with suppress(OSError):
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
        return [int(word) for word in text.split()]
    return []
