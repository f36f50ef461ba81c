"""A call beside a running watch: what the watch owes to who calls, and whether it knows of them."""

from __future__ import annotations

from pathlib import Path

from ...decisions.deliveries import GATE_CALLER
from ...decisions.log import DecisionLog
from ...storage.state_folder import StateFolder
from ..watch.doors import WatchDoor


def left_out(state: StateFolder, log: DecisionLog, settings: str) -> list[str]:
    """What keeps the questions of the watch that runs here from who calls, if anything does.

    settings: the file of the call, as `settings_name` gives it.
    """
    owner, door = state.watcher(), WatchDoor.read(log)
    if owner is None:
        return []
    if door and door.pid == owner and door.settings not in (None, settings):
        return [_elsewhere(owner, door.settings or "", settings, state)]
    if door and door.pid == owner and (door.has_sinks or door.owes):
        return []
    return [
        f"process {owner} watches with {state.path} and tells nobody who calls: start it again, or"
        " give it a sink"
    ]


def _elsewhere(owner: int, file: str, own_file: str, state: StateFolder) -> str:
    """Why the watch that runs here does not hear what the call is to look at."""
    theirs = f"what {file} names" if file else "without a settings file"
    ours = own_file or "this call"
    return (
        f"process {owner} watches {theirs} with {state.path}, so nobody looks at what {ours} names:"
        " one file can hold both (`prefrontal adopt --config FILE`), or `state: FOLDER` in one of"
        " them keeps them apart"
    )


def nothing_owed(place: str, settings: str) -> bool:
    """Whether a watch with that state folder owes nothing, and nobody is left out."""
    state = StateFolder(Path(place))
    with DecisionLog(state.decisions) as log:
        if left_out(state, log, settings):
            return False
        deliveries = log.deliveries()
        try:
            return deliveries.next_at(GATE_CALLER) is None
        finally:
            deliveries.close()
