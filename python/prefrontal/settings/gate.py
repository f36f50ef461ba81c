"""What decides about a wake besides modules and labels: one object for every door to the gate."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from .budget import is_budget
from .refusal import refusal
from .rules import (
    Hours,
    Megabytes,
    Positive,
    Rate,
    Recall,
    Seconds,
    Seed,
    Share,
    Switch,
    broken,
    check,
)

BudgetText = Annotated[str, check("be wakes an hour, day or week, such as 20/day", is_budget)]
USUAL_RECALL = 0.9
"""What a module follows when nobody chose a threshold or a recall for it."""


class _SentenceOnError(type(BaseModel)):  # type: ignore[misc]
    """Lets a call with a wrong field end in one sentence; pydantic itself does not go this way."""

    def __call__(cls, **fields: Any) -> Any:
        try:
            return super().__call__(**fields)
        except ValidationError as error:
            raise refusal(error, cls, cls.__name__) from None


class PolicySettings(BaseModel, metaclass=_SentenceOnError):
    """How wakes are held back. The defaults hold nothing back but exact repetitions.

    settle_s: a file must have been left alone so long before it is looked at.
    cooldown_s: least seconds between two wakes of a module. group_s: what comes so long after the
    first is asked about as one. hold_s: what comes close together is asked about as one once
    nothing came for so long, at the latest after 15 times that; None leaves it to the module.
    quiet_hours: first and last local hour, both included, in which nothing wakes; (22, 6) passes
    midnight.
    module_wakes_per_hour: most wakes an hour of each module. wakes_per_hour: most wakes an hour of
    all modules together. burst: wakes that may come at once out of a full hourly budget. budget:
    most wakes of all in any hour, day or week, such as "20/day"; the span slides, and no span ever
    holds more. Of `budget` and of `wakes_per_hour` a quarter is kept for modules and sources that
    spent little of it. module_budget: most wakes of each module in any hour, day or week.
    source_budget: most wakes about signals of one source in any hour, day or week. incidents:
    decide about bursts of alike windows, and of them about those that are likeliest to matter
    within the budget; without audits. overlap: what happens to a wake of a module whose handler is
    still at work: "skip" it, "queue" it, or run in "parallel".
    key_ttl_s: how long an event is remembered so that a repetition is recognised; 0 forgets.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    settle_s: Seconds = 0.5
    cooldown_s: Seconds = 0.0
    group_s: Seconds = 0.0
    hold_s: Seconds | None = None
    quiet_hours: Hours | None = None
    module_wakes_per_hour: Rate | None = None
    wakes_per_hour: Rate | None = None
    burst: Positive = 5
    budget: BudgetText | None = None
    module_budget: BudgetText | None = None
    source_budget: BudgetText | None = None
    incidents: Switch = False
    overlap: Literal["skip", "queue", "parallel"] = "queue"
    key_ttl_s: Seconds = 300.0

    def model_post_init(self, context: Any, /) -> None:
        if self.incidents and self.budget is None:
            raise broken("have a budget, such as 20/day, where incidents is true")


class GateSettings(BaseModel, metaclass=_SentenceOnError):
    """What decides besides the modules, the same in prefrontal.yml and in the gate.

    threshold: the least score that wakes, fixed, for every module. recall: the share of what
    matters to be caught; every module's threshold follows it. With neither, a module that declares
    a `default_threshold` keeps it and any other follows a recall of 0.9. audit_share: share of the
    slept windows that are shown all the same. policy: what may hold a wake back. scorer: `linear`
    learns a logistic model; `lstm` is the recurrent one that it is compared with. seed: what audits
    and the weights of an `lstm` are drawn from. log_refusals: keep what nobody was woken for, too.
    slept_mb: what slept in the last 24 hours can be explained, from a ring on disk of so many
    megabytes, without `log_refusals`, too; 0 keeps none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    threshold: Share | None = None
    recall: Recall | None = None
    audit_share: Share = 0.02
    policy: PolicySettings = PolicySettings()
    scorer: Literal["linear", "lstm"] = "linear"
    seed: Seed = 0
    log_refusals: Switch = False
    slept_mb: Megabytes = 64.0

    def model_post_init(self, context: Any, /) -> None:
        if self.threshold is not None and self.recall is not None:
            raise broken("have a threshold or a recall, not both")
        if self.policy.incidents and self.scorer != "linear":
            raise broken("have the scorer linear where policy.incidents is true")

    def recall_of(self, own: float | None, wish: float | None = None) -> float | None:
        """The recall that a module's threshold follows; None where a fixed one was chosen.

        own, wish: the threshold and the recall that the module declares.
        """
        if self.threshold is not None:
            return None
        if self.recall is not None:
            return self.recall
        if wish is not None:
            return wish
        return USUAL_RECALL if own is None else None
