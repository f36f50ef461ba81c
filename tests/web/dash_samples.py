"""A page over a small state folder and workspace, served for real where a browser looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from prefrontal.clock import Clock
from prefrontal.cortex.models import Belief
from prefrontal.cortex.state import BELIEFS_KEY, HISTORY_KEY, dump_beliefs, dump_history
from prefrontal.decisions.log import Decision, new_id
from prefrontal.decisions.payload_json import from_plain
from prefrontal.decisions.payloads import WakePayload
from prefrontal.http_door import Door
from prefrontal.http_patience import listen
from prefrontal.ledger import Ledger
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.settings import parse_settings
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.storage.state_folder import StateFolder
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent
from prefrontal.web.app import Dash, build_dash
from prefrontal.web.dash_context import DashContext, open_context
from prefrontal.web.serving import DashServer, address

NOON = 1_700_049_600.0
"""A moment in the middle of a day, UTC."""
INVOICES: dict[str, Any] = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "{location}: an invoice to file?",
    "default_threshold": 0.6,
}
HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe\x1b[31m \"' onload=x"


def wake(
    time: float = NOON,
    subject: str = "invoices",
    score: float = 0.8,
    reason: str = "woke",
    **told: Any,
) -> Decision:
    """A decision about a file; what woke or was audited has a question."""
    acted = reason in ("woke", "audit")
    usual: dict[str, Any] = {
        "id": new_id(),
        "threshold": 0.6,
        "question": f"/in/{score:.2f}.pdf: an invoice to file?" if acted else None,
        "propensity": 0.02 if reason == "audit" else 1.0,
        "window": (
            SignalEvent("filesystem", f"/in/{score:.2f}-{time:.1f}.pdf", "created", 1.0, time),
        ),
        "why": (("extension .pdf", 1.25), ("hour 9", -0.5)),
        "payload": WakePayload(),
    }
    return Decision(
        time=time,
        subject=subject,
        acted=acted,
        reason=reason,
        score=score,
        **{**usual, **told},
    )


def decision(
    kind: str, subject: str, time: float = NOON, plain: dict[str, Any] | None = None, **told: Any
) -> Decision:
    """A decision of another kind. plain: what its row holds of it."""
    usual: dict[str, Any] = {
        "id": new_id(),
        "acted": True,
        "reason": "chosen",
        "score": float("nan"),
        "threshold": float("nan"),
        "question": None,
        "propensity": 1.0,
        "window": (),
    }
    payload = from_plain(kind, plain or {}, time)
    return Decision(time=time, payload=payload, subject=subject, **{**usual, **told})


@contextmanager
def shown_in(
    folder: Path, *modules: dict[str, Any], clock: Clock | None = None, **settings: Any
) -> Iterator[DashContext]:
    """What a page in the folder stands on. settings: keys of prefrontal.yml."""
    with open_context(
        parse_settings(settings),
        StateFolder(folder / "state"),
        [parse_fingerprint(each) for each in modules],
        workspace=str(folder / "workspace"),
        clock=clock or ManualClock(NOON),
    ) as context:
        yield context


@dataclass(frozen=True, slots=True)
class Served:
    """A page that is served. url: what a person opens."""

    context: DashContext
    dash: Dash
    url: str


@contextmanager
def served(context: DashContext, port: int = 0, token: str = "") -> Iterator[Served]:
    """Serve the page in a thread, until the end of the block."""
    door = Door(port=port, token=token)
    with listen(door) as listening:
        dash = build_dash(context, door)
        server = DashServer(dash)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield Served(context, dash, address(door, listening.getsockname()[1]))
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()


def remember(folder: Path, *beliefs: Belief) -> None:
    """Keep beliefs as a cortex does."""
    MemoryFiles(folder / "workspace" / "memory" / "files").store(BELIEFS_KEY, dump_beliefs(beliefs))


def reflect(folder: Path, *cycles: Any) -> None:
    """Keep the history of reflection as a cortex does."""
    MemoryFiles(folder / "workspace" / "memory" / "files").store(HISTORY_KEY, dump_history(cycles))


def meet(folder: Path, peer_id: str, clock: ManualClock, trusts: tuple[int, ...] = ()) -> None:
    """Let the agent's ledger know a peer, and judge it so."""
    (folder / "workspace").mkdir(exist_ok=True)
    with Ledger(folder / "workspace" / "ledger.sqlite", clock=clock) as book:
        book.record_interaction(peer_id, "in", preview="Good day.", size=9, display_name="Ada")
        for trust in trusts:
            clock.advance(3600)
            book.record_assessment(peer_id, trust, "Kept what it promised.")
