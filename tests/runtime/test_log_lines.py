from __future__ import annotations

import io
from typing import Any

import pytest

from prefrontal.runtime import PluginRegistry, Runtime
from prefrontal.runtime.log_lines import LONGEST, LogLines, show
from prefrontal.runtime.plugins.logger import LoggerPlugin

from .sample_plugins import plugin_class

KEY = "sk-abcdefghijklmnopqrstuvwx"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_has_its_level_and_its_source_in_twelve_columns() -> None:
    stream = io.StringIO()
    show(("info", "ledger", "Opened"), stream)
    show(("error", "a-very-long-name", "Broken"), stream)
    assert stream.getvalue() == "[I] [ledger      ] Opened\n[E] [a-very-long-] Broken\n"


def test_a_terminal_gets_colour_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = Terminal(), Terminal()
    show(("error", "a", "x"), coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    show(("error", "a", "x"), plain)
    assert "\x1b[31m" in coloured.getvalue()
    assert "\x1b" not in plain.getvalue()


def test_text_from_outside_cannot_forge_a_line() -> None:
    stream = io.StringIO()
    show(("info", "a", "hi\n[E] [ledger      ] all is lost\x1b[2J"), stream)
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()


def test_secrets_are_neither_kept_nor_shown() -> None:
    lines = LogLines()
    lines.add("info", "a", f"using {KEY}", {"header": f"Bearer {KEY}"})
    assert KEY not in repr(lines.kept)
    assert "[redacted]" in lines.kept[0][2]


def test_only_the_newest_lines_are_kept() -> None:
    lines = LogLines(capacity=2)
    for n in range(4):
        lines.add("info", "a", str(n), {})
    assert [line[2] for line in lines.kept] == ["2", "3"]


@pytest.mark.parametrize(
    ("level", "shown"), [("debug", "DIWE"), ("info", "IWE"), ("warn", "WE"), ("off", "")]
)
def test_the_log_shows_what_is_at_least_as_grave_as_its_level(level: str, shown: str) -> None:
    stream = io.StringIO()
    logger = LoggerPlugin(stream)
    logger.configure({"logging": {"level": level}})
    for each in ("debug", "info", "warn", "error"):
        logger.show_line(each, "a", "x")
    assert "".join(line[1] for line in stream.getvalue().splitlines()) == shown


def test_an_unknown_level_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"logging.level must be one of debug, info.*got 'loud'"):
        LoggerPlugin().configure({"logging": {"level": "loud"}})


async def test_what_a_plugin_logs_reaches_the_plugin_that_shows_it() -> None:
    stream = io.StringIO()
    runtime = Runtime({}, plugins=[LoggerPlugin(stream), plugin_class("talker")])
    await runtime.start()
    talker: Any = runtime.registry.get("talker")
    talker.log_warn("careful", peer="alice")
    assert ("warn", "talker", "careful peer=alice") in runtime.logs
    assert "[W] [talker      ] careful peer=alice\n" in stream.getvalue()
    await runtime.stop()


def test_without_a_plugin_for_it_the_log_goes_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry = PluginRegistry()
    registry.log("debug", "a", "quiet", {})
    registry.log("info", "a", "loud", {})
    assert capsys.readouterr().err == "[I] [a           ] loud\n"


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [None, FullDisk(), closed()])
def test_a_log_that_nobody_takes_costs_nothing(stream: Any) -> None:
    show(("error", "a", "x"), stream)


def test_of_a_line_without_end_only_the_beginning_is_kept() -> None:
    lines = LogLines()
    lines.add("error", "a", "x" * 1_000_000, {})
    assert len(lines.kept[0][2]) == LONGEST
