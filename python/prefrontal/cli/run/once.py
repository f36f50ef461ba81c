"""Signals that were written down, run through the whole loop in their own time."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ...assembly.attendance import Attendance, taught_through
from ...assembly.event_clock import EventClock
from ...assembly.frozen_moments import FrozenMoments
from ...clock import SystemClock
from ...errors import InputError, SourceError
from ...plain_text import visible
from ...plural import many
from ...pulse.shells.stepper import Stepper
from ...pulse.sources.event_lines import LineSplitter, event_from_line
from ...standard_input import input_bytes
from ..watch.hearing import Unheard
from ..watch.screen import Screen, threshold_lines
from ..watch.session import Ground, lay_ground
from ..watch.telemetry import say
from .story import Story

if TYPE_CHECKING:
    from ...types import SignalEvent
    from .parts import RunOptions

STANDARD_INPUT = "-"
_CHUNK = 1 << 16


@dataclass(slots=True)
class Read:
    """How many lines were events, and how many were none."""

    events: int = 0
    bad: int = 0


def run_once(options: RunOptions, folders: tuple[str, ...], path: str, as_json: bool) -> int:
    """Run the events of a file, or of standard input, through the loop and end; the exit code.

    The time of the loop is that of the events. A line that is no event is told of and left out.
    Raises InputError when there are lines and none of them is an event, SourceError for a file
    that cannot be read.
    """
    read = Read()
    with ExitStack() as held:
        events = _events(held.enter_context(_opened(path)), read)
        first = next(events, None)
        if first is None:
            return _nothing(read)
        ground = lay_ground(options.settings, folders, (), held, owes_wakes=False, anything=True)
        screen = Screen("v2" if as_json else None, _closed)
        as_lines = as_json or ground.sinks.output is not None
        story = Story(screen, say, ground.state.path, as_json=as_lines)
        ground.outbox.start()
        once = Once(options, ground, story, first.timestamp, held)
        unheard = Unheard(ground.modules)
        for event in chain((first,), events):
            if once.take(event):
                unheard.take(event)
        left = once.end()
        ground.outbox.stop()
        summary = [*story.summary(left), *threshold_lines(once.gate.thresholds())]
        summary += filter(None, [unheard.sentence()])
        _tell_end(read, summary, once.gate.counts(), ground.outbox.owed())
    return 0


class Once:
    """The gate and the executive over events that come one after the other."""

    def __init__(
        self, options: RunOptions, ground: Ground, story: Story, now: float, held: ExitStack
    ) -> None:
        settings = options.settings
        standings = options.standings()
        trusting = settings.executive.links.trust
        self._clock = EventClock(now)
        self.gate = Stepper(
            ground.log,
            ground.modules,
            settings.gate,
            standings=standings if trusting else None,
            clock=self._clock,
        )
        moments = FrozenMoments(self._clock)
        taught = taught_through(ground.log)
        built = options.executive(ground, standings, moments, self.gate, say, taught)
        held.callback(built.close)
        since = now - settings.executive.take_up_s
        self._attendance = Attendance(
            ground.log, built.executive, story, run=self.gate.run, since=since
        )
        self._attendance.attend_all()

    def take(self, event: SignalEvent) -> bool:
        """One event, as far as it goes; False for one with a field of the wrong type, left out."""
        self._clock.follow(event.timestamp)
        try:
            woken = self.gate.wake(event)
        except TypeError as error:
            say(f"Left out: {visible(str(error), 300)}")
            return False
        if woken:
            self._attendance.attend_all()
        return True

    def end(self) -> int:
        """Ask what was gathered, learn, and save; how many wakes are left for another start."""
        if self.gate.close():
            self._attendance.attend_all()
        return self._attendance.failed


def _opened(path: str) -> AbstractContextManager[IO[bytes]]:
    if path == STANDARD_INPUT:
        return nullcontext(input_bytes())
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{path} cannot be read: {reason}") from None


def _events(stream: IO[bytes], read: Read) -> Iterator[SignalEvent]:
    """The events, as they come; a line that is not an event is reported and counted."""
    splitter, clock = LineSplitter(), SystemClock()
    for data in iter(lambda: stream.readline(_CHUNK), b""):
        yield from _taken(splitter.feed(data), read, clock)
    yield from _taken(splitter.end(), read, clock)


def _taken(lines: Iterable[bytes], read: Read, clock: SystemClock) -> Iterator[SignalEvent]:
    for line in lines:
        try:
            event = event_from_line(line, clock.now())
        except InputError as error:
            read.bad += 1
            say(f"Left out: {visible(str(error), 300)}")
            continue
        read.events += 1
        yield event


def _nothing(read: Read) -> int:
    if read.bad:
        raise InputError(f"--once must hold events, got {many(read.bad, 'line')} and none is one")
    say("There were no events.")
    return 0


def _tell_end(read: Read, summary: Sequence[str], counts: Mapping[str, int], owed: int) -> None:
    others = dict(counts)
    wakes, audits = others.pop("woke", 0), others.pop("audit", 0)
    parts = [many(read.events, "event"), many(wakes, "wake"), many(audits, "audit")]
    parts += [f"{n} {reason.replace('_', ' ')}" for reason, n in others.items() if n]
    lines = [f"Done: {', '.join(parts)}.", *summary]
    if read.bad:
        lines.append(f"{many(read.bad, 'line')} left out.")
    if owed:
        lines.append(f"{many(owed, 'delivery')} pending; the next run takes them up.")
    say("\n".join(lines))


def _closed() -> None:
    raise BrokenPipeError(errno.EPIPE, "standard output was closed")
