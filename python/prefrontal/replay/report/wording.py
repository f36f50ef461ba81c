"""The words of a replay, shared by the terminal, the report and the picture."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from math import floor, log10
from typing import TYPE_CHECKING

from ...plural import many
from ..presets.globs import globs_in
from ..presets.kinds import REPAIRS

if TYPE_CHECKING:
    from ..result import Outcome, PolicyResult, ReplayResult

NOTHING = "–"
BASE_RATE_RULE = "**"
NO_RULE = "No one-line rule beats chance here."
POLICY_WORDS = {
    "prefrontal": "Learned gate",
    "by_recall": "Asked by recall",
    "on_change": "Every change",
    "heartbeat": "Heartbeat",
    "cheap_heartbeat": "Cheap heartbeat",
    "rule": "Best one-line rule",
    "random": "By chance",
}
_HEARTBEATS = {"heartbeat": "Heartbeat", "cheap_heartbeat": "Cheap one"}
"""In a narrow column, where the one stands under the other."""
REPAIR_WORDS = "its message speaks of a fix, bug, regression, crash, security or a revert"
_COMMITS = "in a repository, a commit that changes files"
_WINDOWS = {"events": "each line of the file", "sessions": "an answered turn of the agent"}
"""What a window is in a history of that origin; `_COMMITS` in any other."""
KIND_WORDS = {
    "caught": "woke and it mattered",
    "wasted": "woke for nothing",
    "slept": "slept through",
    "missed": "missed",
}


def printable(text: str, limit: int = 0) -> str:
    """`text` on one line that cannot steer a terminal, a page or the direction of reading.

    Control, bidirectional, zero-width and unpaired surrogate characters go; white space becomes
    single spaces. limit: longest length, 0 for none; what is cut ends in an ellipsis.
    """
    spaced = " ".join(text.split())
    visible = "".join(c for c in spaced if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return visible if not limit or len(visible) <= limit else visible[: limit - 1].rstrip() + "…"


def half_up(value: float, places: int = 0) -> Decimal:
    """`value` rounded with ties away from zero, as the report's script rounds."""
    if abs(value) > 1e20:
        return Decimal(value)
    return Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def percent(share: float | None, digits: int = 0) -> str:
    """A share as "90 %"; never "100 %" or "0 %" for what is only nearly so."""
    if share is None:
        return NOTHING
    value = share * 100
    for places in range(digits, 4):
        text = f"{half_up(value, places)}"
        if float(text) not in {0.0, 100.0} or float(text) == value:
            return f"{text} %"
    return "under 0.001 %" if value < 50 else "over 99.999 %"


def level(recall: float) -> str:
    """A recall that was asked for, as precisely as anybody asks: "90 %", "92.5 %"."""
    return f"{recall * 100:.3g} %"


def rate(per_day: float | None) -> str:
    """Wake-ups a day with two or three figures: 0.0034, 0.52, 1.06, 12.5, 48, 250."""
    if per_day is None:
        return NOTHING
    if 0 < per_day < 0.001:
        return "under 0.001"
    if per_day >= 100 or per_day == int(per_day):
        return f"{half_up(per_day):,}"
    if per_day >= 10:
        return f"{half_up(per_day, 1)}".removesuffix(".0")
    return f"{half_up(per_day, 2)}" if per_day >= 0.1 else f"{per_day:.2g}"


def times(factor: float | None) -> str:
    """A factor with two figures below ten: 1.4×, 93×, 1,240×."""
    if factor is None:
        return NOTHING
    return f"{half_up(factor):,}×" if factor >= 9.95 else f"{half_up(factor, 1)}×"


def tokens(count: float | None) -> str:
    """Tokens rounded to three figures, 178,000 rather than 178,432."""
    if count is None:
        return NOTHING
    return f"{half_up(count, 2 - floor(log10(count)) if count >= 1 else 0):,.0f}"


def than_heartbeat(factor: float | None) -> str:
    """The saving against the heartbeat as "93× fewer"."""
    if factor is None or factor <= 0:
        return NOTHING
    return f"{times(factor)} fewer" if factor >= 1 else f"{times(1 / factor)} more"


def than_on_change(saved: float | None) -> str:
    """The saving against waking on every change as "49 % fewer"."""
    if saved is None:
        return NOTHING
    return f"{percent(saved)} fewer" if saved >= 0 else f"{percent(-saved)} more"


