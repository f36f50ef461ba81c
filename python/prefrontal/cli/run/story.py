"""What `prefrontal run` prints: for each wake the choice, what came of it, what was learned."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...decisions.document import line
from ...decisions.payloads import WAKE
from ...decisions.words import brief
from ...plain_text import visible
from ...plural import many
from ..decisions.answerable import ID_LENGTH
from ..styling import painted

if TYPE_CHECKING:
    from pathlib import Path

    from ...decisions.decision import Decision
    from ...executive.nouns import Episode
    from ..watch.screen import Screen
    from ..watch.telemetry import Say

_LINE = 200
_INDENT = " " * 9
_WIDTH = 12


class Story:
    """Tells each episode as it goes; the role `Teller` of `assembly.attendance`.

    state: where the wakes are kept. whole: tells it once it is over, in one piece, where several
    tell of theirs in one place.
    clock: says what is today.
    """

    def __init__(
        self,
        screen: Screen,
        say: Say,
        state: Path,
        *,
        as_json: bool,
        whole: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self._whole = whole
        self._clock = SystemClock() if clock is None else clock
        self._screen = screen
        self._say = say
        self._state = state
        self._as_json = as_json
        self._statuses: Counter[str] = Counter()
        self._concluded = 0
        self._failed = 0

    def begun(self, wake: Decision) -> None:
        """A wake is attended to."""
        if not self._whole:
            self._screen.line(self._line(wake))

    def ended(self, episode: Episode) -> None:
        """Everything that followed from it."""
        self._statuses[str(episode.outcome.status)] += 1
        self._concluded += len(episode.conclusions)
        wakes = (episode.wake,) if self._whole else ()
        lines = [self._line(each) for each in (*wakes, *episode.records)]
        if not self._as_json:
            lines += self._screen.first_way_to_answer(episode.wake, self._state)
        for text in ["\n".join(lines)] if self._whole else lines:
            self._screen.line(text)

    def failed(self, wake: Decision, error: Exception) -> None:
        """A wake that could not be attended to."""
        self._failed += 1
        text = f"{type(error).__name__}: {error}"
        sentence = f"{wake.id[:ID_LENGTH]} could not be attended to, the next start tries again"
        self._say(visible(f"{sentence}: {text}", 1000))

    def heard(self, about: Decision, label: float) -> None:
        """What a person said of a decision was learned."""
        name = f"{about.kind} {about.id[:ID_LENGTH]} of {visible(about.subject, 80)}"
        self._say(f"Learned: {name} was {label:g}.")

    def _line(self, record: Decision) -> str:
        if self._as_json:
            return line(record, features=True)
        if record.kind == WAKE:
            return wake_line(record, self._clock.now())
        return record_line(record)

    def summary(self, left: int) -> list[str]:
        """What became of the wakes. left: how many wait for the next start."""
        total = sum(self._statuses.values())
        parts = [f"{count} {status}" for status, count in sorted(self._statuses.items())]
        details = f" ({', '.join(parts)})" if parts else ""
        lines = [
            f"Attended to {many(total, 'wake')}{details}, {many(self._concluded, 'conclusion')}."
        ]
        if self._failed:
            lines.append(f"{many(self._failed, 'wake')} could not be attended to.")
        if left:
            verb = "waits" if left == 1 else "wait"
            lines.append(f"{many(left, 'wake')} {verb} in the log for the next start.")
        return lines


def wake_line(wake: Decision, now: float) -> str:
    """Time, module, score, id and question, on one line; with the day where that is not today."""
    then, today = time.localtime(wake.time), time.localtime(now)
    day = "" if then[:3] == today[:3] else "%Y-%m-%d "
    moment = time.strftime(f"{day}%H:%M:%S", then)
    module = painted(f"{visible(wake.subject, 24):<{_WIDTH}}", bold=True)
    shown_id = painted(wake.id[:ID_LENGTH], dim=True)
    audit = painted("audit: ", fg="yellow") if wake.reason == "audit" else ""
    return f"{moment} {module} {wake.score:.2f} {shown_id} {audit}{_cut(wake.question)}"


def record_line(record: Decision) -> str:
    """What followed from a wake, on one line below it."""
    word, text = brief(record)
    colour = None if record.acted else "yellow"
    head = painted(f"{visible(word, 24):<{_WIDTH}}", fg=colour)
    return f"{_INDENT}{head} {_cut(text)}"


def _cut(text: str | None) -> str:
    return visible(text or "", _LINE)
