"""What a route prints: lines for people, or its events as JSON; the plan alone for --plan."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ...plain_text import one_line
from ...routing.plans.steps import plan_notes, server_notes
from ...routing.run.transcript import PREFIX, Transcript
from ..answers import even_unread, printable_json

if TYPE_CHECKING:
    from ...routing.layout import Layout
    from ...routing.run.route import Route
    from ...routing.run.router import Router


class Output:
    """Shows the events of a route as they happen.

    plan_only: lines go to standard error, so that standard output is the plan and nothing else.
    asks: whether somebody may be asked about what is shown; otherwise a closed pipe stops nothing.
    """

    def __init__(
        self,
        explained: bool,
        as_json: bool,
        plan_only: bool = False,
        dry_run: bool = False,
        asks: bool = False,
    ) -> None:
        self._transcript = Transcript(explained, steps=dry_run)
        self._dry_run = dry_run
        self._as_json = as_json
        self._plan_only = plan_only
        self._asks = asks
        self._quiet = plan_only and not explained

    def show(self, event: Mapping[str, Any]) -> None:
        """Print one event."""
        with even_unread(agreed=not self._asks):
            self._print(event)

    def _print(self, event: Mapping[str, Any]) -> None:
        if self._as_json:
            if not self._plan_only:
                click.echo(printable_json(event))
            return
        for line in self._transcript.take(event):
            if not self._quiet:
                click.echo(line, err=self._plan_only)

    def before(self, router: Router) -> None:
        """Finish what a killed run left, forget what is old, say what waits and what is risky."""
        from ...routing.run.housekeeping import tidy, waiting

        with even_unread(agreed=not self._asks):
            lines = tidy(router.bench)
            if self._as_json or self._quiet:
                return
            for line in [*lines, *waiting(router.bench)]:
                click.echo(f"{PREFIX} {one_line(line)}", err=True)

    def after(self, done: Route) -> Route:
        """Print the plan that --plan and --dry-run ask for, or the reason that there is none."""
        document = done.decision.plan
        notes = server_notes(document)
        if self._plan_only and document is None:
            if not self._quiet and not self._as_json:
                return done  # the transcript ended with it
            click.echo(f"{PREFIX} {one_line(done.sentence)}", err=True)
        elif self._plan_only or ((self._dry_run or notes) and document and not self._as_json):
            for note in self._beside_plan(done) if self._plan_only else ():
                click.echo(f"{PREFIX} {one_line(note)}", err=True)
            click.echo(_text(document or {}, self._as_json), nl=False)
        return done

    def _beside_plan(self, done: Route) -> list[str]:
        """What --plan says on standard error; less where --explain has said it."""
        if not self._quiet:
            return server_notes(done.decision.plan)
        why = [done.sentence] if done.exit_code else []
        return [*why, *plan_notes(done.decision.plan, done.uncovered, done.request.denied)]

    @contextmanager
    def waiting(self, word: str) -> Iterator[None]:
        """A moving sign on a terminal while something takes its time."""
        if self._as_json or self._plan_only or not sys.stderr.isatty():
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(word):
            yield


def print_waiting(layout: Layout, *, as_json: bool) -> None:
    """Print the routes that wait, oldest first."""
    from ...routing.promotion.pending import pending_routes
    from ...routing.run.housekeeping import waiting_line

    waiting = pending_routes(layout)
    for finding in waiting.findings:
        click.echo(f"Warning: {one_line(str(finding))}", err=True)
    for route in waiting.routes:
        click.echo(printable_json(asdict(route)) if as_json else one_line(waiting_line(route)))
    if not (waiting.routes or as_json):
        click.echo("No route waits.")


def _text(document: dict[str, Any], as_json: bool) -> str:
    if as_json:
        return printable_json(document, indent=2) + "\n"
    from ...routing.plans.plan import document_yaml

    return document_yaml(document)
