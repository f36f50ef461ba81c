"""The replay itself: what is asked of the gate, in which order, and what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.protocols import TrialGate
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.result import ReplayResult
from prefrontal.testing import ScriptedGate, ScriptedRule
from prefrontal.types import SignalEvent, Window

from .streams import HOUR, history, window


def question(total: int, recall: float = 0.9) -> Question:
    return Question(source="history", preset="recorded", total=total, recall=recall)


def score_of_path(events: Sequence[SignalEvent]) -> float:
    """Scripted scores: the location is the score."""
    return float(events[0].location)


def scripted(scores: Sequence[float], relevant: Sequence[int]) -> list[Window]:
    return [
        window(number, str(score), relevant=bool(matters))
        for number, (score, matters) in enumerate(zip(scores, relevant, strict=True))
    ]


def test_each_window_is_scored_and_decided_before_its_label_is_learned() -> None:
    gate = ScriptedGate(score_of_path)
    backtest(scripted([0.1, 0.2, 0.3, 0.4, 0.6], [1, 0, 1, 0, 0]), gate, question(total=5))
    assert gate.diary == [
        ("rule", "0.1", 1.0),  # the warm-up is the first fifth
        ("score", "0.1", 0.1),
        ("observe", "yes", 0.5),
        ("learn", "0.1", 1.0),
        ("score", "0.2", 0.2),
        ("observe", "no", 0.5),
        ("learn", "0.2", 0.0),
        ("score", "0.3", 0.3),
        ("why", "0.3", 0.0),  # a miss is explained before the gate learns from it
        ("observe", "yes", 0.5),
        ("learn", "0.3", 1.0),
        ("score", "0.4", 0.4),
        ("observe", "no", 0.5),
        ("learn", "0.4", 0.0),
        ("score", "0.6", 0.6),
        ("why", "0.6", 0.0),  # and so is a wake that found nothing
        ("observe", "no", 0.5),
        ("learn", "0.6", 0.0),
    ]


def test_the_warm_up_is_learned_from_and_not_counted() -> None:
    gate = ScriptedGate(score_of_path)
    result = backtest(scripted([0.9] * 20, [1] * 4 + [0] * 16), gate, question(total=20))
    assert result.warmup == 4
    assert result.windows == len(result.strip) == 16
    assert result.relevant == 0
    assert gate.asked("rule") == ["0.9"] * 4
    assert len(gate.asked("learn")) == 20
    assert [each.key for each in result.strip] == [f"w{number}" for number in range(4, 20)]
    assert result.days == 15 / 24


@pytest.mark.parametrize(
    ("said", "warm_up"), [(0, 0), (2, 0), (5, 1), (10, 2), (25, 5), (1_000, 10)]
)
def test_the_warm_up_is_a_fifth_of_what_was_announced(said: int, warm_up: int) -> None:
    result = backtest(scripted([0.9] * 10, [1] * 10), ScriptedGate(score_of_path), question(said))
    assert (result.warmup, result.windows) == (warm_up, 10 - warm_up)


def test_a_late_label_is_learned_when_it_becomes_known_and_not_before() -> None:
    made = scripted([0.1, 0.2, 0.3, 0.4, 0.5], [1, 1, 0, 1, 0])
    known = [made[3].time, made[2].time, None, made[4].time, made[4].time + 9 * HOUR]
    late = [replace(each, known_at=at) for each, at in zip(made, known, strict=True)]
    gate = ScriptedGate(score_of_path)
    backtest(late, gate, question(total=0))
    told = [f"{what} {place}" for what, place, _ in gate.diary if what in ("score", "learn")]
    assert told == [
        *("score 0.1", "score 0.2"),
        *("score 0.3", "learn 0.3"),  # the second is known at the very time of the third: later
        *("learn 0.2", "score 0.4"),
        *("learn 0.1", "score 0.5"),  # the fourth and the fifth are never known in time
    ]


def test_a_late_label_is_observed_with_the_threshold_of_its_decision() -> None:
    gate = ScriptedGate(score_of_path, threshold=0.5)

    def falling(events: Sequence[SignalEvent]) -> float:
        gate.threshold -= 0.1
        return score_of_path(events)

    gate.score = falling
    made = scripted([0.1] * 5, [1] * 5)
    backtest([replace(each, known_at=made[2].time) for each in made], gate, question(total=0))
    decided = [value for what, _, value in gate.diary if what == "observe"]
    assert decided == pytest.approx([0.4, 0.3, 0.2, 0.1])  # the last is never told


def test_the_rule_is_found_on_labels_that_were_known_when_the_warm_up_ended() -> None:
    made = scripted([0.1, 0.2, 0.3, 0.4], [1, 0, 1, 0])
    known = [made[1].time, made[3].time - 1, made[3].time, None]
    late = [replace(each, known_at=at) for each, at in zip(made, known, strict=True)]
    gate = ScriptedGate(score_of_path)
    backtest([*late, *scripted([0.5] * 16, [0] * 16)], gate, question(total=20))
    assert gate.asked("rule") == ["0.1", "0.2", "0.4"]


def test_the_figures_are_those_of_the_windows() -> None:
    scores = [0.9, 0.8, 0.2, 0.6, 0.1, 0.5, 0.3, 0.7]
    relevant = [1, 0, 1, 0, 0, 1, 0, 1]
    gate = ScriptedGate(score_of_path, rule=ScriptedRule(lambda w: score_of_path(w) > 0.75, "high"))
    asked = replace(question(total=0), tokens_per_wake=100, notes=("a note",))
    result = backtest(scripted(scores, relevant), gate, asked)
    assert (result.windows, result.relevant, result.missed, result.wasted_count) == (8, 4, 1, 2)
    assert result.got_recall == 3 / 4
    assert result.recall_interval == (3 / 4, 3 / 4)
    assert result.share_woken == 5 / 8
    assert result.precision == 3 / 5
    assert result.wakes_per_day == pytest.approx(5 / (7 / 24))
    assert result.tokens_per_useful_wake == pytest.approx(500 / 3)
    assert result.auc == 10 / 16
    assert [each.kind for each in result.strip] == [
        *("caught", "wasted", "missed", "wasted", "slept", "caught", "slept", "caught")
    ]
    assert [(each.key, each.why) for each in result.misses] == [("w2", (("script", 1.0),))]
    assert [each.score for each in result.wasted] == [0.8, 0.6]
    assert result.notes[0] == "a note"
    assert "Only 4 relevant windows" in result.notes[1]
    rule = result.policy("rule")
    assert rule is not None
    assert (rule.detail, rule.share_woken, rule.recall) == ("high", 2 / 8, 1 / 4)
    assert ReplayResult.from_dict(result.to_dict()) == result


def test_the_worst_hundred_are_kept_and_all_are_counted() -> None:
    scores = [number / 1_000 for number in range(1_000)]
    result = backtest(
        scripted(scores, [number < 300 or number % 2 for number in range(1_000)]),
        ScriptedGate(score_of_path),
        question(total=0),
    )
    assert result.missed == 300 + 100
    assert [each.score for each in result.misses] == [number / 1_000 for number in range(100)]
    assert result.wasted_count == 250
    assert [each.score for each in result.wasted] == [n / 1_000 for n in range(998, 798, -2)]
    assert [each.key for each in result.strip] == [f"w{number}" for number in range(880, 1_000)]


def gates() -> list[TrialGate]:
    return [ScriptedGate(lambda _: 0.6), PulseGate()]


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("relevant", [True, False])
@pytest.mark.parametrize("gate", gates(), ids=["scripted", "pulse"])
def test_a_tiny_history_is_replayed_and_says_how_little_it_tells(
    gate: TrialGate, relevant: bool, count: int
) -> None:
    windows = [window(number, "a.py", relevant=relevant) for number in range(count)]
    result = backtest(windows, gate, question(total=count))
    counted = count - (count == 5)
    assert (result.windows, result.relevant) == (counted, counted * relevant)
    assert result.auc is None
    assert result.days == max(1 / 24, (counted - 1) / 24)
    assert result.got_recall == (1.0 if counted and relevant else None)
    ends = ((0.0, 0.0), (1.0, 1.0))
    assert (result.curve[:1] + result.curve[-1:]) == (ends if counted and relevant else ())
    assert [each.name for each in result.policies if each.name != "rule"] == [
        *("heartbeat", "cheap_heartbeat", "on_change", "random", "prefrontal")
    ]
    assert len(result.notes) == bool(result.relevant)
    assert ReplayResult.from_dict(result.to_dict()) == result


@pytest.mark.parametrize("relevant", [True, False])
def test_a_history_of_one_kind_has_no_auc_and_rules_nothing_out(relevant: bool) -> None:
    windows = [replace(each, relevant=relevant) for each in history(0, 300)]
    result = backtest(windows, PulseGate(), question(total=300))
    assert result.auc is None
    assert result.policy("rule") is None
    assert result.got_recall is None or result.got_recall > 0.8
    assert ReplayResult.from_dict(result.to_dict()) == result
