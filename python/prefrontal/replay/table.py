"""A replay in the terminal: headline, policies, the last windows, misses and wasted wake-ups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .comparison import caution, compare, comparison_sentence
from .reading import recall_at, share_fewer, times_fewer
from .result import Outcome, ReplayResult
from .wording import (
    KIND_WORDS,
    headline_sentence,
    moment,
    paths_words,
    percent,
    policy_line,
    preset_words,
    printable,
    promise_sentence,
    rate,
    short_key,
    source_names,
    than_heartbeat,
    than_on_change,
    tokens,
)

if TYPE_CHECKING:
    from rich.console import Console

GLYPHS = {"caught": "●", "wasted": "○", "slept": "·", "missed": "✗"}
STYLES = {"caught": "green", "wasted": "yellow", "slept": "dim", "missed": "bold red"}
PLAIN = str.maketrans(
    {"─": "-", "●": "#", "○": "o", "·": ".", "✗": "X", "×": "x", "–": "-", "−": "-", "…": "~"}
    | dict(zip("▁▂▃▄▅▆▇█", "__--==##", strict=True))
)
STEPS = "▁▂▃▄▅▆▇█"
MISSES_SHOWN, WASTED_SHOWN = 5, 3


def print_result(result: ReplayResult, console: Console) -> None:
    """Everything about one replay that fits a screen or two."""
    page = Page(console)
    page.say(f"{source_names([result])[0]}: {_facts(result)}", "dim")
    page.gap()
    page.say(headline_sentence(result), "bold")
    page.say(promise_sentence(result))
    if not result.windows:
        return
    page.gap()
    _print_policies(result, page)
    _print_curve(result, page)
    _print_strip(result, page)
    _print_outcomes("Missed", result.misses[:MISSES_SHOWN], result.missed, page)
    _print_outcomes("Woke for nothing", result.wasted[:WASTED_SHOWN], result.wasted_count, page)
    for note in result.notes:
        page.say(f"Note: {printable(note)}", "dim")


def print_many(results: Sequence[ReplayResult], console: Console) -> None:
    """One table with a row for each history, then what can be promised for each."""
    page = Page(console)
    names = source_names(results)
    heads = (
        "History", "Mattered\nof windows", "Caught", "Wake-ups\na day", "Fewer than\nheartbeat",
        "Fewer than\non change", "Tokens per\nuseful one",
    )  # fmt: skip
    rows = [_many_row(result, name) for result, name in zip(results, names, strict=True)]
    page.table(heads, rows)
    for result, name in zip(results, names, strict=True):
        page.gap()
        page.say(f"{name}: {promise_sentence(result)}")


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
        from rich.text import Text

        for line in Text(self.spell(text), style=style).wrap(self.console, self.room(indent)):
            line.rstrip()
            self.console.print(Text(" " * indent) + line, highlight=False)

    def gap(self) -> None:
        self.console.print()

    def room(self, indent: int) -> int:
        """How many characters fit a line behind the indent."""
        return max(20, self.console.width - indent)

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], bold: int | None = None
    ) -> None:
        """Figures stand right, the first column left; `bold` is the row to set off."""
        from rich.table import Table
        from rich.text import Text

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


def _facts(result: ReplayResult) -> str:
    if not result.windows:
        return f"no windows left after {result.warmup:,} to warm up"
    auc = "" if result.auc is None else f"; AUC {result.auc:.3f}"
    return (
        f"{result.windows:,} windows over {result.days:,.0f} days, {result.relevant:,} "
        f"({percent(result.relevant / result.windows)}) mattered "
        f"({preset_words(result.preset)}){auc}"
    )


def _print_policies(result: ReplayResult, page: Page) -> None:
    heads = ("Policy", "Caught", "Wake-ups\na day", "Windows\nwoken", "Useful\nwake-ups",
             "Tokens per\nuseful one")  # fmt: skip
    rows = [
        (
            policy_line(each),
            percent(each.recall, 1),
            rate(each.wakes_per_day),
            percent(each.share_woken, 1),
            percent(each.precision, 1),
            tokens(each.tokens_per_useful_wake),
        )
        for each in result.policies
    ]
    ours = next((i for i, each in enumerate(result.policies) if each.name == "prefrontal"), None)
    page.table(heads, rows, bold=ours)
    rule = result.policy("rule")
    if rule and rule.detail:
        page.say(f"The one-line rule: {printable(rule.detail)}", "dim")
    page.gap()


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
    from rich.text import Text

    if not result.strip:
        return
    page.say(f"The last {len(result.strip)} windows, oldest first:")
    width = min(60, page.room(2))
    for start in range(0, len(result.strip), width):
        line = Text("  ")
        for each in result.strip[start : start + width]:
            line.append(page.spell(GLYPHS[each.kind]), STYLES[each.kind])
        page.console.print(line, highlight=False)
    for pair in (("caught", "wasted"), ("slept", "missed")):
        legend = Text()
        for kind in pair:
            count = sum(each.kind == kind for each in result.strip)
            legend.append(f"  {page.spell(GLYPHS[kind])} ", STYLES[kind])
            legend.append(f"{KIND_WORDS[kind]:20}{count:4}  ")
        legend.rstrip()
        page.console.print(legend, highlight=False)
    page.gap()


def _print_outcomes(title: str, shown: Sequence[Outcome], total: int, page: Page) -> None:
    if not total:
        return
    which = f", the worst {len(shown)}" if len(shown) < total else ""
    page.say(f"{title} ({total:,}{which}):", "bold")
    for each in shown:
        page.say(
            f"{GLYPHS[each.kind]} {moment(each.time, '%Y-%m-%d')}  "
            f"{printable(each.text, page.room(16)) or '(no text)'}",
            indent=2,
        )
        sign = "<" if each.score < each.threshold else ">="
        where = f"{short_key(each.key)}  {paths_words(each.paths, each.more_paths)}"
        page.say(_cut(where, page.room(4)), "dim", indent=4)
        why = ", ".join(f"{_feature(name)} {push:+.2f}" for name, push in each.why[:3])
        reason = (
            f"score {each.score:.2f} {sign} {each.threshold:.2f}; {why or 'no reason recorded'}"
        )
        page.say(reason.replace(" -", " −"), "dim", indent=4)
    page.gap()


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


def _feature(name: str) -> str:
    """A feature's name; the rule is spelled out above, so its own name is enough."""
    return "the rule" if name.startswith("rule ") else printable(name, 32)


def _many_row(result: ReplayResult, name: str) -> tuple[str, ...]:
    return (
        name,
        f"{result.relevant:,} of {result.windows:,}",
        percent(result.got_recall, 1),
        rate(result.wakes_per_day),
        than_heartbeat(times_fewer(result, result.wakes_per_day)).removesuffix(" fewer"),
        than_on_change(share_fewer(result, result.wakes_per_day)).removesuffix(" fewer"),
        tokens(result.tokens_per_useful_wake),
    )
