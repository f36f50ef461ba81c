"""A question to `prefrontal mcp` over standard input and output, there and back.

    python benchmarks/bench_mcp.py [--smoke]

The twin is a bare echo tool of the same SDK, served from a process of its own in the same run: what
the protocol, the two processes and the official client cost without us. Needs the extra `mcp`.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

from mcp import Client, StdioServerParameters

import harness

TARGET_MS = 3.0
TWIN = """\
from mcp.server import MCPServer
server = MCPServer("twin", log_level="ERROR")
@server.tool()
async def echo(text: str) -> str:
    return text
server.run("stdio")
"""


def main() -> None:
    options = harness.options(__doc__ or "")
    asyncio.run(compare(20 if options.smoke else 1500))


async def compare(calls: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "prefrontal.yml")
        config.write_text(json.dumps({"modules": modules(10), "audit_share": 0.0}))
        places = ["--config", str(config), "--state", f"{folder}/s", "--workspace", f"{folder}/w"]
        async with AsyncExitStack() as held:
            ours = await held.enter_async_context(
                Client(program("-m", "prefrontal", "mcp", *places))
            )
            twin = await held.enter_async_context(Client(program("-c", TWIN)))
            rows = await in_turns(calls, ours, twin)
    echo = statistics.median(rows["echo of the SDK (twin)"])
    for name, times in rows.items():
        median, late = statistics.median(times), sorted(times)[len(times) * 99 // 100]
        print(f"{name}: median {median:.2f} ms, p99 {late:.2f} ms, {median / echo:.2f} x the twin")
    print(f"target: should_wake at most {TARGET_MS} ms in the median")


async def in_turns(calls: int, ours: Client, twin: Client) -> dict[str, list[float]]:
    """Milliseconds of each call; the kinds take turns in a drawn order, so that a busy machine, and
    what a call leaves to do after its answer, disturb all alike.
    """
    asked: dict[str, Callable[[int], Awaitable[Any]]] = {
        "echo of the SDK (twin)": lambda n: twin.call_tool("echo", {"text": f"{n}"}),
        "should_wake, one of 10 modules, sleeps": lambda n: ours.call_tool(
            "should_wake", {"events": [event(n, "iso")], "module": "m0"}
        ),
        "should_wake, one of 10 modules, wakes": lambda n: ours.call_tool(
            "should_wake", {"events": [event(n, "pdf")], "module": "m0"}
        ),
        "should_wake, all 10 modules": lambda n: ours.call_tool(
            "should_wake", {"events": [event(n, "pdf")]}
        ),
    }
    rows: dict[str, list[float]] = {name: [] for name in asked}
    draw = Random(0)
    for number in range(calls):
        for name, ask in draw.sample(list(asked.items()), len(asked)):
            started = time.perf_counter()
            answer = await ask(number)
            rows[name].append((time.perf_counter() - started) * 1e3)
            check(name, answer)
    return rows


def check(name: str, answer: Any) -> None:
    assert not answer.is_error, answer
    if "twin" not in name:
        found = answer.structured_content
        assert found["wake"] is not name.endswith("sleeps")
        assert len(found["decisions"]) == (10 if "all" in name else 1)


def program(*words: str) -> StdioServerParameters:
    env = {name: value for name, value in os.environ.items() if "PREFRONTAL" not in name}
    return StdioServerParameters(command=sys.executable, args=list(words), env=env)


def modules(count: int) -> list[dict[str, Any]]:
    return [
        {
            "module_id": f"m{number}",
            "cluster": "bench",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": 0.6,
            "signal_priors": {
                "filesystem": {
                    "watch_directories": ["/nowhere"],
                    "relevant_extensions": [".pdf"],
                }
            },
        }
        for number in range(count)
    ]


def event(number: int, extension: str) -> dict[str, Any]:
    location = f"/nowhere/x/a{number}.{extension}"
    return {"source": "filesystem", "location": location, "delta_type": "created"}


if __name__ == "__main__":
    main()
