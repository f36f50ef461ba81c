"""Episodes decided again from their log: the same, to the bit, or the difference is told."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import (
    EDITED_QUESTION,
    ActPayload,
    AssessmentPayload,
    DirectivePayload,
    RoutePayload,
    WakePayload,
)
from prefrontal.executive import ActOutcome, Choice, Conclusion, Episode, Executive, Option, Status
from prefrontal.executive.again import KeptActor, KeptMoments, attend_again, episode_of
from prefrontal.testing import (
    ScriptedActor,
    ScriptedChooser,
    ScriptedReviewer,
    ScriptedWaker,
    SteppingMoments,
)

WAKES = 60
BASE = Decision(
    id="",
    time=1e9,
    payload=WakePayload(),
    subject="code",
    acted=True,
    reason="woke",
    score=0.9,
    threshold=0.5,
    question="What now?",
    propensity=1.0,
    window=(),
)


class CountingChooser(ScriptedChooser):
    """Scores a tool by what it was told of it before: a choice depends on all that was learned."""

    def choose(self, wake: Decision, heard: object) -> Choice:
        good = sum(bool(each.accepted) for each in self.learned)
        score = (good + 1) / (len(self.learned) + 2)
        option = Option("a/tool.py", "tool", score, {"path": wake.id})
        return Choice("What now?", "select", (option,), 0.1, f"tool has {score!r}")


class CountingReviewer(ScriptedReviewer):
    """Concludes how much it was told; a directive now and then."""

    def reflect(
        self, wake: Decision, choice: Choice, outcome: ActOutcome, judged: float | None
    ) -> list[Conclusion]:
        self.judged.append(judged)
        total = sum(each or 0.0 for each in self.judged) / 3
        said = [Conclusion(AssessmentPayload(), "ann", "counted", True, "count", total)]
        if len(self.judged) % 7 == 0:
            said.append(Conclusion(DirectivePayload(), "ann", "Ask ann.", True, "ask"))
        return said


def executive(store: DecisionLog, actor: object, moments: object) -> Executive:
    waker = ScriptedWaker(lambda _: ())
    return Executive(waker, CountingChooser(), actor, CountingReviewer(), store, moments)  # type: ignore[arg-type]


@pytest.fixture
def log() -> Iterator[DecisionLog]:
    """What an executive kept of some wakes whose acts turned out this way or that."""
    draw = random.Random(7)
    states = [Status.DONE, Status.NOTHING, Status.FAILED]

    def outcome(_: Decision) -> ActOutcome:
        status = draw.choice(states)
        useful = {Status.DONE: True, Status.NOTHING: False}.get(status)
        return ActOutcome(status, f"it is {status}", [draw.random()], useful, useful, draw.random())

    with DecisionLog() as kept:
        running = executive(kept, ScriptedActor(outcome), SteppingMoments())
        episode: Episode | None = None
        for number in range(WAKES):
            wake = replace(BASE, id=f"{number:032x}")
            kept.append(wake)
            label, said = random.Random(number).random(), []
            if (
                episode is not None and number % 10 == 5
            ):  # said before it was acted on, and then of the one before it
                kept.add_label(wake.id, label, 1e9)
                said = labels(kept)[-1:]
                kept.add_label(episode.wake.id, label, 1e9)
                running.feedback(episode, "wake", label, labels(kept)[-1][0])
            episode = running.attend(wake)
            if number % 10 == 0:
                kept.add_label(wake.id, label, 1e9)
                said = labels(kept)[-1:]
            for at, _, given in said:
                running.feedback(episode, "wake", given, at)
        yield kept


def labels(kept: DecisionLog) -> list[tuple[int, Decision, float]]:
    """What persons said of every fifth wake, beside what the outcome says."""
    given = [(each.number, each.decision, each.label) for each in kept.labels_after(0)]
    return [each for each in given if each[2] not in (0.0, 1.0)]


def deviations(kept: DecisionLog, source: DecisionLog | None = None) -> list[tuple[str, str]]:
    moments = KeptMoments()
    wakes = [each for each in kept.records() if each.kind == "wake"]
    with DecisionLog() as scratch:
        scratch.append_many(replace(each, label=None, labelled_at=None) for each in wakes)
        again = executive(scratch, KeptActor(source or kept), moments)
        found = attend_again(wakes, labels(kept), source or kept, again, moments)
        return [(each.kind, each.field) for each in found]


def test_a_log_decided_again_is_the_same_to_the_bit(log: DecisionLog) -> None:
    kinds = [each.kind for each in log.records()]
    assert kinds.count("act") > WAKES  # the directives' own
    assert len(labels(log)) == WAKES // 5 + WAKES // 10
    assert deviations(log) == []


class Tampered:
    """The log with one decision changed."""

    def __init__(self, log: DecisionLog, changed: Decision | None, lost: str = "") -> None:
        self._log, self._changed, self._lost = log, changed, lost

    def _seen(self, record: Decision) -> Decision:
        changed = self._changed
        return changed if changed is not None and changed.id == record.id else record

    def followed(self, decision_id: str) -> list[Decision]:
        found = self._log.followed(decision_id)
        return [self._seen(each) for each in found if each.id != self._lost]

    def get(self, decision_id: str) -> Decision | None:
        found = self._log.get(decision_id)
        return None if found is None or found.id == self._lost else self._seen(found)


def test_one_bit_of_a_score_is_found(log: DecisionLog) -> None:
    [route] = log.recent(1, kind="route")
    changed = replace(route, score=route.score * (1 + 2**-52))
    assert deviations(log, Tampered(log, changed)) == [("route", "score")]  # type: ignore[arg-type]


def test_another_outcome_changes_what_follows(log: DecisionLog) -> None:
    act = next(each for each in log.records() if each.kind == "act" and each.subject == "tool")
    assert isinstance(act.payload, ActPayload)
    other = replace(act, payload=replace(act.payload, accepted=True, useful=True))
    found = deviations(log, Tampered(log, other))  # type: ignore[arg-type]
    assert ("route", "score") in found


def test_how_a_person_would_have_asked_is_nobodys_decision(log: DecisionLog) -> None:
    [wake] = log.recent(1)
    edited = replace(BASE, id="e" * 32, payload=DirectivePayload(), cause=wake.id, reason="edited")
    log.append(replace(edited, payload=DirectivePayload(EDITED_QUESTION, asked="What now?")))
    assert deviations(log) == []
    log.append(replace(edited, id="f" * 32))
    assert deviations(log) == [("directive", "")]


def test_a_decision_that_is_missing_is_told(log: DecisionLog) -> None:
    [kept] = log.recent(1, kind="assessment")
    assert deviations(log, Tampered(log, None, kept.id)) == [("assessment", "")]  # type: ignore[arg-type]


def test_a_label_that_was_not_heard_changes_what_follows(log: DecisionLog) -> None:
    moments = KeptMoments()
    wakes = [each for each in log.records() if each.kind == "wake"]
    with DecisionLog() as scratch:
        scratch.append_many(replace(each, label=None, labelled_at=None) for each in wakes)
        again = executive(scratch, KeptActor(log), moments)
        assert list(attend_again(wakes, [], log, again, moments))


def test_what_is_said_of_a_directive_says_nothing_of_the_tool(log: DecisionLog) -> None:
    directive = next(each for each in log.records() if each.kind == "directive")
    [asked] = log.followed(directive.id)
    assert episode_of(asked, log) is None
    heard = labels(log)
    told = [*heard[:-1], (heard[-1][0], asked, 0.0), heard[-1]]
    moments = KeptMoments()
    wakes = [each for each in log.records() if each.kind == "wake"]
    with DecisionLog() as scratch:
        scratch.append_many(replace(each, label=None, labelled_at=None) for each in wakes)
        again = executive(scratch, KeptActor(log), moments)
        assert list(attend_again(wakes, told, log, again, moments)) == []


def test_causes_that_go_in_a_circle_are_no_episode() -> None:
    with DecisionLog() as log:
        first = replace(BASE, id="a" * 32, payload=ActPayload(), cause="b" * 32)
        log.append_many(
            [first, replace(first, id="b" * 32, payload=RoutePayload(), cause="a" * 32)]
        )
        assert episode_of(first, log) is None
        assert len(log.followed(first.id)) == 2


def test_an_episode_is_found_from_its_wake_its_route_or_its_act(log: DecisionLog) -> None:
    wake = next(each for each in log.records() if each.kind == "wake")
    route, act, assessment = log.followed(wake.id)[:3]
    found = [episode_of(each, log) for each in (wake, route, act)]
    assert all(each is not None and each.wake.id == wake.id for each in found)
    assert found[0] is not None and found[0].outcome.text == act.question
    assert episode_of(assessment, log) is None
    assert episode_of(replace(BASE, id="feed"), log) is None
    assert episode_of(replace(route, cause=None), log) is None
