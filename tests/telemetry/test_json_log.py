"""Log lines for programs, and what a wake logs."""

from __future__ import annotations

import io
import json
import logging
import math
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from prefrontal.telemetry import JsonLogFormatter, log_wakes

from .gates import Inbox, gate, run


class Lines:
    """What a handler with the formatter wrote."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.handler = logging.StreamHandler(self.stream)
        self.handler.setFormatter(JsonLogFormatter())

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(each) for each in self.stream.getvalue().splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    made, logger = Lines(), logging.getLogger("prefrontal")
    before = logger.level
    logger.addHandler(made.handler)
    logger.setLevel(logging.INFO)
    yield made
    logger.removeHandler(made.handler)
    logger.setLevel(before)


def test_a_wake_is_one_line_with_its_id_module_and_reason(lines: Lines) -> None:
    registry, inbox = gate(), Inbox()
    registry.on_wake(inbox)
    end = log_wakes(registry)
    run(registry, ["a.pdf", "b.txt"])
    [line], [decision] = lines.read(), inbox.decisions
    assert line.pop("time")[-1] == "Z"
    assert line == {
        "level": "info",
        "logger": "prefrontal.wakes",
        "message": "homework: woke",
        "decision": {
            "id": decision.id,
            "kind": "wake",
            "subject": "homework",
            "acted": True,
            "reason": "woke",
            "score": decision.score,
        },
    }
    end()
    run(registry, ["c.pdf"])
    assert len(lines.read()) == 1


def test_the_question_is_logged_only_when_asked_for(lines: Lines) -> None:
    registry = gate()
    log_wakes(registry, questions=True)
    run(registry, ["a.pdf"])
    assert lines.read()[0]["decision"]["question"] == "Is /srv/homework/a.pdf homework?"


def test_whatever_is_said_stays_one_line_and_without_secrets(lines: Lines) -> None:
    log = logging.getLogger("prefrontal.pulse")
    log.warning("a\nb\u2028c \ud800 %s", "password: hunter2hunter2")
    [line] = lines.stream.getvalue().splitlines()
    assert json.loads(line)["message"] == "a\nb\u2028c \ud800 password: [redacted]"
    assert line.isascii()


def test_an_error_is_told_with_its_traceback(lines: Lines) -> None:
    try:
        raise OSError("token=abcdef0123456789")
    except OSError:
        logging.getLogger("prefrontal.pulse").exception("it broke")
    [line] = lines.read()
    assert (line["level"], line["error"]) == ("error", "OSError")
    assert "Traceback" in line["traceback"]
    assert "abcdef0123456789" not in line["traceback"]


def test_what_json_cannot_say_is_null_and_unknown_fields_are_left_out() -> None:
    record = logging.LogRecord("prefrontal", logging.INFO, "", 1, "hello", (), None)
    record.created = 1_700_000_000.25
    record.decision = {"score": math.nan, "threshold": 0.5, "reason": None, "colour": "red"}
    assert json.loads(JsonLogFormatter().format(record)) == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "info",
        "logger": "prefrontal",
        "message": "hello",
        "decision": {"score": None, "threshold": 0.5, "reason": None},
    }


def test_a_record_without_a_decision_or_with_another_one_is_fine() -> None:
    record = logging.LogRecord("prefrontal", logging.INFO, "", 1, "hello", (), (None, None, None))
    record.decision = "no reason of ours"
    assert "decision" not in json.loads(JsonLogFormatter().format(record))


def test_the_package_loads_no_telemetry_library() -> None:
    import subprocess

    program = (
        "import sys; from prefrontal.telemetry import JsonLogFormatter, MetricsServer, observe;"
        "print([each for each in ('opentelemetry', 'numpy', 'asyncio') if each in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert answer.stdout.strip() == b"[]"
