"""What both sweeps do: run with a bar, keep what is done, write a table and a picture."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from ...errors import InputError, SourceError
from ...home_folder import expanded
from ...plain_text import visible
from ...plural import many
from ...settings.agent_file import whole_path

if TYPE_CHECKING:
    from ...assembly.sweeps.sweep import Step, SweepOutcome, SweepPlan
    from .views import SweepView

MOST_JOBS = 256
BESIDE = ("sweep", "swept", "jobs", "ray", "out", "as_json")
"""Options that --sweep may have beside it."""
TABLE, PICTURE = "table", "picture.png"
INCOMPLETE = 3
"""Exit code when runs were lost, whose workers ended each time."""


class SweepOptions(NamedTuple):
    """What stands beside --sweep. jobs: processes, one a core when None. ray: the address of the
    cluster that runs them. out: the folder, beside the file when None.
    """

    jobs: int | None = None
    ray: str | None = None
    out: str | None = None

    def check_absent(self, word: str) -> None:
        """Raises InputError where one is there without the option `word`."""
        if any(each is not None for each in self):
            raise InputError(f"--jobs, --ray and --out must come with {word}")


def sweep(plan: SweepPlan, settings: str, options: SweepOptions, as_json: bool) -> None:
    """Carry out a plan and show it. settings: its file."""
    from ..page import page, progress
    from .views import VIEWS, print_rows

    view = VIEWS[plan.work]
    out = options.out
    folder = results_folder(settings) if out is None else expanded(out)
    _check_jobs(options.jobs)
    try:
        with progress() as step:
            outcome = _carried_out(plan, folder, options, step)
    except (KeyboardInterrupt, SystemExit):
        words = "Interrupted: the runs that are done are kept in"
        click.echo(f"{words} {visible(str(folder), 500)}; the same command goes on.", err=True)
        raise
    paths = _written(outcome, folder, view)
    if as_json:
        click.echo(json.dumps(outcome.rows))
    else:
        with page() as console:
            print_rows(outcome.rows, view, console)
    for path in paths:
        click.echo(f"Wrote {visible(str(path), 500)}", err=True)
    _tell(outcome)


def check_alone(context: click.Context) -> None:
    """Refuse what stands beside --sweep: the file says with what runs are made."""
    for option in context.command.params:
        name = option.name or ""
        on_line = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if on_line and name not in BESIDE:
            word = next((each for each in option.opts if each.startswith("--")), "PATH")
            raise InputError(f"--sweep must come without {word}: its file says what is run")


def results_folder(settings: str) -> Path:
    """`sweep.yml` has its results in `sweep-results` beside it."""
    file = whole_path(settings)
    return file.with_name(f"{file.stem}-results")


def _carried_out(plan: SweepPlan, folder: Path, options: SweepOptions, step: Step) -> SweepOutcome:
    from ...assembly.sweeps.sweep import carry_out, processors

    if options.ray is None:
        return carry_out(plan, folder, options.jobs or min(MOST_JOBS, processors()), step)
    from ...assembly.sweeps.ray_workers import RayWorkers
    from ...ray_cluster import ray_cluster

    address = options.ray
    with ray_cluster(address, options.jobs or processors()) as ray:
        most = int(ray.cluster_resources().get("CPU", 1))
        return carry_out(
            plan,
            folder,
            options.jobs or max(1, min(MOST_JOBS, most)),
            step,
            open_runners=lambda work, copies: RayWorkers(ray, address, work, copies),
        )


def _check_jobs(jobs: int | None) -> None:
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"--jobs must be a whole number from 1 to {MOST_JOBS}, got {jobs!r}")


def _written(outcome: SweepOutcome, folder: Path, view: SweepView) -> list[Path]:
    """The table twice, and the picture where it can be drawn."""
    from ...storage.files import write_atomic

    paths = [folder / f"{TABLE}.csv", folder / f"{TABLE}.json"]
    write_atomic(paths[0], _csv(outcome.rows))
    write_atomic(paths[1], json.dumps(outcome.rows, indent=1) + "\n")
    try:
        from .picture import render_png

        write_atomic(folder / PICTURE, render_png(outcome.rows, view))
        paths.append(folder / PICTURE)
    except SourceError as error:
        click.echo(f"No picture: {error}", err=True)
    return paths


def _csv(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    target = io.StringIO()
    writer = csv.DictWriter(target, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue()


def _tell(outcome: SweepOutcome) -> None:
    if outcome.done_before:
        verb = "was" if outcome.done_before == 1 else "were"
        click.echo(f"{many(outcome.done_before, 'run')} {verb} done before.", err=True)
    if outcome.restarts:
        words = "a worker was" if outcome.restarts == 1 else f"{outcome.restarts:,} workers were"
        click.echo(f"{words.capitalize()} ended by others and replaced.", err=True)
    for each in outcome.lost:
        click.echo(
            f"Lost: {visible(each, 500)}, at each try. Is there too little memory?", err=True
        )
    if outcome.lost:
        click.get_current_context().exit(INCOMPLETE)
