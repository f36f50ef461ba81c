"""`prefrontal route tools import-mcp --command`: a server is started and asked for its tools."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from prefrontal.cli.route import ask_server

from ..routed import example, route

SERVER = """
from mcp.server import MCPServer

server = MCPServer("Weather Station")


@server.tool()
def forecast(city: str, days: int = 3) -> str:
    "The weather forecast of a city."
    return "sun"


server.run("stdio")
"""
PAGES = """
import json
import os
import sys

for line in sys.stdin:
    asked = json.loads(line)
    answer = {"error": {"code": -32601, "message": "Method not found"}}
    if asked["method"] == "initialize":
        name = os.environ.get("STATION", "pages")
        answer = {"result": {"protocolVersion": asked["params"]["protocolVersion"],
                             "capabilities": {"tools": {}},
                             "serverInfo": {"name": name, "version": "1"}}}
    if asked["method"] == "tools/list":
        first = "cursor" not in (asked.get("params") or {})
        tool = {"name": "one" if first else "two", "inputSchema": {"type": "object"}}
        answer = {"result": {"tools": [tool], **({"nextCursor": "more"} if first else {})}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
"""A server by hand, of two pages: it starts without the second that the SDK takes to import."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return example(tmp_path)


def started(folder: Path, source: str) -> str:
    (folder / "server.py").write_text(source)
    return shlex.join([sys.executable, str(folder / "server.py")])


def test_a_server_is_started_and_asked(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = started(tmp_path, SERVER)
    taken = route(project, "tools", "import-mcp", "--command", command)
    assert (taken.exit_code, taken.stdout) == (0, "1 tool taken in (mcp/weather_station.json).\n")
    monkeypatch.setenv("STATION", "north")
    command = started(tmp_path, PAGES)
    told = route(project, "tools", "import-mcp", "--command", command, "--env", "STATION", "--json")
    assert json.loads(told.stdout)["tools"] == ["mcp/north.json#one", "mcp/north.json#two"]
    named = route(project, "tools", "import-mcp", "--command", command, "--server", "both")
    assert named.stdout == "2 tools taken in (mcp/both.json).\n"
    unnamed = route(project, "tools", "import-mcp", "--command", command)
    assert unnamed.stdout == "2 tools taken in (mcp/pages.json).\n"


def test_a_server_that_greets_on_its_output_is_asked_all_the_same(
    project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    greeting = 'print("Weather Station, ready.", flush=True)\n'
    command = started(tmp_path, greeting + PAGES)
    taken = route(project, "tools", "import-mcp", "--command", command)
    assert (taken.exit_code, taken.stdout) == (0, "2 tools taken in (mcp/pages.json).\n")
    assert caplog.text == ""


def test_a_server_that_says_nothing_is_given_up(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_server, "MOST_S", 0.5)
    silent = shlex.join([sys.executable, "-c", "import sys; sys.stdin.read()"])
    result = route(project, "tools", "import-mcp", "--command", silent)
    assert result.exit_code == 2
    assert "cannot be asked for its tools: no answer within 0.5 s" in result.stderr


def test_a_list_without_an_end_is_refused(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_server, "MOST_PAGES", 1)
    command = started(tmp_path, PAGES)
    result = route(project, "tools", "import-mcp", "--command", command)
    assert result.exit_code == 2 and "its list has more than 1 pages" in result.stderr
    monkeypatch.setattr(ask_server, "MOST_PAGES", 2)
    assert route(project, "tools", "import-mcp", "--command", command).exit_code == 0


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BaseExceptionGroup("of tasks", [ValueError("no token")]), "no token"),
        (ValueError("\x1b[31mred"), "[31mred"),
        (EOFError(), "EOFError"),
    ],
)
def test_the_reason_is_readable(error: BaseException, said: str) -> None:
    assert ask_server._reason(error) == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--command", "/nowhere/server"], "server cannot be asked for its tools: [Errno 2]"),
        (["--command", f"{sys.executable} -c 'exit(\"no token\")'"], "(no token)"),
        (["--command", "'"], "--command must be a command line (No closing quotation)"),
        (["--command", " "], "--command must start a server"),
        (["--command", "x", "--env", "NOT_SET_ANYWHERE"], "--env must name a variable that is set"),
        (["--command", "x", "list.json"], "exactly one of FILE and --command"),
        ([], "exactly one of FILE and --command"),
        (["list.json", "--env", "HOME"], "--env must stand beside --command"),
    ],
)
def test_why_a_server_cannot_be_asked_is_a_sentence(
    words: list[str], said: str, project: Path
) -> None:
    result = route(project, "tools", "import-mcp", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (project / "workflows/mcp").exists()
