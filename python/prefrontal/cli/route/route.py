"""`prefrontal route`: from a prompt to a validated, promoted tool."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...plain_text import one_line
from ...standard_input import is_terminal
from .options import mode_of, project_options, settings_of
from .tools import tools

if TYPE_CHECKING:
    from ...routing.run.route import Route


class RouteGroup(click.Group):
    """Takes a prompt where it finds no name of a subcommand."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = {*self.commands, "-h", "--help"}
        if args and args[0] not in known:
            args = ["prompt", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "[OPTIONS] PROMPT")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        prompt.format_options(click.Context(prompt, parent=ctx), formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=RouteGroup)
def route() -> None:
    """Route a prompt to a tool: select one, compose several, or have one written.

    \b
      prefrontal route "summarize this matrix for me"
      prefrontal route "summarize a matrix then plot it" --plan
      prefrontal route "summarize this matrix" --dry-run --explain

    Tools are Python files in workflows/domains/DOMAIN/ACTION/ and workflows/shared_tools/ACTION/
    with a docstring and run() or main(). They are read, never imported; before one is kept, it is
    checked by ruff and mypy, imported and called in a sandbox. One question is asked at most.
    """


@route.command(hidden=True)
@click.argument("words", metavar="PROMPT", nargs=-1, required=True)
@project_options
@click.option("--dry-run", is_flag=True, help="Route and validate; keep nothing.")
@click.option("--plan", "plan_only", is_flag=True, help="Print the plan; validate nothing.")
@click.option(
    "--non-interactive",
    is_flag=True,
    help="Ask nobody: keep it only with enough confidence, every score at least tau and a"
    " validation that passed.",
)
@click.option("--explain", "explained", is_flag=True, help="Features, weights, scores, ties.")
@click.option("--cache/--no-cache", default=None, help="Remember facts about files. [default: on]")
@click.option("--rag/--no-rag", default=None, help="Hints from docs/ and READMEs. [default: off]")
@click.option(
    "--allow-generated", is_flag=True, help="With --non-interactive: keep generated code."
)
@click.option("--allow-weak-sandbox", is_flag=True, help="Try modules without confinement, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a phase, as in the log.")
@click.pass_context
def prompt(ctx: click.Context, /, words: tuple[str, ...], **options: Any) -> None:
    """Route a prompt."""
    from ...assembly.router import build_layout, build_router
    from .output import Output
    from .person import Person

    mode = mode_of(options)
    settings, workflows = settings_of(options)
    layout = build_layout(settings, workflows)
    asks = mode.interactive and is_terminal()
    output = Output(options["explained"], options["as_json"], mode.plan_only, mode.dry_run, asks)
    router = build_router(
        settings,
        layout,
        operator=Person() if mode.interactive else None,
        show=output.show,
        waiting=output.waiting,
        tries=not mode.plan_only,
        allow_weak_sandbox=mode.allow_weak_sandbox,
    )
    if not mode.plan_only:
        output.before(router)
    leave(ctx, output.after(router.route(" ".join(words), mode)))


@route.command(short_help="Take up a route that was rejected, or list those that wait.")
@click.argument("route_id", metavar="[ROUTE_ID]", required=False)
@project_options
@click.option("--explain", "explained", is_flag=True, help="The steps of the validation, too.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Try modules without confinement, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a phase, as in the log.")
@click.pass_context
def resume(ctx: click.Context, /, route_id: str | None, **options: Any) -> None:
    """Take up a route that was rejected or did not pass: try its module again, ask again.

    A yes takes a no to a tool back. Without ROUTE_ID, the routes that wait.
    """
    from ...assembly.router import build_layout, build_router
    from ...routing.run.waiting_route import waiting_route
    from .output import Output, print_waiting
    from .person import Person

    settings, workflows = settings_of(options)
    layout = build_layout(settings, workflows)
    if route_id is None:
        print_waiting(layout, as_json=options["as_json"])
        return
    waiting = waiting_route(layout, route_id)
    mode = mode_of(options)
    output = Output(options["explained"], options["as_json"], asks=is_terminal())
    router = build_router(
        settings,
        layout,
        operator=Person(),
        show=output.show,
        waiting=output.waiting,
        allow_weak_sandbox=mode.allow_weak_sandbox,
    )
    leave(ctx, output.after(router.resume(waiting, mode)))


@route.command(short_help="Tell an old run again, from its log.")
@click.argument("run_id", metavar="RUN_ID")
@project_options
@click.option("--json", "as_json", is_flag=True, help="The events as they were logged.")
def explain(run_id: str, as_json: bool, **options: Any) -> None:
    """Tell an old run again, from its log: features, weights, scores, ties and every step.

    RUN_ID is the name of a folder below logs/runs, or any beginning of one.
    """
    from ...assembly.router import build_layout
    from ...routing.trace import read_trace
    from .output import Output

    settings, workflows = settings_of(options)
    layout = build_layout(settings, workflows)
    output = Output(True, as_json)
    events = read_trace(layout.run_log(_run(layout.logs / "runs", run_id)))
    for event in events.rows:
        output.show(event)
    for finding in events.findings:
        click.echo(f"Warning: {one_line(str(finding))}", err=True)


@route.command(short_help="Check the project against the rules of routing.")
@project_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a check.")
@click.pass_context
def audit(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Check this project and this program against the rules of routing; 5 when one is broken."""
    from ...assembly.router import build_layout
    from .audit import print_audit

    settings, workflows = settings_of(options)
    flags = {flag for each in prompt.params for flag in (*each.opts, *each.secondary_opts)}
    if not print_audit(build_layout(settings, workflows), settings, flags, as_json):
        ctx.exit(5)


@route.command(short_help="What each threshold is worth on your own tools.")
@project_options
@click.option(
    "--precision",
    type=float,
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="Of the phrasings that reach the suggested tau, how many are to be right.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def calibrate(precision: float, as_json: bool, **options: Any) -> None:
    """Rank each phrasing of your tools without it, and show what each threshold (tau) is worth.

    Phrasings are the prompts that were accepted and the `intents` of manifests. Nothing is
    changed: where a tau fits better, set routing.ranker.threshold. Prompts that mean no tool are
    not among them.
    """
    from .calibrate import print_calibration

    settings, workflows = settings_of(options)
    print_calibration(settings, workflows, precision, as_json=as_json)


route.add_command(tools)


def leave(ctx: click.Context, done: Route) -> None:
    """End with the exit code of the route."""
    if done.exit_code:
        ctx.exit(done.exit_code)


def _run(folder: Path, beginning: str) -> str:
    """The only run whose name begins so. Raises InputError."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    matches = [name for name in names if name.startswith(beginning)]
    exact = [name for name in matches if name == beginning]
    if len(exact or matches) == 1 and beginning:
        return (exact or matches)[0]
    rule = "name one run below logs/runs, or begin its name"
    known = f"; the latest is {names[-1]}" if names else "; there is none yet"
    raise InputError(f"run_id must {rule}, got {beginning!r}{known}")
