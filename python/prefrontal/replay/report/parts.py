"""The written parts of the report under its first screen; they read without any script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..reading import CurveReading, read_curve, share_fewer
from .card import next_card, verdict_card
from .gains import details, month_of
from .incident_words import incident_wait
from .lists import outcome_list
from .markup import escape, mark, row, table
from .plain_figures import how_often, usd, waits
from .verdict import NOTHING_TO_MEASURE, extrapolates, verdict
from .wording import (
    KIND_WORDS,
    NOTHING,
    asked_words,
    caught_share,
    counts_incidents,
    has_rule,
    level,
    moment,
    percent,
    policy_words,
    preset_words,
    printable,
    rule_sentence,
    shown_policies,
    spared_words,
    than_heartbeat,
    than_on_change,
    tokens,
)

if TYPE_CHECKING:
    from ..incidents import Incidents
    from ..result import PolicyResult, ReplayResult
    from .next_steps import NextStep

KNOWN = {"heartbeat", "cheap_heartbeat", "on_change", "rule", "random", "prefrontal"}
MINOR = ("Mattered", "Asked", "Delay", "Useful")
"""Columns that a narrow window has no room for; the first screen says the delay."""

NO_SCRIPT = (
    '<noscript><p class="empty">The picture and the knob need JavaScript; the figures are below.'
    "</p></noscript>"
)


def summary(results: Sequence[ReplayResult], names: Sequence[str]) -> str:
    """The table on top when there are several replays: a row each."""
    heads = (
        "History",
        "Verdict",
        "Mattered",
        "Caught",
        "Asked",
        "Wake-ups",
        "Spared",
        "A\u00a0month",
    )
    rows = []
    for number, (result, name) in enumerate(zip(results, names, strict=True)):
        own = result.policy("prefrontal")
        cells = (
            verdict(result).title,
            f"{result.relevant:,} of {result.windows:,}",
            percent(result.got_recall),
            asked_words(result),
            how_often(result.wakes_per_day),
            spared_words(share_fewer(result, result.wakes_per_day)),
            NOTHING if own is None else usd(month_of(result, own)),
        )
        rows.append(row(f'<a href="#replay-{number}">{escape(name)}</a>', cells, heads[1:], MINOR))
    title = f"<h1>Wake-ups replayed on {len(results)} histories</h1>"
    return f'<header class="summary">{title}{table(heads, rows, MINOR)}</header>'


def tabs(names: Sequence[str]) -> str:
    buttons = "".join(
        f'<button type="button" role="tab" id="tab-{number}" aria-controls="replay-{number}" '
        f'aria-selected="false" tabindex="-1">{escape(name)}</button>'
        for number, name in enumerate(names)
    )
    return f'<div class="tabs" role="tablist" aria-label="Histories" hidden>{buttons}</div>'


def replay_section(
    result: ReplayResult, name: str, number: int, several: bool, steps: Sequence[NextStep]
) -> str:
    """One replay. steps: what to try next."""
    title, sub = ("h2", "h3") if several else ("h1", "h2")
    tone = verdict(result).tone
    return f"""<section class="replay {tone}" id="replay-{number}" aria-labelledby="title-{number}">
{verdict_card(result, name, number, title, steps)}
{_measured(result, number, sub) if result.windows else ""}
{next_card(steps, sub) if tone != "open" else ""}
{_method(result, sub)}
</section>"""


def _measured(result: ReplayResult, number: int, sub: str) -> str:
    """What there is to see; of too little neither the curve nor single windows."""
    decided = verdict(result)
    enough = decided.tone != "open"
    labels = decided.kind != NOTHING_TO_MEASURE
    title = "The policies side by side" if labels else "What each policy would cost"
    policies = f'<{sub} class="sub">{title}</{sub}>\n{_policies(result)}'
    if extrapolates(result):
        policies = ""
    happened = _what_happened(result, sub, enough)
    if counts_incidents(result):  # not each of their thousands of windows
        return "\n".join(filter(None, (*happened, policies)))
    parts = (
        _chart(result, number, sub) if enough else "",
        _strip(result, sub) if labels else "",
        policies,
        *happened,
    )
    return "\n".join(filter(None, parts))


def _what_happened(result: ReplayResult, sub: str, enough: bool) -> list[str]:
    """Incidents where the history names them, else the single windows that were decided wrongly."""
    if result.incidents is not None:
        return [_incidents(result.incidents, sub)]
    if not enough:
        return []
    return [
        outcome_list("missed", result.misses, result.missed, result, sub),
        outcome_list("wasted", result.wasted, result.wasted_count, result, sub),
    ]


def _incidents(incidents: Incidents, sub: str) -> str:
    heads = ("Incident", "Began", "Windows", "Told")
    rows = [
        row(
            mark("missed" if each.delay_s is None else "caught") + escape(printable(each.name, 60)),
            (
                moment(each.began, "%Y-%m-%d %H:%M"),
                f"{each.windows:,}",
                "never" if each.delay_s is None else incident_wait(each.delay_s),
            ),
            heads[1:],
            (),
        )
        for each in incidents.each
    ]
    title = f"Incidents: {incidents.told:,} of {incidents.total:,} told"
    return f'<{sub} class="sub">{title}</{sub}>\n{table(heads, rows, ())}'


def _chart(result: ReplayResult, number: int, sub: str) -> str:
    reading = read_curve(result, result.asked_recall)
    if reading is None:
        return '<p class="empty">There is no curve to draw: the windows span no time.</p>'
    keys = [("curve", "gate, any threshold")]
    keys += [(each.name, _key_words(each)) for each in shown_policies(result)]
    legend = "".join(f"<li>{_key(kind)}<span>{escape(label)}</span></li>" for kind, label in keys)
    return f"""<{sub} class="sub">What catching more costs</{sub}>
