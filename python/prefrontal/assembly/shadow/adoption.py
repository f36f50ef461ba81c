"""A watch in the shadow: its own log beside that of the gate, and how the gate goes on from it.

It begins as a copy of what the gate knows: weights, what its controls know, how far each source was
read. What it then decides, learns and reads stays in its own folder, so a gate beside it misses
nothing. Adopting it brings back what it learned and how far it read, and none of its questions.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...clock import SystemClock
from ...decisions.decision import Decision, new_id
from ...decisions.labels import TOLD
from ...decisions.log import DecisionLog, log_to_read
from ...decisions.payloads import WakePayload
from ...decisions.threshold_wishes import THRESHOLDS
from ...decisions.wake_runs import ADOPTION, START
from ...errors import InputError, SourceError
from ...pulse.followed import HISTORY
from ...pulse.learned import JUDGED, RECALL, SHELF, WEIGHTS
from ...pulse.learning.adopted_weights import pack_states
from ...pulse.modules.fingerprint import parse_fingerprint
from ...pulse.opening import open_gate
from ...pulse.sources.files.seen_files import SEEN
from ...pulse.status_note import STATUS
from ...settings.gate import GateSettings
from ...storage.opening import open_database
from ...types import Reason
from ..attendance import STATE as ATTENDANCE
from ..storage_moves import copy_decisions

if TYPE_CHECKING:
    from ...clock import Clock
    from ...pulse.modules.fingerprint import ModuleFingerprint
    from ...storage.state_folder import StateFolder

SHADOW = "shadow"
"""The state in the shadow's log that says what it is."""

ADOPTED = "shadow-adopted"
"""The folder of the last shadow that was adopted, beside that of the next."""

_FILES = ("seen-*", "read-log-*")
"""How far sources were read, where the log does not say it."""
_OWN = (WEIGHTS, SHELF, RECALL, JUDGED, STATUS, THRESHOLDS, ATTENDANCE, SHADOW)
_OWN_KINDS = (START, ADOPTION)
"""States of the shadow that are not brought back, or are brought back otherwise."""


@dataclass(frozen=True, slots=True)
class ShadowMark:
    """What a shadow is of.

    began: Unix seconds. labels: number of the last label that it began with. watched: the words
    after `prefrontal watch` that switch the same on. gate: its settings. modules: fingerprints.
    """

    began: float
    labels: int
    watched: tuple[str, ...] = ()
    gate: dict[str, Any] = field(default_factory=dict)
    modules: tuple[dict[str, Any], ...] = ()

    @classmethod
    def read(cls, log: DecisionLog) -> ShadowMark | None:
        """Of a shadow's log; None for any other."""
        if (state := log.load_state(SHADOW)) is None:
            return None
        raw = json.loads(state[0])
        for name in ("watched", "modules"):
            raw[name] = tuple(raw[name])
        return cls(**raw)

    def keep(self, log: DecisionLog) -> None:
        log.save_state(SHADOW, json.dumps(asdict(self)).encode(), 0)


def open_shadow(state: StateFolder, clock: Clock | None = None) -> StateFolder:
    """The folder of the shadow, made at its first start from what the gate of `state` knows.

    A kill meanwhile leaves none. Raises SourceError.
    """
    shadow = state.shadow
    shadow.make()
    if shadow.decisions.exists():
        return shadow
    copy = shadow.path / "copy.sqlite"
    for left_over in shadow.path.glob("copy.sqlite*"):
        left_over.unlink()
    if state.decisions.exists():
        copy_decisions(state, copy)
        database = open_database(copy)
        try:
            with database.transaction():  # the gate beside it delivers and tells of these
                database.execute("DELETE FROM deliveries")
                database.execute("DELETE FROM folds WHERE question IS NULL")
        finally:
            database.close()
    with DecisionLog(copy) as log:
        now = (SystemClock() if clock is None else clock).now()
        ShadowMark(now, log.ends()[1]).keep(log)
    _copy_files(state, shadow)
    copy.chmod(0o600)
    copy.rename(shadow.decisions)
    return shadow


def mark_shadow(
    log: DecisionLog,
    settings: GateSettings,
    modules: Iterable[ModuleFingerprint],
    watched: Sequence[str],
) -> None:
    """Keep what a start of the shadow watches and how."""
    mark = ShadowMark.read(log)
    assert mark is not None
    fingerprints = tuple(each.to_dict() for each in modules)
    replace(mark, watched=tuple(watched), gate=settings.model_dump(), modules=fingerprints).keep(
        log
    )


