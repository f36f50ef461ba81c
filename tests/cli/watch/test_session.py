from __future__ import annotations

import sys
from pathlib import Path

from prefrontal.cli.watch.screen import ending
from prefrontal.cli.watch.session import SWITCH_S, build_watch
from prefrontal.settings import load_settings
from prefrontal.telemetry import prometheus_text
from prefrontal.web.part_health import _gate

PATIENCE_S = 60.0


def test_threads_of_a_watch_take_turns_quickly(tmp_path: Path) -> None:
    file = tmp_path / "prefrontal.yml"
    file.write_text("sources: {directories: [.]}\nstate: state\n")
    before = sys.getswitchinterval()
    sys.setswitchinterval(2 * SWITCH_S)
    try:
        session = build_watch(load_settings(file))
        assert sys.getswitchinterval() == SWITCH_S
        assert session.stop()
    finally:
        sys.setswitchinterval(before)


def test_lines_that_may_be_lost_are_told_at_the_end_on_the_page_and_in_the_metrics(
    tmp_path: Path,
) -> None:
    file, path = tmp_path / "prefrontal.yml", tmp_path / "app.log"
    file.write_text("sources: {logs: [app.log]}\nstate: state\n")
    for text in ("was read\n", "another file, whose past is gone\n"):
        path.unlink(missing_ok=True)
        path.write_text(text)
        session = build_watch(load_settings(file))
        session.watch.start()
        assert session.watch.caught_up(PATIENCE_S)
        figures, status = prometheus_text(session.watch), session.watch.status()
        assert session.stop(PATIENCE_S)
    assert "prefrontal_log_gaps_total 1\n" in figures
    assert "1 gap in followed logs" in ending(session, finished=True)
    [queue] = [each for each in _gate(status) if each[0] == "queue"]
    assert queue[1] == "trouble" and "1 gaps in followed logs" in str(queue[3])
