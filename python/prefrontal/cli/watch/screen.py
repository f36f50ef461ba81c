"""What `watch` and `run` print: a line for each wake, the beginning and the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import click

from ...clock import SystemClock
from ...decisions.words import asks_worth, windows_wait
from ...plain_text import visible
from ...plural import many
from ...pulse.sinks import as_line
from ...types import Reason
from ..decisions.answerable import ID_LENGTH
from ..paths import home_short, shell_word
from ..state import state_words
from ..styling import is_output_terminal, painted
from .modules import plain, watched

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...pulse.sinks import Shape
    from ...pulse.threshold_facts import ThresholdFacts
    from .session import WatchSession

MOST_SHOWN = 10


class Screen:
    """Prints lines on standard output; calls `on_closed` when nobody reads them.

    shape: of a wake as JSON; None for a line for people. A terminal is told once how to answer.
    """

    def __init__(self, shape: Shape | None, on_closed: Callable[[], None]) -> None:
        self._shape = shape
        self._on_closed = on_closed
        self._lock = Lock()
        self._untold = [how_to_answer] if shape is None and is_output_terminal() else []

    def show(self, decision: Decision, state: Path) -> None:
        """A line for a wake; below the first, how to answer it. state: where it is kept."""
        if self._shape:
            self.line(as_line(decision, self._shape))
            return
        self.line("\n".join([wake_line(decision), *self.first_way_to_answer(decision, state)]))

    def first_way_to_answer(self, wake: Decision, state: Path) -> list[str]:
        """A line that says how to answer it, for a terminal that none was given for yet."""
        with suppress(IndexError):  # several threads show, one of them takes it
            return [self._untold.pop()(wake, state)]
        return []

    def line(self, text: str) -> bool:
        """Print one line, or several that belong together; whether somebody reads them."""
        try:
            with self._lock:
                click.echo(text)
        except (OSError, ValueError):  # ValueError: closed on our side
            self._on_closed()
            return False
        return True


def wake_line(decision: Decision) -> str:
    """Time, module, score, id and question, on one line."""
    moment = time.strftime("%H:%M:%S", time.localtime(SystemClock().now()))
    module = painted(f"{visible(decision.subject, 24):<12}", bold=True)
    shown_id = painted(decision.id[:ID_LENGTH], dim=True)
    audit = painted("audit: ", fg="yellow") if decision.reason == Reason.AUDIT else ""
    return f"{moment} {module} {decision.score:.2f} {shown_id} {audit}{decision.question}"


def how_to_answer(decision: Decision, state: Path) -> str:
    """The command for another terminal, whole. state: where the decision is kept."""
    return painted(asks_worth(decision.id[:ID_LENGTH], state_words(state)), dim=True)


def settings_read(file: Path | None) -> str:
    """Whose settings apply; nothing where there are none."""
    return "" if file is None else f"Settings: {plain(home_short(str(file)))}."


def beginning(session: WatchSession) -> str:
    """What is watched, and how it ends."""
    facts = session.watch.thresholds()
    lines = [
        f"{visible(m.module_id, 80)} watches {watched(m)}; {facts[m.module_id].line()}"
        for m in session.modules[:MOST_SHOWN]
    ]
    if len(session.modules) > MOST_SHOWN:
        lines.append(f"and {many(len(session.modules) - MOST_SHOWN, 'module')} more")
    missing = _missing_folders(session)
    for folder in missing[:MOST_SHOWN]:
        lines.append(f"{plain(home_short(folder))} does not exist yet; it is waited for")
    if len(missing) > MOST_SHOWN:
        lines.append(f"and {many(len(missing) - MOST_SHOWN, 'folder')} more")
    for repository in session.ground.untrained[:MOST_SHOWN]:
        place, word = plain(home_short(str(repository))), plain(shell_word(str(repository)))
        lines.append(
            f"{place} is watched untrained; `prefrontal adopt --git {word}` lets it"
            " begin with what its history teaches."
        )
    lines += [f"Warning: {each}." for each in session.ground.unfed[:MOST_SHOWN]]
    lines += [f"Posts are taken at {each}." for each in _addresses(session)]
    state = plain(home_short(str(session.state.path.absolute())))
    return "\n".join([*lines, f"Decisions are kept in {state}. Ctrl-C stops."])


def _missing_folders(session: WatchSession) -> list[str]:
    """Those to watch that are not there, each once."""
    folders = dict.fromkeys(each for m in session.modules for each in m.watch_directories())
    return [each for each in folders if not Path(each).is_dir()]


def _addresses(session: WatchSession) -> list[str]:
    """Where it listens for posts: with port 0 nobody else knows."""
    return [str(each["address"]) for each in session.watch.status()["sources"] if "address" in each]


def ending(session: WatchSession, finished: bool) -> str:
    """What was decided. finished: whether all was delivered in time."""
    status = session.watch.status()
    counts = dict(status["decisions"])
    wakes, audits = counts.pop("woke", 0), counts.pop("audit", 0)
    slept = counts.pop("below_threshold", 0)
    parts = [many(status["events"], "event"), many(wakes, "wake"), f"{slept} slept"]
    parts.append(many(audits, "audit"))
    parts += [f"{count} {reason.replace('_', ' ')}" for reason, count in counts.items() if count]
    lines = [f"Stopped: {', '.join(parts)}."]
    lines += threshold_lines(session.watch.thresholds())
    if lost := status["refused_by_queue"]:
        lines.append(f"{many(lost, 'pushed event')} lost: the queue was full or the gate ended.")
    if gaps := status["gaps"]:
        lines.append(f"{many(gaps, 'gap')} in followed logs: rotated away before they were read.")
    if session.owed:
        them = "it" if session.owed == 1 else "them"
        lines.append(f"{many(session.owed, 'delivery')} pending; the next watch takes {them} up.")
    elsewhere = status["held_elsewhere"]
    if waiting := status["held_back"] - sum(elsewhere.values()):
        lines.append(windows_wait(waiting, "the next watch"))
    for name, waiting in list(elsewhere.items())[:MOST_SHOWN]:
        lines.append(windows_wait(waiting, f"a watch that has {visible(name, 80)}"))
    if crowded := status["crowded"]:
        lines.append(
            f"{many(crowded, 'window')} more than may wait: in the log, "
            "counted by questions and not named."
        )
    if not finished:
        lines.append("Not every question could be delivered in time; they are all in the log.")
    return "\n".join(lines)


def threshold_lines(facts: Mapping[str, ThresholdFacts]) -> list[str]:
    """What the gate does about each threshold that moves, and what it knows of the recall."""
    lines = []
    for name, each in facts.items():
        recall = "" if each.alarm or each.estimate is None else f"; {each.estimate}"
        if each.recall is not None or recall:
            lines.append(f"{visible(name, 80)}: {each.line()}{recall}")
    return lines[:MOST_SHOWN]
