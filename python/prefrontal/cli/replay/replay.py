"""`prefrontal replay`: what each wake policy would have cost on your own history."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ...errors import InputError
from ..candidates import presets
from .comparison import compare as compare_results
from .output import ReplayOutput
from .sources import ReplaySources

RELEVANT = (  # one line: zsh reads a line as an entry of its own
    'What "relevant" means: path:GLOB (the same change wrote a file that GLOB matches, which is'
    ' then hidden from the gate; more globs after commas, exceptions after "!"), message:REGEX (the'
    " text matches; the text is then hidden), followup (a later change says that it reverts or"
    " fixes it), fixed-later (a later fix changed lines that it wrote), noop (the agent's own reply"
    " was not a no-op), recorded (the file says so). Found by itself when not given; noop for"
    " sessions."
)

EPILOG = """\
Each window (a commit, a line of FILE) is predicted before it is learned from; the first fifth
only warms up. Times are read as UTC. Exit codes: 0 done, 2 something handed in was wrong."""


@click.command(epilog=EPILOG)
@click.argument("named", nargs=-1, metavar="[PATH]...")
@click.option("--sample", is_flag=True, help="The recorded public history that comes along.")
@click.option(
    "--git", "repositories", multiple=True, metavar="PATH", help="A git repository; repeatable."
)
@click.option(
    "--events",
    "files",
    multiple=True,
    metavar="FILE",
    help="Recorded windows, one JSON object a line (.gz too, - for standard input); repeatable.",
)
@click.option(
    "--warm",
    multiple=True,
    metavar="FILE",
    help="With --events: recorded windows of another history, learned from first; repeatable.",
)
@click.option(
    "--incidents",
    is_flag=True,
    help="With --events and --budget: ask about each burst of alike windows once.",
)
@click.option(
    "--recall",
    default=0.9,
    show_default=True,
    type=float,
    help="Share of the relevant windows that must be caught, above 0 and at most 1.",
)
@click.option(
    "--budget",
    metavar="N/day",
    help="Instead of a recall: the most that can be caught with at most N wake-ups in any hour, day"
    " or week, which slides.",
)
@click.option("--relevant", metavar="PRESET", help=RELEVANT, shell_complete=presets)
@click.option(
    "--labels",
    type=click.Choice(["all", "asked"]),
    help="Who is told what mattered: every window, or only those that woke the agent and audits, as"
    " a live gate. Default: all for git, which `watch` learns from by itself, else asked.",
)
@click.option(
    "--features",
    default="all",
    show_default=True,
    metavar="all|paths",
    help="What the gate sees: everything, or paths and times without actor and text.",
)
@click.option("--since", metavar="DATE", help="Only from then on: 2024-03-01 or '2 years ago'.")
@click.option("--until", metavar="DATE", help="Only up to then.")
@click.option("--max", "limit", type=int, metavar="N", help="Only the newest N windows.")
@click.option(
    "--warm-up", type=int, metavar="N", help="Windows that only warm up; a fifth when not given."
)
@click.option("--all-commits", is_flag=True, help="Every commit, not one window for each merge.")
@click.option(
    "--tokens-per-wake",
    type=int,
    metavar="N",
    help="Tokens that one wake-up of the agent costs, of all kinds together. Default: 100675.",
)
@click.option(
    "--usd-per-million-tokens",
    type=float,
    metavar="USD",
    help="One price for a million tokens of every kind, in place of --prices.",
)
@click.option(
    "--prices",
    type=click.Path(),
    metavar="FILE",
    help="JSON with the tokens of a wake-up (tokens: input, cached_input, output) and what a"
    " million of each cost (usd_per_million). Default: 86 % read from a cache; $3, $0.30 and"
    " $15.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="For the policy that wakes by chance."
)
@click.option(
    "--sweep",
    type=click.Path(),
    metavar="FILE.yml",
    help="Recalls, budgets, features, labels and seeds to try on several histories, all in FILE.",
)
@click.option(
    "--jobs", type=int, metavar="N", help="With --sweep: processes; as many as there are cores."
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="With --sweep: run on a Ray cluster: auto, local, HOST:PORT or ray://HOST:PORT.",
)
@click.option(
    "--out",
    type=click.Path(),
    metavar="DIR",
    help="With --sweep: where its table, its picture and what is done go; FILE-results beside it.",
)
@click.option("--report", type=click.Path(), metavar="FILE.html", help="Write the report here.")
@click.option("--png", type=click.Path(), metavar="FILE.png", help="Write the picture here.")
@click.option("--save", type=click.Path(), metavar="FILE.json", help="Keep the result.")
@click.option(
    "--compare",
    nargs=2,
    type=click.Path(),
    metavar="A.json B.json",
    help="Compare two kept results instead of replaying.",
)
@click.option(
    "--log",
    metavar="FILE",
    help="Replay a live gate's decisions: its file, or the state folder of `watch`.",
)
@click.option("--threshold", type=float, help="With --log: of every module.")
@click.option("--cooldown", type=float, metavar="S", help="With --log: seconds between wakes.")
@click.option("--wakes-per-hour", type=float, metavar="N", help="With --log: budget of all.")
@click.option(
    "--module-wakes-per-hour", type=float, metavar="N", help="With --log: budget of each module."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def replay(
    named: tuple[str, ...],
    sample: bool,
    repositories: tuple[str, ...],
    files: tuple[str, ...],
    warm: tuple[str, ...],
    incidents: bool,
    recall: float,
    budget: str | None,
    relevant: str | None,
    labels: str | None,
    features: str,
    since: str | None,
    until: str | None,
    limit: int | None,
    warm_up: int | None,
    all_commits: bool,
    tokens_per_wake: int | None,
    usd_per_million_tokens: float | None,
    prices: str | None,
    seed: int,
    sweep: str | None,
    jobs: int | None,
    ray: str | None,
    out: str | None,
    report: str | None,
    png: str | None,
    save: str | None,
    compare: tuple[str, str] | None,
    log: str | None,
    threshold: float | None,
    cooldown: float | None,
    wakes_per_hour: float | None,
    module_wakes_per_hour: float | None,
    as_json: bool,
) -> None:
    """Replay a history and see what would have woken the agent.

    Shows how many wake-ups a day each policy costs and how much of what mattered it catches:
    a heartbeat, a cheap one (55 minutes, 16 hours, a small model), waking on every change, the
    best one-line rule, chance, and the learned gate at the recall you ask for. Without any source,
    the repository you are in is replayed. PATH is a repository, or what OpenClaw or Claude Code
    kept: its folder, a project, or one session file; a turn mattered when the agent's own answer
    was more than a no-op.

    \b
      prefrontal replay
      prefrontal replay --sample
      prefrontal replay ~/project --recall 0.95 --report replay.html
      prefrontal replay --events windows.jsonl --json
      prefrontal replay ~/.openclaw
      prefrontal replay ~/.claude
      prefrontal replay --log ~/.local/state/prefrontal --threshold 0.5
      prefrontal replay --sweep sweep.yml
    """
    from ..sweeps.sweep import SweepOptions

    beside = SweepOptions(jobs, ray, out)
    if sweep is not None:
        from ...assembly.sweeps.sweep import history_sweep
        from ..sweeps.sweep import check_alone
        from ..sweeps.sweep import sweep as carry_out_sweep

        check_alone(click.get_current_context())
        carry_out_sweep(history_sweep(sweep), sweep, beside, as_json)
        return
    beside.check_absent("--sweep")
    policy = {
        "cooldown_s": cooldown,
        "wakes_per_hour": wakes_per_hour,
        "module_wakes_per_hour": module_wakes_per_hour,
    }
    sources = ReplaySources(sample, repositories, files, named)
    if log is not None:
        from ...replay.prices import read_prices
        from .log import replay_the_log

        if sources or compare is not None:
            raise InputError(
                "--log must come without PATH, --git, --events, --sample and --compare"
            )
        of_a_wake = None if prices is None else read_prices(prices)
        replay_the_log(log, threshold, policy, since, until, as_json, of_a_wake)
        return
    if threshold is not None or any(value is not None for value in policy.values()):
        raise InputError(
            "--threshold, --cooldown and the budgets must come with --log; to replay a history,"
            " ask for a --recall"
        )
    if compare is not None:
        if sources:
            raise InputError("--compare must come without PATH, --git, --events and --sample")
        compare_results(*compare, as_json)
        return
    from ...replay.prices import read_prices
    from ...replay.session import Request
    from ...settings.budget import parse_budget
    from ..page import progress

    _check_folders(report, png, save)
    request = Request(
        recall, relevant, features, since, until, limit, seed, tokens_per_wake, all_commits,
        usd_per_million_tokens, labels, warm_up, None if prices is None else read_prices(prices),
        None if budget is None else parse_budget(budget), warm, incidents,
    )  # fmt: skip
    if png is not None and len(sources) > 1:
        raise InputError("--png must come with one history: a picture shows one")
    with progress() as step:
        results = sources.replayed(request, step)
    output = ReplayOutput(results, sources.named, relevant, report is not None)
    for path in output.written(report, png, save):
        click.echo(f"Wrote {path}", err=True)
    if as_json:
        click.echo(json.dumps(output.plain()))
    else:
        output.show()


def _check_folders(*paths: str | None) -> None:
    """Before the work, not after it: what is to be written must have a folder."""
    for path in paths:
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise InputError(f"{path} must lie in a folder that exists")
