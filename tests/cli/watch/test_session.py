from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from prefrontal.cli.watch.screen import beginning, ending
from prefrontal.cli.watch.session import SWITCH_S, build_watch
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.pulse.learned import WEIGHTS
from prefrontal.settings import load_settings, parse_settings
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


@pytest.mark.parametrize(("host", "place"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_a_free_port_is_told_at_the_beginning(tmp_path: Path, host: str, place: str) -> None:
    sources = {"http": {"host": host, "port": 0}}
    session = build_watch(parse_settings({"sources": sources, "state": str(tmp_path / "state")}))
    session.start()
    try:
        text = beginning(session)
        address = re.search(r"^Posts are taken at (http://(.+):[1-9]\d*)\.$", text, re.MULTILINE)
        assert address is not None and address[2] == place
        assert urlopen(f"{address[1]}/health", timeout=PATIENCE_S).status == 200
    finally:
        session.stop(PATIENCE_S)


def test_a_repository_is_named_without_dots_where_it_could_be_adopted(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "project")], check=True)
    (tmp_path / "here").mkdir()
    file = tmp_path / "here" / "prefrontal.yml"
    file.write_text("sources: {git: [../project]}\nstate: state\n")
    session = build_watch(load_settings(file))
    told = beginning(session)
    session.stop(PATIENCE_S)
    assert f"`prefrontal adopt --git {tmp_path.resolve()}/project`" in told


def test_a_folder_that_is_not_there_is_told_once_and_of_many_the_first(tmp_path: Path) -> None:
    modules = [
        {
            "module_id": f"m{number}",
            "cluster": "files",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": 0.5,
            "signal_priors": {"filesystem": {"watch_directories": [f"later/{number % 14}"]}},
        }
        for number in range(40)
    ]
    settings = parse_settings({"modules": modules, "state": str(tmp_path / "state")})
    session = build_watch(settings)
    lines = beginning(session).splitlines()
    session.stop(PATIENCE_S)
    waited = [each for each in lines if each.endswith("does not exist yet; it is waited for")]
    assert len(waited) == len(set(waited)) == 10
    assert "and 4 folders more" in lines


def test_weights_that_cannot_be_used_are_told_with_their_place(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        log.save_state(WEIGHTS, b"x", 3)
    sources = {"directories": [str(tmp_path)]}
    settings = parse_settings({"sources": sources, "state": str(tmp_path)})
    sentence = "^weights in the log of decisions cannot be used: model file must start with"
    with pytest.raises(InputError, match=sentence):
        build_watch(settings)
