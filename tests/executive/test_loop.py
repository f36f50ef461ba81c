"""The loop: what is kept of an episode, what the parts tell each other, and what they do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payload_json import to_plain
from prefrontal.decisions.payloads import BeliefPayload, DirectivePayload, ToolRun, WakePayload
from prefrontal.errors import InputError, SourceError
from prefrontal.executive import (
    ActOutcome,
    Choice,
    Conclusion,
    Consent,
    Executive,
    HeardBelief,
    Links,
    Option,
    Status,
)
from prefrontal.executive.loop import surprise
from prefrontal.executive.records import choice_of, followed_id, outcome_of
from prefrontal.storage.database import FencedError
from prefrontal.testing import (
    ScriptedActor,
    ScriptedChooser,
    ScriptedReviewer,
    ScriptedSelector,
    ScriptedWaker,
    SteppingMoments,
)
from prefrontal.types import SignalEvent

EVENT = SignalEvent("filesystem", "/home/me/a.py", "modified", 1.0, 1_700_000_000.0)
WAKE = Decision(
    id="0123abcd",
    time=1_700_000_000.0,
    payload=WakePayload(),
    subject="code",
    acted=True,
    reason="woke",
    score=0.9,
    threshold=0.5,
    question="What changed in a.py?",
    propensity=1.0,
    window=(EVENT,),
)
FIRST = Option("git/diff.py", "diff", 0.8, {"path": "a.py"}, (("name", 0.3),), {"score": 0.8})
SECOND = Option("git/todo.py", "todo", 0.7, {}, (), {"score": 0.7}, ("a shared tool",))
CHOICE = Choice("What changed", "select", (FIRST, SECOND), 0.6, "diff has 0.80")
TOOL_RUN = ToolRun(FIRST.tool, "ab" * 32, level="namespace")
DONE = ActOutcome(Status.DONE, "3 lines", ["x"], True, True, 0.25, TOOL_RUN)
BELIEF = HeardBelief("diff:good", "diff is reliable", 0.9)
ADDED = BeliefPayload("added")
CONCLUDED = Conclusion(ADDED, "diff:good", "diff is reliable", True, "added", 0.9)


class Loop:
    """An executive of stand-ins, which the test may change before it runs."""

    def __init__(self, log: DecisionLog) -> None:
        self.log = log
        self.waker = ScriptedWaker(lambda _: [WAKE])
        self.chooser = ScriptedChooser(lambda _: CHOICE)
        self.actor = ScriptedActor(lambda _: DONE)
        self.reviewer = ScriptedReviewer((BELIEF,), None, lambda _: [CONCLUDED])
        log.append(WAKE)

    def executive(self, **changes: Any) -> Executive:
        return Executive(
            self.waker,
            self.chooser,
            self.actor,
            self.reviewer,
            self.log,
            SteppingMoments(100.0),
            **changes,
        )


@pytest.fixture
def loop() -> Iterator[Loop]:
    with DecisionLog() as log:
        yield Loop(log)


def test_a_signal_goes_from_wake_to_conclusion_and_each_step_is_kept(loop: Loop) -> None:
    [episode] = loop.executive().sense(EVENT)
    route, act, belief = loop.log.followed(WAKE.id)
    assert (route, act, belief) == episode.records
    assert (route.kind, route.subject, route.acted, route.reason) == (
        "route",
        "diff",
        True,
        "select",
    )
    assert (route.score, route.threshold, route.question) == (0.8, 0.6, "What changed")
    assert to_plain(route.payload)["arguments"] == {"path": "a.py"}
    assert [each["tool"] for each in to_plain(route.payload)["considered"]] == [
        FIRST.tool,
        SECOND.tool,
    ]
    assert (act.kind, act.subject, act.acted, act.reason) == ("act", "diff", True, "done")
    assert to_plain(act.payload) == {
        "status": "done",
        "value": ["x"],
        "useful": True,
        "accepted": True,
        "seconds": 0.25,
        "tool": FIRST.tool,
        "sha256": "ab" * 32,
        "level": "namespace",
    }
    assert (belief.kind, belief.subject, belief.score) == ("belief", "diff:good", 0.9)
    assert [each.cause for each in episode.records] == [WAKE.id, route.id, act.id]
    assert [each.time for each in episode.records] == [101.0, 102.0, 102.0]


def test_nothing_is_done_about_a_signal_that_wakes_nobody(loop: Loop) -> None:
    loop.waker = ScriptedWaker(lambda _: [])
    assert loop.executive().sense(EVENT) == []
    assert loop.actor.acted == []


class EndingReviewer(ScriptedReviewer):
    """The process ends, as it were, while it reflects."""

    def reflect(self, *_: object) -> list[Conclusion]:
        raise KeyboardInterrupt


def test_what_was_acted_on_is_not_acted_on_again_after_a_restart(loop: Loop) -> None:
    whole, loop.reviewer = loop.reviewer, EndingReviewer()
    with pytest.raises(KeyboardInterrupt):
        loop.executive().sense(EVENT)
    assert [each.kind for each in loop.log.followed(WAKE.id)] == ["route"]
    loop.reviewer = whole
    episode = loop.executive().attend(WAKE)
    assert len(loop.actor.acted) == 1
    assert episode.outcome == DONE
    route, act, belief = loop.log.followed(WAKE.id)
    assert (route, act, belief) == episode.records
    assert act.time == 102.0


def test_a_process_that_was_replaced_before_the_act_does_not_act(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced(_: DecisionLog) -> None:
        raise FencedError("the log has another owner since")

    monkeypatch.setattr(DecisionLog, "check_owner", replaced)
    with pytest.raises(FencedError):
        loop.executive().sense(EVENT)
    assert loop.actor.acted == []
    monkeypatch.undo()
    loop.executive().attend(WAKE)  # as the next owner does
    assert len(loop.actor.acted) == 1


def test_another_wake_is_acted_on_though_the_last_one_was_not_ended(loop: Loop) -> None:
    whole, loop.reviewer = loop.reviewer, EndingReviewer()
    with pytest.raises(KeyboardInterrupt):
        loop.executive().sense(EVENT)
    loop.reviewer = whole
    other = replace(WAKE, id="4567cdef")
    loop.log.append(other)
    loop.executive().attend(other)
    assert len(loop.actor.acted) == 2


def test_what_is_kept_gives_choice_and_outcome_back(loop: Loop) -> None:
    [episode] = loop.executive().sense(EVENT)
    route, act, *_ = episode.records
    assert outcome_of(act) == DONE
    found = choice_of(route)
    assert found.option is not None and found.option.arguments == FIRST.arguments
    assert [(each.tool, each.features, each.flags) for each in found.options] == [
        (each.tool, each.features, each.flags) for each in (FIRST, SECOND)
    ]
    assert (found.prompt, found.policy, found.picked) == (CHOICE.prompt, CHOICE.policy, 0)


def test_where_no_tool_fits_the_agent_is_asked_and_what_came_nearest_is_kept(loop: Loop) -> None:
    asked = replace(CHOICE, policy="ask", options=(), nearest=(SECOND,))
    loop.chooser = ScriptedChooser(lambda _: asked)
    loop.actor = ScriptedActor()
    [episode] = loop.executive().sense(EVENT)
    route, act, *_ = episode.records
    assert (route.subject, route.reason, route.score) == ("ask", "ask", 0.7)
    assert (act.subject, act.reason, act.acted) == ("agent", "asked", True)
    assert choice_of(route).option is None
    assert [each.tool for each in choice_of(route).nearest] == [SECOND.tool]


def test_a_step_that_must_wait_is_not_taken(loop: Loop) -> None:
    loop.reviewer.verdict = Consent("conditional", "trust in ann is -4")
    [episode] = loop.executive().sense(EVENT)
    route, act, *_ = episode.records
    assert loop.actor.acted == []
    assert (route.acted, route.reason) == (False, "deferred")
    assert to_plain(route.payload)["verdict"] == {
        "decision": "conditional",
        "reasoning": "trust in ann is -4",
    }
    assert (act.acted, act.reason, act.question) == (False, "deferred", "trust in ann is -4")
    assert loop.log.get(WAKE.id).label is None  # type: ignore[union-attr]


def test_a_step_that_is_agreed_to_is_taken_and_nobody_is_consulted_when_the_link_is_off(
    loop: Loop,
) -> None:
    loop.reviewer.verdict = Consent("approve", "known for long")
    loop.executive().sense(EVENT)
    assert len(loop.actor.acted) == 1
    loop.reviewer.verdict = Consent("deny", "no")
    other = replace(WAKE, id="4567abcd")
    loop.executive(links=Links(consult=False)).attend(other)
    assert len(loop.actor.acted) == 2


@pytest.mark.parametrize(("useful", "label", "judged"), [(True, 1.0, 0.2), (False, 0.0, None)])
def test_an_outcome_trains_gate_and_index_and_who_sent_what_mattered_is_trusted_for_it(
    loop: Loop, useful: bool, label: float, judged: float | None
) -> None:
    outcome = replace(DONE, useful=useful)
    loop.actor = ScriptedActor(lambda _: outcome)
    loop.executive().sense(EVENT)
    assert loop.log.get(WAKE.id).label == label  # type: ignore[union-attr]
    assert loop.chooser.learned == [outcome]
    assert loop.reviewer.judged == [judged if judged is None else pytest.approx(judged)]


@pytest.mark.parametrize(
    ("score", "label", "judged"),
    [
        (0.5, 1.0, 1.0),
        (0.5, 0.0, -0.25),
        (0.02, 0.0, -0.01),
        (0.98, 1.0, 0.04),
        (0.1, 1.0, 1.0),
        (0.9, 0.0, -0.25),
        (math.nan, 0.0, -0.25),
        (0.75, 0.75, 0.0),
    ],
)
def test_a_peer_is_judged_by_what_the_score_did_not_foretell(
    score: float, label: float, judged: float
) -> None:
    assert surprise(replace(WAKE, score=score), label) == pytest.approx(judged)


def test_an_outcome_that_says_nothing_labels_nothing(loop: Loop) -> None:
    loop.actor = ScriptedActor(lambda _: replace(DONE, useful=None))
    loop.executive().sense(EVENT)
    assert loop.log.get(WAKE.id).label is None  # type: ignore[union-attr]
    assert loop.reviewer.judged == [None]


def test_without_the_link_of_outcomes_nobody_learns_from_them(loop: Loop) -> None:
    executive = loop.executive(links=Links(outcomes=False))
    [episode] = executive.sense(EVENT)
    executive.feedback(episode, "wake", 1.0, 7)
    assert loop.log.get(WAKE.id).label is None  # type: ignore[union-attr]
    assert loop.chooser.learned == []
    assert loop.reviewer.judged == [None]


def test_beliefs_reach_the_chooser_only_over_their_link(loop: Loop) -> None:
    loop.executive().sense(EVENT)
    loop.executive(links=Links(beliefs=False)).attend(replace(WAKE, id="4567abcd"))
    assert loop.chooser.heard == [(BELIEF,), ()]


def test_a_selector_may_take_another_option_and_is_told_what_the_agent_is_about(
    loop: Loop,
) -> None:
    selector = ScriptedSelector(pick=1)
    [episode] = loop.executive(selector=selector).sense(EVENT)
    assert episode.records[0].subject == "todo"
    planning, acting, reflecting = "internal_planning", "external_task", "offline_consolidation"
    assert selector.modes == [planning, acting, acting, reflecting]  # it learns while acting
    assert selector.learned == [DONE]
    replayed = ScriptedSelector(pick=1)
    loop.executive(selector=replayed, replaying=True).attend(replace(WAKE, id="4567abcd"))
    assert set(replayed.modes) == {"internal_replay"}


def test_without_another_option_the_selector_is_not_asked(loop: Loop) -> None:
    loop.chooser = ScriptedChooser(lambda _: replace(CHOICE, options=(FIRST,)))
    [episode] = loop.executive(selector=ScriptedSelector(pick=5)).sense(EVENT)
    assert episode.records[0].subject == "diff"


@pytest.mark.parametrize(
    ("about", "label", "useful", "accepted", "judged"),
    [
        ("wake", 1.0, True, True, [0.2, 0.2]),
        ("wake", 0.0, False, None, [0.2, -0.25]),
        ("wake", 0.5, True, True, [0.2, -0.2]),
        ("route", 0.0, True, False, [0.2]),
        ("act", 1.0, True, True, [0.2]),
    ],
)
def test_what_a_person_says_later_is_taught_as_far_as_it_says_something(
    loop: Loop,
    about: str,
    label: float,
    useful: bool,
    accepted: bool | None,
    judged: list[float],
) -> None:
    executive = loop.executive()
    [episode] = executive.sense(EVENT)
    executive.feedback(episode, about, label, 3)
    assert loop.chooser.learned[-1] == replace(DONE, useful=useful, accepted=accepted)
    assert loop.reviewer.judged == pytest.approx(judged)
    route = executive.attend(replace(WAKE, id="4567abcd")).records[0]
    assert to_plain(route.payload)["taught"] == 3


def test_a_directive_is_handed_to_the_agent_as_a_question_of_its_own(loop: Loop) -> None:
    told = Conclusion(DirectivePayload(), "ann", "Ask ann for the missing file.", True, "ask")
    held = Conclusion(DirectivePayload(), "bob", "Tell bob.", False, "cap")
    loop.reviewer.make = lambda _: [told, held]
    [episode] = loop.executive().sense(EVENT)
    *_, last = episode.records
    [_, (directive, choice)] = loop.actor.acted
    assert (directive.kind, choice.prompt, choice.option) == ("directive", told.text, None)
    assert (last.kind, last.cause, last.subject) == ("act", directive.id, "agent")
    assert last in loop.log.followed(WAKE.id)


def test_a_wake_that_is_taken_up_after_a_crash_is_kept_once(loop: Loop) -> None:
    def crash(_: Decision) -> ActOutcome:
        raise SourceError("the disk is gone")

    loop.actor = ScriptedActor(crash)
    with pytest.raises(SourceError):
        loop.executive().attend(WAKE)
    assert [each.kind for each in loop.log.followed(WAKE.id)] == ["route"]
    loop.actor = ScriptedActor(lambda _: DONE)
    loop.executive().attend(WAKE)
    assert [each.kind for each in loop.log.followed(WAKE.id)] == ["route", "act", "belief"]


def test_what_was_decided_before_a_crash_is_what_is_done_after_it(loop: Loop) -> None:
    def crash(_: Decision) -> ActOutcome:
        raise SourceError("the disk is gone")

    loop.actor = ScriptedActor(crash)
    with pytest.raises(SourceError):
        loop.executive().attend(WAKE)
    other = HeardBelief("new", "todo is reliable", 0.9)
    loop.reviewer = ScriptedReviewer((BELIEF, other), None, lambda _: [CONCLUDED])
    loop.chooser = ScriptedChooser(lambda _: replace(CHOICE, options=(SECOND, FIRST)))
    loop.actor = ScriptedActor(lambda _: DONE)
    episode = loop.executive().attend(WAKE)
    route, act, _ = loop.log.followed(WAKE.id)
    assert (route.subject, act.subject) == ("diff", "diff")
    assert episode.choice.option is not None
    assert episode.choice.option.arguments == FIRST.arguments
    assert episode.records[0] == route


def test_nothing_is_done_twice_about_one_wake(loop: Loop) -> None:
    loop.executive().attend(WAKE)
    with pytest.raises(InputError, match="was not attended to"):
        loop.executive().attend(WAKE)
    assert len(loop.actor.acted) == 1
    assert [each.kind for each in loop.log.followed(WAKE.id)] == ["route", "act", "belief"]


def test_an_outcome_labels_a_wake_once_and_never_over_a_persons_word(loop: Loop) -> None:
    loop.log.add_label(WAKE.id, 0.0, 1e9)
    loop.executive().attend(WAKE)
    assert [label for _, _, label, _ in loop.log.labels_after(0)] == [0.0]


def test_a_signal_is_attended_to_as_the_log_keeps_it(loop: Loop) -> None:
    given = replace(WAKE, id="feedfeed", window=(replace(EVENT, features={"paths": ("a", "b")}),))
    loop.log.append(given)
    loop.waker = ScriptedWaker(lambda _: [given])
    [episode] = loop.executive().sense(EVENT)
    assert episode.wake.window[0].features == {"paths": ["a", "b"]}


def test_the_option_that_was_picked_is_kept_however_far_down_it_stood(loop: Loop) -> None:
    many = tuple(replace(FIRST, tool=f"git/diff{place}.py") for place in range(20))
    loop.chooser = ScriptedChooser(lambda _: replace(CHOICE, options=many, picked=17))
    route = loop.executive().attend(WAKE).records[0]
    kept = choice_of(route).option
    assert kept is not None and kept.tool == "git/diff17.py"
    assert kept.arguments == FIRST.arguments


def test_ids_follow_from_the_wake_alone(loop: Loop) -> None:
    [episode] = loop.executive().sense(EVENT)
    route, act, belief = episode.records
    assert route.id == followed_id(WAKE.id, "route")
    assert act.id == followed_id(route.id, "act")
    assert belief.id == followed_id(act.id, "belief:0")
    assert len({route.id, act.id, belief.id}) == 3


def test_a_choice_without_anything_near_has_no_score(loop: Loop) -> None:
    nothing = replace(CHOICE, policy="ask", options=(), nearest=())
    make: Callable[[Decision], Choice] = lambda _: nothing  # noqa: E731
    loop.chooser = ScriptedChooser(make)
    [episode] = loop.executive().sense(EVENT)
    assert math.isnan(episode.records[0].score)
