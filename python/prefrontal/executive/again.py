"""Episodes decided again from the log: the same wakes, times and outcomes, the same decisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

from ..decisions.decision import Decision
from ..decisions.payloads import ACT, DIRECTIVE, EDITED_QUESTION, ROUTE, WAKE, DirectivePayload
from .nouns import ActOutcome, Choice, Episode, Status
from .records import choice_of, followed_id, outcome_of, route_payload

if TYPE_CHECKING:
    from .loop import Executive


@dataclass(frozen=True, slots=True)
class Deviation:
    """A field of a decision that came out otherwise. id: of the decision; field "" when it is
    missing (now is None) or nobody knew of it (was is None).
    """

    id: str
    kind: str
    field: str
    was: Any
    now: Any


class KeptLog(Protocol):
    """The log that is read; nothing is written to it."""

    def followed(self, decision_id: str) -> list[Decision]: ...
    def get(self, decision_id: str) -> Decision | None: ...


class KeptActor:
    """The role Actor: what came of acting is what the log says came of it."""

    def __init__(self, log: KeptLog) -> None:
        self._log = log

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        """The outcome that was kept; a failure without one."""
        cause = wake.id if wake.kind == DIRECTIVE else followed_id(wake.id, ROUTE)
        record = self._log.get(followed_id(cause, ACT))
        if record is None:
            return ActOutcome(Status.FAILED, "the log does not say what came of it")
        return outcome_of(record)


class KeptMoments:
    """The roles Moments and Clock: time goes on as the log says that it did."""

    def __init__(self) -> None:
        self._now = 0.0
        self._coming: list[float] = []

    def expect(self, *times: float) -> None:
        """The moments that the next calls of `take` go on to, in Unix seconds."""
        self._coming = list(times)

    def take(self) -> float:
        if self._coming:
            self._now = self._coming.pop(0)
        return self._now

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now


def attend_again(
    wakes: Iterable[Decision],
    labels: Iterable[tuple[int, Decision, float]],
    log: KeptLog,
    executive: Executive,
    moments: KeptMoments,
) -> Iterator[Deviation]:
    """Attend to the wakes of a log once more, and tell what comes out otherwise.

    wakes: in the order in which they were attended to. labels: (number, decision, label) of what
    persons said, in their order. executive: as it was at the start of the log, with a `KeptActor`
    and `moments`. A wake that was not attended to is passed over.
    """
    waiting = iter(labels)
    label = next(waiting, None)
    episodes: dict[str, Episode] = {}
    early: dict[str, list[tuple[int, Decision, float]]] = {}
    for wake in wakes:
        logged = {each.id: each for each in log.followed(wake.id) if not _is_edit(each)}
        route = logged.get(followed_id(wake.id, ROUTE))
        act = logged.get(followed_id(followed_id(wake.id, ROUTE), ACT))
        if route is None or act is None:
            continue
        while label is not None and label[0] <= route_payload(route).taught:
            if not _tell(executive, episodes, *label):
                early.setdefault(label[1].id, []).append(label)
            label = next(waiting, None)
        moments.expect(route.time, act.time)
        episode = executive.attend(wake)
        episodes |= {each.id: episode for each in (wake, *episode.records[:2])}
        for said_before in early.pop(wake.id, ()):
            _tell(executive, episodes, *said_before)
        yield from _deviations(logged, {each.id: each for each in episode.records})


def episode_of(about: Decision, log: KeptLog) -> Episode | None:
    """The episode of a wake, of its route or of its act; None while it has no outcome yet.

    None for anything else, too: the act that followed a directive says nothing of the wake's.
    """
    wake: Decision | None = about
    for kind in (ACT, ROUTE):
        if wake is not None and wake.kind == kind:
            wake = None if wake.cause is None else log.get(wake.cause)
    if wake is None or wake.kind != WAKE:
        return None
    route = log.get(followed_id(wake.id, ROUTE))
    act = None if route is None else log.get(followed_id(route.id, ACT))
    if route is None or act is None:
        return None
    return Episode(wake, choice_of(route), outcome_of(act), (), (route, act))


def _is_edit(record: Decision) -> bool:
    """Whether it keeps how a person would have asked, which nobody decides again."""
    payload = record.payload
    return isinstance(payload, DirectivePayload) and payload.origin == EDITED_QUESTION


def _tell(
    executive: Executive,
    episodes: Mapping[str, Episode],
    number: int,
    about: Decision,
    label: float,
) -> bool:
    """Whether there was an episode to say it of."""
    if (episode := episodes.get(about.id)) is None:
        return False
    executive.feedback(episode, about.kind, label, number)
    return True


def _deviations(
    logged: Mapping[str, Decision], made: Mapping[str, Decision]
) -> Iterator[Deviation]:
    for id_ in sorted(logged.keys() | made.keys()):
        was, now = logged.get(id_), made.get(id_)
        if was is None or now is None:
            kind = (was or now).kind  # type: ignore[union-attr]
            yield Deviation(id_, kind, "", was, now)
            continue
        for each in fields(Decision):
            if each.name not in ("label", "labelled_at"):
                before, after = getattr(was, each.name), getattr(now, each.name)
                if repr(before) != repr(after):  # NaN is itself, -0.0 is not 0.0
                    yield Deviation(id_, was.kind, each.name, before, after)
