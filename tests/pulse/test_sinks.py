"""Escalations to real commands and real streams."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from pathlib import Path

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.document import document, document_v1
from prefrontal.errors import InputError
from prefrontal.pulse.sinks import CommandSink, DeliveryOutcome, LinesFileSink, LinesSink, Shape

from ..processes import ended
from .wakes import wake

TELL = """\
import json, os, sys
told = {k: v for k, v in os.environ.items() if k.startswith("PREFRONTAL_")}
told["stdin"] = sys.stdin.buffer.read().decode()
open(sys.argv[1], "w").write(json.dumps(told))
"""
"""A program that writes down what it was told."""


def told_by(folder: Path, decision: Decision, shape: Shape = "v2") -> dict[str, str]:
    program = folder / "tell.py"
    program.write_text(TELL, encoding="utf-8")
    sink = CommandSink([sys.executable, str(program), str(folder / "told.json")], shape=shape)
    assert sink.deliver(decision) == DeliveryOutcome(True, "exit code 0")
    found: dict[str, str] = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    return found


def test_a_command_is_told_the_question_on_its_input_and_the_rest_in_its_environment(
    tmp_path: Path,
) -> None:
    told = told_by(tmp_path, wake(question="Größe von „x“?"))
    assert told["stdin"] == told["PREFRONTAL_QUESTION"] == "Größe von „x“?"
    assert (told["PREFRONTAL_SUBJECT"], told["PREFRONTAL_REASON"]) == ("inv", "woke")
    assert "PREFRONTAL_MODULE" not in told
    assert told["PREFRONTAL_ID"] == "f" * 32
    assert told["PREFRONTAL_LOCATION"] == "/in/a b.pdf"
    assert told["PREFRONTAL_SCORE"] == "0.9000"


@pytest.mark.parametrize(
    "hostile", ["; touch PWNED", "$(touch PWNED)", "`touch PWNED`", "\n touch PWNED", "' \" \\"]
)
def test_no_value_is_ever_read_as_a_command(tmp_path: Path, hostile: str) -> None:
    told = told_by(tmp_path, wake(location=hostile, question=f"q {hostile}"))
    assert told["PREFRONTAL_LOCATION"] == hostile
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tell.py", "told.json"]


def test_a_location_that_no_environment_can_hold_still_gets_through(tmp_path: Path) -> None:
    assert told_by(tmp_path, wake(location="/in/\0x"))["PREFRONTAL_LOCATION"] == "/in/x"
    assert told_by(tmp_path, wake(location="/in/\ud800"))["PREFRONTAL_LOCATION"] == "/in/?"
    assert len(told_by(tmp_path, wake(location="x" * 10**6))["PREFRONTAL_LOCATION"]) == 8000


def test_a_name_that_is_no_utf_8_keeps_its_bytes(tmp_path: Path) -> None:
    told = told_by(tmp_path, wake(location=os.fsdecode(b"/in/\xff.pdf")))
    assert os.fsencode(told["PREFRONTAL_LOCATION"]) == b"/in/\xff.pdf"


def test_a_command_line_is_split_as_a_shell_would_but_run_by_none(tmp_path: Path) -> None:
    sink = CommandSink(f"touch '{tmp_path}/a b' {tmp_path}/$HOME")
    assert sink.deliver(wake()).ok
    assert sorted(path.name for path in tmp_path.iterdir()) == ["$HOME", "a b"]


@pytest.mark.parametrize(
    ("script", "detail"),
    [("exit 3", "exit code 3"), ("kill -TERM $$", "ended by signal SIGTERM")],
)
def test_a_command_that_fails_says_how(script: str, detail: str) -> None:
    assert CommandSink(["sh", "-c", script]).deliver(wake()) == DeliveryOutcome(False, detail)


def test_a_command_that_reads_nothing_is_fine() -> None:
    assert CommandSink("true").deliver(wake(question="q" * 10**6)).ok


def test_a_command_that_takes_too_long_is_killed_with_what_it_started(tmp_path: Path) -> None:
    script = f"sleep 1000 & echo $! > {tmp_path}/pid; wait"
    sink = CommandSink(["sh", "-c", script], timeout_s=0.5)
    assert sink.deliver(wake()) == DeliveryOutcome(False, "killed after 0.5 s")
    pid = int((tmp_path / "pid").read_text())
    assert ended(pid)


def test_closing_kills_what_runs_and_starts_nothing_more(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")
    sink = CommandSink(["sh", "-c", f"echo > {tmp_path}/started; exec sleep 1000"])
    outcomes: list[DeliveryOutcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(sink.deliver(wake())))
    thread.start()
    (tmp_path / "started").read_text()  # comes back when the command is at work
    sink.close()
    sink.close()
    thread.join(10)
    assert outcomes == [DeliveryOutcome(False, "ended by signal SIGKILL")]
    assert sink.deliver(wake()) == DeliveryOutcome(False, "not run: closed")


def test_the_output_goes_where_it_is_told(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out:
        assert CommandSink("cat", output=out).deliver(wake(question="Hm?")).ok
    assert (tmp_path / "out").read_text() == "Hm?"


@pytest.mark.parametrize("command", ["", "  ", "'unclosed", "/no/such/program -x", [], ["nope!"]])
def test_a_command_that_cannot_be_run_is_refused_at_once(command: str | list[str]) -> None:
    with pytest.raises(InputError, match="command must .*got"):
        CommandSink(command)


def test_a_command_written_for_a_shell_is_refused_with_one_that_runs_it() -> None:
    for operator in ("|", "&&", ">>", "2>&1"):
        with pytest.raises(InputError, match="which no shell reads") as refusal:
            CommandSink(f"cat {operator} wc")
        assert str(refusal.value).endswith(f"for a shell: sh -c 'cat {operator} wc'")
    assert CommandSink(["true", "|"]).deliver(wake()).ok
    assert CommandSink("sh -c 'cat | grep -q Hm'").deliver(wake(question="Hm?")).ok


def test_a_program_that_is_gone_later_is_an_outcome(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    sink = CommandSink([str(program)])
    program.unlink()
    assert sink.deliver(wake()) == DeliveryOutcome(
        False, "cannot be run: No such file or directory"
    )


def test_lines_are_one_json_object_each() -> None:
    stream = io.StringIO()
    sink = LinesSink(stream)
    assert sink.deliver(wake("/in/a\nb", question="„x“")).ok
    assert sink.deliver(wake()).ok
    lines = stream.getvalue().splitlines()
    assert [json.loads(line)["events"][0]["location"] for line in lines] == [
        "/in/a\nb",
        "/in/a b.pdf",
    ]
    assert json.loads(lines[0])["time"] == "1970-01-01T00:00:01.500Z"
    assert lines[0].isascii()


def test_lines_of_several_threads_do_not_mix() -> None:
    stream = io.StringIO()
    sink = LinesSink(stream)
    threads = [
        threading.Thread(target=lambda: [sink.deliver(wake()) for _ in range(50)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [json.loads(line)["id"] for line in stream.getvalue().splitlines()] == ["f" * 32] * 200


def test_a_stream_that_is_closed_is_an_outcome(tmp_path: Path) -> None:
    stream = (tmp_path / "lines").open("a")
    sink = LinesSink(stream, close=True)
    sink.close()
    sink.close()
    assert sink.deliver(wake()).detail.startswith("cannot be written: ")


def test_lines_are_documents_and_in_the_shape_of_before_where_that_is_asked(tmp_path: Path) -> None:
    stream = io.StringIO()
    assert LinesSink(stream).deliver(wake()).ok
    assert LinesSink(stream, shape="v1").deliver(wake()).ok
    assert LinesFileSink(tmp_path / "lines", "v1").deliver(wake()).ok
    new, old = map(json.loads, stream.getvalue().splitlines())
    assert (new, old) == (document(wake()), document_v1(wake()))
    assert json.loads((tmp_path / "lines").read_text()) == old


def test_a_command_may_be_told_in_the_words_of_before(tmp_path: Path) -> None:
    told = told_by(tmp_path, wake(), "v1")
    assert told["PREFRONTAL_MODULE"] == "inv"
    assert not {"PREFRONTAL_SUBJECT", "PREFRONTAL_REASON"} & told.keys()


def test_a_shape_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="format must be v1 or v2, got 'v3'"):
        LinesSink(io.StringIO(), shape="v3")  # type: ignore[arg-type]
