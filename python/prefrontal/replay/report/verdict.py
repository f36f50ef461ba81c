"""Whether the gate is worth it on a history, in one word and one sentence.

The first that holds of:

- nothing to measure: no window was left after the warm-up, or none of them mattered;
- too early to tell: so few windows mattered that the 90 % interval is wider than 20 points;
- not worth it: nothing tells what matters. Every window mattered, or the scores put what mattered
  before the rest no better than chance would (one-sided rank test at 5 %);
- too early to tell: the scores tell, but too little was known to sleep: (nearly) all woke;
- promise not kept: the recall is below the asked one by more than 2 points;
- worth little: fewer than one wake-up in five is spared against waking on every change, or no more
  is caught than chance would catch with as many wake-ups (the recall's interval reaches down to the
  share woken);
- within a budget, which is always kept: worth it where more is caught than chance would catch with
  as many wake-ups and, of incidents, at least half were told of, else worth little;
- worth it: what remains. The promise was kept, and the gate adds something to it. Where a one-line
  rule caught as much (within a point) with as few wake-ups, that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from ..reading import share_fewer
from .plain_figures import wake_ups
from .wording import has_rule, level, percent, preset_words

if TYPE_CHECKING:
    from ..result import BudgetUse, ReplayResult

WORTH_IT = "worth_it"
WORTH_LITTLE = "worth_little"
NOT_KEPT = "promise_not_kept"
NOT_WORTH_IT = "not_worth_it"
TOO_EARLY = "too_early"
NOTHING_TO_MEASURE = "nothing_to_measure"

TOLERANCE = 0.02
"""How far the recall may stay below the asked one for the promise to count as kept."""

AS_MUCH = 0.01
"""How much less a rule may catch that does as well as the gate."""

WIDEST_INTERVAL = 0.20
LEAST_SPARED = 0.20
NEARLY_EVERYTHING = 0.98
CHANCE_Z = 1.645
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ReplayVerdict:
    """kind: one of this module's names. title: two to four words. reason: the rest, no full stop.

    tone: the colour that may go with the words: "good", "bad", "weak" or "open".
    """

    kind: str
    title: str
    reason: str
    tone: str

    @property
    def sentence(self) -> str:
        return f"{self.title}: {self.reason}."


def verdict(result: ReplayResult) -> ReplayVerdict:
    """The verdict on a replay, by the rule on top."""
    if not result.windows or result.got_recall is None:
        return _unmeasured(result)
    got = result.got_recall
    if _interval_width(result) > WIDEST_INTERVAL:
        return _too_few(result)
    if result.relevant == result.windows:
        reason = "everything here mattered, so there is nothing to sleep through"
        return ReplayVerdict(NOT_WORTH_IT, "Not worth it", reason, "weak")
    if not tells_what_matters(result):
        return _nothing_tells(result)
    if result.budget is not None:
        return _within_budget(result, result.budget)
    if result.share_woken >= NEARLY_EVERYTHING:
        return _everything_woke(result)
    if not promise_kept(result):
        return _below_promise(result, got)
    spared = _spared(result)
    low = result.recall_interval[0] if result.recall_interval else 0.0
    if spared < LEAST_SPARED - _ROUNDING or low <= result.share_woken:
        reason = f"{_catch(result, got)}, but spared only {wake_ups(spared)}"
        return ReplayVerdict(WORTH_LITTLE, "Worth little", reason, "weak")
    reason = f"{_catch(result, got)}, and spared {wake_ups(spared)}"
    if rule_does_as_well(result):
        how = "better" if _rule_does_better(result) else "as well"
        reason += f". A one-line rule does {how} here"
    return ReplayVerdict(WORTH_IT, "Worth it", reason, "good")


def extrapolates(result: ReplayResult) -> bool:
    """Whether rates per day and month would be made up from less than a day without labels."""
    return result.days < 1 and verdict(result).tone == "open"


def promise_kept(result: ReplayResult) -> bool:
    """Whether what was caught comes within 2 points of what was asked, or above."""
    got = result.got_recall
    return got is not None and got >= result.asked_recall - TOLERANCE - _ROUNDING


def tells_what_matters(result: ReplayResult) -> bool:
    """Whether the scores order the windows better than chance: the rank test at 5 %."""
    positives, negatives = result.relevant, result.windows - result.relevant
    if result.auc is None or not positives or not negatives:
        return False
    by_chance = sqrt((positives + negatives + 1) / (12 * positives * negatives))
    return result.auc > 0.5 + CHANCE_Z * by_chance


def rule_does_as_well(result: ReplayResult) -> bool:
    """Whether the best one-line rule caught as much, within a point, with as few wake-ups."""
    rule, got = result.policy("rule"), result.got_recall
    if rule is None or rule.recall is None or got is None or not has_rule(result):
        return False
    caught = rule.recall >= got - AS_MUCH - _ROUNDING
    return caught and rule.wakes_per_day <= result.wakes_per_day


def _rule_does_better(result: ReplayResult) -> bool:
    """Whether it caught no less with no more wake-ups, and one of the two is strictly better."""
    rule, got = result.policy("rule"), result.got_recall
    if rule is None or rule.recall is None or got is None:
        return False
    more = rule.recall - got
    fewer = result.wakes_per_day - rule.wakes_per_day
    return min(more, fewer) >= -_ROUNDING and max(more, fewer) > _ROUNDING


def _within_budget(result: ReplayResult, budget: BudgetUse) -> ReplayVerdict:
    """A budget is always kept; the question is whether it is spent better than by chance."""
    got = result.got_recall or 0.0
    low = result.recall_interval[0] if result.recall_interval else 0.0
    span = budget.asked.rpartition("/")[2]
    what = f"caught {percent(got)} of what mattered"
    if (incidents := result.incidents) is not None:
        what = f"told of {incidents.told:,} of {incidents.total:,} incidents"
    reason = (
        f"with at most {budget.asked} the gate {what}; no {span}"
        f" had more than {budget.most:,} wake-ups"
    )
    if incidents is not None and 2 * incidents.told < incidents.total:
        return ReplayVerdict(WORTH_LITTLE, "Worth little", f"{reason}. Most were missed", "weak")
    if low <= result.share_woken:
        return ReplayVerdict(WORTH_LITTLE, "Worth little", f"{reason}. Chance does as well", "weak")
    return ReplayVerdict(WORTH_IT, "Worth it", reason, "good")


def _spared(result: ReplayResult) -> float:
    """Share of the wake-ups on every change that the gate spared."""
    saved = share_fewer(result, result.wakes_per_day)
    return 1 - result.share_woken if saved is None else saved


def _interval_width(result: ReplayResult) -> float:
    low, high = result.recall_interval or (0.0, 1.0)
    return high - low


def _unmeasured(result: ReplayResult) -> ReplayVerdict:
    reason = "no window was left after the warm-up"
    if result.windows:
        which = "the one window" if result.windows == 1 else f"none of {result.windows:,} windows"
        happened = "did not matter" if result.windows == 1 else "mattered"
        reason = f"{which} {happened} (a window matters when {preset_words(result.preset)})"
    return ReplayVerdict(NOTHING_TO_MEASURE, "Nothing to measure", reason, "open")


def _too_few(result: ReplayResult) -> ReplayVerdict:
    count = "only one window" if result.relevant == 1 else f"only {result.relevant:,} windows"
    low, high = result.recall_interval or (0.0, 1.0)
    reason = (
        f"{count} mattered after the warm-up, so what was caught could come out anywhere from "
        f"{percent(low)} to {percent(high)}"
    )
    return ReplayVerdict(TOO_EARLY, "Too early to tell", reason, "open")


def _nothing_tells(result: ReplayResult) -> ReplayVerdict:
    woken = f"{percent(result.share_woken)} of the windows"
    if result.share_woken >= NEARLY_EVERYTHING:
        woken = "(nearly) everything" if result.share_woken < 1 else "everything"
    reason = f"nothing here tells what matters. The gate woke on {woken}; chance does as well"
    return ReplayVerdict(NOT_WORTH_IT, "Not worth it", reason, "weak")


def _everything_woke(result: ReplayResult) -> ReplayVerdict:
    if result.asked_recall >= 1:
        reason = "nothing may be missed when 100 % is asked, so every window woke"
        return ReplayVerdict(WORTH_LITTLE, "Worth little", reason, "weak")
    reason = (
        f"too little was known to promise {level(result.asked_recall)} and sleep, so "
        f"{'everything' if result.share_woken >= 1 else 'nearly everything'} woke"
    )
    return ReplayVerdict(TOO_EARLY, "Too early to tell", reason, "open")


def _below_promise(result: ReplayResult, got: float) -> ReplayVerdict:
    reason = (
        f"the gate caught {_close(got, result.asked_recall)} of what mattered where "
        f"{level(result.asked_recall)} was asked"
    )
    high = result.recall_interval[1] if result.recall_interval else 1.0
    if high >= result.asked_recall:
        reason += f" (with {result.relevant:,} that mattered, chance alone may explain it)"
    reason += f". It spared {wake_ups(_spared(result))}"
    return ReplayVerdict(NOT_KEPT, "Promise not kept", reason, "bad")


def _catch(result: ReplayResult, got: float) -> str:
    target = level(result.asked_recall)
    if round(got, 3) >= result.asked_recall:
        return f"the gate caught {percent(got)} of what mattered ({target} was asked)"
    return (
        f"the gate caught {_close(got, result.asked_recall)} of what mattered, within 2 points of "
        f"the {target} asked"
    )


def _close(got: float, target: float) -> str:
    """One more figure where whole ones would hide that less was caught than asked."""
    return percent(got, 1) if abs(got - target) < 0.03 else percent(got)
