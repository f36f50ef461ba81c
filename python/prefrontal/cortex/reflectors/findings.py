"""What stands out in a peer's conduct: jumps, rushes, promises, and tries to steer the judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING

from .commitments import Commitment, promises
from .judgment import DAY_S, PeerFinding, day, moment
from .steering import steers

if TYPE_CHECKING:
    from ...settings.cortex_growth import Evidence
    from .facts import Contact, PeerFacts

_LONG_KNOWN = 7
_PATIENCE_S = DAY_S
_SAME_S = 60.0
_WORK_FACTOR = 3
_NEWCOMER_DAYS = 2.0


def findings(peer: PeerFacts, evidence: Evidence, now: float) -> list[PeerFinding]:
    """Everything that stands out, oldest first."""
    everything = [
        *_size_jump(peer, evidence),
        *_tempo(peer, evidence),
        *_steering(peer),
        *_promises(peer, evidence, now),
    ]
    return sorted(everything, key=lambda each: (each.at, each.kind))


def _size_jump(peer: PeerFacts, evidence: Evidence) -> Iterator[PeerFinding]:
    """The newest request that dwarfs all before it, unless enough ordinary ones followed."""
    requests = peer.requests
    hidden = max(0, peer.count - len(requests))
    for what, sizes, least in _measures(peer, evidence):
        for index in range(len(sizes) - 1, 1, -1):
            earlier = sizes[:index]
            if len(sizes) - 1 - index >= evidence.jump_after:
                break
            if index + hidden >= evidence.jump_after and _dwarfs(
                sizes[index], earlier, evidence.jump_ratio, least
            ):
                is_familiar = peer.info >= _LONG_KNOWN and peer.count > 6 * evidence.jump_after
                if not is_familiar:
                    yield _jump(what, sizes[index], earlier, requests[index].at, hidden)
                return
    yield from _counted_jump(peer)


def _counted_jump(peer: PeerFacts) -> Iterator[PeerFinding]:
    """The jump that the trigger engine counted, when earlier requests are out of sight."""
    statistics = peer.statistics
    if statistics.get("size_jump") == 1 and peer.requests:
        usual = max(1.0, statistics.get("size_mean", 1.0))
        size = round(max(statistics.get("size_open", 0.0), peer.requests[-1].size))
        text = (
            f"Escalation: the request of {day(peer.requests[-1].at)} made work of {size:,} "
            f"characters against a mean of {usual:,.0f} over {peer.count - 1} earlier ones"
        )
        yield PeerFinding("size_jump", peer.requests[-1].at, text)


def _measures(peer: PeerFacts, evidence: Evidence) -> Iterator[tuple[str, list[int], int]]:
    """(name, size by request, least size of a jump): the requests, then the work they made."""
    yield "request", [each.size for each in peer.requests], evidence.jump_size
    work: list[int] = []
    for each in peer.contacts:
        if each.direction == "in":
            work.append(each.size)
        elif work:
            work[-1] += each.size
    yield "request with its answer", work, _WORK_FACTOR * evidence.jump_size


def _dwarfs(size: int, earlier: Sequence[int], ratio: float, least: int) -> bool:
    return size >= least and size >= ratio * median(earlier) and size >= 2 * max(earlier)


def _jump(what: str, size: int, earlier: Sequence[int], at: float, hidden: int) -> PeerFinding:
    usual = max(1, round(median(earlier)))
    text = (
        f"Escalation: {len(earlier) + hidden} small requests, then a {what} of {size:,} characters "
        f"on {day(at)} against a median of {usual:,} ({size / usual:.0f} times as large); trust "
        f"from easy requests does not carry over to large ones, as in reputation farming"
    )
    return PeerFinding("size_jump", at, text)


def _tempo(peer: PeerFacts, evidence: Evidence) -> Iterator[PeerFinding]:
    """A newcomer in a hurry: many requests before there was time to know it.

    How often the gate wakes for somebody's signals is no hurry of theirs: those do not count.
    """
    requests = sum(not each.is_signal for each in peer.requests)
    count = peer.count if requests == len(peer.requests) else requests
    if count < evidence.tempo_after or peer.span_days >= _NEWCOMER_DAYS:
        return
    rate = count / max(peer.span_days, 1.0)
    if rate > evidence.tempo_per_day:
        text = (
            f"Tempo: {count} interactions within {max(peer.span_days * 24, 0.1):.1f} hours "
            f"of first contact, more than {evidence.tempo_per_day:g} a day; too fast to earn trust"
        )
        yield PeerFinding("tempo", peer.last_seen, text)


def _steering(peer: PeerFacts) -> Iterator[PeerFinding]:
    tries = [each for each in peer.requests if steers(each.preview, peer.peer_id)]
    if tries:
        days = ", ".join(dict.fromkeys(day(each.at) for each in tries))
        text = f"Tried to steer the judgment or the instructions {len(tries)} times ({days})"
        yield PeerFinding("steering", tries[-1].at, text.replace(" 1 times", " once"))


def _promises(peer: PeerFacts, evidence: Evidence, now: float) -> Iterator[PeerFinding]:
    requests = peer.requests
    dues: list[float] = []
    for index, request in enumerate(requests):
        for promise in promises(request.preview, request.at):
            dues.append(promise.due)
            yield from _outcome(peer, promise, requests[index + 1 :], evidence, now)
    for overdue in peer.overdue:
        if overdue.due <= now and not any(abs(overdue.due - other) <= _SAME_S for other in dues):
            yield _waiting(peer, overdue.due, now)


def _outcome(
    peer: PeerFacts, promise: Commitment, later: Sequence[Contact], evidence: Evidence, now: float
) -> Iterator[PeerFinding]:
    """The outcome of a promise; nothing before it is due."""
    limit = promise.due + evidence.grace_minutes * 60
    if later and later[0].at <= limit:
        text = f"Promise for {moment(promise.due)} kept: word came {moment(later[0].at)}"
        yield PeerFinding("kept", later[0].at, text)
    elif later:
        text = f"Promise for {moment(promise.due)} late: word came only {moment(later[0].at)}"
        yield PeerFinding("late", later[0].at, text)
    elif now > limit or (now >= promise.due and _is_listed(peer, promise.due)):
        yield _waiting(peer, promise.due, now)


def _is_listed(peer: PeerFacts, due: float) -> bool:
    """Whether the context lists it as overdue; then there is no grace."""
    return any(abs(each.due - due) <= _SAME_S for each in peer.overdue)


def _waiting(peer: PeerFacts, due: float, now: float) -> PeerFinding:
    """Overdue at first; broken a day after an unanswered follow-up."""
    follow_ups = [each.at for each in peer.contacts if each.direction == "out" and each.at > due]
    hours = (now - due) / 3600
    if follow_ups and now - follow_ups[0] >= _PATIENCE_S:
        text = (
            f"Promise for {moment(due)} broken: no word after the follow-up of {day(follow_ups[0])}"
        )
        return PeerFinding("broken", follow_ups[0] + _PATIENCE_S, text)
    waiting = f"followed up {moment(follow_ups[0])}" if follow_ups else "no follow-up was sent yet"
    since = f"overdue by {hours:.1f} hours" if hours >= 0.05 else "just overdue"
    text = f"Promise for {moment(due)} {since}; {waiting}"
    return PeerFinding("overdue", due, text)