<div class="bench">
<figure class="chart" data-chart><div class="canvas"></div>{NO_SCRIPT}\
<figcaption><ul class="legend">{legend}</ul></figcaption></figure>
{_readout(reading, result, number)}
</div>"""


def _key_words(policy: PolicyResult) -> str:
    words = policy_words(policy)
    return "gate, as it ran" if policy.name == "prefrontal" else words[:1].lower() + words[1:]


def _key(kind: str) -> str:
    if kind == "curve":
        return '<i class="line" aria-hidden="true"></i>'
    return mark(kind if kind in KNOWN else "other")


def _readout(reading: CurveReading, result: ReplayResult, number: int) -> str:
    month = reading.tokens_per_day * 30 * result.usd_per_million_tokens / 1e6
    fields = (
        ("wakes", "wake-ups", how_often(reading.wakes_per_day)),
        ("change", "than every change", than_on_change(reading.share_fewer)),
        ("heartbeat", "than a heartbeat", than_heartbeat(reading.times_fewer)),
        ("month", "a month", usd(month)),
        ("share", "of windows woken", percent(reading.share_woken, 1)),
        ("useful", "tokens per useful wake-up", tokens(reading.tokens_per_useful_wake)),
    )
    rows = "".join(
        f'<div><dt>{label}</dt><dd data-out="{key}">{escape(value)}</dd></div>'
        for key, label, value in fields
    )
    return f"""<aside class="readout" data-readout aria-label="What the curve reads at the knob">
<label for="knob-{number}">Catch this much of what matters</label>
<output data-out="recall" for="knob-{number}">{escape(level(reading.recall))}</output>
<input id="knob-{number}" type="range" min="5" max="100" step="0.5" \
value="{reading.recall * 100:.1f}" data-knob disabled>
<dl>{rows}</dl>
<p>{mark("knob")} The ring reads the curve in hindsight, with every score known.</p>
<p>{mark("prefrontal")} The dot is what the gate got, its threshold set from the past alone.</p>
</aside>"""


def _strip(result: ReplayResult, sub: str) -> str:
    if not result.strip:
        return ""
    legend = "".join(
        f"<li>{mark(kind)}<span>{words}</span></li>" for kind, words in KIND_WORDS.items()
    )
    count = len(result.strip)
    which = f"The last {count:,} windows" if count < result.windows else f"All {count:,} windows"
    if count == 1:
        which = "The last window"
    return f"""<{sub} class="sub">{which}</{sub}>
<figure class="strip" data-strip aria-label="{which}: score and what came of it">
<figcaption><ul class="legend">{legend}<li><i class="line dashed" aria-hidden="true"></i>\
<span>threshold then</span></li></ul></figcaption>
<div class="canvas"></div></figure>"""


def _policies(result: ReplayResult) -> str:
    if not result.policies:
        return '<p class="empty">No policy was tried.</p>'
    caught = "Incidents" if counts_incidents(result) else "Caught"
    heads = ("Policy", caught, "Wake-ups", "Spared", "Delay", "Useful", "A\u00a0month")
    rows = [_policy_row(result, each, heads[1:]) for each in shown_policies(result)]
    sentence = "" if has_rule(result) or not result.relevant else rule_sentence(result)
    note = f'<p class="gloss">{escape(sentence)}</p>' if sentence else ""
    return table(heads, rows, MINOR) + note


def _policy_row(result: ReplayResult, policy: PolicyResult, heads: Sequence[str]) -> str:
    detail = f" <small><bdi>{escape(policy.detail)}</bdi></small>" if policy.detail else ""
    saved = share_fewer(result, policy.wakes_per_day)
    cells = (
        caught_share(result, policy),
        how_often(policy.wakes_per_day),
        NOTHING if policy.name == "on_change" else spared_words(saved),
        waits(policy.delay_minutes, policy.delay_p90_minutes),
        percent(policy.precision),
        usd(month_of(result, policy)),
    )
    ours = ' class="ours"' if policy.name == "prefrontal" else ""
    name = mark(policy.name if policy.name in KNOWN else "other") + escape(policy_words(policy))
    return row(name + detail, cells, heads, MINOR, ours)


def _method(result: ReplayResult, sub: str) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    figures = "".join(f"<li>{escape(line)}</li>" for line in details(result))
    return f"""<details class="method"><summary>Details: how this was computed, and what it cannot \
tell</summary>
<{sub} class="sub">Figures behind it</{sub}>
<ul>{figures}<li>Spared is against waking on every change; delay is the median and the 90th \
percentile from what mattered to the wake-up; useful is the share of wake-ups that found \
something.</li>{notes}</ul>
<{sub} class="sub">How this was computed</{sub}>
<p>The windows pass once, in order of time. The gate scores each window first and learns from it
afterwards, so no figure knows the future. The first 20&nbsp;% only warm it up and count nowhere.
The threshold follows from the scores of the relevant windows before it, for the recall asked. A
promise counts as kept when what was caught comes within 2 points of what was asked. The replay took
{result.seconds:.2f}&nbsp;s.</p>
<{sub} class="sub">What it cannot tell</{sub}>
<ul><li>Whether the agent would have done something useful: "mattered" here means that
{escape(preset_words(result.preset))}, which only stands in for it.</li>
<li>What will happen once the history changes its habits; the interval covers chance, not that.</li>
{_never_learned(result)}</ul>
</details>"""


def _never_learned(result: ReplayResult) -> str:
    """What is kinder here than live, where it is."""
    if result.labels == "asked" or result.origin in ("git", "sample"):
        return ""
    return (
        "<li>What an agent never learns in live use: here every window has its label, also those "
        "slept through.</li>"
    )
