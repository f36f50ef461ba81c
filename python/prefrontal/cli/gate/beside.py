"""A call beside a running watch: what the watch owes to who calls, and whether it knows of them."""

from __future__ import annotations

from pathlib import Path

from ...decisions.deliveries import GATE_CALLER
from ...decisions.log import DecisionLog
from ...storage.state_folder import StateFolder
from ..watch.doors import WatchDoor


def left_out(state: StateFolder, log: DecisionLog) -> list[str]:
    """What keeps the questions of the watch that runs here from who calls, if anything does."""
    owner, door = state.watcher(), WatchDoor.read(log)
    if owner is None or (door and door.pid == owner and (door.has_sinks or door.owes)):
        return []
    return [
        f"process {owner} watches with {state.path} and tells nobody who calls: start it again, or"
        " give it a sink"
    ]


def nothing_owed(place: str) -> bool:
    """Whether a watch with that state folder owes nothing, and nobody is left out."""
    state = StateFolder(Path(place))
    with DecisionLog(state.decisions) as log:
        if left_out(state, log):
            return False
        deliveries = log.deliveries()
        try:
            return deliveries.next_at(GATE_CALLER) is None
        finally:
            deliveries.close()
