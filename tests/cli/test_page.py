"""The bar on standard error, where somebody is looking, and moments for people."""

from __future__ import annotations

import io
import sys
import time

import pytest

from prefrontal.cli.page import list_moments, progress
from prefrontal.cli.run.story import wake_line

from ..decisions.decision_samples import woke

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


def test_the_year_of_a_list_is_left_out_where_it_is_the_current() -> None:
    now = time.mktime((2026, 11, 29, 7, 4, 14, 0, 0, -1))
    before = time.mktime((2025, 12, 31, 23, 59, 59, 0, 0, -1))
    assert list_moments([now, now - 3600], now) == ["11-29 07:04:14", "11-29 06:04:14"]
    assert list_moments([now, before], now) == ["2026-11-29 07:04:14", "2025-12-31 23:59:59"]
    assert list_moments([1e20], now) == ["unknown"]
    assert list_moments([], now) == []


def test_a_wake_of_another_day_is_told_with_the_day() -> None:
    now = time.mktime((2026, 11, 29, 23, 59, 59, 0, 0, -1))
    assert wake_line(woke(now - 86_399.0), now).startswith("00:00:00 ")
    assert wake_line(woke(now - 86_400.0), now).startswith("2026-11-28 23:59:59 ")
    assert wake_line(woke(now), now + 1.0).startswith("2026-11-29 23:59:59 ")
