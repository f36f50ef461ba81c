"""Who holds which partition: one member at a time, and none that is gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.storage.database import FencedError
from prefrontal.storage.partitions import membership
from prefrontal.storage.partitions.membership import Membership
from prefrontal.storage.partitions.partition_table import PartitionTable, share
from prefrontal.storage.partitions.schema import (
    PART,
    check_connections,
    open_shared,
    partition_url,
)
from prefrontal.storage.partitions.standing import standing
from prefrontal.storage.postgres_database import PostgresDatabase
from prefrontal.storage.postgres_url import PostgresUrl

from ..postgres_server import PostgresServer, running_server

pytestmark = pytest.mark.exhaustive
PARTITIONS = 4
ALL = range(PARTITIONS)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


class Members:
    """Members of one installation, and their tables."""

    def __init__(self, url: PostgresUrl, held: ExitStack) -> None:
        self.url, self._held = url, held
        held.enter_context(closing(open_shared(url, PARTITIONS)))

    def join(self, name: str) -> tuple[Membership, PartitionTable]:
        member = Membership(self.url.of_part(PART), name, "worker")
        self._held.callback(member.leave)
        table = PartitionTable(member._url, member)
        self._held.callback(table.close)
        return member, table

    def end_connections(self, member: Membership) -> None:
        """As the end of its process does."""
        backend = member._connection.info.backend_pid
        with psycopg.connect(self.url.server, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(%s, 10000)", (backend,))


@pytest.fixture
def members(server: PostgresServer) -> Iterator[Members]:
    with ExitStack() as held:
        yield Members(PostgresUrl.parse(server.url(tcp=True)), held)


def test_a_partition_is_held_by_one_member_at_a_time(members: Members) -> None:
    (_, first), (_, second) = members.join("ada"), members.join("bob")
    assert first.take(0)
    assert not second.take(0)
    assert second.take(1)
    view = first.look(ALL, "worker")
    assert (view.held, view.free, view.members) == ((0,), (2, 3), 2)
    first.give_back(0)
    assert second.take(0)
    rows = standing(members.url)
    assert [(each.number, each.holder) for each in rows] == [
        (0, "bob"),
        (1, "bob"),
        (2, ""),
        (3, ""),
    ]


def test_what_a_member_held_whose_process_ended_is_free_at_once(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "RENEW_EVERY_S", 600.0)
    (gone, first), (_, second) = members.join("ada"), members.join("bob")
    assert first.take(2)
    assert second.look(ALL, "worker").free == (0, 1, 3)
    members.end_connections(gone)
    assert second.look(ALL, "worker").free == (0, 1, 2, 3)


def test_a_frozen_member_is_counted_as_gone_and_told_so(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    (frozen, first), (_, second) = members.join("ada"), members.join("bob")
    assert first.take(2)
    monkeypatch.setattr("prefrontal.storage.partitions.partition_table.STALE_S", -1.0)
    assert second.look(ALL, "worker").free == (0, 1, 2, 3)
    assert frozen.lost.wait(30)


def test_a_newcomer_is_due_what_is_free_and_only_later_what_others_hold(members: Members) -> None:
    _, first = members.join("ada")
    _, second = members.join("bob")
    views = [each.look(ALL, "worker") for each in (first, second)]
    assert [(each.members, each.settled) for each in views] == [(2, 1), (2, 1)]
    assert [share(ALL, number) for number in (1, 2, 3, 5)] == [4, 2, 2, 1]


def test_an_epoch_is_for_who_holds_the_partition_and_fences_the_one_before(
    members: Members,
) -> None:
    (_, first), (_, second) = members.join("ada"), members.join("bob")
    place = partition_url(members.url, 1)
    with closing(PostgresDatabase(place, "store")) as store:
        store.execute("CREATE TABLE facts (fact TEXT)")
        assert first.take(1)
        store.write_as(first.fence(1, place))
        store.execute("INSERT INTO facts VALUES (?)", ("before",))
        with pytest.raises(FencedError, match="another owner since"):
            second.fence(1, place)
        first.give_back(1)
        assert second.take(1)
        second.fence(1, place)
        with pytest.raises(FencedError, match="another owner since"):
            store.execute("INSERT INTO facts VALUES (?)", ("after",))
        assert store.execute("SELECT fact FROM facts") == [("before",)]


def test_the_number_of_partitions_stays(members: Members) -> None:
    with pytest.raises(InputError, match=r"storage.partitions must stay 4, .*, got 5"):
        open_shared(members.url, 5)


def test_a_server_with_too_few_connections_is_told_of(members: Members) -> None:
    with closing(open_shared(members.url, PARTITIONS)) as database:
        check_connections(database, PARTITIONS, 2)
        with pytest.raises(InputError, match=r"max_connections must leave 522 .*ALTER SYSTEM"):
            check_connections(database, 256, 2)
        check_connections(database, 20, 2)
        with pytest.raises(InputError, match=r"max_connections must leave 110 "):
            check_connections(database, 20, 2, with_homes=True)


def test_an_installation_without_a_node_yet_is_a_sentence(server: PostgresServer) -> None:
    with pytest.raises(SourceError, match=r"^\S+ holds no store .* first node of `--partitions`"):
        standing(PostgresUrl.parse(server.url(tcp=True)))
