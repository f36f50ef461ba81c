"""The validation of modules that mean harm, in the sandbox of this machine."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.records import read_records
from prefrontal.routing.trace import Trace
from prefrontal.routing.trials.validation import validate
from prefrontal.sandbox.runner import SandboxRunner
from prefrontal.settings.routing import Routing

from ..project import EAST, layout_of, noon, write
from ..tools_on_trial import BODY, GOOD, states

pytestmark = pytest.mark.skipif(
    not SandboxRunner().enforced, reason="no sandbox of this machine confines"
)

SETTINGS = Routing.model_validate({"sandbox": {"max_seconds": 2}, "validators": {"import_s": 2}})


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return layout_of(tmp_path_factory.mktemp("confined"))


def tried(layout: Layout, source: str) -> tuple[list[str], str]:
    """States of the steps, and the summary."""
    path = write(layout.action("analysis", "sum") / "add_up.py", source)
    report = validate(
        path,
        layout=layout,
        route_id="route-001",
        runner=SandboxRunner(),
        settings=SETTINGS,
        trace=Trace(layout, noon(), "run-20251031-1200-abc", "route-001", EAST),
        clock=noon(),
        day="2025-10-31",
        generated=True,
        example={"numbers": [1, 2]} if source == GOOD else None,
    )
    return states(report), report.summary


def body(*lines: str) -> str:
    """A tool whose run() does these lines."""
    return BODY.replace("return 1", "\n    ".join([*lines, "return 1"]))


@pytest.mark.exhaustive
def test_a_good_tool_passes_and_each_step_names_how_it_was_held(layout: Layout) -> None:
    found, summary = tried(layout, GOOD)
    assert found == ["ok"] * 4, summary
    events = read_records(layout.run_log("run-20251031-1200-abc")).rows
    assert {event["detail"]["level"] for event in events} == {SandboxRunner().level}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "lines",
    [
        ["open('../../domains/analysis/sum/new.py', 'w').close()"],
        ["open(__file__, 'a').close()"],
        ["open('/etc/shadow').read()"],
    ],
)
def test_harm_outside_the_scratch_folder_is_a_failed_report(
    layout: Layout, lines: list[str]
) -> None:
    found, summary = tried(layout, body(*lines))
    assert found == ["ok", "ok", "ok", "failed"], summary
    assert not (layout.action("analysis", "sum") / "new.py").exists()


@pytest.mark.exhaustive
def test_a_network_that_is_off_is_not_reached_and_no_fault_of_the_tool(layout: Layout) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        lines = ["import socket", f"socket.create_connection(('127.0.0.1', {port}), 1)"]
        found, summary = tried(layout, body(*lines))
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert found == ["ok", "ok", "ok", "not runnable"], summary


@pytest.mark.exhaustive
def test_harm_at_import_is_held_too(layout: Layout) -> None:
    found, summary = tried(layout, BODY + "\n\nopen(__file__, 'a').close()\n")
    assert found == ["ok", "ok", "failed", "skipped"], summary


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("lines", "state"),
    [
        (["x = bytearray(800_000_000)", "print(len(x))"], "failed"),
        (["while True:", "    pass"], "timeout"),
        (["while True:", "    print('x' * 1_000_000)"], "failed"),
        (["import os", "while True:", "    os.fork()"], "failed"),
    ],
)
def test_what_is_too_much_is_stopped(layout: Layout, lines: list[str], state: str) -> None:
    found, summary = tried(layout, body(*lines))
    assert found[:3] == ["ok"] * 3, summary
    assert found[3] in {state, "timeout"}, summary


@pytest.mark.exhaustive
def test_the_scratch_folder_may_be_written(layout: Layout) -> None:
    found, summary = tried(layout, body("open('mine.txt', 'w').close()"))
    assert found == ["ok"] * 4, summary
    assert Path(layout.route_tmp("route-001") / "mine.txt").exists()
