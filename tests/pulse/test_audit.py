"""Audits are drawn fairly, and what they find says how much was missed."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from prefrontal.decisions.payloads import Moment
from prefrontal.pulse.recall.audit import LEAST_AUDITS, AuditDraw, LiveRecall
from prefrontal.pulse.recall.score_draw import audit_number, score_draw
from prefrontal.types import SignalEvent


@pytest.mark.parametrize("share", [0.02, 0.3])
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_each_slept_window_is_audited_with_the_same_chance(share: float, batch: int) -> None:
    draw = AuditDraw(share, seed=1)
    total = 200_000
    picked = [place for _ in range(total // batch) for place in draw.pick(batch)]
    assert len(picked) / total == pytest.approx(share, rel=0.06)
    assert all(0 <= place < batch for place in picked)
    if batch == 7:  # no place is favoured
        counts = [picked.count(place) for place in range(batch)]
        assert max(counts) < 1.25 * min(counts)


def test_no_share_audits_nothing_and_a_whole_share_everything() -> None:
    assert AuditDraw(0.0, 0).pick(10**9) == []
    assert AuditDraw(1.0, 0).pick(5) == [0, 1, 2, 3, 4]


def test_the_same_seed_draws_the_same_audits() -> None:
    first, second = (AuditDraw(0.1, 3) for _ in range(2))
    assert [first.pick(9) for _ in range(50)] == [second.pick(9) for _ in range(50)]


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), True, "0.1"])
def test_a_share_that_is_none_is_refused(share: object) -> None:
    with pytest.raises(ValueError, match="^audit_share must"):
        AuditDraw(share, 0)  # type: ignore[arg-type]


def window(place: str, text: str = "", source: str = "log") -> list[SignalEvent]:
    return [SignalEvent(source, place, "line", 0.5, 0.0, {"text": text})]


def window_number(events: list[SignalEvent], time: float) -> int:
    return audit_number(events, Moment(time=time))


@pytest.mark.parametrize("alike", ["texts", "times"])
def test_windows_alike_in_all_but_one_thing_are_drawn_apart(alike: str) -> None:
    count = 20_000
    if alike == "texts":  # lines of one second, as a recorded log has them
        numbers = [
            window_number(window("a.log", str(each)), 1_700_000_000.0) for each in range(count)
        ]
    else:  # one text, a microsecond apart
        numbers = [
            window_number(window("a.log"), 1_700_000_000.0 + each / 1e6) for each in range(count)
        ]
    drawn = [score_draw(0, each, "logs") < 0.1 for each in numbers]
    assert sum(drawn) / count == pytest.approx(0.1, rel=0.1)
    twice = sum(one and other for one, other in pairwise(drawn))
    assert twice / count == pytest.approx(0.01, rel=0.3)


def test_a_draw_follows_from_the_window_its_time_the_module_and_the_seed() -> None:
    number = window_number(window("a.log", "b"), 5.0)
    assert number == window_number(window("a.log", "b"), 5.0)
    others = (
        (window("b.log", "b"), 5.0),
        (window("a.log", "b", "ci"), 5.0),
        (window("a.log", "b"), 6.0),
    )
    assert len({number, *(window_number(*each) for each in others)}) == 4
    draws = score_draw(0, number, "one"), score_draw(0, number, "two"), score_draw(1, number, "one")
    assert len(set(draws)) == 3


def test_a_text_that_is_no_unicode_or_no_text_has_a_number() -> None:
    assert isinstance(window_number(window("a\udcff", "\udcff"), 5.0), int)
    assert isinstance(
        window_number([SignalEvent("log", "a", "line", 0.5, 0.0, {"text": 3})], 0.0), int
    )


def simulated(seed: int, labelled_wakes: float = 1.0) -> tuple[LiveRecall, float]:
    """A gate at 0.5 on scores that tell relevance roughly, and its true recall."""
    draw, audits, live = random.Random(seed), AuditDraw(0.05, seed), LiveRecall()
    caught = missed = 0
    for _ in range(20_000):
        relevant = draw.random() < 0.2
        score = min(1.0, max(0.0, draw.gauss(0.7 if relevant else 0.3, 0.2)))
        if score >= 0.5:
            live.wakes += 1
            caught += relevant
            if draw.random() < labelled_wakes:
                live.labelled(woke=True, score=score, label=float(relevant))
        else:
            live.slept += 1
            missed += relevant
            if audits.pick(1):
                live.labelled(woke=False, score=score, label=float(relevant))
    return live, caught / (caught + missed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("labelled_wakes", [1.0, 0.2])
def test_the_estimate_is_near_the_truth_and_its_interval_holds_it(labelled_wakes: float) -> None:
    held = 0
    errors = []
    for seed in range(20):
        live, truth = simulated(seed, labelled_wakes)
        estimate = live.estimate()
        assert estimate is not None
        errors.append(estimate.recall - truth)
        held += estimate.low <= truth <= estimate.high
    assert held >= 16  # of 20, at 90 %
    assert abs(sum(errors) / len(errors)) < 0.02
    assert max(map(abs, errors)) < 0.15


def test_nothing_is_estimated_before_both_kinds_were_labelled() -> None:
    live = LiveRecall(wakes=3, slept=9)
    assert live.estimate() is None
    live.labelled(woke=True, score=0.9, label=1.0)
    assert live.estimate() is None
    live.labelled(woke=False, score=0.1, label=0.0)
    estimate = live.estimate()
    assert estimate is not None
    assert estimate.recall == 1.0
    assert estimate.low < 0.5  # one audit says little
    assert str(estimate).endswith(" from 1 audit")


@pytest.mark.parametrize("recall", [0.8, 0.9, 0.95])
def test_the_threshold_keeps_the_asked_recall_though_only_wakes_and_audits_are_labelled(
    recall: float,
) -> None:
    live, _ = simulated(7)
    threshold = live.threshold(recall)
    assert threshold is not None
    draw = random.Random(99)
    scores = [min(1.0, max(0.0, draw.gauss(0.7, 0.2))) for _ in range(20_000)]
    got = sum(score >= threshold for score in scores) / len(scores)
    assert got == pytest.approx(recall, abs=0.06)


def test_no_threshold_is_moved_by_a_handful_of_audits() -> None:
    live = LiveRecall(wakes=50, slept=1000)
    for _ in range(50):
        live.labelled(woke=True, score=0.9, label=1.0)
    for _ in range(LEAST_AUDITS - 1):
        live.labelled(woke=False, score=0.1, label=0.0)
    assert live.threshold(0.9) is None
    live.labelled(woke=False, score=0.1, label=0.0)
    assert live.threshold(0.9) == 0.9
    assert live.threshold(1.0) is None


def test_the_counts_survive_a_round_trip() -> None:
    live, _ = simulated(3)
    again = LiveRecall.from_dict(live.to_dict())
    assert again == live
    assert again.threshold(0.9) == live.threshold(0.9)
