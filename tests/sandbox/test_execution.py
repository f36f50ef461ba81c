from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.sandbox import Limits, Policy, SandboxResult, run
from prefrontal.sandbox.ladder import best_level, rung

from ..exhaustive import first
from .driver import survivors

pytestmark = pytest.mark.skipif(not best_level().works, reason=best_level().why)
LEVELS = [level for level in ("namespace", "landlock") if rung(level).works]


@pytest.fixture(params=LEVELS)
def policy(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Policy]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    yield Policy(scratch, level=request.param)
    assert survivors(tmp_path) == []


def python(
    policy: Policy, program: str, *words: str, stdin: bytes = b"", **limits: float
) -> SandboxResult:
    """The program in our interpreter, at most three seconds unless said."""
    command = [sys.executable, "-I", "-S", "-B", "-c", program, str(policy.scratch), *words]
    return run(command, Limits(**{"max_seconds": 3.0, **limits}), policy, stdin=stdin)  # type: ignore[arg-type]


def test_a_command_runs_and_tells_what_it_used(policy: Policy) -> None:
    result = python(policy, "import sys; print(sum(range(3_000_000))); sys.stderr.write('b')")
    assert result.ok and result.returncode == 0 and result.level == policy.level
    assert (result.stdout, result.stderr) == (b"4499998500000\n", b"b")
    assert result.stopped_by == "" and result.killed == 0 and result.notes == ()
    assert result.cpu_s > 0 and 0 < result.duration_s < 3
    assert 4 < result.peak_memory_mb < 100