def spared_words(saved: float | None) -> str:
    """The same for a table: "61 %", or what is woken more, "39× more"."""
    if saved is None:
        return NOTHING
    if saved >= 0:
        return percent(saved)
    return f"{percent(-saved)} more" if saved > -0.5 else f"{times(1 - saved)} as many"


def days_words(days: float) -> str:
    """A length of time: "2,595 days", "36 hours", "less than 2 hours"."""
    if days >= 2:
        return f"{half_up(days):,} days"
    hours = half_up(days * 24)
    return f"{hours} hours" if hours >= 2 else "less than 2 hours"


def facts_sentence(result: ReplayResult) -> str:
    """How much was replayed, and what mattered in it."""
    if not result.windows and not result.warmup:
        return f"0 windows; {_WINDOWS.get(result.origin, _COMMITS)} is one."
    if not result.windows:
        of_all = "the one window" if result.warmup == 1 else f"all {result.warmup:,} windows"
        return f"{of_all} went into the warm-up."
    windows = many(result.windows, "window")
    measured = f"{windows} over {days_words(result.days)}, after {result.warmup:,} to warm up."
    if not result.relevant:
        return measured
    return (
        f"{measured} {result.relevant:,} ({percent(result.relevant / result.windows)}) mattered: "
        f"a window matters when {preset_words(result.preset)}."
    )


def promise_sentence(result: ReplayResult) -> str:
    """What was asked, what came, within which interval, and what that promises."""
    measured = f"Asked to catch {level(result.asked_recall)}"
    if result.budget is not None:
        measured = f"Asked for at most {result.budget.asked} (the most was {result.budget.most:,})"
    if result.got_recall is not None and not counts_incidents(result):
        measured += f", caught {percent(result.got_recall, 1)}"
        if result.recall_interval is not None:
            low, high = result.recall_interval
            measured += f" (90 % interval {percent(low, 1)} to {percent(high, 1)})"
    return f"{measured}. {printable(result.promise)}".rstrip()


def _warm_up_words(result: ReplayResult) -> str:
    if result.budget is None:
        return "In the warm-up everything woke."
    return "The budget held in the warm-up, too."


def asked_words(result: ReplayResult) -> str:
    """What was asked for: a recall, or a budget."""
    return level(result.asked_recall) if result.budget is None else result.budget.asked


def labels_sentence(result: ReplayResult) -> str:
    """Of which windows the gate learned whether they mattered."""
    if result.labels == "asked":
        audits = many(result.audits, "audit")
        return (
            "Labels as a live gate gets them, of what it asks about: what woke it, with "
            f"{audits} of what slept. {_warm_up_words(result)}"
        )
    if result.origin in ("git", "sample"):
        return "Labels of every window: the history itself says what mattered, as it does live."
    return (
        "Labels of every window, also of those slept through, which live nobody gives: see"
        " --labels asked."
    )


def compared_sentence(result: ReplayResult) -> str:
    """What the other labels would have given; empty where it was not tried or is the same."""
    other = result.compared
    if other is None:
        return ""
    own = (percent(result.got_recall, 1), rate(result.wakes_per_day))
    its = (percent(other.recall, 1), rate(other.wakes_per_day))
    if own == its:
        return ""
    every, few = (its, own) if result.labels == "asked" else (own, its)
    return (
        f"With every label {every[0]} caught at {every[1]} wake-ups a day; with only what is asked"
        f" {few[0]} at {few[1]}."
    )


def is_base_rate(policy: PolicyResult) -> bool:
    """Whether it is the rule that matches whatever has a file: no rule told more than chance."""
    return policy.name == "rule" and policy.detail == BASE_RATE_RULE


def shown_policies(result: ReplayResult) -> list[PolicyResult]:
    """The policies in the order of what a person compares; the base rate is no rule of its own.

    Where incidents count, those of which nobody counted how many they tell of are left out.
    """
    order = list(POLICY_WORDS)
    rows = [each for each in result.policies if not is_base_rate(each)]
    if counts_incidents(result):
        rows = [each for each in rows if each.name == "prefrontal" or each.recall == 1]
    return sorted(
        rows, key=lambda each: order.index(each.name) if each.name in order else len(order)
    )


def counts_incidents(result: ReplayResult) -> bool:
    """Whether bursts were asked about: then an incident is what is caught, not each window."""
    return result.incidents is not None and result.budget is not None