def adopt_shadow(state: StateFolder) -> AdoptedShadow:
    """Let the gate of `state` go on where its shadow ended, in one transaction.

    Both folders must be ours alone. Raises InputError where there is no shadow, or where the gate
    decided something beside it; SourceError.
    """
    with shadow_log(state) as (shadow, mark), DecisionLog(state.decisions) as log:
        check_alone(state, mark)
        settings = GateSettings(**mark.gate)
        modules = [parse_fingerprint(each) for each in mark.modules]
        theirs = open_gate(settings, shadow, SystemClock(), modules)
        theirs.learned.learn()
        ours = open_gate(settings, log, SystemClock(), modules)
        ours.learned.learn()
        for module in modules:
            ours.take_over(module.module_id, theirs)
        labels = 0
        for each in log.labels_after(mark.labels):  # said to the gate meanwhile
            if each.decision.subject in ours.gate.modules and each.source != TOLD:
                ours.gate.learn(each.decision, each.label, each.source)
                labels += 1
        windows = str(theirs.gate.judged).encode()
        states = [
            (name, windows if name == JUDGED else content, through)
            for name, content, through in ours.learned.states()
        ]
        places = _places(log, shadow)
        _copy_files(state.shadow, state)
        late = _late(log, shadow)
        adoption = (ADOPTION + new_id(), pack_states(states), ours.learned.through)
        log.keep(late, states=[*places, *states, adoption])
        thresholds = {name: each.threshold for name, each in sorted(ours.gate.modules.items())}
    _put_away(state.shadow)
    return AdoptedShadow(mark, thresholds, labels)


@dataclass(frozen=True, slots=True)
class AdoptedShadow:
    """What an adoption brought. thresholds: by module. labels: of the gate's, learned on top."""

    mark: ShadowMark
    thresholds: dict[str, float]
    labels: int


@contextmanager
def shadow_log(state: StateFolder) -> Iterator[tuple[DecisionLog, ShadowMark]]:
    """The log of the shadow of `state`, and its mark. Raises InputError where there is none."""
    if not state.shadow.decisions.exists():
        raise InputError(
            f"shadow must have begun, and {state.path} holds none: `prefrontal watch --shadow`"
            " begins one"
        )
    with log_to_read(state.shadow.decisions) as log:
        mark = ShadowMark.read(log)
        if mark is None:
            raise SourceError(f"{state.shadow.decisions} is not the log of a shadow")
        yield log, mark


def _put_away(shadow: StateFolder) -> None:
    """What it decided can still be read, in the folder of its log; it goes on no more."""
    former = shadow.path.with_name(ADOPTED)
    if former.exists():
        shutil.rmtree(former)
    shadow.path.rename(former)


def forget_shadow(state: StateFolder) -> None:
    """Delete the folder of the shadow, which must be ours alone."""
    shutil.rmtree(state.shadow.path)


def check_alone(state: StateFolder, mark: ShadowMark) -> None:
    """Raises InputError where the shadow cannot be adopted."""
    if not mark.modules:
        raise InputError(f"shadow must have watched something to be adopted, got {state.path}")
    if not state.decisions.exists():
        return
    with log_to_read(state.decisions) as log:
        beside = any(each.reason != Reason.REPLAYED for each in log.records(since=mark.began))
    if beside:
        raise InputError(
            "shadow must be the only one that decided since it began to be adopted, and"
            f" the gate of {state.path} decided, too: adopting would undo what that learned and"
            " read; `prefrontal shadow --forget` ends the shadow"
        )


def _places(log: DecisionLog, shadow: DecisionLog) -> list[tuple[str, bytes, int]]:
    """How far each source was read, and what else the shadow's sources keep."""
    theirs = shadow.load_states("")
    present = [
        (name, content, 0)
        for name, content in theirs.items()
        if name not in _OWN and not name.startswith(_OWN_KINDS)
    ]
    gone = [(name, b"", 0) for name in log.load_states(SEEN) if name not in theirs]
    return present + gone


def _late(log: DecisionLog, shadow: DecisionLog) -> list[Decision]:
    """Decisions of the shadow about a followed history whose labels are still to come."""
    ids = [
        decision_id
        for content in shadow.load_states(HISTORY).values()
        for decision_id in json.loads(content)["ids"].values()
    ]
    here = {each.id for each in log.chosen(ids)}
    records = []
    for each in shadow.chosen(ids):
        if each.id not in here:
            assert isinstance(each.payload, WakePayload)
            payload = replace(each.payload, run="", waits=False, folded=(), late=False)
            records.append(replace(each, acted=False, reason=Reason.REPLAYED, payload=payload))
    return records


def _copy_files(origin: StateFolder, target: StateFolder) -> None:
    """Raises SourceError."""
    try:
        for pattern in _FILES:
            for file in [each for each in origin.path.glob(pattern) if each.suffix != ".copy"]:
                whole = target.path / f"{file.name}.copy"
                shutil.copyfile(file, whole)
                whole.replace(target.path / file.name)
    except OSError as error:
        raise SourceError(f"{target.path} cannot be written: {error.strerror}") from None
