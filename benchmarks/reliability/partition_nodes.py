"""Nodes of `prefrontal watch --partitions` on one machine, a sender, and who is woken."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import psycopg

from prefrontal.storage.partitions.schema import PART, partition_url
from prefrontal.storage.postgres_url import PostgresUrl

AGENTS = 40
WAKE_EVERY = 10
"""One agent in so many is woken by each signal; the others sleep, and that is kept."""
PATIENCE_S = 180.0
PAUSE_S = 0.02
RETRY_S = 0.1
_DECISIONS = """\
SELECT pg_xact_commit_timestamp(xmin), events FROM {schema}.decisions ORDER BY seq"""


def module(number: int) -> dict[str, Any]:
    """Of one agent, which hears what is sent to it."""
    return {
        "module_id": f"agent-{number}/inbox",
        "cluster": "test",
        "version": "1",
        "question_template": "{location} says: {text}",
        "default_threshold": 0.0 if number % WAKE_EVERY == 0 else 1.0,
        "signal_priors": {"http": {"sources": ["cloudevent"], "locations": [f"agent-{number}"]}},
    }


class Node:
    """One machine of several: a folder with settings, and a process with its workers."""

    def __init__(self, folder: Path, url: str, partitions: int, port: int, sink: int) -> None:
        folder.mkdir()
        document = {
            "modules": [module(number) for number in range(AGENTS)],
            "audit_share": 0,
            "log_refusals": True,
            "policy": {"group_s": 0, "hold_s": 0},
            "sources": {"http": {"port": port}},
            "storage": {"url": url, "partitions": partitions},
            "sinks": [{"post": f"http://127.0.0.1:{sink}/", "name": "agents"}] if sink else [],
            "state": "state",
        }
        (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
        self.folder, self.port = folder, port
        self.process: subprocess.Popen[bytes] | None = None

    def start(
        self, workers: int, which: str = "auto", metrics: int | None = None, ray: str = ""
    ) -> None:
        command = [sys.executable, "-m", "prefrontal", "watch", "--partitions", which]
        command += ["--workers", str(workers), "--config", str(self.folder / "prefrontal.yml")]
        command += [] if metrics is None else ["--metrics", str(metrics)]
        command += ["--ray", ray] if ray else []
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def tell(self, number: signal.Signals) -> None:
        """To the process and all that it started."""
        assert self.process is not None
        os.killpg(self.process.pid, number)

    def end(self) -> int:
        """Its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def destroy(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.tell(signal.SIGKILL)
            self.process.wait(PATIENCE_S)


class Sender:
    """Posts numbered CloudEvents, so many a second, until some door acknowledges."""

    def __init__(self, ports: list[int], rate: float) -> None:
        self._ports, self._rate = ports, rate
        self._ended = Event()
        self.sent: dict[str, float] = {}
        """Id of what was acknowledged -> Unix second at which it was sent first."""
        self.longest_s = 0.0
        self.refused = 0
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Sender:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        began, number = time.monotonic(), 0
        while not self._ended.wait(PAUSE_S):
            due = int((time.monotonic() - began) * self._rate)
            if due > number:
                self._post(range(number, due))
                number = due

    def _post(self, numbers: range) -> None:
        body = json.dumps([cloud_event(number) for number in numbers]).encode()
        began, at = time.monotonic(), time.time()
        for turn in range(10_000):
            if post(self._ports[turn % len(self._ports)], body) in (200, 202):
                break
            self.refused += 1
            time.sleep(RETRY_S)
        self.longest_s = max(self.longest_s, time.monotonic() - began)
        self.sent |= {f"signal {number}": at for number in numbers}


def cloud_event(number: int) -> dict[str, str]:
    agent = f"agent-{number % AGENTS}"
    return {
        "specversion": "1.0",
        "id": f"signal {number}",
        "source": agent,
        "type": "said",
        "data": f"signal {number}",
    }


def post(port: int, body: bytes) -> int:
    """The status of the answer; 0 for none."""
    with suppress(OSError, HTTPException):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            kind = {"Content-Type": "application/cloudevents-batch+json"}
            connection.request("POST", "/cloudevents", body, kind)
            return connection.getresponse().status
        finally:
            connection.close()
    return 0


class Woken(ThreadingHTTPServer):
    """Takes what is delivered: ids counts each idempotency key, without one it is "" ."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Delivery)
        self.ids: Counter[str] = Counter()
        self.lock = Lock()
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Delivery(BaseHTTPRequestHandler):
    server: Woken
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Idempotency-Key") or ""
        with self.server.lock:
            self.server.ids[key if key == body.get("id") else ""] += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words: object) -> None: ...


class Server:
    """What lies on the server, read past the package."""

    def __init__(self, url: str, partitions: int) -> None:
        self.url, self.partitions = PostgresUrl.parse(url), partitions
        self._connection: psycopg.Connection[Any] = psycopg.connect(
            self.url.server, autocommit=True
        )

    def close(self) -> None:
        self._connection.close()

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []

    def holders(self) -> dict[int, int]:
        """Partition -> process that holds it; the process is named last in its member's name."""
        schema = self.url.of_part(PART).schema
        rows = self.execute(
            f"SELECT number, name FROM {schema}.partitions JOIN {schema}.members ON id = member"
        )
        return {int(number): int(name.rpartition(" ")[2]) for number, name in rows}

    def epochs(self) -> dict[int, int]:
        """Partition -> the number of its owner."""
        schemas = [partition_url(self.url, number).schema for number in range(self.partitions)]
        return {
            number: int(self.execute(f"SELECT epoch FROM {schema}.prefrontal_store")[0][0])
            for number, schema in enumerate(schemas)
        }

    def decided(self) -> list[tuple[int, float, str]]:
        """(partition, Unix second of the commit, id of the signal), of each decision."""
        found = []
        for number in range(self.partitions):
            schema = partition_url(self.url, number).schema
            for at, events in self.execute(_DECISIONS.format(schema=schema)):
                for _, _, _, _, _, features in json.loads(events):
                    found.append((number, at.timestamp(), str(features["id"])))
        return found

    def count(self) -> int:
        """How many decisions there are."""
        schemas = [partition_url(self.url, number).schema for number in range(self.partitions)]
        return sum(
            int(self.execute(f"SELECT count(*) FROM {each}.decisions")[0][0]) for each in schemas
        )
