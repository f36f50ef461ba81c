"""The threshold and the audits where only what is asked about is labelled."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cli.watch.built_in_modules import built_in_module
from prefrontal.pulse import LimbicLayer
from prefrontal.pulse.recall import RecallPromise
from prefrontal.pulse.recall.control import RecallControl
from prefrontal.types import SignalEvent

from ..exhaustive import first
from .plain_control import PlainControl


class Asked(NamedTuple):
    """One window: its score, the draw of its audit, whether it matters, whether that is said."""

    score: float
    draw: float
    relevant: bool
    answered: bool
    unseen: float = 0.1
    now: float = 0.5


def score_in_bin(place: int, inside: float) -> float:
    """Well inside a bin, whatever computes its edges."""
    return 1 / (1 + math.exp(8.0 - 0.1 * (place + inside)))


windows = st.lists(
    st.builds(
        Asked,
        st.builds(score_in_bin, st.integers(1, 158), st.floats(0.2, 0.8)),
        st.floats(0, 1, exclude_max=True),
        st.booleans(),
        st.sampled_from([True, True, True, False]),
        st.sampled_from([0.0, 0.1, 0.9]),
        st.builds(score_in_bin, st.integers(1, 158), st.floats(0.2, 0.8)),
    ),
    max_size=200,
)


def odds(score: float) -> float:
    return math.log(score / (1 - score))


def live(control: RecallControl | PlainControl, window: Asked) -> bool:
    """Decide about one window and give its label if it is asked about and answered."""
    threshold, score = control.threshold, window.score
    woke = score >= threshold
    chance = 1.0 if woke else control.audit_chance(score)
    asked = window.draw < chance
    told = (window.unseen,) if isinstance(control, RecallControl) else ()
    control.decided(score, chance if asked else 0.0, *told)
    if asked and window.answered:
        control.labelled(score, window.relevant, threshold, chance, score)
    return asked


def made_up(seed: int, number: int, wrong: float = 1.0) -> Iterator[Asked]:
    """Windows whose scores are `wrong` times the chance that they matter."""
    draw = random.Random(seed)
    for _ in range(number):
        chance = draw.betavariate(0.4, 1.0)
        score = min(0.999, wrong * chance)
        yield Asked(score, draw.random(), draw.random() < chance, True)


@given(
    *(st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]), st.sampled_from([0.0, 0.02, 0.3])),
    *(st.sampled_from([1, 2, 3]), st.booleans(), windows),
)
@settings(deadline=None, max_examples=250)
def test_it_decides_as_the_plain_rule_does(
    recall: float, share: float, version: int, late: bool, seen: list[Asked]
) -> None:
    """late: the scorer has moved when an answer comes."""
    control = RecallControl(recall, share, version)
    plain = PlainControl(recall, share, version)
    for window in seen:
        chance = control.audit_chance(window.score)
        assert chance == pytest.approx(plain.audit_chance(window.score), rel=1e-5)
        threshold, woke = control.threshold, window.score >= control.threshold
        unsure = abs(window.score - threshold) < 1e-6 or abs(window.draw - chance) < 1e-5
        now = window.now if late else window.score
        unsure |= abs(abs(odds(now) - odds(window.score)) - 1.0) < 1e-6
        if unsure or plain.near_an_edge(window.score) or plain.near_an_edge(now):
            return  # a decision within the rounding of the reference
        propensity = 1.0 if woke else chance if window.draw < chance else 0.0
        for each in (control, plain):
            each.decided(window.score, propensity)
            if propensity and window.answered:
                each.labelled(window.score, window.relevant, threshold, propensity, now)
        if control.alarm() is not None:
            return  # the plain rule knows none
        assert control.threshold == pytest.approx(plain.threshold, rel=1e-4, abs=1e-9)


@given(
    st.sampled_from([0.5, 0.9, 0.95, 1.0]),
    st.lists(st.tuples(st.floats(0, 1) | st.just(math.nan), st.booleans()), max_size=150),
)
@settings(deadline=None, max_examples=100)
def test_with_complete_labels_it_is_the_promise_to_the_bit(
    recall: float, seen: list[tuple[float, bool]]
) -> None:
    control, promise = RecallControl(recall), RecallPromise(recall)
    for score, relevant in seen:
        threshold = control.threshold
        assert threshold == promise.threshold
        control.decided(score, 1.0 if score >= threshold else 0.0)
        control.labelled(score, relevant, threshold, None)
        promise.observe(score, relevant, threshold)
        assert control.audit_chance(score) == 0.0


@given(st.sampled_from([0.8, 0.9]), windows, st.integers(0, 200))
@settings(deadline=None, max_examples=60)
def test_it_goes_on_from_what_it_wrote_to_the_bit(
    recall: float, seen: list[Asked], at: int
) -> None:
    control = RecallControl(recall)
    for window in seen[:at]:
        live(control, window)
    again = RecallControl.from_dict(json.loads(json.dumps(control.to_dict())))
    for window in seen[at:]:
        assert live(again, window) == live(control, window)
    assert again.to_dict() == control.to_dict()
    assert again.estimate() == control.estimate() and again.alarm() == control.alarm()


@pytest.mark.parametrize("complete", [False, True])
def test_a_long_life_goes_on_from_what_it_wrote(complete: bool) -> None:
    control = RecallControl(0.9)
    again = control
    for number, window in enumerate(made_up(1, 1200)):
        if number == 700:
            again = RecallControl.from_dict(json.loads(json.dumps(control.to_dict())))
        for each in {id(control): control, id(again): again}.values():
            if complete:
                each.labelled(window.score, window.relevant, each.threshold, None)
            else:
                live(each, window)
        assert again.threshold == control.threshold
    assert control.threshold > 0 and again.to_dict() == control.to_dict()


@given(windows)
@settings(deadline=None, max_examples=60)
def test_what_was_asked_about_and_what_slept_meanwhile_is_enough_to_decide_again(
    seen: list[Asked],
) -> None:
    control, again = RecallControl(0.8), RecallControl(0.8)
    for window in seen:
        threshold, chance = control.threshold, control.audit_chance(window.score)
        meanwhile = control.meanwhile
        if live(control, window):
            assert (again.threshold, again.audit_chance(window.score)) == (threshold, chance)
            again.set_meanwhile(meanwhile)
            live(again, window)
    control.set_meanwhile(())
    assert again.to_dict() == control.to_dict()


def test_what_sleeps_moves_nothing_before_something_is_asked_about() -> None:
    control = RecallControl(0.8)
    for window in made_up(2, 400):
        live(control, window)
    before = control.threshold, control.audit_chance(0.01)
    for _ in range(50):
        control.decided(0.05, 0.0)
    assert (control.threshold, control.audit_chance(0.01)) == before
    control.decided(0.9, 1.0)
    assert control.threshold < before[0]


def test_everything_wakes_until_enough_relevant_answers_are_known() -> None:
    control = RecallControl(0.9)
    assert (control.needed, control.known) == (9, 0)
    for number in range(60):
        control.decided(0.3, 1.0)
        if number % 6 == 0 and control.known < 8:
            control.labelled(0.3, True, 0.0, 1.0)
        else:
            control.labelled(0.3, False, 0.0, 1.0)
        assert control.threshold == 0.0
    assert control.known == 8
    control.labelled(0.3, True, 0.0, 1.0)
    assert control.known == 9 and control.threshold > 0.0


def test_silence_says_nothing() -> None:
    control = RecallControl(0.9)
    for window in made_up(3, 500):
        live(control, window._replace(answered=False))
    assert control.threshold == 0.0 and control.estimate() is None


def test_audits_are_rarer_far_below_the_threshold_and_never_impossible() -> None:
    control = RecallControl(0.8)
    for window in made_up(4, 600):
        live(control, window)
    scores = [0.0, 1e-9, 1e-4, 0.001, 0.01, 0.9 * control.threshold]
    chances = [control.audit_chance(each) for each in scores]
    assert chances == sorted(chances) and chances[0] == 0.01 and 0.12 < chances[-1] <= 0.2
    assert RecallControl(0.8, 0.0).audit_chance(0.1) == 0.0


@pytest.mark.parametrize("recall", first(1, [0.8, 0.9]))
@pytest.mark.parametrize("wrong", [1.0, 0.5])
def test_the_recall_is_kept_and_the_interval_holds_it(recall: float, wrong: float) -> None:
    got, holds = [], 0
    for seed in range(20):
        control, caught, relevant = RecallControl(recall), 0, 0
        for window in made_up(seed, 1500, wrong):
            asked = live(control, window)
            caught += asked and window.relevant
            relevant += window.relevant
        got.append(caught / relevant)
        estimate = control.estimate()
        assert estimate is not None
        holds += estimate.low <= got[-1] <= estimate.high
    assert recall - 0.01 < sum(got) / len(got) < recall + 0.06
    assert sum(each < recall - 0.05 for each in got) <= 1
    assert holds >= 17


LINES = ((0.06, 0.9, "ERROR disk lost"), (0.14, 0.15, "WARN slow retry"), (0.8, 0.005, "INFO ok"))


def caught_of_lines(seed: int, version: int) -> float:
    """Of log lines of three kinds, asked .90, each question answered, by a scorer that wanders."""
    scorer, control = LimbicLayer(utc=True, version=2), RecallControl(0.9, version=version)
    scorer.register("logs", built_in_module("logs", {"files": ["/app.log"]}, "log"))
    draw, caught, relevant = random.Random(seed), 0, 0
    for number in range(5000):
        [(_, chance, words)] = draw.choices(LINES, [share for share, _, _ in LINES])
        told = {"text": f"{words} {draw.choice('abcdefgh') * 3} {draw.randrange(10_000)}"}
        line = (SignalEvent("log", "/app.log", "line", 1.0, 1.7e9 + 600 * number, told),)
        score, threshold = scorer.score("logs", line), control.threshold
        propensity = 1.0 if score >= threshold else control.audit_chance(score)
        asked, matters = draw.random() < propensity, draw.random() < chance
        control.decided(score, propensity if asked else 0.0, 0.1)
        if asked:
            control.labelled(score, matters, threshold, propensity)
            scorer.update_weights("logs", line, float(matters))
        caught += asked and matters
        relevant += matters
    return caught / relevant


def test_what_matters_now_and_then_is_not_lost() -> None:
    seeds = range(6)
    now, before = ([caught_of_lines(seed, version) for seed in seeds] for version in (2, 1))
    assert sum(now) / len(now) > 0.88 and min(now) > 0.8
    assert sum(before) / len(before) < 0.86 and min(before) < 0.78


@pytest.mark.parametrize(
    ("wrong", "low", "high"), [(0.5, 0.15, 1.2), (1.0, -0.2, 0.15), (2.0, -0.65, -0.25)]
)
def test_labels_correct_log_odds_that_are_too_small_or_too_large(
    wrong: float, low: float, high: float
) -> None:
    control = RecallControl(0.9)
    for window in made_up(1, 3000):
        odds = math.log(max(window.score, 1e-6) / (1 - window.score))
        live(control, window._replace(score=1 / (1 + math.exp(-wrong * odds))))
    assert low < control.to_dict()["calibration_slope"] < high


def test_what_the_first_rules_knew_goes_on() -> None:
    before, control = RecallControl(0.9, version=1), RecallControl(0.9)
    for window in made_up(8, 600):
        live(before, window)
    control.restore(before.to_dict())
    assert control.threshold == before.threshold > 0 and control.known == before.known
    assert control.to_dict()["calibration_slope"] == 0.0
    for window in made_up(9, 300):
        live(control, window)
    assert control.to_dict()["calibration_slope"] != 0.0


def test_late_answers_go_on_from_a_restored_control_to_the_bit() -> None:
    draw = random.Random(3)
    control, asked = RecallControl(0.9), list[Asked]()
    for window in made_up(3, 750):
        control.decided(window.score, 1.0)
        asked.append(window)
        if len(asked) == 100:
            for old in asked[:60]:
                now = score_in_bin(draw.randrange(1, 158), 0.5)
                control.labelled(old.score, old.relevant, 0.0, 1.0, now)
            asked = []
    again = RecallControl.from_dict(json.loads(json.dumps(control.to_dict())))
    assert len(control.to_dict()["pending"]) == 7 * 40 + 50
    for window in asked:
        for each in (control, again):
            each.labelled(window.score, window.relevant, 0.0, 1.0, 0.3)
        assert again.threshold == control.threshold > 0.0
    assert again.to_dict() == control.to_dict()
    assert len(control.to_dict()["pending"]) == 7 * 40


def test_what_is_never_answered_takes_no_more_room_than_five_hundred() -> None:
    control = RecallControl(0.9)
    for number in range(600):
        control.decided((number + 1) / 602, 1.0)
    pending = control.to_dict()["pending"]
    assert len(pending) == 500
    assert pending[0][0] == 101 / 602
    raw = control.to_dict()
    with pytest.raises(ValueError, match="bin must be below 160, got 160"):
        control.restore({**raw, "pending": [[0.5, True, 160, 0.1]]})
    assert control.to_dict() == raw


def test_earlier_rules_count_an_answer_at_the_score_of_then() -> None:
    told, untold = RecallControl(0.9, version=2), RecallControl(0.9, version=2)
    today = RecallControl(0.9)
    for control in (told, untold, today):
        for window in made_up(4, 400):
            control.decided(window.score, 1.0)
            now = None if control is untold else 0.01
            control.labelled(window.score, window.relevant, 0.0, 1.0, now)
    assert told.to_dict() == untold.to_dict()
    assert today.threshold < 0.5 * told.threshold


def test_rules_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="version must be 1, 2 or 3, got 4"):
        RecallControl(0.9, version=4)


def test_new_features_raise_an_alarm_and_answers_end_it() -> None:
    control = RecallControl(0.9)
    draw = random.Random(5)
    for window in made_up(5, 600):
        live(control, window._replace(unseen=draw.choice([0.0, 0.1, 0.2])))
    assert control.alarm() is None
    before, threshold = control.audit_chance(0.0), control.threshold
    for window in made_up(6, 30):
        live(control, window._replace(unseen=0.5))
    alarm = control.alarm()
    assert alarm is not None and alarm.startswith("what comes is not what was: ")
    assert "of its features are new, 1" in alarm
    assert control.audit_chance(0.0) == 4 * before and control.threshold < threshold
    for _ in range(299):
        control.labelled(0.9, True, control.threshold, 1.0)
    assert control.alarm() is None


def test_audits_that_find_too_much_raise_an_alarm() -> None:
    control = RecallControl(0.9)
    for window in made_up(7, 600):
        live(control, window)
    score = 0.2 * control.threshold
    for _ in range(5):
        control.decided(score, 0.02)
        control.labelled(score, True, control.threshold, 0.02)
    alarm = control.alarm()
    assert alarm is not None and alarm.startswith("audits find more than was expected")


def test_numbers_that_are_none_change_nothing() -> None:
    control = RecallControl(0.9)
    before: dict[str, Any] = control.to_dict()
    for score in (math.nan, math.inf, -math.inf):
        control.decided(score, 0.0)
        control.labelled(score, True, 0.5, 0.1)
        assert control.audit_chance(score) == 0.0
    assert control.to_dict() == before


def test_what_an_earlier_release_counted_is_passed_over() -> None:
    control = RecallControl(0.9)
    control.restore({"wakes": 30, "slept": 2, "recent": [[0.5, True]]})
    assert control.threshold == 0.0 and control.known == 0


def test_a_share_that_is_none_is_refused() -> None:
    for share in (True, "0.1", -0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="audit_share must be a number from 0 to 1, got "):
            RecallControl(0.9, share)  # type: ignore[arg-type]
    with pytest.raises(IndexError, match="bin must be below 160, got 160"):
        RecallControl(0.9).set_meanwhile([(160, 0.1)])
    with pytest.raises(KeyError):
        RecallControl.from_dict({"recall": 0.9, "share": 0.02})
