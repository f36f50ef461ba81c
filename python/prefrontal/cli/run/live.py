"""The live loop: the gate wakes, a thread attends, people and sinks hear of it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ...assembly.attendance import Attendance, taught_through
from ...assembly.frozen_moments import FrozenMoments
from ...clock import SystemClock
from ...errors import PrefrontalError
from ...plural import many
from ..watch.hand_over import give_once
from ..watch.screen import Screen
from ..watch.session import Ground, WatchSession, lay_ground, watch_on
from ..watch.watch import run
from .story import Story

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...executive.roles import Waker
    from ...types import SignalEvent
    from ..watch.telemetry import Say
    from .parts import RunOptions

PATIENCE_S = 30.0
"""How long the wake in hand is waited for at the end."""


def run_live(options: RunOptions, folders: tuple[str, ...], as_json: bool) -> int:
    """Run until a signal comes or nobody reads any more; the exit code, as of `watch`."""
    with ExitStack() as held:
        ground = lay_ground(options.settings, folders, (), held, owes_wakes=False)
        standings = options.standings()
        links = options.settings.executive.links
        own = options.own_folders(ground)
        watch = watch_on(ground, options.settings, standings if links.trust else None, own)
        session = WatchSession(watch, ground, held)

        def attended(_: WatchSession, screen: Screen, say: Say) -> Attended:
            moments = FrozenMoments(SystemClock())
            taught = taught_through(ground.log)
            built = options.executive(ground, standings, moments, ELSEWHERE, say, taught)
            held.callback(built.close)
            as_lines = as_json or session.output is not None
            story = Story(screen, say, session.state.path, as_json=as_lines)
            since = moments.now() - options.settings.executive.take_up_s
            attendance = Attendance(ground.log, built.executive, story, run=watch.run, since=since)
            return Attended(ground, attendance, story, say)

        return run(session, as_json, options.settings.telemetry, attended)


class Attended:
    """The role `watch.Handling`: each wake is attended to on a thread of its own."""

    def __init__(self, ground: Ground, attendance: Attendance, story: Story, say: Say) -> None:
        self._ground = ground
        self._attendance = attendance
        self._story = story
        self._say = say
        self._left = 0

    def begin(self) -> None:
        """Take up what an earlier run left."""
        left = self._attendance.waiting()
        if left:
            verb = "was" if left == 1 else "were"
            self._say(f"{many(left, 'wake')} {verb} left over and comes first.")
        self._attendance.start()

    def take(self, decision: Decision) -> None:
        """A wake is in the log; one that could not be written goes to the sinks as it is."""
        if self._is_kept(decision):
            self._attendance.notify()
            return
        self._say(f"Not kept, so only asked: {decision.question}", decision)
        self._ground.outbox.take(decision)
        give_once(decision, self._ground.sinks.plain, self._say)

    def finish(self, timeout_s: float) -> bool:
        ended = self._attendance.stop(timeout_s, PATIENCE_S)
        self._left = self._attendance.waiting() if ended else 0
        return ended

    def summary(self) -> list[str]:
        return self._story.summary(self._left)

    def _is_kept(self, decision: Decision) -> bool:
        try:
            return self._ground.log.get(decision.id) is not None
        except PrefrontalError:
            return False


class Elsewhere:
    """The role Waker where wakes come out of the log."""

    def wake(self, event: SignalEvent) -> list[Decision]:
        return []


ELSEWHERE: Waker = Elsewhere()
