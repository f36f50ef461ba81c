"""The ledger of peers, messages and judgments; durable before it acknowledges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from ..clock import Clock, SystemClock
from ..storage.database import this_process
from ..storage.store_file import IN_MEMORY, Schema, StoreFile
from . import queries, rows
from .drafts import Details, checked_outcome, encodable, new_assessment, new_interaction
from .forgetting import Forgotten, forget_peer
from .lock import WriterLock
from .schema import APPLICATION_ID, STEPS, VIEWS

if TYPE_CHECKING:
    from .models import Assessment, Direction, Interaction, Peer, Recorded, ScoredPeer


_SCHEMA = Schema(APPLICATION_ID, STEPS, VIEWS)


class Ledger:
    """Peers, interactions and assessments in one SQLite file.

    path: the file, created if missing, in an existing folder; ":memory:" stores in memory.
    read_only: the file must exist, and another process may write it; otherwise this is the only
    writer, and a second one is refused, wherever the ledger lies; on a server what this one still
    writes is refused once it was frozen and replaced. fence: gives the epoch of an ownership that
    is kept elsewhere, once the store is there; then nothing is locked here.

    Thread-safe. What a method has returned survives a killed process and a power cut. Methods raise
    SourceError naming the path when the file is damaged, full, foreign, of a newer release, or in
    use by another writer.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = IN_MEMORY,
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        fence: Callable[[], int] | None = None,
    ) -> None:
        self._clock = SystemClock() if clock is None else clock
        is_own = not (os.fspath(path) == IN_MEMORY or read_only)
        self._lock = WriterLock(Path(path)) if is_own and fence is None else None
        try:
            self._file = StoreFile(_SCHEMA, path, read_only=read_only)
            if is_own:
                self._own(fence)
        except BaseException:
            self._release()
            raise

    @property
    def path(self) -> str:
        """The file, absolute, or ":memory:"."""
        return self._file.path

    def record_interaction(
        self, peer_id: str, direction: Direction, **details: Unpack[Details]
    ) -> int | None:
        """Record a message; returns its id once it is on the disk, None for a known event_id.

        Arguments as for `submit_interaction`.
        """
        recorded = self.submit_interaction(peer_id, direction, **details).result()
        return None if recorded is None else recorded.interaction_id

    def submit_interaction(
        self, peer_id: str, direction: Direction, **details: Unpack[Details]
    ) -> Future[Recorded | None]:
        """Queue a message; the future is done when it is on the disk.

        direction: "in" from the peer, who becomes known by it, or "out" to it. Raises ValueError
        for another direction, a blank peer_id or a detail that is not what its name says,
        TypeError for an unknown detail.
        """
        new = new_interaction(peer_id, direction, details, self._clock)
        return self._file.submit(partial(rows.insert_interaction, self._file.database, new))

    def judge_interaction(self, event_id: str, outcome: float) -> bool:
        """Set the outcome of an event's message, -1 (bad for us) to +1 (good).

        Replaces an earlier outcome. Returns when it is on the disk; False for an unknown event.
        Raises ValueError for any other outcome.
        """
        job = partial(
            rows.judge_interaction,
            self._file.database,
            encodable(event_id),
            checked_outcome(outcome),
        )
        return self._file.submit(job).result()

    def has_interaction(self, event_id: str) -> bool:
        """Whether the event's message was recorded."""
        return rows.has_interaction(self._file.reader, encodable(event_id))

    def record_assessment(
        self, peer_id: str, trust: int, rationale: str, origins: Iterable[str] | None = None
    ) -> int:
        """Record a judgment atomically, with the current info score; returns its id.

        origins: whose words may be in the rationale; None counts as anybody's. Raises ValueError
        for an unknown peer, a trust that is no whole number from -10 to +10, or a blank rationale.
        """
        return self.submit_assessment(peer_id, trust, rationale, origins).result().id

    def submit_assessment(
        self, peer_id: str, trust: int, rationale: str, origins: Iterable[str] | None = None
    ) -> Future[Assessment]:
        """Queue a judgment; the future is done when it is on the disk.

        Raises as `record_assessment`; for an unknown peer, through the future.
        """
        new = new_assessment(peer_id, trust, rationale, origins, self._clock)
        return self._file.submit(partial(rows.insert_assessment, self._file.database, new))

    def forget(self, peer_id: str) -> Forgotten:
        """Delete a peer with all that was recorded of it, and the reasons with words of it.

        A judgment of another peer keeps its trust; its reason becomes "[forgotten]" where it names
        the peer, its origins do, or they are unknown. No byte of all that is left in the files.
        Raises SourceError while another process reads the file: then the rows are gone, and some
        bytes are not.
        """
        return self._file.erase(partial(forget_peer, self._file.database, peer_id))

    def list_peers(self) -> list[Peer]:
        """All peers, the last seen first."""
        return rows.select_peers(self._file.reader)

    def peer(self, peer_id: str) -> Peer | None:
        """The peer, or None."""
        return rows.select_peer(self._file.reader, encodable(peer_id))

    def get_peer_assessment_summary(self, peer_id: str, interactions: int = 0) -> dict[str, Any]:
        """As `protocols.PeerLedger` says. Raises ValueError for an unknown peer."""
        peer = self.peer(peer_id)
        if peer is None:
            raise ValueError(f"peer_id must be a known peer, got {peer_id!r}")
        return queries.summary(self._file.reader, peer, interactions)

    def latest_origins(self, peer_id: str) -> tuple[str, ...]:
        """Whose words may be in the reason of the peer's latest judgment; none without one."""
        return queries.latest_origins(self._file.reader, peer_id)

    def interactions(self, peer_id: str | None = None) -> Iterator[Interaction]:
        """The messages of one peer, or all, in order of recording; reads page by page."""
        return queries.each_interaction(self._file.reader, peer_id)

    def assessments(self, peer_id: str | None = None) -> Iterator[Assessment]:
        """The judgments of one peer, or all, in order of recording; reads page by page."""
        return queries.each_assessment(self._file.reader, peer_id)

    def standings(self, limit: int = -1) -> list[ScoredPeer]:
        """Peers with their scores, the last seen first; at most `limit`, -1: all."""
        return queries.standings(self._file.reader, limit)

    def totals(self) -> dict[str, Any]:
        """Totals, as plain values.

        peers, judged (peers with a judgment), in, out (messages), assessments, first_seen,
        last_seen (None without peers), trust (number of peers by trust, as text).
        """
        with self._file.reader.reading():
            return queries.totals(self._file.reader)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A snapshot for all reads of this thread inside the context."""
        with self._file.reader.reading():
            yield

    def finish(self) -> Future[None]:
        """Accept no more writes; the future is done when all queued ones are on the disk."""
        return self._file.finish()

    def close(self) -> None:
        """Finish the queued writes and close the file; a second call does nothing."""
        self._file.close()
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _own(self, fence: Callable[[], int] | None) -> None:
        try:
            if fence is None:
                self._file.database.claim(this_process())
            else:
                self._file.database.write_as(fence())
        except BaseException:
            self._file.close()
            raise

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
