"""`prefrontal cortex backtest`: what trust a stream of ratings would have led to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...standard_input import is_terminal
from ..option_group import OWN_THEN_HERE, settings_option

if TYPE_CHECKING:
    from ...cortex.backtest.asking import Questions
    from ...cortex.backtest.ratings import Rating
    from ...cortex.backtest.replay import BacktestOptions

_ASKING = ("llm", "replay")
_FOLDERS = {"cassette": "replay", "record": "llm"}
"""The options that stand with one of these reflectors only."""
EPILOG = """\
RATINGS: CSV with source, target, rating (-10..+10), time (Unix seconds), plain or gzip. LABELS: CSV
with user, label (-1 fraud, 1 benign). Nothing is written but what --picture and --record name.

The reflector llm is the model that the settings name for the cortex or the agent; with labels it is
asked about the ratings a second time, without those by trusted peers. Ctrl-C ends with the figures
of what was replayed, and the exit code 130."""


@click.command(short_help="Replay ratings: what trust would have come?", epilog=EPILOG)
@click.option("--ratings", metavar="CSV", type=click.Path(), help="What to replay.")
@click.option("--labels", metavar="CSV", type=click.Path(), help="Who was a fraud, who was not.")
@click.option("--clamp", default=3, show_default=True, metavar="N", help="Most a cycle moves.")
@click.option(
    "--hourly-cap",
    default=9,
    show_default=True,
    metavar="N",
    help="Most an hour moves a peer; 0 for no cap.",
)
@click.option(
    "--policy",
    type=click.Choice(["plain", "confirm", "asymmetric", "corroborate"]),
    default="corroborate",
    show_default=True,
    help="How a proposal against the last direction is taken.",
)
@click.option("--batch", default=5, show_default=True, metavar="N", help="Ratings in a cycle.")
@click.option(
    "--timer",
    "minutes",
    default=30.0,
    show_default=True,
    metavar="MINUTES",
    help="A cycle by time, too; 0 for none.",
)
@click.option("--farming", is_flag=True, help="A cycle when farming is suspected, too.")
@click.option(
    "--reflector",
    type=click.Choice(["mean", "rules", "llm", "replay"]),
    default="rules",
    show_default=True,
    help="Who proposes: the mean of the new ratings, the rules of the cortex, the configured model,"
    " or its recorded replies.",
)
@click.option("--cassette", metavar="DIR", type=click.Path(), help="Replies for `replay`.")
@click.option("--record", metavar="DIR", type=click.Path(), help="Keep what `llm` replies.")
@settings_option("Settings for `llm` and `replay`", OWN_THEN_HERE)
@click.option("--limit", type=int, metavar="N", help="Replay only the first N ratings in time.")
@click.option("--yes", is_flag=True, help="Ask the model without asking about the cost.")
@click.option(
    "--sweep",
    "swept",
    is_flag=False,
    flag_value="",
    metavar="[FILE.yml]",
    help="Several clamps and policies in a table; those of FILE on its streams.",
)
@click.option(
    "--jobs", type=int, metavar="N", help="With --sweep FILE: processes; as many as cores."
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="With --sweep FILE: run on a Ray cluster: auto, local, HOST:PORT or ray://HOST:PORT.",
)
@click.option(
    "--out",
    type=click.Path(),
    metavar="DIR",
    help="With --sweep FILE: where its table, its picture and what is done go; FILE-results beside"
    " it.",
)
@click.option("--picture", metavar="FILE.png", type=click.Path(), help="Draw trust over time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with every trajectory.")
def backtest(
    ratings: str | None,
    labels: str | None,
    swept: str | None,
    jobs: int | None,
    ray: str | None,
    out: str | None,
    picture: str | None,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Replay a stream of ratings through the real ledger, triggers and clamp.

    \b
      prefrontal cortex backtest --ratings ratings.csv.gz --labels labels.csv
      prefrontal cortex backtest --ratings ratings.csv --batch 1 --clamp 2 --picture trust.png
      prefrontal cortex backtest --sweep sweep.yml

    Each rated user is a peer; a rating is how an interaction with it ended. Without options all is
    as in a running agent: its triggers, clamp, cap and policy, and the rules as the reflector.
    """
    from ...cortex.backtest.ratings import read_labels, read_ratings
    from ..sweeps.sweep import SweepOptions

    beside = SweepOptions(jobs, ray, out)
    if swept:
        from ...assembly.sweeps.sweep import trust_sweep
        from ..sweeps.sweep import check_alone, sweep

        check_alone(click.get_current_context())
        sweep(trust_sweep(swept), swept, beside, as_json)
        return
    beside.check_absent("--sweep FILE")
    if ratings is None:
        raise click.MissingParameter(param_hint="--ratings", param_type="option")
    options = _options(chosen)
    if picture is not None and not Path(picture).absolute().parent.is_dir():
        raise InputError(f"{picture} must lie in a folder that exists")
    is_swept = swept is not None
    if is_swept and picture is not None:
        raise InputError("--sweep must stand without --picture: a picture shows one setting")
    if is_swept and options.reflector in _ASKING:
        raise InputError(f"--sweep must stand without --reflector {options.reflector}")
    stream = read_ratings(ratings)[: chosen["limit"]]
    known = read_labels(labels) if labels is not None else {}
    if is_swept:
        _sweep(stream, known, options, as_json)
    elif options.reflector in _ASKING:
        with _questions(chosen) as questions:
            if (
                chosen["yes"]
                or chosen["reflector"] == "replay"
                or _agreed(stream, known, options, questions)
            ):
                _replay(stream, known, options, picture, as_json, questions)
    else:
        _replay(stream, known, options, picture, as_json)


