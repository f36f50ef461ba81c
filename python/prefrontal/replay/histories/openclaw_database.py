"""The sessions that OpenClaw keeps in an agent's database, since 2026.8.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

from ...errors import SourceError
from .agent_lines import LINE_LIMIT, Seen, line_entry

DATABASE_NAME = "openclaw-agent.sqlite"
_BATCH = 200
_BUSY_MS = 5_000
_LINE = "substr(CAST(event_json AS BLOB), 1, ?)"
_KEY_TABLES = ("session_windows", "sessions")

Damaged = Callable[[int], None]
"""Called with the number of each row that could not be read."""


class OpenClawDatabase:
    """Reads `transcript_events` of an agent's database, which the agent may be writing.

    A row's `event_json` is what was a line of the session's file. Nothing is written and no
    transaction stays open, so the agent never waits; columns and tables of other purposes are
    ignored. Raises SourceError when it is no such database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._log = path.with_name(path.name + "-wal")
        self._state: object = None
        with _sentences():
            self._open()

    def _open(self) -> None:
        """Without a log of writes the file is complete, and is opened so that no file beside it is
        made, which might belong to another user than the agent.
        """
        import apsw

        self._state = self._settled()
        mode = "mode=ro" if self._state is None else "mode=ro&immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"file:{quote(str(self._path))}?{mode}", flags=flags)
        try:
            connection.set_busy_timeout(_BUSY_MS)
            connection.execute("SELECT session_id, seq, event_json FROM transcript_events LIMIT 0")
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _settled(self) -> object:
        """What the file is like while nobody has it open; None when somebody may."""
        facts = self._path.stat()
        return None if self._log.exists() else (facts.st_ino, facts.st_size, facts.st_mtime_ns)

    def _rows(self, sql: str, *values: str | int) -> list[tuple[Any, ...]]:
        """The rows, once more if the agent began to write meanwhile."""
        import apsw

        try:
            rows = self._connection.execute(sql, values).fetchall()
        except apsw.CorruptError:
            if self._state is None or self._settled() == self._state:
                raise
            rows = []
        if self._state is not None and self._settled() != self._state:
            self._connection.close()
            self._open()
            return self._rows(sql, *values)
        return rows

    def __enter__(self) -> OpenClawDatabase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def sessions(self) -> Iterator[tuple[str, str]]:
        """Each session that has lines, with its key ("" when the database does not say)."""
        with _sentences():
            keys = self._keys()
            session = self._next_session("")
            while session is not None:
                yield session, keys.get(session, "")
                session = self._next_session(session)

    def entries(
        self, session: str, counts: Counter[str], damaged: Damaged, seen: Seen = lambda _: None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row that is a JSON object, with its number, in order.

        Counted are "lines", "broken", "long" and "mended" as in a file, and "damaged", rows that
        SQLite cannot read. Rows that are added meanwhile are read, too.
        """
        for number, line in self._lines(session, counts, damaged):
            seen(len(line))
            if len(line) > LINE_LIMIT:
                counts["long"] += 1
                damaged(number)
                continue
            counts["lines"] += 1
            entry = line_entry(line, counts)
            if entry is None:
                counts["broken"] += 1
                damaged(number)
            else:
                yield number, entry

    def _lines(
        self, session: str, counts: Counter[str], damaged: Damaged
    ) -> Iterator[tuple[int, bytes]]:
        import apsw

        last = -(2**63)
        with _sentences():
            while True:
                try:
                    batch = self._batch(session, last)
                except apsw.CorruptError:
                    batch = list(self._readable(session, last, counts, damaged))
                    yield from batch
                    return
                yield from batch
                if len(batch) < _BATCH:
                    return
                last = batch[-1][0]

    def _batch(self, session: str, last: int) -> list[tuple[int, bytes]]:
        return self._rows(
            f"SELECT seq, {_LINE} FROM transcript_events"
            " WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?",
            *(LINE_LIMIT + 1, session, last, _BATCH),
        )

    def _readable(
        self, session: str, last: int, counts: Counter[str], damaged: Damaged
    ) -> Iterator[tuple[int, bytes]]:
        """Row by row: the index knows the numbers of those whose pages are damaged."""
        import apsw

        numbers = self._rows(
            "SELECT seq FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq",
            *(session, last),
        )
        for (number,) in numbers:
            try:
                rows = self._rows(
                    f"SELECT {_LINE} FROM transcript_events WHERE session_id = ? AND seq = ?",
                    *(LINE_LIMIT + 1, session, number),
                )
            except apsw.CorruptError:
                counts["damaged"] += 1
                damaged(number)
                continue
            for (line,) in rows:
                yield number, line

    def _next_session(self, session: str) -> str | None:
        sql = "SELECT min(session_id) FROM transcript_events WHERE session_id > ?"
        ((following,),) = self._rows(sql, session)
        return None if following is None else str(following)

    def _keys(self) -> dict[str, str]:
        import apsw

        for table in _KEY_TABLES:
            try:
                rows = self._rows(f"SELECT session_id, session_key FROM {table}")
                return {str(session): str(key) for session, key in rows if key is not None}
            except apsw.CorruptError:
                return {}
            except apsw.SQLError:  # no such table, or no such column
                continue
        return {}


@contextmanager
def _sentences() -> Iterator[None]:
    import apsw

    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError):
        raise SourceError("damaged database") from None
    except apsw.SQLError:
        raise SourceError("no transcripts in the database") from None
    except apsw.BusyError:
        raise SourceError("locked database") from None
    except apsw.Error as error:
        raise SourceError(f"unreadable database: {error}") from None
