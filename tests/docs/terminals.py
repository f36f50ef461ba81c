"""A command that goes on while a page does."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from .shown_output import fits

PATIENCE_S = 60.0


class OpenTerminal:
    """A command in a shell of its own; what it says on both its streams is one text."""

    def __init__(self, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._home = environment["HOME"]
        self._lines: list[str] = []
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def says(self, shown: str, *, ordered: bool = True) -> dict[str, str]:
        """Wait until it has said this since it was last asked; the ids, as `fits` gives them.

        ordered: off where its two streams race for the next line.
        """
        known: dict[str, str] | None = None
        wanted = shown if ordered else "\n".join(sorted(shown.splitlines()))

        def said() -> bool:
            nonlocal known
            lines = self._lines if ordered else sorted(self._lines)
            known = fits(wanted, "".join(lines), self._home)
            return known is not None

        with self._more:
            told = self._more.wait_for(said, PATIENCE_S)
            text = "".join(self._lines)
            self._lines.clear()
        assert told, f"must say\n{shown}\ngot\n{text}"
        return known or {}

    def ends(self, shown: str) -> dict[str, str]:
        """Press Ctrl-C, and see what it says until it is over."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return self.says(shown)

    def close(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._more:
                self._lines.append(line)
                self._more.notify_all()
