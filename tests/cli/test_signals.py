"""Ctrl-C and SIGTERM at any moment of any command that goes on: no traceback, and the right code.

The process tells when our first line has run; moments are counted from there. What comes earlier
reaches the interpreter while it starts, and `test_little_is_imported_before_...` holds that short.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydantic_core import SchemaError

from prefrontal.cli import main
from prefrontal.interrupts import INTERRUPTED, TERMINATED, Terminated, exit_code

from ..exhaustive import first

PATIENCE_S = 60.0
PROGRAM = """\
import os
from prefrontal import interrupts
interrupts.leave_at_once()
os.write(3, b"!")
from prefrontal.__main__ import main
main()
"""
SETTINGS = "sources: {directories: [watched], polling: true}\nexecutive: {tools: tools}\n"
COMMANDS = {
    "watch": ["watch", "watched", "--state", "state"],
    "run": ["run", "--config", "prefrontal.yml", "--state", "state"],
    "gate": ["gate", "watched", "--state", "state"],
    "dash": ["dash", "--no-token", "--port", "0", "--state", "state"],
    "mcp": ["mcp", "--state", "state"],
    "mcp-http": ["mcp", "--transport", "http", "--no-token", "--port", "0", "--state", "state"],
    "chat": ["agent", "chat"],
    "webhook": ["agent", "run", "--channel", "webhook", "--port", "0"],
    "replay": ["replay", "--events", "windows.jsonl", "--json"],
    "route": ["route", "prompt", "make a plot", "--workflows", "tools", "--non-interactive"],
    "help": ["--help"],
}
ENDS_BY_ITSELF = {"gate": {0, 1}, "replay": {0}, "route": {0, 3}, "help": {0}}
"""Command -> its codes where the signal came too late."""
SHORT = {name: (40 * number,) for number, name in enumerate(COMMANDS)} | {"watch": (0, 90, 400)}
"""Milliseconds after the first line."""
LONG_MS = range(0, 610, 10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "watched").mkdir()
    (tmp_path / "tools").mkdir()
    (tmp_path / "prefrontal.yml").write_text(SETTINGS)
    with (tmp_path / "windows.jsonl").open("w") as windows:
        for number in range(4000):
            window = {
                "time": number * 3600.0,
                "text": f"line {number % 11}",
                "events": [],
                "relevant": number % 7 == 0,
            }
            windows.write(json.dumps(window) + "\n")
    return tmp_path


@contextmanager
def begun(folder: Path, words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The command, whose first line has run."""
    told = {k: v for k, v in os.environ.items() if not k.startswith("PREFRONTAL_")}
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", f"import os; os.dup2({writing}, 3)\n{PROGRAM}", *words],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        cwd=folder, pass_fds=[writing],
        env=told | {"HOME": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    os.close(writing)
    with process, os.fdopen(reading, "rb") as ready:
        try:
            assert ready.read(1) == b"!", process.stderr and process.stderr.read()
            yield process
        finally:
            process.kill()  # else leaving `process` would wait for it


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Exit code, and what was written on standard error."""
    assert process.stderr is not None
    code = process.wait(PATIENCE_S)
    return code, process.stderr.read().decode()


def assert_silent(name: str, number: int, code: int, errors: str) -> None:
    """The code of the signal, as a shell shows it; no word that was not there without it."""
    late = ENDS_BY_ITSELF.get(name, set())
    assert code in {128 + number, -number, *late}, errors
    for word in ("Traceback", "Error", "Interrupt", "Exception", "Aborted", "SystemExit"):
        assert word not in errors
    if name in ("replay", "mcp", "help"):
        assert errors.strip() == ""


def interrupt(folder: Path, name: str, after_ms: int, number: int = signal.SIGINT) -> None:
    with begun(folder, COMMANDS[name]) as process:
        time.sleep(after_ms / 1000)
        process.send_signal(number)
        assert_silent(name, number, *ended(process))


@pytest.mark.parametrize("name", first(4, COMMANDS))
def test_an_interrupt_at_any_moment_is_silent(folder: Path, name: str) -> None:
    for after_ms in SHORT[name]:
        interrupt(folder, name, after_ms)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_at_each_of_sixty_moments_is_silent(folder: Path, name: str) -> None:
    for after_ms in LONG_MS:
        interrupt(folder, name, after_ms)


@pytest.mark.parametrize("name", first(1, ["replay", "watch", "mcp"]))
def test_sigterm_at_any_moment_is_silent(folder: Path, name: str) -> None:
    for after_ms in (0, 300):
        interrupt(folder, name, after_ms, signal.SIGTERM)


GOING_ON = {
    "watch": b"Ctrl-C stops",
    "chat": b"/quit ends",
    "dash": b"Ctrl-C stops",
    "run": b"Ctrl-C stops",
    "mcp-http": b"Ctrl-C stops",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GOING_ON)
def test_it_ends_where_it_goes_on_and_a_second_signal_is_silent_too(
    folder: Path, name: str
) -> None:
    for number, gap_ms in ((signal.SIGINT, 40), (signal.SIGTERM, None)):
        with begun(folder, COMMANDS[name]) as process:
            assert process.stderr is not None
            while GOING_ON[name] not in (line := process.stderr.readline()):
                assert line, "it ended before it began"
            process.send_signal(number)
            if gap_ms is not None:
                time.sleep(gap_ms / 1000)
                process.send_signal(number)
            assert_silent(name, number, *ended(process))


@pytest.mark.exhaustive
def test_a_server_of_mcp_ends_while_it_waits_for_its_client(folder: Path) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    words = [sys.executable, "-m", "prefrontal", *COMMANDS["mcp"]]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert_silent("mcp", signal.SIGINT, *ended(process))


def test_a_process_that_calls_a_command_keeps_its_own_handlers() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert CliRunner().invoke(main, ["doctor"]).exit_code == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_signal_that_is_ignored_stays_ignored(folder: Path) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code += "from prefrontal import interrupts as i; i.leave_at_once(); i.raise_at_signals()\n"
    code += "signal.raise_signal(signal.SIGINT)\nprint('on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"on\n"


def test_an_interrupt_while_the_interpreter_ends_is_silent() -> None:
    code = "import atexit, os, signal\n"
    code += "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
    code += "from prefrontal.__main__ import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code, "completion", "bash"], check=False, capture_output=True
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, b"")


def test_an_interrupt_inside_a_destructor_is_not_lost() -> None:
    code = """\
import signal
from prefrontal import interrupts
class Ends:
    def __del__(self):
        raise KeyboardInterrupt
interrupts.leave_at_once()
interrupts.raise_at_signals()
try:
    Ends()
    while True: pass
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, timeout=PATIENCE_S
    )
    assert (done.stdout, done.stderr) == (b"heard\n", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_an_import_that_swallows_it_is_not_lost(
    tmp_path: Path, number: signal.Signals
) -> None:
    swallowing = "import os, time\ntry:\n    os.kill(os.getpid(), {})\n    time.sleep(0.1)\n"
    swallowing += "except BaseException:\n    pass\nprint('imported', flush=True)\n"
    (tmp_path / "swallowing.py").write_text(swallowing.format(int(number)))
    code = """\
import time
from prefrontal import interrupts
interrupts.leave_at_once()
interrupts.raise_at_signals()
try:
    import swallowing
    time.sleep(30)
except BaseException as error:
    print(type(error).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False, capture_output=True, cwd=tmp_path, timeout=PATIENCE_S,
    )  # fmt: skip
    name = b"KeyboardInterrupt" if number == signal.SIGINT else b"Terminated"
    assert (done.stdout, done.stderr) == (b"imported\n" + name + b"\n", b"")


@pytest.mark.parametrize(
    ("command", "module"),
    [("mcp", "prefrontal.mcp.served"), ("dash", "prefrontal.web.dash_context")],
)
def test_a_server_that_still_imports_ends_at_once(folder: Path, command: str, module: str) -> None:
    code = f"""\
import os, signal, sys, time
from prefrontal.interrupts import leave_at_once
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
            print("went on", flush=True)
leave_at_once()
sys.meta_path.insert(0, Interrupting())
from prefrontal.cli import main
main([{command!r}], prog_name="prefrontal")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, cwd=folder,
        stdin=subprocess.DEVNULL, timeout=PATIENCE_S,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.parametrize("number", first(1, [signal.SIGINT, signal.SIGTERM]))
def test_a_signal_while_pydantic_makes_a_class_is_not_lost(number: signal.Signals) -> None:
    code = f"""\
import os, time
from pydantic import BaseModel, ConfigDict
from prefrontal import interrupts
class Default:
    came = False
    def __hash__(self):
        if not Default.came:
            Default.came = True
            os.kill(os.getpid(), {int(number)})
            time.sleep(0.05)
        return 1
interrupts.leave_at_once()
interrupts.raise_at_signals()
try:
    class Settings(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        value: Default = Default()
    os.write(1, f"made {{Default.came}}\\n".encode())
    time.sleep(30)
except BaseException as error:
    print(type(error).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, timeout=PATIENCE_S
    )
    name = b"KeyboardInterrupt" if number == signal.SIGINT else b"Terminated"
    assert (done.stdout, done.stderr) == (b"made True\n" + name + b"\n", b"")


def test_asyncio_still_cancels_its_task_at_an_interrupt() -> None:
    code = """\
import asyncio, os, signal
from prefrontal import interrupts
interrupts.leave_at_once()
interrupts.raise_at_signals()
async def work():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        print("cancelled")
        raise
try:
    asyncio.run(work())
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, timeout=PATIENCE_S
    )
    assert (done.stdout, done.stderr) == (b"cancelled\nheard\n", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_asyncio_sets_up_its_loop_is_silent(number: signal.Signals) -> None:
    code = f"""\
import asyncio, os, time
from prefrontal import interrupts
interrupts.leave_at_once()
interrupts.raise_at_signals()
def loop():
    os.kill(os.getpid(), {int(number)})
    time.sleep(0.05)
    return asyncio.new_event_loop()
runner = asyncio.Runner(loop_factory=loop)
try:
    runner.run(asyncio.sleep(30))
except BaseException as error:
    print(type(error).__name__)
finally:
    runner.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, timeout=PATIENCE_S
    )
    name = b"KeyboardInterrupt" if number == signal.SIGINT else b"Terminated"
    assert (done.stdout, done.stderr) == (name + b"\n", b"")


def test_little_is_imported_before_an_interrupt_is_taken_care_of() -> None:
    code = "import sys; before = set(sys.modules); import prefrontal.__main__\n"
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    own = {name for name in done.stdout.split() if name.startswith("prefrontal")}
    others = set(done.stdout.split()) - own
    assert own == {
        "prefrontal",
        "prefrontal.__main__",
        "prefrontal.interrupts",
        "prefrontal.lazy_names",
    }
    assert not others & {
        "importlib",
        "warnings",
        "typing",
        "click",
        "re",
        "contextlib",
        "numpy",
        "json",
        "pathlib",
    }


def test_an_interrupt_is_known_however_it_was_wrapped() -> None:
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise ImportError("numpy cannot be imported") from interrupt
    except ImportError as error:
        assert exit_code(error) == INTERRUPTED
    assert exit_code(BaseExceptionGroup("two", [ValueError(), Terminated(143)])) == TERMINATED
    assert exit_code(ValueError("nothing of the kind")) is None


@pytest.mark.parametrize(
    ("raised", "code"),
    [(KeyboardInterrupt(), INTERRUPTED), (Terminated(143), TERMINATED), (ValueError("x"), None)],
)
def test_a_signal_inside_a_compiled_library_that_keeps_only_its_words_is_known(
    raised: BaseException, code: int | None
) -> None:
    words = f'Error building "tuple" validator:\n  {type(raised).__name__}: {raised}'
    assert exit_code(SchemaError(words)) == code


_IN_THE_FIRST_IMPORT = """
import os, runpy, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "prefrontal.interrupts":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
runpy.run_module("prefrontal", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_in_the_first_import_is_no_traceback() -> None:
    command = [sys.executable, "-c", _IN_THE_FIRST_IMPORT, "--version"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
