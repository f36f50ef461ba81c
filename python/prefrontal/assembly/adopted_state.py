"""What adopting writes into the log of decisions, and how the live gate finds it there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..clock import SystemClock
from ..decisions.decision import new_id
from ..decisions.wake_runs import ADOPTION
from ..errors import InputError, SourceError
from ..pulse.followed import HISTORY, read_follow
from ..pulse.learning.adopted_weights import pack_states
from ..pulse.opening import open_gate
from .adopted_modules import MODULE
from .history_source import HistoryPlace, HistorySource

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.log import DecisionLog
    from ..pulse.modules.fingerprint import ModuleFingerprint
    from ..settings import Settings
    from ..settings.adopted import Adopted
    from ..settings.gate import GateSettings
    from .adoption import Adopter
    from .replay_gate import ReplayJudge


def keep_adoption(
    log: DecisionLog,
    settings: GateSettings,
    modules: Iterable[ModuleFingerprint],
    adopter: Adopter,
) -> None:
    """Write what a replay taught into the log, in one transaction.

    modules: the others of the gate; what they learned stays. Raises SourceError.
    """
    entries = []
    if (follow := adopter.follow()) is not None:
        entries.append((HISTORY + adopter.module.module_id, follow.to_bytes(), 0))
    keep_judge(log, settings, modules, adopter.judge, adopter.late.values(), entries)


def keep_judge(
    log: DecisionLog,
    settings: GateSettings,
    modules: Iterable[ModuleFingerprint],
    judge: ReplayJudge,
    late: Iterable[Decision] = (),
    entries: Iterable[tuple[str, bytes, int]] = (),
) -> None:
    """Write what the judge of a replay knows into the log, in one transaction.

    late: decisions whose label is still to come. entries: states besides. Raises SourceError.
    """
    module = judge.module.fingerprint
    module_id = module.module_id
    others = [each for each in modules if each.module_id != module_id]
    opened = open_gate(settings, log, SystemClock(), others)
    opened.learned.learn()
    opened.learned.add(module)
    opened.limbic.restore(module_id, judge.limbic.to_bytes())
    opened.gate.modules[module_id].restore(judge.module.control.to_dict())
    if opened.gate.bursts is not None and judge.bursts is not None:
        opened.gate.bursts.restore(judge.bursts.to_bytes())
    states = opened.learned.states()
    through = opened.learned.through
    fingerprint = json.dumps(module.to_dict()).encode()
    own = [
        (ADOPTION + new_id(), pack_states(states), through),
        (MODULE + module_id, fingerprint, 0),
    ]
    log.keep(late, states=[*states, *own, *entries])


def followed_repository(log: DecisionLog, module_id: str) -> str | None:
    """The folder whose history a module follows, where that is still there."""
    follow = read_follow(log, module_id)
    if follow is None:
        return None
    repository = HistoryPlace.from_dict(follow.place).repository
    return repository if repository and Path(repository).is_dir() else None


def history_sources(settings: Settings, log: DecisionLog) -> Iterator[HistorySource]:
    """A source for each adopted repository."""
    for entry in settings.adopted:
        if entry.git is not None:
            folder = os.path.realpath(settings.path(entry.git))
            place = _place(entry, log, folder)
            place.branch = f"refs/heads/{entry.branch}" if entry.branch else "HEAD"
            yield HistorySource(entry.module, folder, place)


def _place(entry: Adopted, log: DecisionLog, folder: str) -> HistoryPlace:
    follow = read_follow(log, entry.module)
    if follow is None:
        raise SourceError(f"{log.path} does not hold how far {entry.git!r} was followed")
    place = HistoryPlace.from_dict(follow.place)
    if followed_repository(log, entry.module) not in (None, folder):
        raise InputError(
            f"git of the adopted module {entry.module!r} must be the repository that it learned"
            f" from, {place.repository!r}, got {folder!r}; `prefrontal adopt --git {entry.git}"
            " --module NAME` gives this one a module of its own"
        )
    place.repository = folder
    if entry.relevant != place.labeller.preset.name:
        raise InputError(
            f"relevant of the adopted module {entry.module!r} must be what it learned from,"
            f" {place.labeller.preset.name!r}, got {entry.relevant!r}; `prefrontal adopt --git"
            f" {entry.git} --relevant ...` learns anew"
        )
    return place
