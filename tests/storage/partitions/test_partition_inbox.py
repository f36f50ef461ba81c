"""Signals that wait for partitions: stored whole or not at all, each once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing
from threading import Event

import pytest

from prefrontal.storage.database import FencedError
from prefrontal.storage.partitions.membership import Membership
from prefrontal.storage.partitions.partition_inbox import InboxBell, PartitionInbox
from prefrontal.storage.partitions.partition_table import PartitionTable
from prefrontal.storage.partitions.schema import PART, STREAMS, open_shared
from prefrontal.storage.postgres_url import PostgresUrl

from ..postgres_server import PostgresServer, running_server

pytestmark = pytest.mark.exhaustive
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def url(server: PostgresServer) -> PostgresUrl:
    return PostgresUrl.parse(server.url(tcp=True))


@pytest.fixture
def inbox(url: PostgresUrl) -> Iterator[PartitionInbox]:
    with closing(open_shared(url, 4)) as database:
        inbox = PartitionInbox(database)
        yield inbox
        inbox.end()


def row(partition: int, content: str) -> tuple[int, str]:
    return partition, content


def test_rows_are_read_in_their_order_until_they_are_forgotten(inbox: PartitionInbox) -> None:
    inbox.put(lambda _: [row(1, "a"), row(2, "b"), row(1, "c")], 0.0).result(PATIENCE_S)
    rows = inbox.after(1, 0, 10)
    assert [content for _, content in rows] == ["a", "c"]
    first, last = (number for number, _ in rows)
    assert inbox.after(1, first, 10) == [(last, "c")]
    inbox.forget(1, first)
    assert inbox.after(1, 0, 10) == [(last, "c")]
    assert [content for _, content in inbox.after(2, 0, 10)] == ["b"]


def test_a_mark_that_came_before_is_no_news(inbox: PartitionInbox) -> None:
    news: list[set[bytes]] = []

    def written(new: Collection[bytes]) -> list[tuple[int, str]]:
        news.append(set(new))
        return [row(0, mark.decode()) for mark in sorted(new)]

    inbox.put(written, 5.0, marks=[b"a", b"b"]).result(PATIENCE_S)
    inbox.put(written, 6.0, marks=[b"b", b"c"]).result(PATIENCE_S)
    assert news == [{b"a", b"b"}, {b"c"}]
    assert [content for _, content in inbox.after(0, 0, 10)] == ["a", "b", "c"]
    inbox.forget_marks(6.0)
    inbox.put(written, 7.0, marks=[b"a", b"c"]).result(PATIENCE_S)
    assert news[-1] == {b"a"}


def test_a_place_is_kept_with_the_rows_by_who_reads_the_streams_alone(
    url: PostgresUrl, inbox: PartitionInbox
) -> None:
    with ExitStack() as held:
        member = Membership(url.of_part(PART), "ada", "door")
        held.callback(member.leave)
        table = PartitionTable(url.of_part(PART), member)
        held.callback(table.close)
        assert table.take(STREAMS)
        holder = STREAMS, member.id

        def put(content: str) -> None:
            places = [("place stream", content.encode())]
            inbox.put(lambda _: [row(0, content)], 0.0, places=places, holder=holder).result(
                PATIENCE_S
            )

        put("1")
        table.give_back(STREAMS)
        with pytest.raises(FencedError, match="another node"):
            put("2")
    assert inbox.places("place ") == {"place stream": b"1"}
    assert [content for _, content in inbox.after(0, 0, 10)] == ["1"]


def test_what_is_committed_rings_for_its_partitions(
    url: PostgresUrl, inbox: PartitionInbox
) -> None:
    rung, everything = Event(), set[int]()

    def ring(numbers: set[int]) -> None:
        everything.update(numbers)
        rung.set()

    bell = InboxBell(url.of_part(PART), ring)
    try:
        while not rung.wait(0.2):  # it may not listen yet
            inbox.put(lambda _: [row(3, "a"), row(1, "b")], 0.0).result(PATIENCE_S)
    finally:
        bell.stop()
    assert everything == {1, 3}
