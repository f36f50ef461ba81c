"""Who holds which partition and what waits for it, for people."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..postgres_database import PostgresDatabase
from .schema import PART

if TYPE_CHECKING:
    from ..postgres_url import PostgresUrl

_STANDING = """\
SELECT number, coalesce(name, ''), (SELECT count(*) FROM inbox WHERE partition = number)
FROM partitions LEFT JOIN members ON id = member WHERE number >= 0 ORDER BY number"""


@dataclass(frozen=True, slots=True)
class PartitionStanding:
    """holder: machine and process; "" for none. rows: posts that it has not decided about, or that
    are not tidied away yet.
    """

    number: int
    holder: str
    rows: int


def standing(url: PostgresUrl) -> list[PartitionStanding]:
    """Each partition of the installation. Raises SourceError, also before its first node began."""
    place = url.of_part(PART)
    with closing(PostgresDatabase(place, str(place), read_only=True)) as database:
        rows = database.execute(_STANDING)
    return [PartitionStanding(int(number), str(name), int(count)) for number, name, count in rows]
