"""A command that goes on while a page does."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import tty
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from .shown_output import fits

PATIENCE_S = 60.0


class OpenTerminal:
    """A command in a terminal of its own; what it says on both its streams is one text."""

    def __init__(self, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._screen, end = os.openpty()
        tty.setraw(end)
        self._process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            cwd=folder,
            env={**environment, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=end,
            stderr=end,
        )
        os.close(end)
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
        os.close(self._screen)

    def _read(self) -> None:
        rest = b""
        with suppress(OSError):  # where nobody writes any more
            while data := os.read(self._screen, 1 << 16):
                *lines, rest = (rest + data).split(b"\n")
                with self._more:
                    self._lines += [f"{each.decode()}\n" for each in lines]
                    self._more.notify_all()
