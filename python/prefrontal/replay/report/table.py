"""A replay in the terminal: verdict, gains, policies, last windows, misses, what to try next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...feature_words import reason_words
from ..reading import recall_at, share_fewer
from .comparison import caution, compare, comparison_sentence
from .gains import details, gains, month_of
from .incident_words import incident_line, incident_wait
from .next_steps import NextStep, next_steps
from .plain_figures import how_often, usd, waits
from .verdict import extrapolates, verdict
from .wording import (
    KIND_WORDS,
    NOTHING,
    asked_words,
    caught_share,
    counted_thing,
    counts_incidents,
    facts_sentence,
    moment,
    paths_words,
    percent,
    policy_line,
    printable,
    rule_sentence,
    short_key,
    shown_policies,
    source_names,
    spared_words,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ..incidents import Incidents
    from ..result import Outcome, PolicyResult, ReplayResult

GLYPHS = {"caught": "●", "wasted": "○", "slept": "·", "missed": "✗"}
STYLES = {"caught": "green", "wasted": "yellow", "slept": "dim", "missed": "bold red"}
SIGNS = {"good": "✔", "bad": "✘", "weak": "≈", "open": "?"}
TONES = {"good": "green", "bad": "red", "weak": "yellow", "open": "cyan"}
PLAIN = str.maketrans(
    {"─": "-", "●": "#", "○": "o", "·": ".", "✗": "X", "×": "x", "–": "-", "−": "-", "…": "~"}
    | {"✔": "+", "✘": "!", "≈": "~"}
    | dict(zip("▁▂▃▄▅▆▇█", "__--==##", strict=True))
)
STEPS = "▁▂▃▄▅▆▇█"
LISTED = 3
"""Windows of a kind that are listed; the report has the others."""

NARROW_NAME, NARROW_TEXT = 10, 30
"""Columns of names and of sentences that would be narrower than this get lines of their own."""

MOST_INCIDENTS = 50
"""Incidents that are listed by name."""

REASONS = 3
"""Reasons said of each."""


def print_result(
    result: ReplayResult,
    console: Console,
    place: str = "",
    relevant: str | None = None,
    has_report: bool = False,
) -> None:
    """Everything about one replay that fits a screen or two, the verdict first.

    place, relevant, has_report: what was replayed and asked for, as `next_steps` takes them.
    """
    page = Page(console)
    _print_opening(result, page)
    if result.relevant:
        _print_windows(result, page)
        for line in details(result):
            page.say(line, "dim")
    for note in result.notes:
        page.say(f"Note: {printable(note)}", "dim")
    if steps := next_steps(result, place, relevant, has_report):
        if result.relevant or result.notes or not result.windows or extrapolates(result):
            page.gap()
        _print_next(steps, page)


def _print_opening(result: ReplayResult, page: Page) -> None:
    """The verdict, what was replayed, and the policies where there are rates to compare."""
    _print_verdict(result, page)
    page.gap()
    page.say(f"{source_names([result])[0]}: {facts_sentence(result)}", "dim")
    if result.windows and not extrapolates(result):
        page.gap()
        _print_policies(result, page)


def _print_windows(result: ReplayResult, page: Page) -> None:
    """Curve, strip and single windows; of too little the strip alone; or incidents."""
    enough = verdict(result).tone != "open"
    if result.incidents is not None and counts_incidents(result):
        _print_incidents(result.incidents, page)
        return
    if enough:
        _print_curve(result, page)
    _print_strip(result, page)
    if result.incidents is not None:
        _print_incidents(result.incidents, page)
    elif enough:
        _print_outcomes("Missed", result.misses, result.missed, result, page)
        _print_outcomes("Woke for nothing", result.wasted, result.wasted_count, result, page)


def print_brief(result: ReplayResult, console: Console) -> None:
    """What fits one screen: the verdict, the policies and the last windows."""
    page = Page(console)
    _print_opening(result, page)
    if result.windows and result.relevant:
        _print_strip(result, page)


def print_many(results: Sequence[ReplayResult], console: Console) -> None:
    """One table with a row for each history, then the verdict on each."""
    page = Page(console)
    names = source_names(results)
    heads = ("History", "Mattered", "Caught", "Asked", "Wake-ups", "Spared", "A month")
    rows = [_many_row(result, name) for result, name in zip(results, names, strict=True)]
    page.table(heads, rows)
    for result, name in zip(results, names, strict=True):
        page.gap()
        _print_verdict(result, page, f"{name}: ", gained=False)


def print_comparison(first: ReplayResult, second: ReplayResult, console: Console) -> None:
    """Two replays, figure by figure, with a sentence on top that says which does better."""
    page = Page(console)
    names = source_names([first, second])
    page.say(comparison_sentence(first, second), "bold")
    if warning := caution(first, second):
        page.say(warning, "yellow")
    page.say(f"First: {names[0]}. Second: {names[1]}.", "dim")
    page.gap()
    rows = [(each.name, each.first, each.second, each.change) for each in compare(first, second)]
    page.table(("", "First", "Second", "Change"), rows)


class Page:
    """A console that shows texts as they are: no markup, and no signs its encoding lacks."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.plain = console.options.ascii_only

    def spell(self, text: str) -> str:
        return text.translate(PLAIN).encode("ascii", "replace").decode() if self.plain else text

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        self.say_parts([(text, style)], indent)

    def say_parts(self, parts: Sequence[tuple[str, str]], indent: int = 0) -> None:
        """(text, style) after (text, style), wrapped as one."""
        from rich.text import Text

        whole = Text()
        for text, style in parts:
            whole.append(self.spell(text), style)
        for line in whole.wrap(self.console, self.room(indent)):
            line.rstrip()
            self.console.print(Text(" " * indent) + line, highlight=False)

    def say_beside(self, head: str, text: str) -> None:
        """The head once, and the text in a column of its own; below it where that is narrow."""
        from rich.text import Text

        if self.console.width - len(head) < NARROW_TEXT:
            self.say(head.strip(), indent=2)
            self.say(text, indent=4)
            return
        for place, line in enumerate(
            Text(self.spell(text)).wrap(self.console, self.room(len(head)))
        ):
            line.rstrip()
            start = Text(head if place == 0 else " " * len(head))
            self.console.print(start + line, highlight=False)

    def gap(self) -> None:
        self.console.print()

    def room(self, indent: int) -> int:
        """How many characters fit a line behind the indent."""
        return max(NARROW_NAME, self.console.width - indent)

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], bold: int | None = None
    ) -> None:
        """Figures stand right, the first column left; `bold` is the row to set off.

        Where the figures leave the first column no room, each row is a paragraph.
        """
        from rich.table import Table
        from rich.text import Text

        if self.console.width - _width_of_figures(heads, rows) < NARROW_NAME:
            for place, (name, *cells) in enumerate(rows):
                self.say(name, "bold" if place == bold else "")
                figures = (f"{head} {cell}" for head, cell in zip(heads[1:], cells, strict=True))
                self.say("; ".join(figures), indent=2)
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for place, head in enumerate(heads):
            table.add_column(
                Text(self.spell(head)),
                justify="right" if place else "left",
                no_wrap=bool(place),
                overflow="fold",
                vertical="top",
            )
        for place, row in enumerate(rows):
            style = "bold" if place == bold else ""
            table.add_row(*(Text(self.spell(cell)) for cell in row), style=style)
        self.console.print(table)