def caught_share(result: ReplayResult, policy: PolicyResult, digits: int = 0) -> str:
    """What a policy caught: a share of what mattered, or of the incidents."""
    if result.incidents is None or not counts_incidents(result):
        return percent(policy.recall, digits)
    total = result.incidents.total
    number = result.incidents.told if policy.name == "prefrontal" else total
    return f"{number:,} of {total:,}"


def has_rule(result: ReplayResult) -> bool:
    """Whether one of the policies is a rule that told more than chance."""
    return any(each.name == "rule" and not is_base_rate(each) for each in result.policies)


def rule_sentence(result: ReplayResult) -> str:
    """What the best one-line rule is, or that there is none; empty when none was looked for."""
    rule = result.policy("rule")
    if counts_incidents(result):
        return ""
    if not has_rule(result):
        return NO_RULE if result.policies else ""
    if rule is None or not rule.detail:
        return ""
    return f"The one-line rule: {printable(rule.detail)}"


def counted_thing(result: ReplayResult) -> str:
    """What a window counts, for the words of its features."""
    return "event" if result.origin == "sessions" or result.preset == "noop" else "file"


def policy_words(policy: PolicyResult) -> str:
    """The policy's name for people; what it does is in its detail."""
    return POLICY_WORDS.get(policy.name, printable(policy.name))


def policy_line(policy: PolicyResult) -> str:
    """The policy's name where there is no room for its detail, but for what a name needs."""
    words = _HEARTBEATS.get(policy.name)
    if words is None or not policy.detail:
        return policy_words(policy)
    every = policy.detail.partition(",")[0].removeprefix("every ").replace("minutes", "min")
    return f"{words}, {printable(every, 7)}"


def preset_words(preset: str) -> str:
    """What "relevant" meant, as the end of the sentence "a window mattered when ..."."""
    name, _, rest = printable(preset).partition(":")
    known = {
        "path": _touch_words(rest),
        "message": REPAIR_WORDS if rest == REPAIRS else f"its message matches {rest}",
        "followup": "a later commit reverted or fixed it",
        "fixed-later": "a later fix changed lines that it wrote",
        "noop": "the agent's own reply was not empty",
        "recorded": "its record says so",
    }
    return known.get(name, f"its label said so ({printable(preset)})")


def _touch_words(globs: str) -> str:
    """ "it touched a or b, but not c" for "a,b,!c"."""
    parts = globs_in(globs)
    wanted = [part for part in parts if not part.startswith("!")]
    exceptions = [part.removeprefix("!") for part in parts if part.startswith("!")]
    touch = f"it touched {' or '.join(wanted)}"
    return f"{touch}, but not {' or '.join(exceptions)}" if exceptions else touch


def moment(time: float, pattern: str = "%Y-%m-%d %H:%M") -> str:
    """Unix seconds as text in UTC; the bare number when no calendar holds it."""
    try:
        return datetime.fromtimestamp(time, UTC).strftime(pattern)
    except (OverflowError, OSError, ValueError):
        return f"{time:g} s"


def axis_moments(outcomes: Sequence[Outcome]) -> list[str]:
    """A short time for each: the day, or the time of day when they span less than two days."""
    if not outcomes:
        return []
    short = outcomes[-1].time - outcomes[0].time < 2 * 86_400
    pattern = "%H:%M" if short else "%d %b %Y"
    return [moment(each.time, pattern).removeprefix("" if short else "0") for each in outcomes]


def paths_words(paths: Iterable[str], more: int) -> str:
    names = ", ".join(printable(path) for path in paths)
    return f"{names} and {more:,} more" if more else names


def short_key(key: str) -> str:
    """What to look a window up by: a commit's first ten figures, a line's file and number."""
    text = printable(key)
    if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text):
        return text[:10]
    return printable(re.split(r"[/\\]", text)[-1], 40)


def source_names(results: Iterable[ReplayResult]) -> list[str]:
    """A short name each: the last part of the path, so that no report tells where it was made."""
    names: list[str] = []
    for result in results:
        last = re.split(r"[/\\]", result.source.rstrip("/\\"))[-1]
        name = printable(last, 60) or "history"
        seen = sum(1 for each in names if each == name or each.startswith(f"{name} ("))
        names.append(f"{name} ({seen + 1})" if seen else name)
    return names
