"""A backtest in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plural import many, noun

if TYPE_CHECKING:
    from rich.console import Console

    from .metrics import Auc
    from .result import BacktestResult, FarmingFigures


def print_backtest(result: BacktestResult, console: Console) -> None:
    """Headline and figures, in the words of the page docs/cortex.md."""
    from rich.table import Table
    from rich.text import Text

    console.print(Text(headline(result), style="bold"))
    console.print(Text(setting(result), style="dim"))
    console.print()
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for name, value in rows(result):
        table.add_row(Text(name, style="dim"), Text(value))
    console.print(table)


def headline(result: BacktestResult) -> str:
    """What matters most, in a sentence."""
    turncoats = result.turncoats
    if result.asked and result.failed == result.asked:
        return f"No answer could be used: {result.failure}"
    if not turncoats.peers:
        return f"{many(result.cycles, 'cycle')} on {many(result.ratings, 'rating')}; nobody turned"
    if turncoats.cycles is None:
        return f"None of {many(turncoats.peers, 'turncoat')} was noticed"
    turned = many(turncoats.peers, "turncoat was", "turncoats were")
    return (
        f"{turncoats.peers - turncoats.missed} of {turned} noticed, "
        f"within {_cycles(turncoats.cycles)} as a rule"
    )


def setting(result: BacktestResult) -> str:
    """How it was replayed."""
    options = result.options
    minutes = options.schedule_minutes
    parts = [
        f"{many(result.ratings, 'rating')} of {many(result.peers, 'peer')}",
        f"clamp {options.clamp}",
        "no hourly cap" if options.per_hour is None else f"at most {options.per_hour} an hour",
        f"policy {options.policy}",
        f"a cycle every {options.batch} ratings"
        if options.batch > 1
        else "a cycle for each rating",
        *([f"or {minutes:g} {noun(minutes, 'minute')}"] if options.timer else []),
        *(["or when farming is suspected"] if options.farming else []),
        f"reflector {options.reflector}" + (f" ({result.model})" if result.model else ""),
        *(["stopped before the end"] if result.stopped else []),
    ]
    return ", ".join(parts)


def rows(result: BacktestResult) -> list[tuple[str, str]]:
    """(name, figure) of each line of the table."""
    turncoats = result.turncoats
    lines = [
        ("fraud against benign, AUC at the end", auc_text(result.separation)),
        *([("  without ratings by trusted peers", auc_text(u))] if (u := result.untrusted) else []),
        *(
            (f"  after {many(ratings, 'rating')}", auc_text(auc))
            for ratings, auc in result.first.items()
        ),
        ("turncoats never distrusted", f"{turncoats.missed} of {turncoats.peers}"),
    ]
    if turncoats.cycles is not None and turncoats.days is not None:
        days = f"{turncoats.days:.2g}"
        lag = f"{_cycles(turncoats.cycles)}, {days} {noun(float(days), 'day')}"
        lines.append(("  until trust is -3, median", lag))
    if result.lies is not None:
        lies = result.lies
        cost = f"costs {lies.drop:.1f}, turns {lies.flipped} of {lies.peers} negative"
        lines.append(("one lie about a benign peer", cost))
    if result.false_alarms is not None:
        lines.append(("benign peers ever at -3 or below", str(result.false_alarms)))
    if result.options.farming:
        lines.append(("farming suspected", _farming(result.farming)))
    triggers = ", ".join(f"{name} {count:,}" for name, count in result.triggers.items())
    return [
        *lines,
        ("tempo before the first very bad rating, AUC", auc_text(result.farming.tempo)),
        ("very bad ratings that met a caution", f"{result.warned:,} of {result.very_bad:,}"),
        ("cycles", f"{result.cycles:,} ({triggers})"),
        ("tokens", f"{result.tokens:,}"),
        *([("questions without a usable answer", _failed(result))] if result.asked else []),
        ("seconds", f"{result.seconds:.1f}"),
    ]


def _cycles(count: float) -> str:
    return f"{count:g} {noun(count, 'cycle')}"


def _failed(result: BacktestResult) -> str:
    count = f"{result.failed:,} of {result.asked:,}"
    return f"{count}; the last: {result.failure}" if result.failed else count


def _farming(farming: FarmingFigures) -> str:
    of_all = f"{farming.fired} of {many(farming.peers, 'peer')} with 5 ratings or more"
    frauds = f"{farming.frauds_fired} of {many(farming.frauds, 'fraud')}"
    return f"{of_all}: {frauds}, {farming.benign_fired} of {farming.benign} benign"


def auc_text(auc: Auc | None) -> str:
    """An AUC with its interval, or why there is none."""
    if auc is None:
        return "needs labels of both kinds"
    return f"{auc.value:.3f} ({auc.low:.3f} to {auc.high:.3f}; {auc.frauds} and {auc.benign})"