def _width_of_figures(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Characters that all columns but the first take, with the gaps before them."""
    columns = list(zip(heads, *rows, strict=True))[1:]
    return sum(2 + max(len(cell) for cell in column) for column in columns)


def _print_verdict(result: ReplayResult, page: Page, name: str = "", gained: bool = True) -> None:
    decided = verdict(result)
    style = f"bold {TONES[decided.tone]}"
    title = (f"{SIGNS[decided.tone]} {decided.title}", style)
    page.say_parts([(name, ""), title, (f": {decided.reason}.", "" if name else "bold")])
    if gained:
        for against, words in gains(result):
            page.say_beside(f"  {against:22}", words)


def _print_policies(result: ReplayResult, page: Page) -> None:
    caught = "Incidents" if counts_incidents(result) else "Caught"
    heads = ("Policy", caught, "Wake-ups", "Spared", "Delay", "A month")
    rows = shown_policies(result)
    ours = next((i for i, each in enumerate(rows) if each.name == "prefrontal"), None)
    page.table(heads, [_policy_row(result, each) for each in rows], bold=ours)
    if result.relevant and (sentence := rule_sentence(result)):
        page.say(sentence, "dim")
    page.gap()


def _policy_row(result: ReplayResult, policy: PolicyResult) -> tuple[str, ...]:
    saved = share_fewer(result, policy.wakes_per_day)
    return (
        policy_line(policy),
        caught_share(result, policy, 1),
        how_often(policy.wakes_per_day),
        NOTHING if policy.name == "on_change" else spared_words(saved),
        waits(policy.delay_minutes, policy.delay_p90_minutes),
        usd(month_of(result, policy)),
    )


def _print_curve(result: ReplayResult, page: Page) -> None:
    """The recall curve as a row of blocks, from waking nothing to waking on everything."""
    if not result.curve:
        return
    label, end = "Caught, by windows woken: 0 % ", " 100 %"
    width = min(60, page.room(len(label) + len(end)))
    bars = "".join(
        STEPS[round(recall_at(result.curve, (place + 0.5) / width) * (len(STEPS) - 1))]
        for place in range(width)
    )
    page.say(f"{label}{bars}{end}")
    page.gap()


def _print_strip(result: ReplayResult, page: Page) -> None:
    if not result.strip:
        return
    count = len(result.strip)
    page.say("The last window:" if count == 1 else f"The last {count} windows, oldest first:")
    width = min(60, page.room(2))
    for start in range(0, len(result.strip), width):
        row = result.strip[start : start + width]
        page.say_parts([(GLYPHS[each.kind], STYLES[each.kind]) for each in row], indent=2)
    for pair in (("caught", "wasted"), ("slept", "missed")):
        parts = []
        for kind in pair:
            count = sum(each.kind == kind for each in result.strip)
            parts.append((f"{GLYPHS[kind]} ", STYLES[kind]))
            parts.append((f"{KIND_WORDS[kind]:20}{count:4}    ", ""))
        page.say_parts(parts, indent=2)
    page.gap()


def _print_incidents(incidents: Incidents, page: Page) -> None:
    """Each incident in place of its windows, of which there may be thousands."""
    page.say(f"Incidents ({incidents.told:,} of {incidents.total:,} told):", "bold")
    for each in incidents.each[:MOST_INCIDENTS]:
        kind = "missed" if each.delay_s is None else "caught"
        when = "never told" if each.delay_s is None else incident_wait(each.delay_s)
        words = f"{moment(each.began, '%Y-%m-%d %H:%M')}  {incident_line(each)}: {when}"
        page.say_parts([(f"{GLYPHS[kind]} ", STYLES[kind]), (words, "")], indent=2)
    if incidents.total > MOST_INCIDENTS:
        page.say(f"and {incidents.total - MOST_INCIDENTS:,} more", indent=2)
    page.gap()


def _print_outcomes(
    title: str, outcomes: Sequence[Outcome], total: int, result: ReplayResult, page: Page
) -> None:
    if not total:
        return
    listed = outcomes[:LISTED]
    which = f", the worst {len(listed)}" if len(listed) < total else ""
    page.say(f"{title} ({total:,}{which}):", "bold")
    for each in listed:
        page.say(
            f"{GLYPHS[each.kind]} {moment(each.time, '%Y-%m-%d')}  "
            f"{printable(each.text, page.room(16)) or '(no text)'}",
            indent=2,
        )
        where = f"{short_key(each.key)}  {paths_words(each.paths, each.more_paths)}"
        page.say(_cut(where, page.room(4)), "dim", indent=4)
        page.say(_why(each, counted_thing(result)), "dim", indent=4)
    page.gap()


def _why(outcome: Outcome, thing: str) -> str:
    """The score beside the threshold, and in words what pushed it there."""
    side = "below" if outcome.score < outcome.threshold else "at least"
    score = f"score {outcome.score:.2f}, {side} {outcome.threshold:.2f}"
    pushed = [
        f"{printable(words, 60)} {push:+.1f}".replace(" -", " −")
        for words, push in reason_words(outcome.why, thing)[:REASONS]
    ]
    return f"{score}: {'; '.join(pushed) or 'no reason recorded'}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


def _print_next(steps: Sequence[NextStep], page: Page) -> None:
    page.say("Try next:", "bold")
    for each in steps:
        page.say(f"{each.reason[:1].upper()}{each.reason[1:]}:", indent=2)
        page.console.print(f"    {page.spell(printable(each.command))}", markup=False,
                           highlight=False, soft_wrap=True)  # fmt: skip


def _many_row(result: ReplayResult, name: str) -> tuple[str, ...]:
    own = result.policy("prefrontal")
    return (
        name,
        f"{result.relevant:,} of {result.windows:,}",
        percent(result.got_recall, 1),
        asked_words(result),
        how_often(result.wakes_per_day),
        spared_words(share_fewer(result, result.wakes_per_day)),
        NOTHING if own is None else usd(month_of(result, own)),
    )
