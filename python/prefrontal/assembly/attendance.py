"""Attends to the wakes of a log, one after the other: what waits is in the log, not in memory."""

from __future__ import annotations

import json
import logging
import math
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from ..decisions.labels import PRESET, TOLD
from ..decisions.payloads import ACT, ROUTE, WAKE, WakePayload
from ..errors import PrefrontalError
from ..executive.again import episode_of
from ..executive.loop import OUTCOME, Executive

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.log import DecisionLog
    from ..decisions.waiting import WaitingWake
    from ..executive.nouns import Episode

LOOK_S = 2.0
"""How often labels and wakes are looked for that nobody told of."""
PAGE = 50
MOST_RUNS = 100
STATE = "executive"
"""Where the log keeps which starts were attended to and which label was taken in last."""
NOBODY = (OUTCOME, PRESET, TOLD)
"""Sources of labels that are no person's word: what acting came to was taught already, and that a
change mattered to its history is neither the merit nor the fault of a tool or a peer."""
_TEACHING = (WAKE, ROUTE, ACT)

log = logging.getLogger("prefrontal.executive")


class Teller(Protocol):
    """Is told how it goes, on the thread that attends."""

    def begun(self, wake: Decision) -> None: ...
    def ended(self, episode: Episode) -> None: ...
    def failed(self, wake: Decision, error: Exception) -> None: ...
    def heard(self, about: Decision, label: float) -> None: ...


class Attendance:
    """A thread that hands each wake of the log to the executive, in the order they were kept.

    run: name of the gate's start. Its wakes are attended to, and before them those of earlier
    starts that were attended to, if no act has followed them and they are no older than Unix
    second `since`; one of `prefrontal watch` was told to somebody already. One that fails is told
    of and left for the next start. What persons say of wakes, routes and acts is taught meanwhile,
    and what they said of a wake before it was acted on once it was.
    """

    def __init__(
        self,
        decisions: DecisionLog,
        executive: Executive,
        teller: Teller,
        *,
        run: str,
        since: float,
    ) -> None:
        self._decisions = decisions
        self._executive = executive
        self._teller = teller
        self._since = since
        self._runs = _with_run(decisions, run)
        self._old = decisions.ends()[0]
        self._number = 0
        self._heard = 0
        self._changed = Condition()
        self._news = False
        self._ending = False
        self._abandoned = False
        self._thread: Thread | None = None
        self.attended = 0
        self.failed = 0

    def waiting(self) -> int:
        """How many wakes wait, counted among the next thousand. Raises SourceError."""
        return sum(self._is_ours(each.wake) for each in self._next(1000))

    def start(self) -> None:
        """Begin with what was left; a second call does nothing."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="prefrontal-executive", daemon=True)
            self._thread.start()

    def notify(self) -> None:
        """There is a new wake in the log; returns at once."""
        with self._changed:
            self._news = True
            self._changed.notify()

    def stop(self, timeout_s: float = 10.0, patience_s: float = 30.0) -> bool:
        """Attend to what waits for `timeout_s`, then end after the wake in hand, waited for
        `patience_s` more; whether the thread has ended.
        """
        thread, end = self._thread, monotonic() + timeout_s
        if thread is None:
            return True
        with self._changed:
            self._ending = True
            self._changed.notify()
        thread.join(max(0.0, end - monotonic()))
        self._abandoned = True
        thread.join(patience_s)
        return not thread.is_alive()

    def attend_all(self) -> None:
        """Attend to all that waits now, on this thread; for who has not started one."""
        self._hear()
        while self._step():
            pass

    def _run(self) -> None:
        while not self._abandoned:
            busy = self._look()
            with self._changed:
                if not busy and not self._news:
                    if self._ending:
                        return
                    self._changed.wait(LOOK_S)
                self._news = False

    def _look(self) -> bool:
        """Whether there was something to attend to; the log that cannot be read is tried again."""
        try:
            self._hear()
            return self._step()
        except PrefrontalError as error:
            log.error("the log cannot be read or written: %s", error)
            return False

    def _step(self) -> bool:
        """Attend to the next wakes; whether there were any."""
        end = self._decisions.ends()[0]
        wakes = self._next(PAGE)
        if not wakes:
            self._number = max(self._number, end)
        for each in wakes:
            if self._abandoned:
                return False
            self._number = each.number
            if self._is_ours(each.wake):
                self._attend(each.wake)
        return bool(wakes)

    def _next(self, limit: int) -> list[WaitingWake]:
        """What an earlier process left first, then what has come since the start."""
        if self._number < self._old:
            left = self._decisions.waiting_wakes(self._number, self._since, limit)
            if left := [each for each in left if each.number <= self._old]:
                return left
            self._number = self._old
        return self._decisions.waiting_wakes(self._number, -math.inf, limit)

    def _is_ours(self, wake: Decision) -> bool:
        return isinstance(wake.payload, WakePayload) and wake.payload.run in self._runs

    def _attend(self, wake: Decision) -> None:
        self._teller.begun(wake)
        try:
            episode = self._executive.attend(wake)
        except Exception as error:  # the next wake may go better
            self.failed += 1
            log.debug("%s could not be attended to", wake.id, exc_info=True)
            self._teller.failed(wake, error)
            return
        self.attended += 1
        self._teller.ended(episode)
        for number, label in self._decisions.said_of(wake.id, self._heard, NOBODY):
            self._teach(episode, wake, label, number)  # said before there was an outcome

    def _hear(self) -> None:
        """Teach what persons said since."""
        before = through = _kept(self._decisions)[1]
        end = self._decisions.ends()[1]
        for number, about, label in self._decisions.said_after(max(before, self._heard), NOBODY):
            through = number
            episode = episode_of(about, self._decisions) if about.kind in _TEACHING else None
            if episode is not None:
                self._teach(episode, about, label, number)
        self._heard = max(through, end)
        if through > before:
            _keep(self._decisions, self._runs, through)

    def _teach(self, episode: Episode, about: Decision, label: float, number: int) -> None:
        try:
            self._executive.feedback(episode, about.kind, label, number)
        except Exception:  # what a person said of another decision is taught all the same
            log.exception("what was said of %s could not be taught", about.id)
            return
        self._teller.heard(about, label)


def taught_through(decisions: DecisionLog) -> int:
    """Number of the last label of a person that was taken in; 0 before any."""
    return _kept(decisions)[1]


def _with_run(decisions: DecisionLog, run: str) -> list[str]:
    """The starts that were attended to, and this one from now on."""
    runs, through = _kept(decisions)
    runs = [*(each for each in runs if each != run), run][-MOST_RUNS:]
    _keep(decisions, runs, through)
    return runs


def _kept(decisions: DecisionLog) -> tuple[list[str], int]:
    state = decisions.load_state(STATE)
    if state is None:
        return [], 0
    try:
        runs = json.loads(state[0])["runs"]
    except (ValueError, KeyError, TypeError):
        runs = []
    return [str(each) for each in runs], state[1]


def _keep(decisions: DecisionLog, runs: list[str], through: int) -> None:
    decisions.save_state(STATE, json.dumps({"runs": runs}).encode(), through)
