"""Choosing among ranked plans for bench_control.py: the selector, and its plain torch forms.

The selector has learned 200 outcomes of the stream of `plan_stream`. The twin is another one that
learned the same, with the plain forms of all operators; that both foresee the same is asserted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle

from control_sections import Section, plain_forms
from plan_stream import PlanRequest, played, stream
from prefrontal.executive.selector.selection import PlanPick, PlanSelector

PLAIN = "plain torch"
TARGET_S = 2e-3
CLOSE = 1e-3


def sections() -> list[Section]:
    return [_selecting(3), _selecting(16), _learning()]


def _selecting(plans: int) -> Section:
    ours, twin = _choosing(plans), _choosing(plans)

    def plain() -> PlanPick:
        with plain_forms():
            return twin()

    _agree(ours(), plain())
    entries = {"PlanSelector.select": ours, PLAIN: plain}
    return Section(
        f"a choice among {plans} plans", entries, PLAIN, {"PlanSelector.select": TARGET_S}
    )


def _learning() -> Section:
    """The share of a step of learning in each mode; the twin is that of acting."""
    entries: dict[str, Callable[[], object]] = {}
    for mode in ("external_task", "internal_replay"):
        selector = _taught()
        selector.enter(mode)
        entries[f"PlanSelector.learn, {mode}"] = _taking_in(selector)
    return Section("taking in an outcome", entries, "PlanSelector.learn, external_task")


def _taking_in(selector: PlanSelector) -> Callable[[], None]:
    requests = cycle(stream("hidden", 1, 50))

    def learn() -> None:
        it = next(requests)
        selector.learn(it.context, it.plans[0], *it.outcome(0))

    return learn


def _choosing(plans: int) -> Callable[[], PlanPick]:
    selector = _taught()
    selector.enter("internal_planning")
    requests: Iterator[PlanRequest] = cycle(stream("hidden", 1, 50))

    def choose() -> PlanPick:
        it = next(requests)
        return selector.select(it.context, (it.plans * plans)[:plans])

    return choose


def _taught() -> PlanSelector:
    selector = PlanSelector(seed=1)
    played(stream("hidden", 0, 200), selector)
    return selector


def _agree(ours: PlanPick, plain: PlanPick) -> None:
    """Both weigh the plans alike."""
    for mine, theirs in zip(ours.scores, plain.scores, strict=True):
        if abs(mine - theirs) > CLOSE:
            raise AssertionError(f"scores must be {plain.scores}, got {ours.scores}")
