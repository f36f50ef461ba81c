"""The history of an agent, from the sessions it kept: a window is what came to it."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any
from weakref import finalize

from ...errors import SourceError
from ...plain_text import visible
from ...redaction import redact
from ...types import SignalEvent, Window
from .agent_files import OPENCLAW, SessionFile, find_sessions
from .agent_lines import Seen, session_entries
from .agent_notes import NAMED_ROWS, reading_notes
from .agent_turns import Arrival, Turn, Turns
from .claude import ClaudeSession
from .openclaw import OpenClawSession
from .openclaw_database import OpenClawDatabase

LONGEST_TEXT = 2000
"""Characters of a message that the gate is shown."""

LONGEST_PLACE = 400
"""Characters of the folder or channel that it came to."""

_LOOKED_AT = 4000
_VISIBLE_ASCII = "".join(map(chr, range(33, 127)))
_MIB = 2**20

Step = Callable[[str, int, int], None]


class AgentHistory:
    """The answered turns of OpenClaw or Claude Code as labelled windows, in order of time.

    path: a tool's home (~/.openclaw, ~/.claude), a project, an agent, or one file of sessions. A
    turn that a database and a file hold counts once. A window is relevant when the agent's answer
    said something; `known_at` is when it did, and the answer itself is kept nowhere. Texts are
    redacted and cut to LONGEST_TEXT. Iterating reads a temporary file; a few dozen bytes a window
    stay in memory. Raises InputError when there are no sessions, SourceError when the temporary
    file cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        since: float = float("-inf"),
        until: float = float("inf"),
        limit: int | None = None,
        step: Step = lambda *_: None,
    ) -> None:
        self._found = find_sessions(path)
        self._counts: Counter[str] = Counter()
        self._kinds: Counter[tuple[str, bool]] = Counter()
        self._kept = TemporaryFile()  # noqa: SIM115 (lives as long as the history)
        finalize(self, _close, self._kept)
        self._times, self._places, self._digests = array("d"), array("Q"), array("Q")
        self._read(step)
        self._order = self._sorted(since, until, limit)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Window]:
        for index in self._order:
            yield _window(self._times[index], *self._record(index))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read, what was left out and what could not be read, in sentences."""
        return reading_notes(self._found, self._counts, self._kinds)

    def _read(self, step: Step) -> None:
        total = sum(file.size for file in self._found.files)
        done = 0

        def seen(size: int) -> None:
            nonlocal done
            before, done = done, done + size
            if before // _MIB != done // _MIB:
                step("reading sessions, MiB", done // _MIB, max(total, done) // _MIB)

        in_databases = {(each.owner, each.session) for each in self._found.files if each.session}
        for file in self._found.files:
            turns = Turns(self._counts)
            reader = (
                OpenClawSession(file.owner, file.key)
                if file.tool == OPENCLAW
                else ClaudeSession(file.owner)
            )
            try:
                for number, entry in self._entries(file, seen):
                    self._keep(file, turns.take(reader.read(number, entry)))
            except OSError as error:
                self._found.refused[file.path] = error.strerror or "unreadable"
            except SourceError as error:
                self._found.refused[file.path] = str(error)
            else:
                again = not file.session and (file.owner, file.name) in in_databases
                self._counts[f"file:{file.tool}"] += not again
            self._keep(file, turns.end())
        self._added(b"")  # what is still in the buffer is written now or never

    def _entries(self, file: SessionFile, seen: Seen) -> Iterator[tuple[int, dict[str, Any]]]:
        if not file.session:
            yield from session_entries(file.path, self._counts, seen)
            return

        def damaged(number: int) -> None:
            if len(self._found.damaged) < NAMED_ROWS:
                row = f"{file.owner} {visible(file.session, 200)[:8]}:{number}"
                self._found.damaged.append(row)

        with OpenClawDatabase(file.path) as database:
            yield from database.entries(file.session, self._counts, damaged, seen)

    def _keep(self, file: SessionFile, turn: Turn | None) -> None:
        if turn is None:
            return
        arrival = turn.arrival
        text = visible(redact(_beginning(arrival.text)), LONGEST_TEXT)
        place = visible(redact(_beginning(arrival.place)), LONGEST_PLACE) or file.owner
        record = [_key(file, arrival), turn.known_at, turn.relevant, arrival.kind, place, text]
        self._times.append(arrival.time)
        self._places.append(self._added(json.dumps(record).encode() + b"\n"))
        self._digests.append(_digest(arrival))

    def _added(self, line: bytes) -> int:
        """Where in the temporary file the line is; what was added before it is written."""
        try:
            place = self._kept.seek(0, 2)
            self._kept.write(line)
        except OSError as error:
            rule = f"cannot be written: {error.strerror or error}"
            raise SourceError(f"the temporary folder {gettempdir()} {rule}") from error
        return place

    def _sorted(self, since: float, until: float, limit: int | None) -> array[int]:
        """The newest windows of the span by time; what stands in two sessions counts once.

        Of two the first counts, which is a database's: a file may have been left in mid-turn.
        """
        order, count = array("Q"), 0
        by_time = sorted(range(len(self._times)), key=self._times.__getitem__)
        for time, same in groupby(by_time, key=self._times.__getitem__):
            first = {self._digests[index]: index for index in reversed(list(same))}
            indices = sorted(first.values())
            count += len(indices)
            if since <= time <= until:
                order.extend(indices)
        self._counts["doubles"] = len(by_time) - count
        chosen = order if limit is None else order[max(0, len(order) - limit) :]
        self._counts["outside"] = count - len(chosen)
        for index in chosen:
            _, _, relevant, kind, _, _ = self._record(index)
            self._kinds[kind, relevant] += 1
        return chosen

    def _record(self, index: int) -> Any:
        self._kept.seek(self._places[index])
        return json.loads(self._kept.readline())


def _close(files: IO[bytes]) -> None:
    with suppress(OSError):  # what is left in its buffer is of no use to anybody
        files.close()


def _window(
    time: float, key: str, known_at: float, relevant: bool, kind: str, place: str, text: str
) -> Window:
    event = SignalEvent(kind, place, "arrived", 1.0, time, {"actor": kind, "text": text})
    return Window(key, time, (event,), kind, text, relevant, known_at)


def _beginning(text: str) -> str:
    """What a text begins with, without a word that the cut went through: half a secret would not
    be recognised as one. A text without spaces (Chinese, say) keeps all but its last Latin word.
    """
    text = text.strip()
    return text if len(text) <= _LOOKED_AT else text[:_LOOKED_AT].rstrip(_VISIBLE_ASCII)


def _key(file: SessionFile, arrival: Arrival) -> str:
    """The first part of the session's name and the line: enough to find it, short to print."""
    return f"{visible(file.name, 200)[:8]}:{arrival.line}"


def _digest(arrival: Arrival) -> int:
    identity = arrival.identity or arrival.text
    raw = identity.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little")