def _questions(options: dict[str, Any]) -> Questions:
    from ...assembly.trust_backtest import questions_to_model
    from ...settings.agent_file import read_agent_config

    cassette, record = (Path(options[k]) if options[k] is not None else None for k in _FOLDERS)
    keys = ("cortex", "llm", "provider", "identity", "workspace")
    config = read_agent_config(options["config"], keys=keys)
    return questions_to_model(config, cassette=cassette, record=record)


def _agreed(
    stream: list[Rating], labels: dict[str, int], options: BacktestOptions, questions: Questions
) -> bool:
    """Whether to go on, where somebody at a terminal can be asked; else True."""
    if not is_terminal():
        return True
    from ...assembly.trust_backtest import trust_cost
    from ..page import progress
    from ..route.person import Person

    with progress() as step:
        cost = trust_cost(stream, labels, options, questions, step)
    return bool(Person().agree(f"{cost} Go on?"))


def _options(options: dict[str, Any]) -> BacktestOptions:
    from ...cortex.backtest.replay import BacktestOptions

    minutes = options["minutes"]
    for name, least in (("clamp", 1), ("batch", 1), ("hourly_cap", 0), ("limit", 1)):
        if options[name] is not None and options[name] < least:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} must be a whole number from {least}, got {options[name]!r}")
    if not 0 <= minutes <= 525_600:
        raise InputError(f"--timer must be minutes from 0, at most a year, got {minutes!r}")
    for option, reflector in _FOLDERS.items():
        if options[option] is not None and options["reflector"] != reflector:
            raise InputError(f"--{option} must stand with --reflector {reflector}")
    if options["reflector"] == "replay" and options["cassette"] is None:
        raise InputError("--reflector replay must stand with --cassette DIR")
    return BacktestOptions(
        clamp=options["clamp"],
        per_hour=options["hourly_cap"] or None,
        policy=options["policy"],
        batch=options["batch"],
        timer=minutes > 0,
        farming=options["farming"],
        schedule_minutes=minutes or 30.0,
        reflector=options["reflector"],
    )


def _replay(
    stream: list[Rating],
    labels: dict[str, int],
    options: BacktestOptions,
    picture: str | None,
    as_json: bool,
    questions: Questions | None = None,
) -> None:
    from ...assembly.trust_backtest import backtest_trust
    from ..page import page, progress

    with progress() as step:
        result = backtest_trust(stream, labels, options, step, questions)
    if picture is not None:
        from ...cortex.backtest.picture import render_png
        from ...storage.files import write_atomic

        write_atomic(picture, render_png(result, labels))
        click.echo(f"Wrote {picture}", err=True)
    if as_json:
        click.echo(json.dumps(result.to_json()))
    else:
        from ...cortex.backtest.table import print_backtest

        with page() as console:
            print_backtest(result, console)
    if result.stopped:
        done = f"{result.ratings:,} of {len(stream):,} ratings"
        click.echo(f"Interrupted; the figures are those of {done}.", err=True)
        click.get_current_context().exit(130)


def _sweep(
    stream: list[Rating], labels: dict[str, int], options: BacktestOptions, as_json: bool
) -> None:
    from ...assembly.trust_backtest import sweep_trust
    from ..page import page, progress

    with progress() as step:
        rows = sweep_trust(stream, labels, options, step)
    if as_json:
        for row in rows:
            click.echo(json.dumps(row.to_json()))
        return
    from ...cortex.backtest.sweep import print_sweep

    with page() as console:
        print_sweep(rows, console)
