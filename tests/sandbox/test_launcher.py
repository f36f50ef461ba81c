"""The launcher as a program of its own: options, exit status, requests and reports in JSON."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prefrontal.sandbox import launcher as launcher_module
from prefrontal.sandbox.ladder import LEVELS, best_level, rung
from prefrontal.sandbox.launcher import launcher

pytestmark = pytest.mark.skipif(not best_level().works, reason=best_level().why)

FIELDS = {
    *("version", "started", "level", "exit_status", "signal", "stopped_by", "killed"),
    *("memory_kb", "threads", "scratch_kb", "wall_us", "cpu_us"),
}


def sbx(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(launcher()), *words], capture_output=True, text=True, check=False, timeout=20,
        cwd="/", **options,
    )  # fmt: skip


def reported(request: dict[str, Any]) -> dict[str, Any]:
    """The report of a request whose command writes to standard error alone."""
    ended = sbx("--request", "/dev/stdin", input=json.dumps({"report": 1, **request}))
    report: dict[str, Any] = json.loads(ended.stdout)
    assert ended.returncode == (0 if report["started"] else 125), ended
    return report


def test_help_names_every_option_and_the_version_is_said() -> None:
    ended = sbx("--help")
    source = (Path(__file__).parents[2] / "csrc" / "sandbox" / "request.cpp").read_text()
    options = set(re.findall(r'\{"(--[a-z-]+)"', source)) - {"--landlock-version"}
    assert len(options) == 15 and ended.returncode == 0
    assert {option for option in options if option not in ended.stdout} == set()
    assert sbx("--version").stdout.startswith("prefrontal-sbx 0.")


def test_alone_it_hands_on_output_and_exit_status(tmp_path: Path) -> None:
    ended = sbx("--scratch", str(tmp_path), "--", "sh", "-c", "pwd; echo $HOME >&2; exit 7")
    assert ended.returncode == 7
    assert (ended.stdout, ended.stderr) == (f"{tmp_path.resolve()}\n", "/nonexistent\n")


def test_alone_it_says_what_ended_the_command(tmp_path: Path) -> None:
    begin = ["--scratch", str(tmp_path), "--seconds", "0.2", "--"]
    assert sbx(*begin, "sleep", "9").returncode == 124
    assert sbx(*begin, "sh", "-c", "kill -ABRT $$").returncode == 128 + signal.SIGABRT


def test_a_request_in_json_is_answered_in_json(tmp_path: Path) -> None:
    report = reported(
        {
            "level": "auto", "scratch": str(tmp_path), "seconds": 5, "memory_mb": 200,
            "read": ["system"], "variables": {"A": "\u00fc\U0001f600\"\\\n"},
            "command": ["sh", "-c", "printf %s \"$A\" > file; exit 3"],
        }
    )  # fmt: skip
    assert report.keys() == FIELDS
    assert (report["version"], report["started"], report["level"]) == (1, True, best_level().level)
    assert (report["exit_status"], report["signal"], report["stopped_by"]) == (3, None, "")
    assert (tmp_path / "file").read_text() == '\u00fc\U0001f600"\\\n'


@pytest.mark.parametrize(
    ("request_text", "sentence"),
    [
        ("", "at byte 0 there must be '{'"),
        ('{"scratch": "/tmp"} x', "there must be nothing after the object"),
        ('{"scratch": "/tmp', "there must be the end of a text"),
        ('{"scratch": "\\ud800"}', "there must be a character"),
        ('{"scratch": "\\q"}', "there must be an escape of JSON"),
        ('{"scratch": true}', "there must be a text, a number or a list of texts"),
        ('{"read": [1]}', "there must be '\"'"),
        ('{"variables": {"A=B": "c"}}', "there must be a name without ="),
        ('{"variables": {"A": "b", "A": "c"}}', 'must name each key once, got "A" twice'),
        ('{"read": ["/no"], "read": []}', 'must name each key once, got "read" twice'),
        ('{"memory_mb": 9, "memory-mb": 8}', 'must name each key once, got "memory-mb" twice'),
        ('{"command": ["no"], "command": []}', 'must name each key once, got "command" twice'),
        ('{"speed": 1}', "unknown option --speed"),
        ('{"seconds": -1}', "--seconds must be above 0 and at most 1e9, got -1"),
        ('{"processes": 0.5}', "--processes must be at least 1, got 0.5"),
        ('{"level": "strong"}', "--level must be auto, namespace"),
        ('{"network": "maybe"}', "--network must be off, on or proxy, got maybe"),
        ('{"command": ["true"]}', "--scratch must name a folder"),
        ('{"scratch": "/", "command": ["true"]}', "a folder other than /"),
        ('{"scratch": "SCRATCH"}', "there must be a command after --"),
        ('{"scratch": "SCRATCH", "command": ["no-such"]}', "must be a program of /usr/local/bin"),
        ('{"scratch": "SCRATCH", "read": ["/"], "command": ["true"]}', "less than everything"),
        ('{"scratch": "SCRATCH", "read": ["/no"], "command": ["true"]}', "No such file"),
        ('{"scratch": "SCRATCH", "variables": {"LD_A": ""}, "command": ["true"]}', "of the loader"),
        ('{"scratch": "SCRATCH", "network": "proxy", "command": ["true"]}', "must come together"),
    ],
)
def test_a_request_that_cannot_be_met_runs_nothing_and_says_why(
    tmp_path: Path, request_text: str, sentence: str
) -> None:
    request = request_text.replace("SCRATCH", str(tmp_path))
    ended = sbx("--request", "/dev/stdin", input=request)
    assert ended.returncode == 125 and ended.stdout == ""
    assert ended.stderr.startswith("prefrontal-sbx: ") and sentence in ended.stderr


def test_a_failure_is_reported_where_the_report_was_asked_for() -> None:
    report = reported({"scratch": "/no/such/folder", "command": ["true"]})
    assert report == {
        "version": 1, "started": False, "error": "--scratch must exist, got '/no/such/folder'",
    }  # fmt: skip


def test_standard_streams_that_are_closed_stay_so_for_the_command(tmp_path: Path) -> None:
    words = [str(launcher()), "--scratch", str(tmp_path), "--", "cat"]
    closed = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *words]
    ended = subprocess.run(closed, capture_output=True, text=True, check=False, timeout=20)
    assert ended.returncode == 1
    assert "Bad file descriptor" in ended.stderr and "prefrontal-sbx" not in ended.stderr
    report = ["/bin/sh", "-c", 'exec "$@" <&- >&-', "sh", *words[:-1], "true"]
    assert subprocess.run(report, check=False, timeout=20).returncode == 0


@pytest.mark.parametrize("redirection", ["", "9</dev/null"])
def test_a_report_that_nobody_could_read_is_refused_before_anything_runs(
    tmp_path: Path, redirection: str
) -> None:
    words = [str(launcher()), "--scratch", str(tmp_path), "--report", "9", "--", "touch", "ran"]
    command = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert ended.returncode == 125 and not (tmp_path / "ran").exists()
    sentence = "--report must be the number of an open descriptor to write, got 9"
    assert ended.stderr == f"prefrontal-sbx: {sentence}\n"


def test_a_report_that_is_lost_is_said(tmp_path: Path) -> None:
    words = [str(launcher()), "--scratch", str(tmp_path), "--report", "9", "--", "true"]
    command = ["/bin/sh", "-c", 'exec "$@" 9>/dev/full', "sh", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert ended.returncode == 125
    assert ended.stderr == "prefrontal-sbx: descriptor 9: No space left on device\n"


def test_the_probe_needs_no_writable_tmp() -> None:
    prepared = ["unshare", "-U", "-r", "-m", "/bin/sh", "-c"]
    # What lies in /tmp stays there: the package may be installed below it.
    script = 'mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp && exec "$@"'
    if subprocess.run([*prepared, script, "sh", "true"], check=False).returncode != 0:
        pytest.skip("/tmp cannot be made read-only in a namespace here")
    ended = subprocess.run(
        [*prepared, script, "sh", str(launcher()), "--probe"], env={}, capture_output=True,
        text=True, check=False, timeout=20,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["levels"]["none"] == ""


def test_its_own_probe_agrees_with_the_ladder() -> None:
    answer = json.loads(sbx("--probe").stdout)
    assert answer["version"] == 1
    assert {level: not why for level, why in answer["levels"].items()} == {
        level: rung(level).works for level in LEVELS
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_it_ends_the_command(tmp_path: Path, number: int) -> None:
    words = ["--scratch", str(tmp_path), "--", "sh", "-c", "echo begun; sleep 30"]
    with subprocess.Popen([str(launcher()), *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"begun\n"
            process.send_signal(number)
            assert process.wait(10) == 128 + number
        finally:
            process.kill()


def test_the_command_of_the_package_becomes_the_program() -> None:
    code = "from prefrontal.sandbox.launcher import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", code, "--version"], env=environment, capture_output=True, check=False
    )
    assert ended.stdout.startswith(b"prefrontal-sbx ")


def test_the_command_of_the_package_says_that_the_program_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher_module, "launcher", lambda: tmp_path / "prefrontal-sbx")
    with pytest.raises(SystemExit, match="prefrontal-sbx cannot be started"):
        launcher_module.main()
