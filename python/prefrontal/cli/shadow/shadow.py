"""`prefrontal shadow`: what a watch that wakes nobody would have cost, caught and delayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...plain_text import visible
from ...plural import many
from ..answers import answer, json_option
from ..decisions.answerable import ID_LENGTH
from ..paths import home_short, shell_word
from ..state import state_options

if TYPE_CHECKING:
    from ...assembly.shadow.report import ShadowPolicy, ShadowReport
    from ...decisions.log import DecisionLog
    from ...replay.report.table import Page
    from ...storage.state_folder import StateFolder

MOST_SHOWN = 5

EPILOG = """\
What mattered is known from the repositories that were adopted and from your own word: `prefrontal
feedback --state STATE/shadow ID useful`. The shadow's other decisions are there, too: `prefrontal
decisions`, `explain` and `dash` take that --state."""


@click.command(epilog=EPILOG)
@click.option("--prices", metavar="FILE", help="Prices and size of a wake-up, as for `replay`.")
@click.option("--forget", is_flag=True, help="End it: delete what it decided and learned.")
@click.option("--yes", is_flag=True, help="With --forget: ask nothing.")
@state_options
@json_option
def shadow(
    prices: str | None,
    forget: bool,
    yes: bool,
    state: StateFolder,
    as_json: bool,
) -> None:
    """What `prefrontal watch --shadow` would have cost, caught and delayed so far.

    Beside waking on every signal, a 30-minute heartbeat and a cheap one. Says when the time was too
    short. `prefrontal adopt --shadow` switches it on.

    \b
      prefrontal watch --config prefrontal.yml --shadow    # beside the heartbeat, for a day
      prefrontal shadow
      prefrontal adopt --shadow
    """
    from ...assembly.shadow.adoption import shadow_log
    from ...assembly.shadow.report import shadow_report
    from ...clock import SystemClock
    from ...replay.prices import USUAL_PRICES, read_prices

    if forget:
        _forget(state, yes or as_json, as_json)
        return
    money = USUAL_PRICES if prices is None else read_prices(prices)
    with shadow_log(state) as (log, mark):
        runs = state.shadow.is_watched()
        report = shadow_report(log, mark, SystemClock().now(), money, runs=runs)
        if as_json:
            answer(True, report.to_dict() | {"state": str(state.path), "running": runs}, "")
            return
        _print(report, state, runs, log)


def _forget(state: StateFolder, agreed: bool, as_json: bool) -> None:
    from ...assembly.shadow.adoption import forget_shadow, shadow_log
    from ...standard_input import is_terminal

    with shadow_log(state):
        pass
    if not (agreed or is_terminal()):
        raise InputError("shadow --forget must be asked from a terminal; --yes asks nothing")
    if not agreed and not click.confirm("Delete what the shadow decided and learned?"):
        click.echo("Nothing was deleted.")
        return
    with state.shadow.watched():
        forget_shadow(state)
    place = home_short(str(state.shadow.path))
    answer(as_json, {"forgotten": str(state.shadow.path)}, f"Deleted {visible(place, 500)}.")


def _print(report: ShadowReport, state: StateFolder, runs: bool, log: DecisionLog) -> None:
    from rich.console import Console

    from ...replay.report.table import Page
    from ...replay.report.tiles import caught_words
    from ...replay.report.wording import days_words, moment

    page = Page(Console(highlight=False))
    place, figures = visible(home_short(str(state.path)), 200), report.figures
    since = f"since {moment(report.began)} UTC"
    page.say(f"Shadow of {place}: {days_words(report.hours / 24)} {since}"
             f"{', still running' if runs else ''}. Nobody was woken.", "bold")  # fmt: skip
    often = f"{many(figures.wakes, 'time')}, {many(figures.audits, 'audit')} among them"
    page.say(f"{many(figures.signals, 'signal')} came; it would have asked {often}.")
    page.gap()
    heads = ("Policy", "Caught", "Wake-ups", "A day", "Delay", "So far", "A month")
    page.table(heads, list(map(_row, report.policies)), bold=0)
    page.gap()
    if figures.caught is not None:
        page.say(f"Caught: {caught_words(figures.caught)}.", "dim")
    if report.delayed:
        of = "mattered" if report.is_known else "it would have asked about"
        page.say(f"Delay: of the {many(report.delayed, 'window')} that {of}.", "dim")
    page.say(f"Cheap one: {report.policies[-1].detail}.", "dim")
    for note in report.notes:
        page.say(f"Note: {note}", "yellow")
    _print_asked(log, report, state, page)
    page.gap()
    page.say("Switch it on:", "bold")
    _print_command("prefrontal adopt --shadow", page)


def _print_command(command: str, page: Page) -> None:
    """Whole, so that it can be copied."""
    page.console.print(f"    {command}", markup=False, highlight=False, soft_wrap=True)


def _print_asked(log: DecisionLog, report: ShadowReport, state: StateFolder, page: Page) -> None:
    from ...replay.report.wording import moment

    questions = log.recent(MOST_SHOWN, acted=True, since=report.began)
    if not questions:
        return
    page.gap()
    page.say("It would have asked last:", "bold")
    for each in questions:
        question = visible(each.question or "", 200)
        when = f"{moment(each.time)}  {each.id[:ID_LENGTH]}"
        page.say(f"{when}  {visible(each.subject, 24)}: {question}", indent=2)
    place = shell_word(str(state.shadow.path))
    page.say("Say what of it matters:", indent=2)
    _print_command(f"prefrontal feedback --state {place} ID useful", page)


def _row(policy: ShadowPolicy) -> tuple[str, ...]:
    from ...replay.report.plain_figures import how_often, usd, waits
    from ...replay.report.wording import percent

    names = {
        "prefrontal": "The gate",
        "on_change": "Every signal",
        "heartbeat": "Heartbeat, 30 min",
        "cheap_heartbeat": "Cheap one, 55 min",
    }
    return (
        names[policy.name],
        percent(policy.recall),
        f"{policy.wakes:,}",
        how_often(policy.wakes_per_day),
        waits(policy.delay_minutes, policy.delay_p90_minutes),
        usd(policy.usd),
        usd(policy.usd_a_month),
    )
