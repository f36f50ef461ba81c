"""The written parts of the report: headline, tables, lists; they read without any script."""

from __future__ import annotations

from collections.abc import Sequence

from .markup import escape, mark, row, table
from .reading import CurveReading, read_curve, share_fewer, times_fewer
from .report_lists import outcome_list
from .result import PolicyResult, ReplayResult
from .wording import (
    KIND_WORDS,
    NOTHING,
    headline,
    level,
    percent,
    policy_words,
    preset_words,
    promise_sentence,
    rate,
    than_heartbeat,
    than_on_change,
    tokens,
)

GLOSS = {"prefrontal": "what the threshold set from the past alone got"}
NO_SCRIPT = (
    '<noscript><p class="empty">The picture and the knob need JavaScript; the figures are below.'
    "</p></noscript>"
)


def summary(results: Sequence[ReplayResult], names: Sequence[str]) -> str:
    """The table on top when there are several replays: a row each."""
    heads = ("History", "Windows", "Days", "Mattered", "Asked, got", "Wake-ups a day",
             "Than heartbeat", "Than on change", "Tokens per useful wake-up", "AUC")  # fmt: skip
    rows = []
    for number, (result, name) in enumerate(zip(results, names, strict=True)):
        got = NOTHING if result.got_recall is None else f"{result.got_recall:.3f}"
        mattered = result.relevant / result.windows if result.windows else None
        cells = (
            f"{result.windows:,}",
            f"{result.days:,.0f}",
            percent(mattered),
            f"{result.asked_recall:.2f}, {got}",
            rate(result.wakes_per_day),
            than_heartbeat(times_fewer(result, result.wakes_per_day)),
            than_on_change(share_fewer(result, result.wakes_per_day)),
            tokens(result.tokens_per_useful_wake),
            NOTHING if result.auc is None else f"{result.auc:.3f}",
        )
        rows.append(row(f'<a href="#replay-{number}">{escape(name)}</a>', cells, heads[1:]))
    title = f"<h1>Wake-ups replayed on {len(results)} histories</h1>"
    return f'<header class="summary">{title}{table(heads, rows)}</header>'


def tabs(names: Sequence[str]) -> str:
    buttons = "".join(
        f'<button type="button" role="tab" id="tab-{number}" aria-controls="replay-{number}" '
        f'aria-selected="false" tabindex="-1">{escape(name)}</button>'
        for number, name in enumerate(names)
    )
    return f'<div class="tabs" role="tablist" aria-label="Histories" hidden>{buttons}</div>'


def replay_section(result: ReplayResult, name: str, number: int, several: bool) -> str:
    title = f"h{2 if several else 1}"
    what, savings, cost = headline(result)
    lede = ". ".join(filter(None, (savings, cost)))
    lede = f'<p class="lede">{_unbroken(lede[:1].upper() + lede[1:])}.</p>' if lede else ""
    return f"""<section class="replay" id="replay-{number}" aria-labelledby="title-{number}">
<p class="eyebrow">Wake-ups replayed on <b><bdi>{escape(name)}</bdi></b></p>
<{title} class="headline" id="title-{number}">{_unbroken(what)}.</{title}>
{lede}
<p class="promise">{escape(promise_sentence(result))}</p>
<p class="facts">{escape(_facts(result)).replace("AUC ", "AUC&nbsp;")}</p>
{_measured(result, number) if result.windows else ""}
{_method(result)}
</section>"""


def _measured(result: ReplayResult, number: int) -> str:
    missed = outcome_list("missed", result.misses, result.missed) if result.relevant else ""
    return f"""{_chart(result, number)}
{_strip(result)}
<h3>The policies side by side</h3>
{_policies(result)}
{missed}
{outcome_list("wasted", result.wasted, result.wasted_count)}"""


def _unbroken(text: str) -> str:
    """Large type, in which "wake-up" must not end a line after its hyphen."""
    return escape(text).replace("-up", "\u2011up")


def _facts(result: ReplayResult) -> str:
    if not result.windows:
        return f"{result.warmup:,} windows went into the warm-up."
    auc = f" AUC {result.auc:.3f}." if result.auc is not None else ""
    return (
        f"{result.windows:,} windows over {result.days:,.0f} days, after {result.warmup:,} to warm "
        f"up. {result.relevant:,} of them ({percent(result.relevant / result.windows)}) mattered: "
        f"a window matters when {preset_words(result.preset)}.{auc}"
    )


