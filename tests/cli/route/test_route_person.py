"""The person at the terminal: questions, closed input, Ctrl-C, and taking a route up again."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from prefrontal import cli
from prefrontal.cli.route import person
from prefrontal.cli.route.person import Person

from ..routed import COMPOSE, SUMMARIZE, UNKNOWN, confined, example, kept, log, phases, route

PATIENCE_S = 120.0
AGAIN_S = 2.0
"""A person who sees nothing happen presses Ctrl-C again after so long."""
INTERRUPT = b"\x03"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return example(tmp_path)


@pytest.mark.exhaustive
@confined
def test_a_closed_input_is_no_answer_and_no(project: Path) -> None:
    before = kept(project)
    result = route(project, COMPOSE, data="")
    assert result.exit_code == 4
    assert "Keep the composition summarize_matrix_then_plot_matrix.py? [y/N]" in result.stderr
    assert result.stdout.endswith("[PREFRONTAL] nobody answered, so it is not approved.\n")
    assert {name for name in kept(project) if not name.endswith("history.jsonl")} == before
    asked = route(project, UNKNOWN, data="")
    assert asked.exit_code == 3
    assert "action=count, summarise or visualise?" in asked.stderr


def test_one_question_is_asked_at_most_and_its_answer_counts(project: Path) -> None:
    result = route(project, "text analysis", "--dry-run", data="count\nplot\nplot\n")
    assert result.stderr.count("?") == 1
    assert phases(project).count("clarify") == 1
    assert "question: action=count or summarise? answer: count -> domain=text action=count" in (
        result.stdout
    )


@pytest.mark.parametrize("flags", [["--non-interactive"], ["--plan"]])
def test_nobody_is_asked_where_nobody_may_be(flags: list[str], project: Path) -> None:
    result = route(project, UNKNOWN, *flags, data="count\ny\ny\n")
    assert result.exit_code == 3
    assert "?" not in result.stderr.replace("domain=?", "").replace("action=?", "")
    [clarified] = [event for event in log(project) if event["phase"] == "clarify"]
    assert clarified["decision"] == "skipped"


@confined
def test_a_pipe_is_not_asked(project: Path) -> None:
    told = ["--workflows", str(project / "workflows")]
    for prompt, code in ((UNKNOWN, 3), (COMPOSE, 4)):
        result = CliRunner().invoke(cli.main, ["route", prompt, *told], input="y\ny\ny\n")
        assert (result.exit_code, result.stderr) == (code, "")
    assert "nobody answered, so it is not approved" in result.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("prompt", [UNKNOWN, COMPOSE])
def test_an_input_that_was_never_open_is_no_answer_either(prompt: str, project: Path) -> None:
    words = ["route", prompt, "--workflows", str(project / "workflows")]
    command = [sys.executable, "-m", "prefrontal", *words]
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *command], capture_output=True, check=False
    )
    assert done.returncode in {3, 4, 7}, done.stderr
    assert done.stderr == b""


@pytest.mark.exhaustive
@confined
def test_silence_teaches_nothing_and_no_does(project: Path) -> None:
    history = project / "workflows/domains/analysis/summarise/history.jsonl"
    route(project, SUMMARIZE, data="")
    assert "rejected" not in history.read_text()
    route(project, SUMMARIZE, data="n\n")
    assert '"event": "rejected"' in history.read_text()


@pytest.mark.exhaustive
@confined
def test_a_rejected_route_is_offered_next_time_and_can_be_taken_up(project: Path) -> None:
    assert route(project, COMPOSE, data="n\n").exit_code == 4
    offered = "[PREFRONTAL] waiting: route-001 (rejected): Summarize a matrix then plot it;"
    later = route(project, SUMMARIZE, "--dry-run")
    assert f"{offered} prefrontal route resume route-001\n" in later.stderr
    assert "waiting" not in route(project, SUMMARIZE, "--dry-run").stderr  # once is enough
    resumed = route(project, "resume", "route-001", data="y\n")
    assert resumed.exit_code == 0, resumed.output
    assert "promote → workflows/domains/analysis/visualise/" in resumed.stdout
    assert route(project, SUMMARIZE, "--plan").stderr == ""
    assert "waiting" not in route(project, SUMMARIZE, "--dry-run").stderr


@confined
def test_a_rejected_tool_can_be_taken_up(project: Path) -> None:
    refused = route(project, SUMMARIZE, data="n\n")
    assert refused.stdout.endswith("prefrontal route resume route-001 asks again.\n")
    resumed = route(project, "resume", "route-001", data="y\n")
    assert resumed.exit_code == 0, resumed.output
    assert "Use summarize_matrix?" in resumed.stderr
    assert route(project, SUMMARIZE, "--plan").exit_code == 0


@confined
def test_the_routes_that_wait_are_listed(project: Path) -> None:
    assert route(project, "resume").stdout == "No route waits.\n"
    route(project, COMPOSE, data="n\n")
    result = route(project, "resume")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("waiting: route-001 (rejected): Summarize a matrix then plot")
    [line] = route(project, "resume", "--json").stdout.splitlines()
    assert json.loads(line)["route_id"] == "route-001"


def test_a_route_that_does_not_wait_cannot_be_taken_up(project: Path) -> None:
    result = route(project, "resume", "route-077")
    assert result.exit_code == 2
    assert "must be of a route that waits (none), got 'route-077'" in result.stderr


@pytest.mark.parametrize("ask", [Person.answer, Person.agree])
def test_an_interrupt_at_a_question_is_none_of_its_answers(
    ask: Callable[[Person, str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(person, "is_terminal", lambda: True)
    monkeypatch.setattr(click.termui, "visible_prompt_func", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(Person(), "Go on?")


def test_a_question_shows_nothing_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def typed(prompt: str) -> str:
        shown.append(prompt)
        return "yes"

    monkeypatch.setattr(person, "is_terminal", lambda: True)
    monkeypatch.setattr(click.termui, "visible_prompt_func", typed)
    with redirect_stderr(StringIO()) as stream:
        assert Person().agree("Use \x1b[31mred\u202e?")
        Person().answer("Which \x9b one?")
    text = stream.getvalue() + "".join(shown)
    assert "Use [31mred?" in text
    assert text.isprintable()


@pytest.mark.exhaustive
@confined
@pytest.mark.parametrize("prompt", [COMPOSE, UNKNOWN])
def test_ctrl_c_at_a_terminal_ends_with_130_and_leaves_nothing(prompt: str, project: Path) -> None:
    before = kept(project)
    code, output = at_a_terminal(project, prompt, INTERRUPT)
    assert code == 130
    assert "Error" not in output
    assert "Traceback" not in output
    assert {name for name in kept(project) if not name.endswith("history.jsonl")} == before
    assert phases(project)[0] == "parse"
    assert route(project, SUMMARIZE, "--non-interactive").exit_code == 0


def at_a_terminal(project: Path, prompt: str, typed: bytes) -> tuple[int, str]:
    """Run `prefrontal route` at a terminal of its own and type once it asks."""
    master, slave = pty.openpty()
    words = ["route", prompt, "--workflows", str(project / "workflows")]
    child = subprocess.Popen(
        [sys.executable, "-m", "prefrontal", *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - this test has one thread
    )
    os.close(slave)
    output, interrupted = b"", 0.0
    ended = time.monotonic() + PATIENCE_S
    while time.monotonic() < ended:
        if not select.select([master], [], [], 0.2)[0]:
            if child.poll() is not None:
                break
            if interrupted and time.monotonic() > interrupted + AGAIN_S:
                os.write(master, INTERRUPT)  # readline misses one just before it begins to wait
                interrupted = time.monotonic()
            continue
        try:
            output += os.read(master, 65536)
        except OSError:
            break  # the terminal was closed with the last process
        if typed and output.endswith((b"?: ", b"[y/N]: ")):
            os.write(master, typed)
            interrupted = time.monotonic() if typed == INTERRUPT else 0.0
            typed = b""
    try:
        return child.wait(PATIENCE_S), output.decode("utf-8", "replace")
    finally:
        child.kill()
        child.wait()
        os.close(master)


def _take_terminal() -> None:
    """Make standard input the terminal whose Ctrl-C reaches this process."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored by what a shell runs in the background
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
