"""`prefrontal watch --format openclaw-stream`: a line for each wake, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.watch.screen import Screen
from prefrontal.cli.watch.stream import OpenClawStream, stream_line
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.types import Reason

from ..running import Running, watching

LINE = re.compile(r"wake: (?P<question>.+) \[(?P<id>[0-9a-f]{32})\]")
"""As `--stream-mode match --stream-match '^wake: '` of OpenClaw takes it."""


DECISION = Decision(
    id="0123456789abcdef0123456789abcdef",
    time=1_700_000_000.0,
    subject="everything",
    acted=True,
    reason=Reason.WOKE,
    score=0.5,
    threshold=0.0,
    question="Does it matter?",
    propensity=1.0,
    window=(),
    payload=WakePayload(),
)


def settings(tmp_path: Path) -> Path:
    (tmp_path / "app.log").touch()
    path = tmp_path / "prefrontal.yml"
    path.write_text("sources: {logs: [app.log]}\nstate: state\n")
    return path


@pytest.mark.exhaustive
def test_a_stream_has_a_line_for_each_wake_and_nothing_else(tmp_path: Path) -> None:
    config = settings(tmp_path)
    with watching("--config", config):  # what is there at the first start is no event
        pass
    with (tmp_path / "app.log").open("a") as file:
        file.write("ERROR the database is gone\n")
    running = Running("--config", config, "--format", "openclaw-stream")
    try:
        line = LINE.fullmatch(running.line())
        assert line is not None
        assert "ERROR the database is gone" in line["question"]
        assert running.end() == (130, [], [])
    finally:
        running.close()
    with DecisionLog(tmp_path / "state" / "decisions.sqlite") as log:
        deliveries = log.deliveries()
        [handover] = deliveries.of(line["id"])
        deliveries.close()
    assert (handover.sink, handover.state) == ("openclaw-stream", "done")


def test_a_line_that_nobody_reads_is_owed() -> None:
    stream = OpenClawStream()
    decision = replace(DECISION, question="line one\nline two")
    assert not stream.deliver(decision).ok
    stream.screen = Screen(None, lambda: None)
    assert stream.deliver(decision).ok
    assert stream_line(decision) == f"wake: line one line two [{decision.id}]"


def test_other_forms_beside_it_are_a_slip() -> None:
    for words in (["--json"], ["--shadow"]):
        done = CliRunner().invoke(main, ["watch", "--format", "openclaw-stream", *words])
        assert done.exit_code == 2
        assert "must come without" in done.output


def test_a_stream_that_cannot_begin_wakes(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("sources: {lgos: []}\n")
    config = str(tmp_path / "prefrontal.yml")
    done = CliRunner().invoke(main, ["watch", "--config", config, "--format", "openclaw-stream"])
    assert done.exit_code == 2
    assert done.stdout.startswith("wake: prefrontal watch does not run: ")
    assert "lgos" in done.stderr
