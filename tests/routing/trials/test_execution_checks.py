from __future__ import annotations

import os
from pathlib import Path

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.settings.routing import Routing

from ...exhaustive import first
from ..project import layout_of
from ..tools_on_trial import BODY, GOOD, states, tried


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


TOP = BODY + "\n\n"
ODD = "class Odd(Exception):\n    def __str__(self) -> str:\n        raise ValueError\n"
WAITS = '''"""Waits."""


async def later() -> int:
    return 1


def run() -> object:
    """Later."""
    return later()
'''
SAYS = '''"""Says."""


def main(**kwargs: str) -> str:
    """Say it."""
    return kwargs["word"]
'''
BAD_MANNERS = {
    "exits": (TOP + "import sys  # noqa: E402\nsys.exit(0)\n", "import", "SystemExit: 0 (line 10)"),
    "leaves": (TOP + "import os  # noqa: E402\nos._exit(0)\n", "import", "before it answered"),
    "interrupts": (TOP + "raise KeyboardInterrupt\n", "import", "KeyboardInterrupt (line 9)"),
    "kills itself": (
        TOP + "import os  # noqa: E402\nos.kill(os.getpid(), 9)\n",
        "import",
        "before it answered (exit status -9)",
    ),
    "closes all": (
        TOP + "import os  # noqa: E402\nos.closerange(0, 100)\n", "import", "before it answered",
    ),
    "floods": (
        BODY.replace("return 1", "while True:\n        print('x' * 100000)"),
        "dry-run",
        "it was stopped for its use of output",
    ),
    "recurses": (BODY.replace("return 1", "return run()"), "dry-run", "RecursionError"),
    "forges": (
        TOP + "import os  # noqa: E402\nos.write(1, b'{\"ok\": true}\\n')\nos._exit(0)\n",
        "import",
        "before it answered",
    ),
    "bad repr": (
        TOP.replace("return 1", "raise Odd") + ODD,
        "dry-run",
        "Odd (line 6)",
    ),
    "awaits": (
        WAITS,
        "dry-run",
        "something to await",
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("manner", BAD_MANNERS)
def test_bad_manners_cost_one_failed_report(layout: Layout, manner: str) -> None:
    source, step, said = BAD_MANNERS[manner]
    report = tried(layout, source)
    assert not report.ok
    [line] = [line for line in report.steps if line.startswith(step)]
    assert "failed" in line and said in line, report.steps


@pytest.mark.exhaustive
def test_what_a_tool_prints_is_no_part_of_the_answer(layout: Layout) -> None:
    talks = BODY.replace("return 1", "print('no line end', end='')\n    return 1")
    report = tried(layout, talks)
    assert report.ok, report.steps
    assert "no line end" in report.artifacts[3].read_text(encoding="utf-8")


FORGER = """
import os  # noqa: E402
import sys  # noqa: E402

frame = sys._getframe()
while "request" not in frame.f_locals or frame.f_back is None:
    frame = frame.f_back  # type: ignore[assignment]
line = frame.f_locals["request"]["nonce"] + '{"ok": true, "signature": []}\\n'
for descriptor in range(3, 20):
    try:
        os.write(descriptor, line.encode())
    except OSError:
        pass
raise ValueError("after all")
"""


@pytest.mark.exhaustive
def test_a_tool_that_answers_for_itself_is_not_believed(layout: Layout) -> None:
    report = tried(layout, BODY + "\n" + FORGER)
    assert states(report)[2] == "failed" and "before it answered" in report.summary, report.steps


@pytest.mark.exhaustive
def test_a_hang_is_a_timeout(layout: Layout) -> None:
    hang = TOP + "while True:\n    pass\n"
    settings = Routing.model_validate({"validators": {"import_s": 0.5}})
    report = tried(layout, hang, settings=settings)
    assert states(report)[2] == "timeout" and "stopped after 0.5 s" in report.summary
    settings = Routing.model_validate({"sandbox": {"max_seconds": 0.5}})
    report = tried(layout, BODY.replace("return 1", "while True:\n        pass"), settings=settings)
    assert states(report)[3] == "timeout"


@pytest.mark.exhaustive
def test_a_fork_of_the_tool_does_not_answer_too(layout: Layout) -> None:
    fork = BODY.replace("return 1", "import os\n    os.fork()\n    return 1")
    report = tried(layout, fork)
    assert report.ok, report.steps


@pytest.mark.parametrize("source", first(1, [b"\xff\xfe\x00", b"\x00" * 100, b"", b"(" * 5000]))
def test_garbage_costs_one_failed_report(layout: Layout, source: bytes) -> None:
    report = tried(layout, source)
    assert not report.ok and len(report.steps) == len(report.artifacts) == 4
    assert all("\n" not in step for step in report.steps)


@pytest.mark.exhaustive
def test_an_example_that_fails_is_a_failure_and_a_guess_that_is_refused_is_not(
    layout: Layout,
) -> None:
    picky = GOOD.replace(
        "    print",
        "    if numbers in ([], [1, 2, 3]):\n        raise ValueError('none')\n    print",
    )
    report = tried(layout, picky)
    assert report.ok and states(report)[3] == "not runnable"
    assert "inputs guessed from type hints failed: ValueError: none (line 11)" in report.summary
    needed = tried(layout, picky, generated=True)
    assert not needed.ok
    assert "; it must run once: give it, or the tools that it calls, an Example; see logs/" in (
        needed.summary
    )
    report = tried(layout, picky, example={"numbers": []})
    assert not report.ok and states(report)[3] == "failed"
    assert tried(layout, picky, example={"numbers": [1]}, generated=True).ok


@pytest.mark.exhaustive
def test_whatever_goes_wrong_with_guessed_inputs_is_not_the_tools_fault(layout: Layout) -> None:
    lost = GOOD.replace("    print", "    raise RuntimeError('no such account')\n    print")
    report = tried(layout, lost)
    assert report.ok and states(report)[3] == "not runnable"
    assert "inputs guessed from type hints failed: RuntimeError: no such" in report.summary
    settings = Routing.model_validate({"sandbox": {"max_seconds": 0.5}})
    report = tried(layout, GOOD.replace("    print", "    while True:\n        pass\n    print"),
                   settings=settings)  # fmt: skip
    assert report.ok and "after 0.5 s, called with inputs guessed from" in report.summary


@pytest.mark.exhaustive
def test_inputs_that_were_guessed_are_said_to_be(layout: Layout) -> None:
    report = tried(layout, GOOD)
    assert report.ok and states(report)[3] == "ok"
    assert report.steps[3].endswith(": called with inputs guessed from type hints")
    assert "dry-run: ok: called with inputs guessed from type hints" in report.summary
    assert "guessed" not in tried(layout, GOOD, example={"numbers": [1]}).summary


CALLS_OUT = '''"""Calls out."""

import socket


def run(host: str) -> str:
    """Call the host, where nobody listens."""
    bound = socket.socket()
    bound.bind((host, 0))
    socket.create_connection(bound.getsockname())
    return host
'''


@pytest.mark.exhaustive
def test_a_tool_that_needs_the_network_is_told_that_it_is_off(layout: Layout) -> None:
    report = tried(layout, CALLS_OUT, example={"host": "127.0.0.1"})
    assert report.ok and states(report)[3] == "not runnable", report.steps
    assert "it needs the network, which is off in the sandbox (routing.sandbox.network): Conn" in (
        report.summary
    )
    settings = Routing.model_validate({"sandbox": {"network": "on"}})
    report = tried(layout, CALLS_OUT, settings=settings, example={"host": "127.0.0.1"})
    assert states(report)[3] == "failed" and "is off" not in report.summary


@pytest.mark.exhaustive
def test_a_tool_without_inputs_to_guess_is_not_runnable(layout: Layout) -> None:
    source = GOOD.replace("list[int]", "'Frame'").replace("sum(numbers, start)", "start")
    source = source.replace("\n\n\ndef", '\n\n\nclass Frame:\n    """Rows."""\n\n\ndef')
    report = tried(layout, source)
    assert report.ok and states(report)[3] == "not runnable"
    assert "no example for numbers" in report.summary
    needed = tried(layout, source, generated=True)
    assert not needed.ok and "Example" not in needed.summary


@pytest.mark.exhaustive
def test_a_signature_that_differs_at_run_time_is_told(layout: Layout) -> None:
    source = GOOD + "\n\ndef _other(a: int) -> int:\n    return a\n\n\nglobals()['run'] = _other\n"
    report = tried(layout, source)
    assert "run() takes (a) at run time, its source says (numbers, start?)" in report.steps[2]
    assert states(tried(layout, source, generated=True))[2] == "failed"


@pytest.mark.exhaustive
def test_a_main_with_keywords_is_called_with_its_example(layout: Layout) -> None:
    report = tried(layout, SAYS, example={"word": "hello"}, generated=True)
    assert report.ok
    assert "'hello'" in report.artifacts[3].read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_dataclasses_and_pickles_of_a_tool_work(layout: Layout) -> None:
    source = '''"""Rows."""

from __future__ import annotations

import pickle
from dataclasses import dataclass


@dataclass
class Row:
    """A row."""

    name: str


def run() -> str:
    """One row."""
    return str(pickle.loads(pickle.dumps(Row("a"))))
'''
    report = tried(layout, source)
    assert report.ok, report.steps


def test_a_tool_starts_in_its_scratch_folder(layout: Layout) -> None:
    source = BODY.replace("return 1", 'return open("left.txt", "w").write("x")')
    assert tried(layout, source).ok
    assert os.listdir(layout.route_tmp("route-001")) == ["left.txt"]  # noqa: PTH208