def _chart(result: ReplayResult, number: int) -> str:
    reading = read_curve(result, result.asked_recall)
    if reading is None:
        why = "no window mattered" if not result.relevant else "the windows span no time"
        return f'<p class="empty">There is no curve to draw: {why}.</p>'
    keys = [("curve", "Learned gate, every threshold", "the curve, in hindsight")]
    keys += [(each.name, policy_words(each), each.detail) for each in result.policies]
    keys = [(kind, label, detail or GLOSS.get(kind, "")) for kind, label, detail in keys]
    known = {"heartbeat", "on_change", "rule", "random", "prefrontal"}
    legend = "".join(
        f"<li>{_key(kind if kind in known | {'curve'} else 'other')}<span>{escape(label)}"
        + (f" <small><bdi>{escape(detail)}</bdi></small>" if detail else "")
        + "</span></li>"
        for kind, label, detail in keys
    )
    return f"""<h3>What catching more costs</h3>
<div class="bench">
<figure class="chart" data-chart><div class="canvas"></div>{NO_SCRIPT}</figure>
{_readout(reading, result, number)}
<ul class="legend">{legend}</ul>
</div>"""


def _key(kind: str) -> str:
    return '<i class="line" aria-hidden="true"></i>' if kind == "curve" else mark(kind)


def _readout(reading: CurveReading, result: ReplayResult, number: int) -> str:
    fields = (
        ("wakes", "wake-ups a day", rate(reading.wakes_per_day)),
        ("share", "of windows woken", percent(reading.share_woken, 1)),
        ("useful", "tokens per useful wake-up", tokens(reading.tokens_per_useful_wake)),
        ("daily", "tokens a day", tokens(reading.tokens_per_day)),
        ("heartbeat", "than a heartbeat", than_heartbeat(reading.times_fewer)),
        ("change", "than waking on every change", than_on_change(reading.share_fewer)),
    )
    rows = "".join(
        f'<div><dt>{label}</dt><dd data-out="{key}">{escape(value)}</dd></div>'
        for key, label, value in fields
    )
    asked = f"{result.asked_recall:.2f}"
    return f"""<aside class="readout" data-readout aria-label="What the curve reads at the knob">
<label for="knob-{number}">Catch this much of what matters</label>
<output data-out="recall" for="knob-{number}">{escape(level(reading.recall))}</output>
<input id="knob-{number}" type="range" min="5" max="100" step="0.5" \
value="{reading.recall * 100:.1f}" data-knob disabled>
<dl>{rows}</dl>
<p>{mark("knob")} The knob reads the curve in hindsight, with every score known.</p>
<p>{mark("prefrontal")} The dot is what the threshold set from the past alone really got when
asked for {asked}.</p>
</aside>"""


def _strip(result: ReplayResult) -> str:
    if not result.strip:
        return ""
    legend = "".join(
        f"<li>{mark(kind)}<span>{words[:1].upper()}{words[1:]}</span></li>"
        for kind, words in KIND_WORDS.items()
    )
    count = len(result.strip)
    which = f"The last {count:,} windows" if count < result.windows else f"All {count:,} windows"
    return f"""<h3>{which if count > 1 else "The last window"}</h3>
<figure class="strip" data-strip aria-label="{which}: score and what came of it">
<figcaption><ul class="legend">{legend}<li><i class="line dashed" aria-hidden="true"></i>\
<span>Threshold at that moment</span></li></ul></figcaption>
<div class="canvas"></div></figure>"""


def _policies(result: ReplayResult) -> str:
    if not result.policies:
        return '<p class="empty">No policy was tried.</p>'
    heads = ("Policy", "Caught", "Wake-ups a day", "Windows woken", "Wake-ups that mattered",
             "Tokens per useful wake-up")  # fmt: skip
    return table(heads, [_policy_row(each, heads[1:]) for each in result.policies])


def _policy_row(policy: PolicyResult, heads: Sequence[str]) -> str:
    detail = f" <small><bdi>{escape(policy.detail)}</bdi></small>" if policy.detail else ""
    cells = (
        percent(policy.recall, 1),
        rate(policy.wakes_per_day),
        percent(policy.share_woken, 1),
        percent(policy.precision, 1),
        tokens(policy.tokens_per_useful_wake),
    )
    ours = ' class="ours"' if policy.name == "prefrontal" else ""
    return row(escape(policy_words(policy)) + detail, cells, heads, ours)


def _method(result: ReplayResult) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    return f"""<footer class="method">
<h3>How this was computed</h3>
<p>The windows pass once, in order of time. The gate scores each window first and learns from it
afterwards, so no figure knows the future. The first 20&nbsp;% only warm it up and count nowhere.
The threshold follows from the scores of the relevant windows before it, for the recall asked. A
wake-up is taken to cost {result.tokens_per_wake:,} tokens. The replay took
{result.seconds:.2f}&nbsp;s.</p>
<h3>What it cannot tell</h3>
<ul><li>Whether the agent would have done something useful: "mattered" here means that
{escape(preset_words(result.preset))}, which only stands in for it.</li>
<li>What will happen once the history changes its habits; the interval covers chance, not that.</li>
<li>What an agent never learns in live use: here every window has its label, also those slept
through.</li>{notes}</ul>
</footer>"""
