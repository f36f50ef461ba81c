"""`prefrontal control`: experiments, a look at a trained agent, and the reference's weights."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..control.experiments import EXPERIMENTS
from ..control.profiles import PROFILE_NAMES
from ..errors import InputError
from ..plural import many
from .answers import even_unread

if TYPE_CHECKING:
    from ..control.experiments.record import ExperimentRecord

FAILED = 3
MOST_SEEDS = 100
NEEDS_TORCH = "this command needs torch: pip install 'prefrontal[control]'"
EPILOG = "All need torch: pip install 'prefrontal[control]'; a figure needs matplotlib, too."
NAMES = "\n".join(f"  {name:<14}{number:<5}{it}" for name, (_, number, it) in EXPERIMENTS.items())
RESULT = """\
Verdicts: pass, when at least four fifths of the seeds meet the criterion; fail; void, when too many
of them say nothing (labels out of balance). Each experiment leaves NAME.json and NAME.png in the
folder, as soon as it is done. The same seeds give the same record."""
MEASURE = f"""\
Measure, and say whether the criterion is met. NAME is one of these or its number, or all:

\b
{NAMES}"""


@click.group(epilog=EPILOG)
def control() -> None:
    """Experiments on the control modules, a look at a trained agent, and the reference's weights.

    \b
      prefrontal control experiment X10
      prefrontal control experiment all --seeds 2 --out results
      prefrontal control diagnose agent.pt
      prefrontal control import weights.pt --out agent.pt
    """


@control.command(
    short_help="Measure, and say whether the criterion is met.",
    help=MEASURE,
    epilog=RESULT,
)
@click.argument("name")
@click.option("--seeds", default=5, show_default=True, metavar="N", help="Seeds 0 to N-1.")
@click.option(
    "--out",
    default="control-experiments",
    show_default=True,
    metavar="DIR",
    type=click.Path(),
    help="Where records and figures go; it is made.",
)
@click.option(
    "--profile",
    type=click.Choice(PROFILE_NAMES),
    default="sound",
    show_default=True,
    help="Which variant of the modules.",
)
@click.option("--json", "as_json", is_flag=True, help="The records, one JSON object a line.")
@click.pass_context
def experiment(
    ctx: click.Context, name: str, seeds: int, out: str, profile: str, as_json: bool
) -> None:
    names = _names(name)
    if not 1 <= seeds <= MOST_SEEDS:
        raise InputError(f"--seeds must lie between 1 and {MOST_SEEDS}, got {seeds}")
    _require_torch()
    folder = _folder(out)
    from ..control.threads import one_thread

    records: list[ExperimentRecord] = []
    try:
        with one_thread():
            for it in names:
                records.append(_run(it, range(seeds), profile, folder, as_json))
    except KeyboardInterrupt:
        done = f"{len(records)} of {len(names)} experiments"
        click.echo(f"Interrupted after {done}; their records lie in {folder}.", err=True)
        ctx.exit(130)
    if len(records) > 1 and not as_json:
        from .control_pages import print_overview

        print_overview(records)
    if any(it.verdict == "fail" for it in records):
        ctx.exit(FAILED)


@control.command(short_help="What is wrong with a trained agent, told loudly.")
@click.argument("checkpoint", type=click.Path())
@click.option(
    "--steps", default=500, show_default=True, metavar="N", help="Random steps to look at."
)
@click.option("--seed", default=0, show_default=True, metavar="N", help="Of world and steps.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
def diagnose(checkpoint: str, steps: int, seed: int, as_json: bool) -> None:
    """Look for the silent failures of a trained agent: flat attention, labels that are always the
    same, slots grown alike, a bias that cannot rank.

    CHECKPOINT is what prefrontal.control.agent.checkpoint.save wrote. The agent takes random steps
    in the world of the experiments (contrast14); nothing in it is trained or changed.
    """
    if not 1 <= steps <= 100_000:
        raise InputError(f"--steps must lie between 1 and 100000, got {steps}")
    if seed < 0:
        raise InputError(f"--seed must be at least 0, got {seed}")
    if not Path(checkpoint).is_file():
        raise InputError(f"CHECKPOINT must be a file, got {checkpoint!r}")
    _require_torch()
    from ..control.agent.diagnosis import diagnose as look
    from ..control.threads import one_thread

    with one_thread():
        try:
            diagnosis = look(checkpoint, steps=steps, seed=seed)
        except (ValueError, OSError) as error:
            raise InputError(str(error)) from None
    if as_json:
        click.echo(json.dumps(diagnosis.to_json()))
    else:
        from .control_pages import print_diagnosis

        print_diagnosis(diagnosis, checkpoint)


@control.command(name="import", short_help="An agent from the reference's saved weights.")
@click.argument("file", type=click.Path())
@click.option("--out", default="agent.pt", show_default=True, metavar="FILE", help="The agent.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Of what FILE lacks.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a page.")
def import_weights(file: str, out: str, seed: int, as_json: bool) -> None:
    """Take over the weights of the reference implementation, of an agent or of one part.

    FILE is a state_dict that torch saved, alone or under "state_dict". The agent has the profile
    upstream; its sizes are told by the shapes. What has no place in it is left out by name, what
    FILE lacks is as drawn. Nothing in FILE is run.
    """
    if not Path(file).is_file():
        raise InputError(f"FILE must be a file, got {file!r}")
    if seed < 0:
        raise InputError(f"--seed must be at least 0, got {seed}")
    _require_torch()
    from ..control.agent.checkpoint import save
    from ..control.agent.reference import import_reference

    try:
        result = import_reference(file, seed=seed)
    except (ValueError, OSError) as error:
        raise InputError(str(error)) from None
    save(result.agent, out)
    names = {"taken": result.taken, "left_out": result.left_out, "drawn": result.drawn}
    if as_json:
        click.echo(json.dumps({"agent": out, **names}))
        return
    click.echo(f"Wrote {out}: {many(len(result.taken), 'weight')} of {file}.")
    for title, key in (("Left out, no place here", "left_out"), ("Not in the file", "drawn")):
        if names[key]:
            click.echo(f"{title}: {', '.join(names[key])}")


def _names(name: str) -> list[str]:
    """The experiments of a name, a number (X10) or "all"."""
    if name == "all":
        return list(EXPERIMENTS)
    numbers = {number.lower(): it for it, (_, number, _) in EXPERIMENTS.items()}
    name = numbers.get(name.lower(), name)
    if name not in EXPERIMENTS:
        known = f"{', '.join(EXPERIMENTS)}, X1 to X{len(EXPERIMENTS)}"
        raise InputError(f"NAME must be all or one of {known}, got {name!r}")
    return [name]


def _folder(out: str) -> Path:
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out must be a folder, got {out!r}: {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):  # told before the minutes of work, not after
        raise InputError(f"--out must be a folder that can be written to, got {out!r}")
    return folder


def _run(name: str, seeds: range, profile: str, folder: Path, as_json: bool) -> ExperimentRecord:
    from ..control.experiments import load_experiment
    from ..storage.files import write_atomic
    from .control_pages import print_record, watched

    module = load_experiment(name)
    with watched(module.TITLE, seeds) as (report, clock):
        record = module.run(seeds, profile=profile, report=report)
    text = record.to_json()
    write_atomic(folder / f"{name}.json", text)
    drawn = _draw(module, record, folder / f"{name}.png")
    with even_unread():
        if as_json:
            click.echo(json.dumps(json.loads(text), separators=(",", ":")))
        else:
            print_record(record, clock())
        click.echo(f"Wrote {folder / name}.json{' and .png' if drawn else ''}", err=True)
    return record


def _draw(module: Any, record: ExperimentRecord, path: Path) -> bool:
    """Whether there is a figure now; without matplotlib a line says why there is none."""
    if find_spec("matplotlib") is None:
        click.echo("No figure: it needs matplotlib (pip install 'prefrontal[plot]').", err=True)
        return False
    from ..control.experiments.figure import render_png
    from ..storage.files import write_atomic

    write_atomic(path, render_png(record, module.draw))
    return True


def _require_torch() -> None:
    if find_spec("torch") is None:
        raise InputError(NEEDS_TORCH)
