"""A store on a server that is stopped, loses an answer, or gets another owner."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.storage import postgres_lease
from prefrontal.storage.database import FencedError
from prefrontal.storage.postgres_database import PostgresDatabase
from prefrontal.storage.postgres_url import PostgresUrl, write_link

from ..decisions.decision_samples import woke
from .postgres_server import PostgresServer, running_server

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def url(server: PostgresServer) -> PostgresUrl:
    return PostgresUrl.parse(server.url(tcp=True))


@pytest.fixture
def path(tmp_path: Path, url: PostgresUrl) -> Path:
    write_link(tmp_path / "decisions.sqlite", url)
    return tmp_path / "decisions.sqlite"


def test_a_log_says_that_its_server_is_gone_and_goes_on_by_itself(
    server: PostgresServer, path: Path
) -> None:
    first, second = woke(1.0), woke(2.0)
    with DecisionLog(path) as log:
        log.append(first)
        server.stop()
        try:
            with pytest.raises(SourceError, match="cannot reach PostgreSQL at .*start the server"):
                log.append(second)
        finally:
            server.start()
        log.append(second)
        assert [each.id for each in log.records()] == [first.id, second.id]


class Forgetful:
    """Passes bytes on to a server, and drops a connection instead of the answer to a COMMIT."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self.forgets = Event()
        self._committed = Event()
        Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                there = socket.create_connection(("127.0.0.1", self._target))
                for source, target, answers in ((here, there, False), (there, here, True)):
                    Thread(target=self._pass, args=(source, target, answers), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with suppress(OSError), closing(source), closing(target):
            while data := source.recv(65536):
                if answers and self._committed.is_set():
                    self._committed.clear()
                    source.shutdown(socket.SHUT_RDWR)
                    target.shutdown(socket.SHUT_RDWR)
                    return
                if not answers and self.forgets.is_set() and b"COMMIT" in data:
                    self.forgets.clear()
                    self._committed.set()
                target.sendall(data)


def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    server: PostgresServer, url: PostgresUrl, tmp_path: Path
) -> None:
    door = Forgetful(server.port)
    path = tmp_path / "decisions.sqlite"
    address = url.server.replace(f":{server.port}/", f":{door.port}/")
    write_link(path, PostgresUrl(address, url.schema))
    first, second = woke(1.0), woke(2.0)
    told: list[int] = []
    with closing(door), DecisionLog(path, owed_to=("ntfy",)) as log:
        log.on_owed = lambda: told.append(1)
        door.forgets.set()
        with pytest.raises(SourceError, match="cannot reach PostgreSQL"):
            log.keep([first], states=[("place", b"1", 0)])
        assert not told
        log.keep([first, second], states=[("place", b"2", 0)])
        assert told
        assert [each.id for each in log.records()] == [first.id, second.id]
        assert log.load_state("place") == (b"2", 0)
        with closing(log.deliveries()) as owed:
            assert [len(owed.of(each.id)) for each in (first, second)] == [1, 1]


def test_a_store_has_one_owner_while_that_lives(
    url: PostgresUrl, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_lease, "STALE_S", 600.0)  # however slow the machine is
    with closing(PostgresDatabase(url, str(path))) as first:
        first.claim("ada, process 1")
        with (
            closing(PostgresDatabase(url, str(path))) as second,
            pytest.raises(
                SourceError, match="in use by another process of prefrontal .ada, process 1"
            ),
        ):
            second.claim("bob, process 2", patience_s=0.0)
    with closing(PostgresDatabase(url, str(path))) as second:
        second.claim("bob, process 2", patience_s=0.0)


def test_a_killed_owner_is_replaced_at_once(url: PostgresUrl, path: Path) -> None:
    with closing(PostgresDatabase(url, str(path))) as first:
        first.claim("ada, process 1")
        lease = first._lease
        assert lease is not None and lease._connection is not None
        lease._ended.set()  # as a kill ends its thread and its connections
        assert lease._thread is not None
        lease._thread.join()
        lease._connection.close()
        with closing(PostgresDatabase(url, str(path))) as second:
            second.claim("bob, process 2")


def test_a_frozen_owner_is_replaced_and_writes_nothing_more(
    url: PostgresUrl, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_lease, "STALE_S", 0.2)
    record = woke(1.0)
    with DecisionLog(path, owed_to=("ntfy",)) as frozen:
        frozen.own()
        frozen.append(record)
        owed = frozen.deliveries()
        lease = frozen._database._lease  # type: ignore[attr-defined]
        lease._ended.set()  # its connections live, and nothing renews
        with DecisionLog(path) as next_one:
            next_one.own()
            late: tuple[Callable[[], None], ...] = (
                lambda: frozen.append(woke(2.0)),
                lambda: frozen.save_state("weights", b"old", 0),
                lambda: owed.settle("ntfy", 1, "done", 0.0, "late"),
            )
            for write in late:
                with pytest.raises(FencedError, match="has another owner since"):
                    write()
            next_one.append(woke(3.0))
            with DecisionLog(path) as beside:  # who only labels owns nothing
                assert beside.add_label(record.id, 1.0, 1.0)
            assert [each.time for each in next_one.records()] == [1.0, 3.0]
            assert next_one.load_state("weights") is None
        owed.close()


def test_an_owner_that_froze_within_a_transaction_is_replaced(url: PostgresUrl, path: Path) -> None:
    with closing(PostgresDatabase(url, str(path))) as frozen:
        frozen.claim("ada, process 1")
        frozen._begin()  # it keeps others from writing
        lease = frozen._lease
        assert lease is not None
        lease._ended.set()
        with closing(PostgresDatabase(url, str(path))) as second:
            second.claim("bob, process 2")
            second.execute("CREATE TABLE t (a INTEGER)")
            with pytest.raises(SourceError):
                frozen._run("INSERT INTO t VALUES (1)")
