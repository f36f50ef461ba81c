"""A replay in one call, as `prefrontal replay` does it."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal

from ..errors import InputError
from ..home_folder import expanded
from ..replay.histories.history_kind import is_of_git
from ..replay.session import Request, replay_events, replay_git, replay_history, replay_sample
from .replay_gate import PulseGate

if TYPE_CHECKING:
    from ..replay.prices import Prices
    from ..replay.result import ReplayResult


def replay(
    path: str | PathLike[str] = ".",
    *,
    events: str | PathLike[str] | None = None,
    sample: bool = False,
    recall: float = 0.9,
    relevant: str | None = None,
    labels: Literal["all", "asked"] | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int | None = None,
    prices: Prices | None = None,
) -> ReplayResult:
    """What a gate that learns as it goes would have cost on a history, and what it would have
    caught.

    path: a git repository or a folder in one, or the sessions that OpenClaw or Claude Code kept.
    events: recorded windows instead, one JSON object a line. sample: the recorded history that
    ships with the package instead. recall: share of what mattered that is to be caught, above 0
    and at most 1. relevant: what mattered, as `prefrontal replay --relevant` takes it; None finds
    it. labels: "all", or "asked" for those that a live gate gets; None takes "all" where the
    history labels itself. since, until: dates as git takes them. limit: only the newest so many
    windows. prices: of a wake-up's tokens. Raises InputError and SourceError in one sentence.
    """
    if sample and events is not None:
        raise InputError("events must not be given with sample, which is a history of its own")
    request = Request(
        recall=recall,
        relevant=relevant,
        labels=labels,
        since=since,
        until=until,
        limit=limit,
        prices=prices,
    )
    if sample:
        return replay_sample(request, PulseGate())
    if events is not None:
        return replay_events(fspath(events), request, PulseGate())
    folder = str(expanded(path))
    run = replay_git if is_of_git(folder) else replay_history
    return run(folder, request, PulseGate())
