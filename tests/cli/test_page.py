"""The bar on standard error, where somebody is looking."""

from __future__ import annotations

import io
import sys

import pytest

from prefrontal.cli.page import progress

SHOWN, HIDDEN = "\x1b[?25h", "\x1b[?25l"


class InterruptedTerminal(io.StringIO):
    """Ctrl-C comes once the first write after `key` is made."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key: str | None = key

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._key is not None and self._key in text:
            self._key = None
            raise KeyboardInterrupt
        return written


def test_ctrl_c_while_the_bar_begins_leaves_the_cursor_on(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = InterruptedTerminal(HIDDEN)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(KeyboardInterrupt), progress():
        pytest.fail("the bar began in spite of Ctrl-C")
    text = terminal.getvalue()
    assert HIDDEN in text and text.rindex(SHOWN) > text.rindex(HIDDEN)


def test_without_a_terminal_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress() as step:
        step("replaying", 1, 2)
    assert not pipe.getvalue().strip()
