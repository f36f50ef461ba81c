"""`prefrontal watch`: wait for signals, and ask when one matters."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ...errors import InputError, PrefrontalError
from ..option_group import settings_option
from ..state import settings_state_option
from .endings import awaited, ended_by_signals
from .gate_options import (
    gate_options,
    gate_overrides,
    partition_options,
    telemetry_options,
)
from .hand_over import Handling, HandOver, give_once
from .screen import Screen, beginning, ending, settings_read
from .telemetry import Say, place, telling

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...pulse.sinks import Sink
    from ...settings.telemetry import Telemetry
    from .partitions.plan import NodePlan
    from .session import WatchSession

CLOSED_PIPE = 1
REPLACED = 2

EPILOG = """\
A module decides what to ask about; `prefrontal modules add FILE` adds one. A folder that no module
watches gets a built-in one that asks about every change, until `prefrontal feedback` has taught it
better."""


class WatchCommand(click.Command):
    """A stream that cannot go on says so as a wake: it fails open."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except PrefrontalError as error:
            if ctx.params.get("form"):
                from .stream import MARK

                click.echo(f"{MARK}prefrontal watch does not run: {error}")
            raise


@click.command(cls=WatchCommand, epilog=EPILOG)
@click.argument("directories", nargs=-1, type=click.Path(), metavar="[DIR]...")
@settings_option()
@gate_options
@click.option("--exec", "command", metavar="CMD", help="Run CMD, the question on its input.")
@click.option("--post", metavar="URL", help="Post each question there, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["openclaw-stream"]),
    help="Print what a stream schedule of OpenClaw takes: a line for each wake, nothing else.",
)
@click.option(
    "--shadow",
    is_flag=True,
    help="Wake nobody: decide beside what wakes the agent now. `prefrontal shadow` reports.",
)
@partition_options
@telemetry_options
@settings_state_option
def watch(
    directories: tuple[str, ...],
    config: str | None,
    recall: float | None,
    threshold: float | None,
    command: str | None,
    post: str | None,
    log_refusals: bool,
    as_json: bool,
    form: str | None,
    shadow: bool,
    partitions: str | None,
    workers: int | None,
    ray: str | None,
    metrics: str | None,
    log_format: str | None,
    state: str | None,
) -> None:
    """Watch, and ask one scoped question for each signal that matters.

    Each DIR is watched beside what the settings name.

    \b
      prefrontal watch ~/Downloads
      prefrontal watch ~/Downloads --exec 'my-agent --ask'
      prefrontal watch --recall 0.95 --json      # what ./prefrontal.yml names
      prefrontal watch --config prefrontal.yml --shadow
      prefrontal watch --partitions auto         # one of several machines
    """
    from ...executive.trust_standings import gate_standings
    from ...settings import load_settings, parse_settings
    from ...settings.agent_file import (
        read_agent_config,
        settings_file,
        whole_path,
        workspace_folder,
    )
    from .session import build_watch

    if shadow and (command is not None or post is not None or as_json or form):
        raise InputError(
            "shadow must come without --exec, --post, --json and --format: a shadow tells nobody"
        )
    if form and as_json:
        raise InputError(f"format must come without --json, got {form} and --json")
    overrides = gate_overrides(recall, threshold, log_refusals)
    overrides |= {"state": str(Path(state).absolute())} if state else {}
    if telemetry := telemetry_told(metrics, log_format):
        overrides["telemetry"] = telemetry
    file = settings_file(config)
    added = [{"exec": command}] if command is not None else []
    added += [{"post": post}] if post is not None else []
    if any(each is not None for each in (partitions, workers, ray)):
        if partitions is None or directories or shadow or form or log_format:
            raise InputError(
                "--partitions must come without DIR, --shadow, --format and --log-format, and"
                " --workers and --ray with it"
            )
        from .partitions.plan import NodePlan

        name = None if file is None else str(whole_path(file))
        plan = NodePlan(partitions, workers or 0, name, overrides, tuple(added), as_json)
        click.get_current_context().exit(decide_partitions(plan, ray))
    settings = load_settings(file, overrides)
    agent = read_agent_config(config, keys={"workspace", "ledger"})
    standings = gate_standings(settings.executive, agent, workspace_folder(None, agent))
    more = parse_settings({"sinks": added}).sinks
    handled: Handled = HandOver
    if shadow:
        handled = lambda _, __, say: ShadowHandling(say)  # noqa: E731
    durable: list[tuple[str, Sink, float]] = []
    if form:
        from .stream import GIVE_UP_S, OPENCLAW_STREAM, OpenClawStream

        stream = OpenClawStream()
        durable.append((OPENCLAW_STREAM, stream, GIVE_UP_S))

        def handled(session: WatchSession, screen: Screen, say: Say) -> Handling:
            stream.screen = screen
            return StreamHandling(session, say)

    built = build_watch(settings, directories, more, standings, shadow, durable)
    lead = settings_read(file) if directories and config is None else ""
    code = run(built, as_json, settings.telemetry, handled, is_quiet=bool(form), lead=lead)
    click.get_current_context().exit(code)


