"""Who writes files: what each is asked to keep, what it said is kept, and whether it is."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from prefrontal.decisions.decision import Decision

Say = Callable[[str], object]
"""Reports that something is kept; one line."""

STEPS = 6
"""How often a writer writes before it ends."""


class Writer(Protocol):
    """Writes below a folder that outlives it.

    What `work` said is kept must be found by `check`, once and whole, whatever happened to the
    process; `check` raises AssertionError. All of them may be called again and again.
    """

    name: str

    def prepare(self, folder: Path) -> None:
        """Lay down what is there before the first start."""

    def work(self, folder: Path, say: Say) -> None:
        """Write, and say what is kept; raises PrefrontalError where that cannot be."""

    def check(self, folder: Path, said: Sequence[str]) -> None:
        """Look at what is there after a new start. said: all lines that were reported."""


def new_name() -> str:
    """Of something that nobody has written before."""
    return os.urandom(6).hex()


def check_database(path: Path) -> None:
    """SQLite finds nothing wrong with the file."""
    import apsw

    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok", f"{path} is damaged"
    connection.close()


class LedgerWriter:
    """Interactions and judgments of peers."""

    name = "ledger"

    def prepare(self, folder: Path) -> None:
        from prefrontal.ledger import Ledger

        Ledger(folder / "ledger.sqlite").close()

    def work(self, folder: Path, say: Say) -> None:
        from prefrontal.ledger import Ledger

        with Ledger(folder / "ledger.sqlite") as ledger:
            for number in range(STEPS):
                event, peer = new_name(), f"peer{number % 3}"
                row = ledger.record_interaction(peer, "in", event_id=event, preview=event, size=9)
                say(f"row {event} {row}")
                judgment = ledger.record_assessment(peer, number, event)
                say(f"judgment {event} {judgment}")

    def check(self, folder: Path, said: Sequence[str]) -> None:
        from prefrontal.ledger import Ledger

        with Ledger(folder / "ledger.sqlite") as ledger:
            rows = {each.event_id: each for each in ledger.interactions()}
            judged = {each.rationale: each for each in ledger.assessments()}
            peers = ledger.list_peers()
            assert len(rows) == sum(1 for _ in ledger.interactions()), "a row stands twice"
            assert len(judged) == sum(1 for _ in ledger.assessments()), "a judgment stands twice"
        for line in said:
            what, event, number = line.split()
            found = (rows if what == "row" else judged).get(event)
            assert found is not None and found.id == int(number), f"{line} is lost"
        for peer in peers:
            counted = sum(each.peer_id == peer.peer_id for each in rows.values())
            assert peer.in_count == counted, f"{peer.peer_id} has half a transaction"
        check_database(folder / "ledger.sqlite")


class LogWriter:
    """Decisions, labels, states and positions in the log."""

    name = "log"

    def prepare(self, folder: Path) -> None:
        from prefrontal.decisions.log import DecisionLog

        DecisionLog(folder / "decisions.sqlite").close()

    def work(self, folder: Path, say: Say) -> None:
        from prefrontal.decisions.log import DecisionLog

        with DecisionLog(folder / "decisions.sqlite", owed_to=("sink",)) as log:
            for number in range(STEPS):
                record = _decision(time.time())
                place = record.id.encode() * (1 + 200 * number)
                log.keep([record], states=[("place", place, number)])
                say(f"decision {record.id}")
                log.add_label(record.id, 0.5, at=float(number))
                say(f"label {record.id}")

    def check(self, folder: Path, said: Sequence[str]) -> None:
        from prefrontal.decisions.log import DecisionLog

        with DecisionLog(folder / "decisions.sqlite") as log:
            ids = [each.id for each in log.records()]
            labels = {each.decision.id: each.label for each in log.labels_after(0)}
            place = log.load_state("place")
            deliveries = log.deliveries()
            owed = Counter(len(deliveries.of(name)) for name in ids)
            deliveries.close()
        assert len(ids) == len(set(ids)), "a decision stands twice"
        for line in said:
            what, name = line.split()
            assert name in ids, f"{line} is lost"
            assert what == "decision" or labels.get(name) == 0.5, f"{line} is lost"
        assert (place is None) == (not ids), "a place without its decision"
        if place is not None:
            assert place[0][:32].decode() == ids[-1], "place and decision are of two moments"
        assert set(owed) <= {1}, "a delivery is lost"
        check_database(folder / "decisions.sqlite")


def _decision(now: float) -> Decision:
    from prefrontal.decisions.decision import Decision, new_id
    from prefrontal.decisions.payloads import WakePayload
    from prefrontal.types import SignalEvent

    event = SignalEvent("log", "/var/log/app.log", "line", 1.0, now, {"text": "x" * 200})
    return Decision(
        id=new_id(),
        time=now,
        payload=WakePayload(),
        subject="papers",
        acted=True,
        reason="woke",
        score=0.75,
        threshold=0.65,
        question="Read it?",
        propensity=1.0,
        window=(event,),
    )


class MemoryWriter:
    """Texts by key, one file each."""

    name = "memory"

    def prepare(self, folder: Path) -> None:
        self.work(folder, lambda _: None)

    def work(self, folder: Path, say: Say) -> None:
        from prefrontal.storage.memory_files import MemoryFiles

        memory = MemoryFiles(folder / "memory")
        for number in range(STEPS):
            key, mark = f"key {number % 3}", new_name()
            memory.store(key, f"{mark} " * (1 + 300 * number))
            say(f"{number % 3} {mark}")

    def check(self, folder: Path, said: Sequence[str]) -> None:
        from prefrontal.storage.memory_files import MemoryFiles

        memory = MemoryFiles(folder / "memory")
        order = [line.split() for line in said]
        for number in "012":
            text = memory.retrieve(f"key {number}")
            assert text is not None, f"key {number} is lost"
            words = Counter(text.split())
            assert len(words) == 1, f"key {number} is torn"
            known = [mark for key, mark in order if key == number]
            mark = next(iter(words))
            assert mark not in known[:-1], f"key {number} is an older one"


class CarelessWriter(MemoryWriter):
    """A planted fault: says that a text is kept before it is, and whether it is or not."""

    name = "careless"

    def work(self, folder: Path, say: Say) -> None:
        path = folder / "memory" / "key-0.md"
        path.parent.mkdir(exist_ok=True)
        for number in range(STEPS):
            mark = new_name()
            say(f"0 {mark}")
            with suppress(OSError):
                path.write_text(f"{mark} " * (1 + 300 * number), encoding="utf-8")

    def check(self, folder: Path, said: Sequence[str]) -> None:
        words = set((folder / "memory" / "key-0.md").read_text(encoding="utf-8").split())
        assert words == {said[-1].split()[1]} if said else words, "the last text is lost or torn"
