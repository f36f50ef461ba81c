"""`prefrontal watch`: wait for signals, and ask when one matters."""

from __future__ import annotations

import errno
import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any

import click

from ..clock import SystemClock
from ..plain_text import visible
from ..pulse.sinks import as_line
from .decisions import ID_LENGTH
from .modules import home_short, plain, watched
from .state import state_option

if TYPE_CHECKING:
    from ..pulse.prefrontal import EscalationDecision
    from .watching import Watch

CLOSED_PIPE = 1
MOST_SHOWN = 10

EPILOG = """\
A module decides what to ask about; `prefrontal modules add FILE` adds one. A folder that no module
watches gets a built-in one that asks about every change, until `prefrontal feedback` has taught it
better. Exit codes: 130 after Ctrl-C, 143 after SIGTERM, 2 something handed in was wrong."""


@click.command(epilog=EPILOG)
@click.argument("directories", nargs=-1, type=click.Path(), metavar="[DIR]...")
@click.option("--config", type=click.Path(), metavar="FILE.yml", help="Settings, in YAML.")
@click.option(
    "--recall", type=float, metavar="R", help="Share of what matters to catch; sets the threshold."
)
@click.option(
    "--threshold", type=float, metavar="T", help="Least score that wakes, for every module."
)
@click.option("--exec", "command", metavar="CMD", help="Run CMD, the question on its input.")
@click.option("--post", metavar="URL", help="Post each question there, as JSON.")
@click.option("--log-refusals", is_flag=True, help="Keep what woke nobody, too, for `explain`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@state_option
def watch(
    directories: tuple[str, ...],
    config: str | None,
    recall: float | None,
    threshold: float | None,
    command: str | None,
    post: str | None,
    log_refusals: bool,
    as_json: bool,
    state: str | None,
) -> None:
    """Watch, and ask one scoped question for each signal that matters.

    \b
      prefrontal watch ~/Downloads
      prefrontal watch ~/Downloads --exec 'notify-send Prefrontal'
      prefrontal watch --config prefrontal.yml --recall 0.95 --json
    """
    from ..settings import load_settings, parse_settings
    from .watching import build_watch

    told = {
        "recall": recall,
        "threshold": threshold,
        "log_refusals": log_refusals or None,
        "state": str(Path(state).absolute()) if state else None,
    }
    settings = load_settings(config, _said(told))
    added = [{"exec": command}] if command is not None else []
    added += [{"post": post}] if post is not None else []
    built = build_watch(settings, directories, parse_settings({"sinks": added}).sinks)
    click.get_current_context().exit(run(built, as_json))


def _said(told: dict[str, Any]) -> dict[str, Any]:
    """What was given; a recall on the command line takes the place of a threshold in the file."""
    said = {name: value for name, value in told.items() if value is not None}
    if ("recall" in said) != ("threshold" in said):
        said |= {"recall": told["recall"], "threshold": told["threshold"]}
    return said


def run(watch: Watch, as_json: bool) -> int:
    """Watch until a signal comes or nobody reads any more; the exit code.

    Raises BrokenPipeError when standard output was closed.
    """
    ended: SimpleQueue[int] = SimpleQueue()  # its put may be called from a signal handler
    screen = Screen(as_json or watch.output, lambda: ended.put(CLOSED_PIPE))
    watch.registry.on_escalation(lambda decision: hand_over(decision, screen, watch))
    finished = False
    with _told_of_trouble():
        try:
            with _signals(ended):
                watch.start()
                say(_beginning(watch))
                code = ended.get()
        finally:
            finished = watch.stop()
    say(_ending(watch, finished))
    if code == CLOSED_PIPE:
        raise BrokenPipeError(errno.EPIPE, "standard output was closed")
    return code


class Screen:
    """Prints a line for each wake on standard output; calls `on_closed` when nobody reads it."""

    def __init__(self, as_json: bool, on_closed: Callable[[], None]) -> None:
        self._as_json = as_json
        self._on_closed = on_closed
        self._lock = Lock()

    def show(self, decision: EscalationDecision) -> None:
        line = as_line(decision) if self._as_json else wake_line(decision)
        try:
            with self._lock:
                click.echo(line)
        except (OSError, ValueError):  # ValueError: closed on our side
            self._on_closed()


def wake_line(decision: EscalationDecision) -> str:
    """Time, module, score, id and question, on one line."""
    moment = time.strftime("%H:%M:%S", time.localtime(SystemClock().now()))
    module = click.style(f"{visible(decision.module_id, 24):<12}", bold=True)
    shown_id = click.style((decision.activation_id or "")[:ID_LENGTH], dim=True)
    audit = click.style("audit: ", fg="yellow") if decision.audit else ""
    return f"{moment} {module} {decision.confidence:.2f} {shown_id} {audit}{decision.question}"


def hand_over(decision: EscalationDecision, screen: Screen, watch: Watch) -> None:
    """Print it, then give it to every sink; a sink that failed is told of on standard error.

    The durable ones have it from the log already, unless that could not be written.
    """
    screen.show(decision)
    watch.outbox.take(decision)
    for name, sink in watch.sinks:
        outcome = sink.deliver(decision)
        if not outcome.ok:
            tries = f" after {outcome.attempts} tries" if outcome.attempts > 1 else ""
            shown_id = (decision.activation_id or "")[:ID_LENGTH]
            say(f"{name} failed for {shown_id}: {outcome.detail}{tries}")


def say(sentence: str) -> None:
    """On standard error, where it is in nobody's way; nobody there is no trouble."""
    with suppress(OSError, ValueError):
        click.echo(sentence, err=True)


@contextmanager
def _signals(ended: SimpleQueue[int]) -> Iterator[None]:
    """The first signal ends the watch cleanly; after it they do what they always do."""
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
    before = {
        number: signal.signal(number, lambda got, _: ended.put(codes[signal.Signals(got)]))
        for number in codes
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _told_of_trouble() -> Iterator[None]:
    """What the package logs as a warning or worse goes to standard error, a line each."""
    handler = _Lines(logging.WARNING)
    logger = logging.getLogger("prefrontal")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}" if error else ""
        say(f"{record.levelname.capitalize()}: {visible(record.getMessage() + cause, 1000)}")


def _beginning(watch: Watch) -> str:
    lines = [f"{visible(m.module_id, 80)} watches {watched(m)}" for m in watch.modules[:MOST_SHOWN]]
    if len(watch.modules) > MOST_SHOWN:
        lines.append(f"and {len(watch.modules) - MOST_SHOWN} modules more")
    for module in watch.modules:
        for folder in module.watch_directories():
            if not Path(folder).is_dir():
                lines.append(f"{plain(home_short(folder))} does not exist yet; it is waited for")
    state = plain(home_short(str(watch.state.path.absolute())))
    return "\n".join([*lines, f"Decisions are kept in {state}. Ctrl-C stops."])


def _ending(watch: Watch, finished: bool) -> str:
    status = watch.registry.status()
    counts = dict(status["decisions"])
    wakes, audits = counts.pop("woke", 0), counts.pop("audit", 0)
    slept = counts.pop("below_threshold", 0)
    parts = [_many(status["events"], "event"), _many(wakes, "wake"), f"{slept} slept"]
    parts.append(_many(audits, "audit"))
    parts += [f"{count} {reason.replace('_', ' ')}" for reason, count in counts.items() if count]
    lines = [f"Stopped: {', '.join(parts)}."]
    for module in watch.modules:
        if (estimate := watch.registry.recall_estimate(module.module_id)) is not None:
            lines.append(f"{visible(module.module_id, 80)}: {estimate}")
    if watch.owed:
        them = "it" if watch.owed == 1 else "them"
        lines.append(f"{_many(watch.owed, 'delivery')} pending; the next watch takes {them} up.")
    if not finished:
        lines.append("Not every question could be delivered in time; they are all in the log.")
    return "\n".join(lines)


def _many(count: int, noun: str) -> str:
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"