def decide_partitions(plan: NodePlan, ray: str | None) -> int:
    """Be a node, with actors at the address `ray` where one is named; the exit code.

    plan: with 0 workers for as many as are usual.
    """
    from .partitions.node import run_own_node, run_ray_node

    if ray is None:
        return run_own_node(replace(plan, workers=plan.workers or os.cpu_count() or 1))
    if plan.as_json:
        raise InputError("--ray must come without --json: wakes go to the sinks alone")
    return run_ray_node(replace(plan, workers=plan.workers or len(plan.all_wanted())), ray)


def telemetry_told(metrics: str | None, log_format: str | None) -> dict[str, Any]:
    """What the command line says of telemetry, as the settings have it. Raises InputError."""
    telemetry: dict[str, Any] = {} if metrics is None else {"metrics": place(metrics)}
    return telemetry if log_format is None else telemetry | {"json_logs": log_format == "json"}


Handled: TypeAlias = "Callable[[WatchSession, Screen, Say], Handling]"
"""Makes what takes the wakes of a watch."""


def run(
    session: WatchSession,
    as_json: bool,
    telemetry: Telemetry,
    handled: Handled | None = None,
    *,
    is_quiet: bool = False,
    lead: str = "",
) -> int:
    """Watch until a signal comes or nobody reads any more; the exit code.

    handled: makes what takes the wakes; without it they are handed over to the sinks. is_quiet:
    says nothing at the beginning and at the end. lead: said before what is watched. Raises
    BrokenPipeError when standard output was closed; InputError and SourceError for telemetry that
    cannot be had, and then nothing was started.
    """
    ended: SimpleQueue[int] = SimpleQueue()  # its put may be called from a signal handler
    shape = session.output or ("v2" if as_json else None)
    screen = Screen(shape, lambda: ended.put(CLOSED_PIPE))
    finish: Callable[[float], bool] = lambda _: True  # noqa: E731
    with ExitStack() as stack:
        try:
            say = stack.enter_context(telling(session.watch, telemetry))
            handling = (handled or HandOver)(session, screen, say)
            finish = handling.finish
            session.watch.on_wake(handling.take)
            session.watch.on_replaced(lambda: ended.put(REPLACED))
            with ended_by_signals(ended):
                session.start()
                if not is_quiet:
                    say("\n".join(filter(None, [lead, beginning(session)])))
                handling.begin()
                code = awaited(ended)
        finally:
            finished = session.stop(finish=finish)
        if not is_quiet:
            say("\n".join([ending(session, finished), *handling.summary()]))
    if code == CLOSED_PIPE:
        raise BrokenPipeError(errno.EPIPE, "standard output was closed")
    return code


class StreamHandling:
    """Leaves the wakes to the durable sinks, the stream among them, and tells the others once."""

    def __init__(self, session: WatchSession, say: Say) -> None:
        self._session = session
        self._say = say

    def begin(self) -> None: ...

    def take(self, decision: Decision) -> None:
        self._session.outbox.take(decision)
        give_once(decision, self._session.sinks, self._say)

    def finish(self, timeout_s: float) -> bool:
        return True

    def summary(self) -> list[str]:
        return []


class ShadowHandling:
    """Gives the wakes to nobody."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def begin(self) -> None:
        self._say("Shadow: nobody is woken; `prefrontal shadow` says what it would have done.")

    def take(self, decision: Decision) -> None: ...

    def finish(self, timeout_s: float) -> bool:
        return True

    def summary(self) -> list[str]:
        return ["Nobody was woken: `prefrontal shadow` says what it would have cost and caught."]
