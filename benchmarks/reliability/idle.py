"""`prefrontal watch` with nothing to do: how often does it wake up, with all its sources?

    python benchmarks/reliability/idle.py [--smoke] [--seconds 60]

A folder, a repository, a followed log, a page, a calendar, an HTTP door, a socket and an MCP server
are watched by the real command, each with its default settings, first one by one, then all of them
at once. Told of: voluntary context switches a second of all threads of the command, without what it
starts, once it has settled. Mail and GitHub, which ask at intervals too, are left out. Ends with 1
where all of them together pass the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 10.0
SETTLE_S = 5.0
PATIENCE_S = 60.0
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//idle//\r\nEND:VCALENDAR\r\n"


def sources(folder: Path, port: int) -> dict[str, Any]:
    """What is laid down, by the key of `sources` that watches it."""
    for name in ("inbox", "repository"):
        (folder / name).mkdir()
    subprocess.run(["git", "init", "-q", str(folder / "repository")], check=True)
    (folder / "service.log").write_text("a line\n", encoding="utf-8")
    (folder / "own.ics").write_text(CALENDAR, encoding="utf-8")
    server = [sys.executable, "-m", "prefrontal", "mcp", "--state", str(folder / "other")]
    return {
        "directories": ["inbox"],
        "git": ["repository"],
        "logs": ["service.log"],
        "network": [{"url": f"http://127.0.0.1:{port}/"}],
        "calendar": [{"file": "own.ics"}],
        "http": {"port": 0},
        "socket": "events.sock",
        "mcp": [{"command": server, "experimental": True}],
    }


@contextmanager
def page(folder: Path) -> Iterator[int]:
    """A server whose page does not change; its port."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.func.log_message = lambda *_: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def switches(pid: int) -> int:
    """Voluntary context switches of all threads so far; those of threads that ended are gone."""
    count = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            lines = (task / "status").read_text(encoding="ascii").splitlines()
            count += next(int(each.split()[1]) for each in lines if each.startswith("voluntary"))
    return count


def idle_wake_ups(folder: Path, watched: Mapping[str, Any], seconds: float) -> float:
    """A second, of a watch of these sources."""
    document = {"sources": dict(watched), "state": "state"}
    (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
    words = ["watch", "--json", "--config", str(folder / "prefrontal.yml")]
    environment = os.environ | {"PREFRONTAL_HOME": str(folder / "home")}
    with (folder / "out").open("w") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "prefrontal", *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_quiet(child, folder)
        before, begin = switches(child.pid), time.monotonic()
        time.sleep(seconds)
        return (switches(child.pid) - before) / (time.monotonic() - begin)
    finally:
        child.terminate()
        try:
            child.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            child.kill()


def wait_until_quiet(child: subprocess.Popen[bytes], folder: Path) -> None:
    """Until it has started, and its CPU time rests."""
    end, before = time.monotonic() + PATIENCE_S, -1
    while time.monotonic() < end:
        time.sleep(SETTLE_S)
        if child.poll() is not None:
            sys.exit(f"watch ended with {child.returncode}: {(folder / 'out').read_text()}")
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        spent = int(fields[11]) + int(fields[12])
        if spent - before <= 2 and (folder / "state" / "decisions.sqlite").exists():
            return
        before = spent
    sys.exit(f"watch did not come to rest within {PATIENCE_S:g} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--smoke", action="store_true", help="two seconds, all sources at once only"
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    seconds = 2.0 if options.smoke else options.seconds
    together = 0.0
    print("| sources | wake-ups a second |\n|---|---|")
    with tempfile.TemporaryDirectory() as name, page(Path(name)) as port:
        folder = Path(name)
        everything = sources(folder, port)
        alone = {} if options.smoke else {key: {key: each} for key, each in everything.items()}
        for key, watched in (alone | {"all": everything}).items():
            together = idle_wake_ups(folder, watched, seconds)
            print(f"| {key} | {together:.1f} |", flush=True)
    if together > MOST and not options.smoke:
        print(f"wake-ups must be at most {MOST:g} a second, got {together:.1f}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
