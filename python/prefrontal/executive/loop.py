"""The loop: sense -> wake -> route -> act -> reflect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from ..decisions.payloads import ACT, DIRECTIVE, ROUTE, WAKE
from ..errors import InputError
from .last_act import act_before, keep_act
from .nouns import ASK, ActOutcome, Choice, Conclusion, Episode, Status
from .records import (
    act_record,
    choice_of,
    conclusion_record,
    followed_id,
    route_payload,
    route_record,
)

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..types import SignalEvent
    from .roles import Actor, Chooser, Moments, Reviewer, Selector, Store, Waker

INTERNAL_PLANNING, EXTERNAL_TASK = "internal_planning", "external_task"
OFFLINE_CONSOLIDATION, INTERNAL_REPLAY = "offline_consolidation", "internal_replay"

RIGHT = 0.5
"""A label of at least this says that something was right."""
WORSE_WEIGHS = 0.25
"""Of a wake that turned out worse than foretold: that is seldom the fault of who sent it."""
OUTCOME = "outcome"
"""Source of the labels that follow from what came of acting, not from a person."""


@dataclass(frozen=True, slots=True)
class Links:
    """What the parts tell each other. Each off leaves them as they are alone.

    outcomes: what came of acting trains the gate, the index of tools and the memory of peers.
    beliefs: what is believed reaches the choice of a tool and the agent's prompt. consult: a step
    for somebody who is not trusted waits for a verdict.
    """

    outcomes: bool = True
    beliefs: bool = True
    consult: bool = True


class Executive:
    """Runs the loop, one episode at a time, from any thread.

    selector: None leaves the order of the router. Everything that an episode decided is in the
    store before the next begins. taught: number of the last label of a person that was learned
    before.
    """

    def __init__(
        self,
        waker: Waker,
        chooser: Chooser,
        actor: Actor,
        reviewer: Reviewer,
        store: Store,
        moments: Moments,
        *,
        selector: Selector | None = None,
        links: Links | None = None,
        replaying: bool = False,
        taught: int = 0,
    ) -> None:
        self._waker = waker
        self._chooser = chooser
        self._actor = actor
        self._reviewer = reviewer
        self._store = store
        self._moments = moments
        self._selector = selector
        self._links = links or Links()
        self._replaying = replaying
        self._busy = Lock()
        self._taught = taught

    def sense(self, event: SignalEvent) -> list[Episode]:
        """One signal, as far as it goes; mostly it goes nowhere.

        Its wakes are attended to as the store keeps them, so that the log holds all that decided.
        """
        woken = self._waker.wake(event)
        return [self.attend(self._store.get(wake.id) or wake) for wake in woken]

    def attend(self, wake: Decision) -> Episode:
        """One wake: route, act, reflect, and learn from what came of it.

        Raises InputError for one that was attended to before.
        """
        with self._busy:
            choice, route = self._route(wake)
            outcome, act = self._act(wake, choice, route)
            self._learn(wake, choice, outcome, act.time)
            conclusions, reflected = self._reflect(wake, choice, outcome, act)
            followed = self._follow(reflected)
            return Episode(wake, choice, outcome, conclusions, (route, act, *reflected, *followed))

    def feedback(self, episode: Episode, about: str, label: float, number: int) -> None:
        """Take in what a person said later of the wake, or of the route or act that followed.

        label: 0..1; of a wake: whether it mattered; of a route or act: whether it was right.
        number: of the label in the log, which the records tell from now on.
        """
        with self._busy:
            self._taught = max(self._taught, number)
            if not self._links.outcomes:
                return
            right = label >= RIGHT
            if about == WAKE:
                outcome = replace(episode.outcome, useful=right, accepted=True if right else None)
                self._reviewer.judge(episode.wake, surprise(episode.wake, label))
            else:
                outcome = replace(episode.outcome, accepted=right)
            self._teach(episode.wake, episode.choice, outcome)

    def _route(self, wake: Decision) -> tuple[Choice, Decision]:
        at = self._moments.take()
        beliefs = self._reviewer.hear(wake)
        record = self._store.get(followed_id(wake.id, ROUTE))
        if record is not None:  # a restart takes the wake up: what was decided then is done
            if self._store.get(followed_id(record.id, ACT)) is not None:
                raise InputError(f"wake must be one that was not attended to, got {wake.id}")
            return choice_of(record, beliefs), record
        self._enter(INTERNAL_PLANNING)
        choice = self._chooser.choose(wake, beliefs if self._links.beliefs else ())
        if self._selector is not None and len(choice.options) > 1:
            choice = self._selector.select(wake, choice)
        consent = self._reviewer.consent(wake, choice) if self._links.consult else None
        route = route_record(wake, choice, consent, at, self._taught)
        self._store.append_many([route])
        return choice, route

    def _act(self, wake: Decision, choice: Choice, route: Decision) -> tuple[ActOutcome, Decision]:
        if route.reason == Status.DEFERRED:
            consent = route_payload(route).consent
            outcome = ActOutcome(Status.DEFERRED, consent.reasoning if consent else "")
            return outcome, act_record(route, choice, outcome, self._moments.take())
        before = act_before(self._store, route, choice)
        if before is not None:  # acted on, but the process ended before all that follows was kept
            return before
        self._enter(EXTERNAL_TASK)
        self._store.check_owner()  # one that was frozen and replaced must not act beside the next
        outcome = self._actor.act(wake, choice)
        act = act_record(route, choice, outcome, self._moments.take())
        keep_act(self._store, act)
        return outcome, act

    def _reflect(
        self, wake: Decision, choice: Choice, outcome: ActOutcome, act: Decision
    ) -> tuple[tuple[Conclusion, ...], list[Decision]]:
        self._enter(OFFLINE_CONSOLIDATION)
        score = None
        if self._links.outcomes and outcome.useful:  # that a check found nothing is nobody's fault
            score = surprise(wake, 1.0)
        conclusions = tuple(self._reviewer.reflect(wake, choice, outcome, score))
        records = [conclusion_record(act, each, place) for place, each in enumerate(conclusions)]
        self._store.append_many([act, *records])
        return conclusions, records

    def _learn(self, wake: Decision, choice: Choice, outcome: ActOutcome, at: float) -> None:
        """Let what came of it train the gate and the index; the reviewer is told in `reflect`."""
        if not self._links.outcomes:
            return
        if outcome.useful is not None and not self._is_labelled(wake):
            self._store.add_label(wake.id, float(outcome.useful), at, OUTCOME)
        self._teach(wake, choice, outcome)

    def _teach(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        self._chooser.learn(wake, choice, outcome)
        if self._selector is not None and choice.option is not None:
            self._enter(EXTERNAL_TASK)
            self._selector.learn(wake, choice, outcome)

    def _is_labelled(self, wake: Decision) -> bool:
        """Whether a person was faster, or the label is there since before a crash."""
        record = self._store.get(wake.id)
        return record is not None and record.label is not None

    def _follow(self, reflected: Sequence[Decision]) -> list[Decision]:
        """Hand each directive to the agent, as a question of its own."""
        acts = []
        for directive in reflected:
            if directive.kind == DIRECTIVE and directive.acted and directive.question:
                choice = Choice(directive.question, ASK, (), math.nan, "reflection asked for it")
                outcome = self._actor.act(directive, choice)
                acts.append(act_record(directive, choice, outcome, directive.time))
        if acts:
            self._store.append_many(acts)
        return acts

    def _enter(self, mode: str) -> None:
        if self._selector is not None:
            self._selector.enter(INTERNAL_REPLAY if self._replaying else mode)


def surprise(wake: Decision, label: float) -> float:
    """How much better, -1 to +1, a wake turned out than its score foretold.

    Twice the label less the score, within bounds, and a quarter of that where it was worse: who is
    behind it gets neither the blame for what the gate knew not to matter, nor the credit for what
    it knew to. A score that is no number foretold nothing.
    """
    foretold = 0.5 if math.isnan(wake.score) else wake.score
    better = max(-1.0, min(1.0, 2.0 * (label - foretold)))
    return better if better > 0 else WORSE_WEIGHS * better
