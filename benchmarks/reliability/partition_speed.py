"""How many signals a second two partitions decide about and keep, and how soon each is kept."""

from __future__ import annotations

import json
import os
import statistics
import time
from contextlib import closing
from multiprocessing import Pool
from pathlib import Path
from threading import Thread

import psycopg

from partition_nodes import AGENTS, Node, Sender, Server, cloud_event, post
from postgres_server import PostgresServer, free_port

ASKED_A_SECOND = 5_000
ASKED_P99_MS = 50.0
RATE = 1_000.0
BATCH = 250
SENDERS = 3
TWIN_S = 4.0
SETTLE_S = 1.0
PARTITIONS = 2
TICKS = os.sysconf("SC_CLK_TCK")


def throughput(scratch: Path, server: PostgresServer, seconds: float) -> list[str]:
    """Post as fast as two partitions take it, beside a twin that commits each decision alone."""
    url = server.url(tcp=True)
    node, store = _begun(scratch, url)
    with closing(store):
        end = time.monotonic() + seconds / 3
        sent = [0] * SENDERS

        def send(lane: int) -> None:
            number = lane * 10_000_000
            while time.monotonic() < end:
                events = [cloud_event(each) for each in range(number, number + BATCH)]
                if post(node.port, json.dumps(events).encode()) == 202:
                    sent[lane] += BATCH
                number += BATCH

        threads = [Thread(target=send, args=(lane,)) for lane in range(SENDERS)]
        began, before, logged = time.monotonic(), cpu_of(node, server), _logged(store)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        accepted_s = time.monotonic() - began
        _drained(store, sum(sent))
        after = cpu_of(node, server)
        written = [new - old for new, old in zip(_logged(store), logged, strict=True)]
        times = sorted(at for _, at, _ in store.decided())
        node.end()
    each = {name: 1e6 * (after[name] - before[name]) / len(times) for name in before}
    rate = len(times) / (times[-1] - times[0])
    twin = commits_each(server)
    print(
        f"  {sum(sent):,} signals accepted at {sum(sent) / accepted_s:,.0f} a second, decided and"
        f" kept at {rate:,.0f} a second (asked {ASKED_A_SECOND:,}); a commit each: {twin:,.0f}"
        f" a second: {rate / twin:.1f} times; load {os.getloadavg()[0]:.1f}; CPU of a signal:"
        f" {', '.join(f'{took:.0f} us in the {name}' for name, took in each.items())};"
        f" {written[0] / len(times):,.0f} bytes of PostgreSQL's log a signal,"
        f" {written[1] / len(times):.4f} syncs; {written[2] / len(times):.0f} bytes of tables"
    )
    return [] if len(times) == sum(sent) else [f"{sum(sent)} sent, {len(times)} decided"]


def _logged(store: Server) -> tuple[int, int, int]:
    """Bytes written ahead and syncs of them so far, and bytes of all tables and indexes."""
    [(size, syncs)] = store.execute("SELECT wal_bytes::bigint, wal_sync FROM pg_stat_wal")
    [(tables,)] = store.execute("SELECT pg_database_size(current_database())")
    return int(size), int(syncs), int(tables)


def latency(scratch: Path, server: PostgresServer, seconds: float) -> list[str]:
    """From the moment at which a signal is sent until its decision is committed, at 1,000/s."""
    node, store = _begun(scratch, server.url(tcp=True))
    with closing(store):
        with Sender([node.port], RATE) as sender:
            time.sleep(seconds / 3)
        _drained(store, len(sender.sent))
        took = [1e3 * (at - sender.sent[id_]) for _, at, id_ in store.decided()]
        node.end()
    cuts = statistics.quantiles(took, n=100)
    print(
        f"  {len(took):,} decisions at {len(took) / (seconds / 3):,.0f} a second: committed after"
        f" {cuts[49]:.0f} ms p50, {cuts[98]:.0f} ms p99 (asked {ASKED_P99_MS:g});"
        f" load {os.getloadavg()[0]:.1f}"
    )
    return (
        [] if len(took) == len(sender.sent) else [f"{len(sender.sent)} sent, {len(took)} decided"]
    )


def cpu_of(node: Node, server: PostgresServer) -> dict[str, float]:
    """Seconds of CPU that were used so far, by the processes' part."""
    assert node.process is not None
    door = node.process.pid
    workers = [pid for pid in _processes() if pid != door and os.getpgid(pid) == door]
    first = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    servers = [pid for pid in _processes() if first in (pid, _stat(pid)[1])]
    parts = {"door": [door], "processes that decide": workers, "server": servers}
    return {
        name: sum(sum(_stat(pid)[11:13]) for pid in pids) / TICKS for name, pids in parts.items()
    }


def _processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def _stat(pid: int) -> list[int]:
    """Numbers of /proc/PID/stat from the third field on; the state is 0. None of an ended one."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return [0] * 20
    return [0, *map(int, fields[1:20])]


def _begun(scratch: Path, url: str) -> tuple[Node, Server]:
    """A node with one process a partition, which has decided about each agent once."""
    node = Node(scratch / "node", url, PARTITIONS, free_port(), 0)
    node.start(PARTITIONS, "0-1")
    store = Server(url, PARTITIONS)
    first = json.dumps([cloud_event(99_000_000 + number) for number in range(AGENTS)]).encode()
    while post(node.port, first) not in (200, 202):
        time.sleep(SETTLE_S)
    _drained(store, AGENTS)
    for number in range(PARTITIONS):
        schema = store.url.of_part(f"p{number:03d}_decisions").schema
        store.execute(f"DELETE FROM {schema}.decisions")
    return node, store


def _drained(store: Server, count: int) -> None:
    before, waits = -1, 0
    while True:
        try:
            decided = store.count()
        except psycopg.Error:  # the tables are not made yet
            decided = 0
        if decided >= count or waits > 60:
            return
        waits = waits + 1 if decided == before else 0
        before = decided
        time.sleep(SETTLE_S)


def commits_each(server: PostgresServer) -> float:
    """The twin: rows of a decision's size, each in a transaction of its own, on two connections."""
    url = server.url(tcp=True).partition("?")[0]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS twin (id text, events text, at float8)")
    with Pool(PARTITIONS) as pool:
        return float(sum(pool.map(_commit, [url] * PARTITIONS)))


def _commit(url: str) -> float:
    events = json.dumps([["cloudevent", "agent-1", "said", 1.0, 0.0, {"text": "signal 1"}]])
    count, began = 0, time.monotonic()
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() - began < TWIN_S:
            connection.execute(
                "INSERT INTO twin VALUES (%s, %s, %s)",
                (str(count), events, time.time()),
                prepare=True,
            )
            count += 1
    return count / (time.monotonic() - began)