def test_an_interpreter_that_is_reached_over_a_link_starts(
    policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "environment"
    link.symlink_to(sys.prefix)
    program = link / Path(sys.executable).relative_to(sys.prefix)
    for name, value in (("prefix", link), ("exec_prefix", link), ("executable", program)):
        monkeypatch.setattr(sys, name, str(value))
    assert python(policy, "print(1)").stdout == b"1\n"


def test_an_exit_status_and_a_signal_are_handed_on(policy: Policy) -> None:
    assert python(policy, "import sys; sys.exit(7)").returncode == 7
    ended = python(policy, "import os; os.abort()")
    assert (ended.returncode, ended.ok, ended.stopped_by) == (-signal.SIGABRT, False, "")


def test_what_is_written_into_scratch_stays_and_is_counted(policy: Policy) -> None:
    assert python(policy, "open('a', 'wb').write(bytes(2_000_000))").scratch_mb > 1.8
    assert (policy.scratch / "a").stat().st_size == 2_000_000
    result = python(
        policy, "import os; print(os.getcwd() == os.path.realpath(__import__('sys').argv[1]))"
    )
    assert result.stdout == b"True\n"


def test_input_of_any_size_arrives_and_need_not_be_read(policy: Policy) -> None:
    result = python(
        policy, "import sys; print(len(sys.stdin.buffer.read()))", stdin=b"x" * 3_000_000
    )
    assert result.stdout == b"3000000\n"
    assert python(policy, "pass", stdin=b"x" * 3_000_000).ok


def test_nothing_of_the_environment_is_taken_over(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFRONTAL_TEST_SECRET", "1")
    own = Policy(policy.scratch, level=policy.level, environment={"OWN": "ü"})
    result = python(own, "import json, os; print(json.dumps(dict(os.environ)))")
    seen = json.loads(result.stdout)
    assert "PREFRONTAL_TEST_SECRET" not in seen and seen["OWN"] == "ü"
    assert seen["TZ"] == "UTC" and seen["HOME"] == "/nonexistent"
    assert seen["TMPDIR"] == str(policy.scratch.resolve())


def test_a_readable_file_is_read_also_through_a_link(policy: Policy, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "file").write_text("read")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    seen = Policy(policy.scratch, (tmp_path / "link",), level=policy.level)
    program = "import sys; print([open(p + '/file').read() for p in sys.argv[2:]])"
    result = python(seen, program, str(tmp_path / "link"), str(tmp_path / "data"))
    assert result.stdout == b"['read', 'read']\n", result.stderr


def test_the_limit_of_time_is_kept(policy: Policy) -> None:
    result = python(policy, "while True: pass", max_seconds=0.4)
    assert (result.stopped_by, result.returncode, result.ok) == ("time", -9, False)
    assert 0.4 <= result.duration_s < 1


def test_output_is_cut_at_its_limit_and_ends_the_command(policy: Policy) -> None:
    program = "import os\nwhile True: os.write(1, b'x' * 1000); os.write(2, b'y' * 1000)"
    result = python(policy, program, max_output_bytes=50_000)
    assert result.stopped_by == "output" and not result.ok
    assert len(result.stdout) + len(result.stderr) <= 50_000
    assert result.stdout.startswith(b"xxx")


def test_what_is_left_behind_is_ended_and_counted(policy: Policy) -> None:
    program = "import os, time\nfor _ in range(3):\n    if os.fork() == 0: time.sleep(9)"
    result = python(policy, program)
    assert result.ok and result.killed == 3
    assert result.duration_s < 2


def test_the_threads_and_memory_of_all_processes_are_added_up(policy: Policy) -> None:
    program = (
        "import os, time\nfor _ in range(3):\n    if os.fork() == 0: break\n"
        "kept = b'x' * 40_000_000\ntime.sleep(0.3)"
    )
    result = python(policy, program)
    assert result.threads == 4
    assert result.peak_memory_mb > 150


def test_children_that_share_their_memory_are_not_counted_twice(policy: Policy) -> None:
    program = (
        "import os, time\nkept = b'x' * 60_000_000\nfor _ in range(7):\n"
        "    if os.fork() == 0: break\ntime.sleep(0.2)"
    )
    assert python(policy, program, max_mem_mb=200).ok


ORDINARY = """
import asyncio, getpass, os, shutil, sqlite3, subprocess, sys, tempfile, threading
from pathlib import Path
async def both():
    return await asyncio.gather(asyncio.sleep(0, 1), asyncio.to_thread(lambda: 2))
assert asyncio.run(both()) == [1, 2]
with tempfile.TemporaryDirectory() as folder:
    first, second = Path(folder, "a"), Path(folder, "b")
    first.write_text("text")
    shutil.copy2(first, second)
    second.touch()
    second.rename(Path(folder, "c"))
    with sqlite3.connect(Path(folder, "base")) as base:
        base.execute("create table t (x)")
assert subprocess.run(["echo", "1"], capture_output=True, check=True).stdout == b"1\\n"
assert subprocess.Popen(["sleep", "9"]).kill() is None
assert getpass.getuser() and os.cpu_count() and Path.home()
print("fine")
"""


def test_what_ordinary_programs_do_works_inside(policy: Policy) -> None:
    result = python(policy, ORDINARY)
    assert result.stdout == b"fine\n", result.stderr.decode()


def test_a_function_is_called_and_its_value_is_handed_back(policy: Policy, tmp_path: Path) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(
        "def twice(text: str) -> dict:\n    print('said')\n    return {'t': text * 2}\n"
    )
    result = run(f"{tool}::twice", Limits(), policy, arguments={"text": "ü"})
    assert result.ok, result.stderr
    assert json.loads(result.stdout) == {"t": "üü"}
    assert result.stderr == b"said\n"


@pytest.mark.parametrize(
    ("body", "stopped_by"),
    [
        ("os._exit(0)", "no result"),
        ("os.write(1, b'1'); os._exit(0)", "no result"),
        ("return float('nan')", ""),
        ("return [1, float('inf')]", ""),
        ("return {1, 2}", ""),
        ("return b'bytes'", ""),
    ],
)
def test_a_call_without_a_result_in_json_has_failed(
    policy: Policy, tmp_path: Path, body: str, stopped_by: str
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(f"import os\n\ndef answer():\n    {body}\n")
    result = run(f"{tool}::answer", Limits(), policy, arguments={})
    assert not result.ok and result.stopped_by == stopped_by
    if not stopped_by:
        assert b" JSON " in result.stderr


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes"])
def test_arguments_that_are_no_json_are_the_callers_slip(
    policy: Policy, tmp_path: Path, value: object
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("def same(value): return value\n")
    with pytest.raises(InputError, match=r"arguments must be plain JSON, got \{'value': "):
        run(f"{tool}::same", Limits(), policy, arguments={"value": value})


def test_a_function_that_ends_the_interpreter_hands_nothing_back(
    policy: Policy, tmp_path: Path
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("import os, sys\ndef soft(): sys.exit(0)\ndef hard(): os._exit(0)\n")
    for name in ("soft", "hard"):
        assert run(f"{tool}::{name}", Limits(), policy).stdout == b""


def test_many_run_at_the_same_time(policy: Policy) -> None:
    results: list[SandboxResult] = []

    def one(number: int) -> None:
        results.append(python(policy, f"print({number})"))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(result.stdout) for result in results) == list(range(8))


def test_a_program_that_is_not_there_is_the_callers_slip(policy: Policy) -> None:
    with pytest.raises(InputError, match="command must name a program that is here"):
        run(["no-such-program"], Limits(), policy)
    with pytest.raises(InputError, match="command must be words without NUL"):
        run([], Limits(), policy)
    with pytest.raises(InputError, match="arguments must go with a function"):
        run([sys.executable], Limits(), policy, arguments={})
    for target in ("tool.py", "missing.py::f", f"{__file__}::no way"):
        with pytest.raises(InputError, match=r"a list or 'file\.py::function'"):
            run(target, Limits(), policy)


def test_a_program_that_cannot_be_executed_was_never_run(policy: Policy) -> None:
    program = policy.scratch / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    result = run([str(program)], Limits(), policy)
    assert (result.returncode, result.stopped_by, result.ok) == (None, "sandbox", False)
    assert "cannot be started" in result.notes[0]


HOST = """
import sys, pathlib, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
from prefrontal.sandbox import Limits, Policy, run
command = [sys.executable, "-I", "-S", "-c", PROGRAM, sys.argv[1] + "/marker"]
run(command, Limits(max_seconds=20), Policy(pathlib.Path(sys.argv[1]), level=sys.argv[2]))
"""
FAMILY = "import os, time; os.fork(); os.fork(); open('ready', 'w').close(); time.sleep(15)"


@pytest.mark.parametrize("number", first(2, [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
def test_when_the_caller_is_ended_its_command_is_too(policy: Policy, number: int) -> None:
    host = HOST.replace("PROGRAM", repr(FAMILY))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    caller = subprocess.Popen(
        [sys.executable, "-c", host, str(policy.scratch), policy.level],
        env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until((policy.scratch / "ready").exists)
    caller.send_signal(number)
    caller.wait(10)
    wait_until(lambda: survivors(policy.scratch) == [])


def wait_until(condition: Callable[[], bool]) -> None:
    """At most a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
