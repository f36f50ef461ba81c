"""The control agent in the role of the selector."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.decisions.payloads import Moment, WakePayload
from prefrontal.executive.nouns import SELECT, ActOutcome, Choice, Option, Status
from prefrontal.types import Standing

from ..executive_samples import wake

pytest.importorskip("torch")

from prefrontal.executive.selector.plan_chooser import (
    SAVED_EVERY,
    PlanChooser,
    plan_features,
    result,
    situation,
)

BOTH = Choice(
    "summarise it",
    SELECT,
    (
        Option("git/summarise", "summarise", 0.8, features={"failures": 0.0, "odd": math.nan}),
        Option("git/count", "count", 0.78, features={"failures": 0.0, "steps": 1.0}),
    ),
    0.6,
    "summarise fits best.",
)
FAILED = ActOutcome(Status.FAILED, "exit status 1", accepted=False)
DONE = ActOutcome(Status.DONE, "ok", useful=True, accepted=True)


def test_until_it_knows_better_the_routers_order_stands() -> None:
    chooser = PlanChooser()
    chooser.enter("internal_planning")
    made = chooser.select(wake(), BOTH)
    assert (made.picked, made.options, made.sentence) == (0, BOTH.options, BOTH.sentence)
    assert made.control is not None and not made.control.committed


@pytest.mark.exhaustive
def test_what_keeps_failing_is_left_for_the_next_best_with_a_sentence_that_says_so() -> None:
    chooser = PlanChooser()
    made = BOTH
    for number in range(60):
        chooser.enter("internal_planning")
        made = chooser.select(wake(number), BOTH)
        chooser.enter("external_task")
        taken = made.option
        assert taken is not None
        chooser.learn(wake(number), made, FAILED if taken.name == "summarise" else DONE)
        chooser.learn(wake(number), replace(BOTH, picked=1), DONE)
    assert made.picked == 1
    assert "count was preferred to summarise" in made.sentence


@pytest.mark.exhaustive
def test_the_same_choices_and_outcomes_pick_the_same() -> None:
    def told() -> list[object]:
        chooser, found = PlanChooser(seed=3), list[object]()
        for number in range(15):
            chooser.enter("internal_planning")
            made = chooser.select(wake(number), BOTH)
            found.append((made.picked, made.control))
            chooser.enter("external_task")
            chooser.learn(wake(number), made, FAILED if number % 3 else DONE)
        return found

    assert repr(told()) == repr(told())


def test_what_was_learned_is_kept_and_a_file_that_is_none_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "selector.pt"
    chooser = PlanChooser.kept(path)
    chooser.save()
    assert not path.exists()  # nothing was learned
    for number in range(SAVED_EVERY):
        made = chooser.select(wake(number), BOTH)
        chooser.learn(wake(number), made, DONE if number % 2 else FAILED)
    kept = path.read_bytes()
    again = PlanChooser.kept(path)
    assert repr(again.select(wake(99), BOTH)) == repr(chooser.select(wake(99), BOTH))
    again.learn(wake(99), BOTH, FAILED)
    again.save()
    assert path.read_bytes() != kept
    path.write_bytes(b"nonsense")
    assert PlanChooser.kept(path).select(wake(1), BOTH).picked == 0
    assert "what the control agent learned is lost" in caplog.text


DISTRUSTED = WakePayload("run", Moment(1, 0.0, 0.0, 0, 0, Standing("ann", -4, -0.6)))


def test_a_situation_and_an_option_are_finite_numbers_by_name() -> None:
    odd = replace(wake(), score=math.nan, payload=DISTRUSTED)
    found = situation(odd)
    assert (found["score"], found["trust"], found["module issues"]) == (0.0, -0.4, 1.0)
    assert (found["source tracker"], found["change created"]) == (1.0, 1.0)
    features = plan_features(BOTH.options[0])
    assert features == {"failures": 0.0, "odd": 0.0, "score": 0.8, "tool git/summarise": 1.0}
    assert all(map(math.isfinite, [*found.values(), *features.values()]))


@pytest.mark.parametrize(
    ("outcome", "harm_and_use"),
    [
        (DONE, (0.0, 1.0)),
        (replace(DONE, accepted=False), (1.0, 0.0)),
        (replace(DONE, useful=False), (0.0, 0.0)),
        (FAILED, (1.0, 0.0)),
        (ActOutcome(Status.NOTHING, "", useful=False), (0.0, 0.0)),
        (ActOutcome(Status.FAILED, "no sandbox"), None),
        (ActOutcome(Status.ASKED, "asked"), None),
        (ActOutcome(Status.DEFERRED, "not for them", useful=False), None),
    ],
)
def test_only_what_says_something_of_the_option_is_learned(
    outcome: ActOutcome, harm_and_use: tuple[float, float] | None
) -> None:
    assert result(outcome) == harm_and_use
