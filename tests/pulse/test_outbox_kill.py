"""A process that is killed, and the receiver that learns of its questions all the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.sinks import HttpSink
from prefrontal.pulse.sinks.outbox import Outbox

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
DAY_S = 86_400.0

STORE = """
import os, sys
from tests.decisions.decision_samples import woke
from prefrontal.decisions.log import DecisionLog

log = DecisionLog(sys.argv[1], owed_to=["agent"])
log.append(record := woke(question=sys.argv[2]))
os.write(1, f"{record.id}\\n".encode())
sys.stdin.read()
"""

DELIVER = """
import os, sys
from prefrontal.pulse.sinks.outbox import Outbox
from prefrontal.pulse.sinks import HttpSink
from prefrontal.decisions.log import DecisionLog

log = DecisionLog(sys.argv[1], owed_to=["agent"])
Outbox(log, [("agent", HttpSink(sys.argv[2], retries=0), 1e9)]).start()
sys.stdin.read()
"""


@contextmanager
def running(program: str, *words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """The program, waiting on its standard input until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


class Receiver:
    """Takes posts; says each aloud, and answers when it may, unless the other end is gone."""

    def __init__(self, *codes: int) -> None:
        self.codes = list(codes or (204,))
        self.got: SimpleQueue[tuple[str, dict[str, Any]]] = SimpleQueue()
        self.go = threading.Event()
        self.go.set()
        told = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                told.got.put((self.headers["Idempotency-Key"], json.loads(body)))
                told.go.wait(PATIENCE_S)
                code = told.codes.pop(0) if len(told.codes) > 1 else told.codes[0]
                try:
                    self.send_response(code)
                    self.end_headers()
                except OSError:
                    pass

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self.server.server_port}/wake"

    def __enter__(self) -> Receiver:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.go.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def next(self) -> tuple[str, dict[str, Any]]:
        return self.got.get(timeout=PATIENCE_S)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_kill_between_storing_and_delivering_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    ids = []
    for question in ("first?", "second?"):
        with running(STORE, path, question) as process:
            assert process.stdout is not None
            ids.append(process.stdout.readline().strip())
            killed(process)
    with Receiver() as receiver, DecisionLog(path, owed_to=["agent"]) as log:
        box = Outbox(log, [("agent", HttpSink(receiver.url, retries=0), DAY_S)])
        box.start()
        got = [receiver.next(), receiver.next()]
        assert box.stop()
        box.close()
    assert [key for key, _ in got] == [body["id"] for _, body in got] == ids
    assert [body["question"] for _, body in got] == ["first?", "second?"]


@pytest.mark.exhaustive
def test_a_kill_in_the_middle_of_a_delivery_repeats_it_under_the_same_id(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with running(STORE, path, "q?") as process:
        assert process.stdout is not None
        id_ = process.stdout.readline().strip()
        killed(process)
    got = []
    with Receiver() as receiver:
        receiver.go.clear()
        for _ in range(3):
            with running(DELIVER, path, receiver.url) as process:
                got.append(receiver.next())
                killed(process)
        receiver.go.set()
        with DecisionLog(path, owed_to=["agent"]) as log:
            box = Outbox(log, [("agent", HttpSink(receiver.url, retries=0), DAY_S)])
            box.start()
            got.append(receiver.next())
            assert box.stop()
            [handed] = log.deliveries().of(id_)
            box.close()
    assert [key for key, _ in got] == [id_] * 4
    assert all(body == got[0][1] for _, body in got)
    assert (handed.state, handed.attempts, handed.detail) == ("done", 1, "HTTP 204")
